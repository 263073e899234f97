import type { Clause } from "../parse/phrases.ts";
import { isEntity } from "../schema/output-shape.ts";
import type { Parameter } from "../schema/parameter.ts";
import type { Profile } from "../schema/profile.ts";
import {
  auxiliaries,
  computingVerbs,
  determiners,
  emptyNouns,
  fillers,
  measureNouns,
  superlatives,
} from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";
import { assign, type Lookup, type Scope, takesIds } from "./assign.ts";
import { type Building, maxTasks } from "./building.ts";
import { attributeOwner, searchFor } from "./choose.ts";
import { type Draft, fillLink, fillValue, hasLinks, isFilled, makeDraft, sourcesOf } from "./draft.ts";
import { type Evidence, type NounSpan, readEvidence } from "./evidence.ts";
import { fanOut, findAlternatives } from "./fan-out.ts";
import { reportLeftovers } from "./leftovers.ts";
import { bestLink } from "./link.ts";
import { linkBack } from "./link-back.ts";
import { findRoles, type Role } from "./roles.ts";
import { fillSink } from "./sink.ts";

/** Plans what one clause asks for and adds it to the building; what it cannot plan is reported there. */
export function planClause(clause: Clause, building: Building): void {
  if (isStatement(clause) && supplement(clause, building)) return;
  const { roles, refused } = findRoles(clause, building.catalogue);
  const narrowed = roles.filter((role) => isReuse(role, clause, building) === undefined);
  const byRole = new Map<Role, Draft>();
  for (const role of narrowed) byRole.set(role, draftOf(role, clause));
  const chosen = narrowed.some((role) => role.target) ? undefined : wholeClause(clause, building, refused, roles);
  if (chosen !== undefined)
    byRole.set({ mention: nowhere, profile: chosen, target: true }, makeDraft(chosen, clause, -1));
  const told = idsOfSupports(byRole, clause);
  const drafts = [...byRole.values()];
  if (![...byRole.keys()].some((role) => role.target)) {
    const scope = clause.verb === "" && (narrowed.length < roles.length || onlyPointsBack(clause));
    if (!scope && !supplement(clause, building)) reportNothing(clause, building, refused);
    building.scoped = scope;
    return;
  }

  const nouns = roles.map((role) => role.mention);
  const evidence = evidenceOf(clause, nouns, building).filter(
    (piece) => !piece.tokens.every((token) => told.has(token)),
  );
  const scope = scopeOf(drafts, byRole, clause);
  const assignment = assign(scope, evidence, building.catalogue, building.clock);
  const finders = assignment.lookups.map((lookup) => [lookup, finderOf(lookup, clause, building)] as const);
  for (const [lookup, finder] of finders) linkFinder(lookup, finder);
  const supports = linkSupports(byRole, clause, building);
  const targets = [...byRole].filter(([role]) => role.target).map(([, draft]) => draft);
  for (const [role, draft] of byRole) linkDependent(role, draft, byRole, roles, clause, building);

  const added = dedupe([...finders.map(([, finder]) => finder), ...supports, ...targets], building);
  const alternatives = findAlternatives(evidence, assignment, scope);
  const all = sourcesFirst(fanOut(added, alternatives));
  const asked = all.filter((draft) => !draft.support);
  for (const draft of asked) fillSink(draft, building);
  const complete = linkBack(all, asked, clause, building);
  if (building.drafts.length + complete.length > maxTasks) {
    const message = `The plan has ${maxTasks} tasks already, the most it may have; split the goal.`;
    building.unresolved.push({ reason: "too_long", text: textOf(clause, building), message });
    return;
  }
  building.drafts.push(...complete.filter((draft) => !building.drafts.includes(draft)));
  building.scoped = clause.scopes && clause.verb === "";
  building.groups.push(complete.filter((draft) => !draft.support));
  addComputation(clause, building);
  reportLeftovers(clause, evidence, assignment.used, alternatives, drafts, roles, building);
}

const nowhere = { phrase: -1, from: 0, to: 0, candidates: [] };

function draftOf(role: Role, clause: Clause): Draft {
  const phrase = clause.phrases[role.mention.phrase];
  return makeDraft(role.profile, clause, role.mention.phrase, {
    possessive: phrase?.possessive === true,
    support: !role.target,
  });
}

/**
 * "items of order 42", "for authors A1 and A2": the ids are known, so nothing needs to find them. Fills the argument
 * and takes the support out.
 * @returns the tokens that are used up
 */
function idsOfSupports(byRole: Map<Role, Draft>, clause: Clause): Set<Token> {
  const used = new Set<Token>();
  for (const [role, draft] of [...byRole]) {
    const parent = role.of === undefined || role.target ? undefined : byRole.get(role.of);
    if (parent === undefined) continue;
    const ids = (clause.phrases[role.mention.phrase]?.words ?? []).slice(role.mention.to).filter(isId);
    for (const phrase of clause.phrases.slice(role.mention.phrase + 1)) {
      if (phrase.preposition !== "" || !phrase.words.every(isId)) break;
      ids.push(...phrase.words);
    }
    if (ids.length === 0) continue;
    const parameter = idParameter(draft, parent, ids.length > 1);
    if (parameter === undefined) continue;
    const numeric = parameter.types.has("integer") || parameter.types.has("number");
    const values = ids.map((id) =>
      numeric && id.kind === "number" ? id.value : id.kind === "quoted" ? id.value : id.text.replace(/^#/, ""),
    );
    const single = parameter.takesOne && (values.length === 1 || !parameter.takesList);
    fillValue(parent, parameter, single ? values[0] : values);
    for (const id of single ? ids.slice(0, 1) : ids) used.add(id);
    byRole.delete(role);
  }
  return used;
}

/** The argument of `parent` that holds ids of what `draft` is about; for several ids rather one that takes a list. */
function idParameter(draft: Draft, parent: Draft, several: boolean): Parameter | undefined {
  const fitting = parent.profile.parameters.filter(
    (parameter) =>
      !isFilled(parent, parameter) && takesIds(parameter) && isEntity(parameter.entity, draft.profile.entity),
  );
  const listed = several ? fitting.find((parameter) => parameter.takesList) : undefined;
  return listed ?? fitting[0] ?? bestLink(draft, parent, 2.5)?.parameter;
}

function isId(token: Token): boolean {
  return token.kind === "literal" || token.kind === "quoted" || (token.kind === "number" && token.unit === undefined);
}

/** "those orders" after orders were planned: no new task, unless it is what the clause asks for by itself. */
function isReuse(role: Role, clause: Clause, building: Building): Draft | undefined {
  const phrase = clause.phrases[role.mention.phrase];
  const definite = phrase?.demonstrative === true || phrase?.distributive === true || phrase?.determiner === "the";
  const scopes = clause.scopes && clause.verb === "";
  if (phrase === undefined || (role.target && !scopes) || !definite || hasModifiers(phrase.words.length, role))
    return undefined;
  return building.drafts.findLast((draft) => draft.profile === role.profile);
}

function hasModifiers(words: number, role: Role): boolean {
  return words > role.mention.to - role.mention.from;
}

/** The resource for a clause in which no noun names one. */
function wholeClause(
  clause: Clause,
  building: Building,
  refused: readonly Profile[],
  roles: readonly Role[],
): Profile | undefined {
  if (refused.length > 0 || roles.some((role) => role.target)) return undefined;
  if (clause.verb === "" && clause.question === "" && isSupplement(clause)) return undefined;
  const asksAttribute = clause.question === "which" || clause.question === "who" || clause.question === "how many";
  const owner = () => attributeOwner(clause, building.catalogue);
  const found = () => searchFor(clause, building.catalogue).profile;
  return asksAttribute ? (owner() ?? found()) : (found() ?? (isComputing(clause) ? owner() : undefined));
}

/** "compare A and B" with a model or agent that compares: it gets what was found. */
function addComputation(clause: Clause, building: Building): void {
  const group = building.groups.at(-1) ?? [];
  if (!computingVerbs.has(clause.verb) || group.some((draft) => draft.profile.resource.kind !== "tool")) return;
  const able = building.catalogue.profiles.find(
    (profile) =>
      (profile.resource.kind === "llm" || profile.resource.kind === "agent") && profile.about.has(clause.verbStem),
  );
  if (able === undefined) return;
  const draft = makeDraft(able, clause, -1);
  fillSink(draft, building, group);
  building.drafts.push(draft);
  building.groups.push([draft]);
}

function isComputing(clause: Clause): boolean {
  return clause.tokens.some((token) => measureNouns.has(token.lower) || superlatives.has(token.lower));
}

/** "Only the open ones.", "With limit 50." add to what was asked before. */
function isSupplement(clause: Clause): boolean {
  const words = clause.tokens.filter((token) => token.kind === "word");
  return (
    words.length <= 3 ||
    /^(?:only|with|without|limit|in|from|for|using|including|excluding)$/.test(words[0]?.lower ?? "")
  );
}

/** "Based on these", "using the results", "for each of them". */
function onlyPointsBack(clause: Clause): boolean {
  const pointing = clause.pointsBack || clause.scopes;
  return pointing && clause.phrases.every(({ words }) => words.every((word) => emptyNouns.has(word.lower)));
}

/** "The size should be A4.", "It has three rooms.": says more about what was asked, and asks for nothing. */
function isStatement(clause: Clause): boolean {
  if (clause.verb !== "" || clause.question !== "" || !clause.opens) return false;
  const at = clause.tokens.findIndex((token) => auxiliaries.has(token.lower));
  const opening = clause.tokens[0]?.lower ?? "";
  return at > 0 && (determiners.has(opening) || /^(?:it|they|he|she|i|we)$/.test(opening));
}

function supplement(clause: Clause, building: Building): boolean {
  const group = building.groups.at(-1);
  if (group === undefined || group.length === 0) return false;
  const evidence = evidenceOf(clause, [], building);
  const scope: Scope = { drafts: group, clause, owner: () => group[0], together: () => true };
  const { used } = assign(scope, evidence, building.catalogue, building.clock);
  return used.size > 0;
}

function evidenceOf(clause: Clause, nouns: readonly NounSpan[], building: Building): Evidence[] {
  const known = (token: { noun: string; stem: string }) => building.catalogue.knows(token.stem);
  return readEvidence(building.text, clause, nouns, building.dates, known);
}

function scopeOf(drafts: readonly Draft[], byRole: ReadonlyMap<Role, Draft>, clause: Clause): Scope {
  const targets = new Set(
    [...byRole].filter(([role]) => role.target && role.of === undefined).map(([, draft]) => draft),
  );
  const first = drafts.find((draft) => targets.has(draft)) ?? drafts[0];
  return {
    drafts,
    clause,
    owner: (evidence) => drafts.findLast((draft) => draft.phrase >= 0 && draft.phrase <= evidence.phrase) ?? first,
    together: (left, right) => targets.has(left) && targets.has(right),
  };
}

/** The task that finds what a name means; one that is planned already is used again. */
function finderOf(lookup: Lookup, clause: Clause, building: Building): Draft {
  const draft = makeDraft(lookup.finder, clause, lookup.evidence.phrase, { support: true });
  fillValue(draft, lookup.finderParameter, lookup.value);
  return building.drafts.find((other) => sameTask(other, draft)) ?? draft;
}

function linkFinder(lookup: Lookup, finder: Draft): void {
  const { draft, parameter } = lookup;
  const { identity, many, rows, known } = finder.profile.output;
  const name = identity?.name ?? "id";
  const field = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  const step = many || !known ? (parameter.takesList ? ".*" : "[0]") : "";
  // What changes something wants one; a place that is read about has several.
  const one = !(draft.profile.actions.has("read") && lookup.finderParameter.isPlace);
  fillLink(draft, parameter, { source: finder, path: `${rows}${step}${field}`, one });
}

/** Supports that say something of their own (or that are needed) feed what they narrow down; the others fall away. */
function linkSupports(byRole: ReadonlyMap<Role, Draft>, clause: Clause, building: Building): Draft[] {
  const kept: Draft[] = [];
  // The innermost first: "A of B of C" links C to B before B to A.
  for (const [role, draft] of [...byRole].reverse()) {
    if (role.target || role.of === undefined) continue;
    const parent = byRole.get(role.of);
    if (parent === undefined) continue;
    const phrase = clause.phrases[role.mention.phrase];
    const earlier = building.drafts.findLast((other) => other.profile === draft.profile);
    const saysSomething = draft.filled.size > 0 || phrase?.distributive === true;
    const source = saysSomething ? draft : (earlier ?? draft);
    const link = bestLink(source, parent);
    if (link === undefined || (source === draft && !saysSomething && !link.parameter.required)) continue;
    fillLink(parent, link.parameter, link.link);
    if (source === draft) kept.push(draft);
  }
  return kept;
}

/** "orders and their items", "those parcels" as what a target belongs to. */
function linkDependent(
  role: Role,
  draft: Draft,
  byRole: ReadonlyMap<Role, Draft>,
  roles: readonly Role[],
  clause: Clause,
  building: Building,
): void {
  if (role.target && role.of !== undefined) {
    const owner = byRole.get(role.of);
    const link = owner === undefined ? undefined : bestLink(owner, draft);
    if (link !== undefined) fillLink(draft, link.parameter, link.link);
  }
  // A noun that was planned before narrows this one down.
  for (const other of roles) {
    if (other.target || other.of !== role) continue;
    const reused = isReuse(other, clause, building);
    const link = reused === undefined ? undefined : bestLink(reused, draft);
    if (link !== undefined && !hasLinks(draft)) fillLink(draft, link.parameter, link.link);
  }
}

/** Leaves out tasks that are planned already, and points what used them at the first. */
function dedupe(drafts: readonly Draft[], building: Building): Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts) {
    if (kept.includes(draft)) continue;
    if (building.drafts.includes(draft)) continue;
    const same = kept.find((other) => sameTask(other, draft));
    if (same === undefined) {
      kept.push(draft);
      continue;
    }
    for (const user of drafts) {
      for (const { parameter, filling } of user.filled.values()) {
        if (filling.kind === "link" && filling.link.source === draft)
          fillLink(user, parameter, { ...filling.link, source: same });
      }
    }
  }
  return kept;
}

/** Stable: only moves a source before what uses it. */
function sourcesFirst(drafts: readonly Draft[]): Draft[] {
  const result = new Set<Draft>();
  const visit = (draft: Draft): void => {
    if (result.has(draft)) return;
    for (const source of sourcesOf(draft)) if (drafts.includes(source)) visit(source);
    result.add(draft);
  };
  for (const draft of drafts) visit(draft);
  return [...result];
}

function sameTask(left: Draft, right: Draft): boolean {
  if (left.profile !== right.profile || left.filled.size !== right.filled.size || hasLinks(left) || hasLinks(right))
    return false;
  if (left.filled.size === 0 && left.support !== right.support) return false;
  return [...left.filled.values()].every(({ parameter, filling }) => {
    if (!isFilled(right, parameter) || filling.kind !== "value") return false;
    const other = right.filled.get(JSON.stringify(parameter.path))?.filling;
    return other?.kind === "value" && JSON.stringify(other.value) === JSON.stringify(filling.value);
  });
}

function reportNothing(clause: Clause, building: Building, refused: readonly Profile[]): void {
  const text = textOf(clause, building);
  const telling = clause.tokens.some(
    (token) =>
      token.kind !== "punctuation" &&
      !fillers.has(token.lower) &&
      !auxiliaries.has(token.lower) &&
      !emptyNouns.has(token.lower),
  );
  if (text === "" || !telling) return;
  const [other] = refused;
  const message =
    other === undefined
      ? `No resource fits "${text}".`
      : `No resource does what "${text}" asks: \`${other.label}\` is about the same thing but only serves to ${[...other.actions].join(" or ")}.`;
  building.unresolved.push({ reason: "no_resource", text, message });
}

/** The clause as it stands in the goal. */
export function textOf(clause: Clause, building: Building): string {
  const first = clause.tokens.find((token) => token.kind !== "punctuation");
  const last = clause.tokens.findLast((token) => token.kind !== "punctuation");
  return first === undefined || last === undefined ? "" : building.text.slice(first.start, last.end).slice(0, 300);
}
