import type { Profile } from "../catalogue/profile.ts";
import { type Draft, makeDraft } from "../draft/draft.ts";
import { type Building, maxTasks } from "../draft/planning-state.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import {
  auxiliaries,
  computingVerbs,
  determiners,
  emptyNouns,
  fillers,
  measureNouns,
  superlatives,
} from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";
import { dedupe, sourcesFirst } from "./arrange.ts";
import { assign, type Scope } from "./assign.ts";
import { attributeOwner, choiceOwner, doerFor, searchFor, wantedActions } from "./choose.ts";
import { type Evidence, type NounSpan, readEvidence } from "./evidence.ts";
import { fanOut, findAlternatives } from "./fan-out.ts";
import { finderOf, linkFinder } from "./finder.ts";
import { reportLeftovers } from "./leftovers.ts";
import { linkBack } from "./link-back.ts";
import { linkOutputs } from "./link-outputs.ts";
import { findRoles, type Role } from "./roles.ts";
import { fillSink } from "./sink.ts";
import { idsOfSupports, isReuse, linkDependent, linkSupports } from "./supports.ts";

/** Plans what one clause asks for and adds it to the building; what it cannot plan is reported there. */
export function planClause(clause: Clause, building: Building): void {
  if (isStatement(clause) && supplement(clause, building)) return;
  const found = findRoles(clause, building.catalogue);
  const { refused } = found;
  const doer = doerFor(
    clause,
    found.roles.filter((role) => role.target).map((role) => role.profile),
    building.catalogue,
  );
  const roles = doer === undefined ? found.roles : [];
  const narrowed = roles.filter((role) => isReuse(role, clause, building) === undefined);
  const byRole = new Map<Role, Draft>();
  for (const role of narrowed) byRole.set(role, draftOf(role, clause));
  const named = narrowed.some((role) => role.target);
  const chosen = named ? undefined : (doer ?? wholeClause(clause, building, refused, roles));
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
  const passed = linkOutputs(drafts, clause, building);
  const open = evidence.filter((piece) => piece.kind !== "words" || !passed.has(piece.phrase));
  const assignment = assign(scope, open, building.catalogue, building.clock);
  const finders = assignment.lookups.map((lookup) => [lookup, finderOf(lookup, clause, building)] as const);
  for (const [lookup, finder] of finders) linkFinder(lookup, finder);
  const supports = linkSupports(byRole, clause, building);
  const targets = [...byRole].filter(([role]) => role.target).map(([, draft]) => draft);
  for (const [role, draft] of byRole) linkDependent(role, draft, byRole, roles, clause, building);

  const made = targets.filter((draft) => !isRepetition(draft, building));
  const added = dedupe([...finders.map(([, finder]) => finder), ...supports, ...made], building);
  const alternatives = findAlternatives(open, assignment, scope);
  const all = sourcesFirst(fanOut(added, alternatives), building.drafts);
  const asked = all.filter((draft) => !draft.support);
  for (const draft of asked) fillSink(draft, building);
  const complete = sourcesFirst(linkBack(all, asked, clause, building), building.drafts);
  if (building.drafts.length + complete.length > maxTasks) {
    const message = `The plan has ${maxTasks} tasks already, the most it may have; split the goal.`;
    building.unresolved.push({ reason: "too_long", text: textOf(clause, building), message });
    return;
  }
  building.drafts.push(...complete.filter((draft) => !building.drafts.includes(draft)));
  building.scoped = clause.scopes && clause.verb === "";
  building.groups.push(complete.filter((draft) => !draft.support));
  addComputation(clause, building);
  reportLeftovers(clause, open, assignment.used, alternatives, drafts, roles, building);
}

const nowhere = { phrase: -1, from: 0, to: 0, candidates: [] };

function draftOf(role: Role, clause: Clause): Draft {
  const phrase = clause.phrases[role.mention.phrase];
  return makeDraft(role.profile, clause, role.mention.phrase, {
    possessive: phrase?.possessive === true,
    support: !role.target,
  });
}

/** The resource for a clause in which no noun names one. */
function wholeClause(
  clause: Clause,
  building: Building,
  refused: readonly Profile[],
  roles: readonly Role[],
): Profile | undefined {
  if (roles.some((role) => role.target)) return undefined;
  if (refused.length > 0) {
    // "update their email" where a noun means the mail tool: only what bears the verb may do it.
    const { profile } = searchFor(clause, building.catalogue);
    return profile?.verbs.some((verb) => stem(verb) === clause.verbStem) === true ? profile : undefined;
  }
  if (clause.verb === "" && clause.question === "" && isSupplement(clause)) return undefined;
  const asksAttribute = clause.question === "which" || clause.question === "who" || clause.question === "how many";
  const owner = () => attributeOwner(clause, building.catalogue);
  const found = () => searchFor(clause, building.catalogue).profile;
  return asksAttribute
    ? (owner() ?? found())
    : (found() ?? (isComputing(clause) ? owner() : undefined) ?? choiceOwner(clause, building.catalogue));
}

/** "… the price just computed": names an earlier task again, says nothing more, and could not run like this. */
function isRepetition(draft: Draft, building: Building): boolean {
  const known = building.drafts.some((other) => other.profile === draft.profile);
  return known && draft.filled.size === 0 && draft.profile.parameters.some((parameter) => parameter.required);
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
  const asked = wantedActions(clause);
  // What is to be changed or sent is no filter of what was read.
  if (asked.size > 0 && !asked.has("read")) return false;
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
