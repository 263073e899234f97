import type { Profile } from "../catalogue/profile.ts";
import { valueOfVerb } from "../catalogue/value-of-verb.ts";
import { type Draft, fillLink, fillValue, makeDraft } from "../draft/draft.ts";
import { accepts, bestLink } from "../draft/link.ts";
import { maxTasks } from "../draft/planning-state.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { goalKinds } from "../language/goal-kinds.ts";
import {
  auxiliaries,
  computingVerbs,
  determiners,
  emptyNouns,
  fillers,
  measureNouns,
  superlatives,
} from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { isPlural } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import { dedupe, sourcesFirst } from "./arrange.ts";
import { assign, type Scope } from "./assign.ts";
import {
  attributeOwner,
  choiceOwner,
  chooseFor,
  doerFor,
  isOwnId,
  searchFor,
  valueSetter,
  wantedActions,
} from "./choose.ts";
import { type Evidence, type NounSpan, readEvidence } from "./evidence.ts";
import { fanOut, findAlternatives } from "./fan-out.ts";
import { finderOf, linkFinder, openEvidence } from "./finder.ts";
import { reportLeftovers } from "./leftovers.ts";
import { linkBack, linkIt } from "./link-back.ts";
import { linkOutputs } from "./link-outputs.ts";
import { findMentions, type Mention } from "./mention.ts";
import { withOwnersOfRows } from "./owners-of-rows.ts";
import { reportPossessives } from "./possessives.ts";
import type { RecordPlanning } from "./record-planning.ts";
import { reportWhich } from "./report-which.ts";
import { findRoles, type Role, type Roles } from "./roles.ts";
import { fillSought, searcherFor } from "./searcher.ts";
import { fillSink } from "./sink.ts";
import { idsOfSupports, isReuse, linkDependent, linkSupports } from "./supports.ts";

/** Plans what one clause asks for and adds it to the planning; what it cannot plan is reported there. */
export function planClause(clause: Clause, planning: RecordPlanning): void {
  if (isStatement(clause) && supplement(clause, planning)) return;
  const all = findRoles(clause, planning.catalogue);
  const before = (planning.groups.at(-1) ?? []).map(({ profile }) => profile);
  const found = { ...all, roles: withOwnersOfRows(all.roles, clause, before) };
  const { refused } = found;
  const targets = found.roles.filter((role) => role.target).map((role) => role.profile);
  const one = doerFor(clause, targets, planning.catalogue) ?? bearerOf(clause, found, planning);
  const rowDoer = one === undefined ? doerOfRows(found.roles, clause) : undefined;
  const doer = one ?? rowDoer;
  const roles =
    doer === undefined ? found.roles : suppliersOf(doer, thingsMeant(found.roles, clause, planning), clause);
  const narrowed = roles.filter((role) => isReuse(role, clause, planning) === undefined);
  const byRole = new Map<Role, Draft>();
  for (const role of narrowed) byRole.set(role, draftOf(role, clause));
  const named = narrowed.some((role) => role.target);
  const known = named ? undefined : (doer ?? wholeClause(clause, planning, roles, refused));
  const searcher =
    named || known !== undefined || refused.length > 0 ? undefined : searcherFor(clause, planning.catalogue);
  const chosen = known ?? searcher?.profile;
  if (chosen !== undefined) {
    const draft = makeDraft(chosen, clause, -1);
    byRole.set({ mention: nowhere, profile: chosen, target: true }, draft);
    if (searcher !== undefined) fillSought(draft, searcher, planning.text);
  }
  const taken = new Set([
    ...(rowDoer === undefined ? idsOfSupports(byRole, clause) : none),
    ...(searcher?.sought ?? []),
  ]);
  const drafts = [...byRole.values()];
  if (![...byRole.keys()].some((role) => role.target)) {
    const scope = clause.verb === "" && (narrowed.length < roles.length || onlyPointsBack(clause));
    if (!scope && !supplement(clause, planning)) reportNothing(clause, planning, refused);
    planning.scoped = scope;
    return;
  }

  const asked = [...byRole].flatMap(([role, draft]) => (role.target ? [draft] : []));
  if (asked.every(planning.isUnmetChange)) {
    const near = asked.map(({ profile }) => profile);
    reportNothing(clause, planning, near);
    return;
  }
  for (const draft of drafts) fillByVerb(draft, clause);
  if (rowDoer !== undefined || doer?.effect === "changes") linkRows(byRole, clause);

  const nouns = roles.map((role) => role.mention);
  const evidence = evidenceOf(clause, nouns, planning).filter(
    (piece) => !piece.tokens.every((token) => taken.has(token)),
  );
  const scope = scopeOf(drafts, byRole, clause);
  const passed = linkOutputs(drafts, clause, planning);
  const open = evidence.filter((piece) => piece.kind !== "words" || !passed.has(piece.phrase));
  linkIt(asked, clause, planning);
  const assignment = assign(scope, open, planning.catalogue, planning.clock);
  const left = openEvidence(open, assignment);
  const finders = assignment.lookups.map((lookup) => [lookup, finderOf(lookup, clause, planning, left)] as const);
  for (const [lookup, finder] of finders) linkFinder(lookup, finder, clause);
  const supports = linkSupports(byRole, clause, planning);
  for (const [role, draft] of byRole) linkDependent(role, draft, byRole, roles, clause, planning);

  const made = asked.filter((draft) => !isRepetition(draft, planning));
  const added = dedupe([...finders.map(([, finder]) => finder), ...supports, ...made], planning);
  const alternatives = findAlternatives(open, assignment, scope);
  const copied = sourcesFirst(fanOut(added, alternatives), planning.drafts);
  const wanted = copied.filter((draft) => !draft.support);
  for (const draft of wanted) fillSink(draft, planning);
  const complete = sourcesFirst(linkBack(copied, wanted, clause, planning), planning.drafts);
  if (planning.drafts.length + complete.length > maxTasks) {
    const message = `The plan has ${maxTasks} tasks already, the most it may have; split the goal.`;
    planning.unresolved.push({ reason: "too_long", text: textOf(clause, planning), message });
    return;
  }
  planning.drafts.push(...complete.filter((draft) => !planning.drafts.includes(draft)));
  planning.scoped = clause.scopes && clause.verb === "";
  planning.groups.push(complete.filter((draft) => !draft.support));
  addComputation(clause, planning);
  reportPossessives(clause, asked, planning);
  reportWhich(asked, clause, planning);
  reportLeftovers(clause, open, left.used, alternatives, drafts, roles, planning);
}

/** "reorder 20 of each item in Turin": what is done is done to things that are read first, where the tool takes them. */
function suppliersOf(doer: Profile, things: readonly Mention[], clause: Clause): Role[] {
  const asking: Role = { mention: nowhere, profile: doer, target: true };
  const suppliers = things.flatMap((mention): Role[] => {
    const { words = [], distributive } = clause.phrases[mention.phrase] ?? {};
    // "the ticket" alone does not say which one.
    const isSpecified =
      distributive === true || isPlural(words[mention.to - 1]?.lower ?? "") || words.length > mention.to;
    const { profile } = isSpecified ? chooseFor(mention, clause, wantedActions(clause), true) : { profile: undefined };
    const isFit = profile !== undefined && profile !== doer && accepts(doer, profile);
    return isFit ? [{ mention, profile, target: false, of: asking }] : [];
  });
  return suppliers.length === 0 ? [] : [asking, ...suppliers];
}

/** Of what is asked for; where no tool that a noun names does what is asked, the first noun: "assign Ann's orders to Ben". */
function thingsMeant(roles: readonly Role[], clause: Clause, { catalogue }: RecordPlanning): readonly Mention[] {
  const targets = roles.flatMap(({ mention, target }) => (target ? [mention] : []));
  return roles.length > 0 ? targets : findMentions(clause, catalogue).slice(0, 1);
}

/** "Cancel all open orders of Ann": a tool that changes one row by its id, where several are meant and no id is said of them. */
function doerOfRows(roles: readonly Role[], { phrases, tokens }: Clause): Profile | undefined {
  const [only, ...others] = roles.filter((role) => role.target);
  if (only === undefined || others.length > 0 || only.profile.effect !== "changes") return undefined;
  const { words = [], distributive } = phrases[only.mention.phrase] ?? {};
  const isSeveral = distributive === true || isPlural(words[only.mention.to - 1]?.lower ?? "");
  // "Cancel orders" alone does not say which.
  const isSpecified =
    phrases.length > 1 ||
    words.length > only.mention.to - only.mention.from ||
    tokens.some(({ lower }) => /^(?:all|every|each|both)$/.test(lower));
  // "all pages tagged 2019" names no page.
  const isNamed =
    words.some(
      (word, at) => at >= only.mention.to && isValue(word) && !(at > only.mention.to && isParticiple(words[at - 1]!)),
    ) || followedByIds(phrases, only.mention.phrase);
  const ids = only.profile.parameters.filter((parameter) => parameter.required && isOwnId(parameter, only.profile));
  return isSeveral && isSpecified && !isNamed && ids.length === 1 ? only.profile : undefined;
}

const isValue = ({ kind }: Token) => kind === "literal" || kind === "number" || kind === "quoted";
const followedByIds = (phrases: Clause["phrases"], at: number) => {
  const next = phrases[at + 1];
  return next !== undefined && next.preposition === "" && next.words.length > 0 && next.words.every(isValue);
};

/** The id of the call is that of each row, whatever else is said: "of C-7" tells whose orders, not which. */
function linkRows(byRole: ReadonlyMap<Role, Draft>, { phrases }: Clause): void {
  for (const [role, rows] of byRole) {
    const changing = role.of === undefined || role.target ? undefined : byRole.get(role.of);
    const link = changing && bestLink(rows, changing);
    const { words = [], distributive } = phrases[role.mention.phrase] ?? {};
    const isSeveral = distributive === true || isPlural(words[role.mention.to - 1]?.lower ?? "");
    if (changing === undefined || link?.parameter.isIdentifier !== true || !isSeveral) continue;
    fillLink(changing, link.parameter, { ...link.link, each: true });
  }
}

/** "close ticket 7": the value by which the tool does what the verb asks for. */
function fillByVerb(draft: Draft, { tokens, verb }: Clause): void {
  if (draft.support || draft.profile.verbs.includes(verb)) return;
  const found = valueOfVerb(draft.profile, verb);
  const said = tokens.find(({ lower }) => lower === verb);
  if (found === undefined || said === undefined) return;
  fillValue(draft, found.parameter, found.choice.value, { source: "goal", text: said.text, start: said.start });
}

const none: ReadonlySet<Token> = new Set();
const nowhere = { phrase: -1, from: 0, to: 0, candidates: [] };

function draftOf(role: Role, clause: Clause): Draft {
  const phrase = clause.phrases[role.mention.phrase];
  return makeDraft(role.profile, clause, role.mention.phrase, {
    possessive: phrase?.possessive === true,
    support: !role.target,
  });
}

/** "Update their email" where a noun means the mail tool, "assign Ann's orders to Ben" where orders are only read: what bears the verb may do it. */
function bearerOf(clause: Clause, { roles, refused }: Roles, { catalogue }: RecordPlanning): Profile | undefined {
  if (refused.length === 0 || roles.some(({ target }) => target)) return undefined;
  const { profile } = searchFor(clause, catalogue);
  return profile?.verbs.some((verb) => stem(verb) === clause.verbStem) === true ? profile : undefined;
}

/** The resource for a clause in which no noun names one. */
function wholeClause(
  clause: Clause,
  planning: RecordPlanning,
  roles: readonly Role[],
  refused: readonly Profile[],
): Profile | undefined {
  if (roles.some((role) => role.target) || refused.length > 0) return undefined;
  if (clause.verb === "" && clause.question === "" && isSupplement(clause)) return undefined;
  const asksAttribute = clause.question === "which" || clause.question === "who" || clause.question === "how many";
  const owner = () => attributeOwner(clause, planning.catalogue);
  const found = () => searchFor(clause, planning.catalogue).profile;
  return asksAttribute
    ? (owner() ?? found())
    : (found() ??
        (isComputing(clause) ? owner() : undefined) ??
        choiceOwner(clause, planning.catalogue) ??
        valueSetter(clause, planning.catalogue));
}

/** "… the price just computed": names an earlier task again, says nothing more, and could not run like this. */
function isRepetition(draft: Draft, planning: RecordPlanning): boolean {
  const known = planning.drafts.some((other) => other.profile === draft.profile);
  return known && draft.filled.size === 0 && draft.profile.parameters.some((parameter) => parameter.required);
}

/** "compare A and B" with a model or agent that compares: it gets what was found. */
function addComputation(clause: Clause, planning: RecordPlanning): void {
  const group = planning.groups.at(-1) ?? [];
  if (!computingVerbs.has(clause.verb) || group.some((draft) => !goalKinds[draft.profile.resource.kind].callsAreExact))
    return;
  const able = planning.catalogue.profiles.find(
    (profile) => goalKinds[profile.resource.kind].computes !== "nothing" && profile.about.has(clause.verbStem),
  );
  if (able === undefined) return;
  const draft = makeDraft(able, clause, -1);
  fillSink(draft, planning, group);
  planning.drafts.push(draft);
  planning.groups.push([draft]);
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

function supplement(clause: Clause, planning: RecordPlanning): boolean {
  const asked = wantedActions(clause);
  // What is to be changed or sent is not a filter of what was read.
  if (asked.size > 0 && !asked.has("read")) return false;
  const group = planning.groups.at(-1);
  if (group === undefined || group.length === 0) return false;
  const evidence = evidenceOf(clause, [], planning);
  const scope: Scope = { drafts: group, clause, owner: () => group[0], together: () => true };
  const { used } = assign(scope, evidence, planning.catalogue, planning.clock);
  return used.size > 0;
}

function evidenceOf(clause: Clause, nouns: readonly NounSpan[], planning: RecordPlanning): Evidence[] {
  const known = (token: { noun: string; stem: string }) => planning.catalogue.knows(token.stem);
  return readEvidence(planning.text, clause, nouns, planning.dates, known);
}

function scopeOf(drafts: readonly Draft[], byRole: ReadonlyMap<Role, Draft>, clause: Clause): Scope {
  const targets = new Set(
    [...byRole].filter(([role]) => role.target && role.of === undefined).map(([, draft]) => draft),
  );
  const first = drafts.find((draft) => targets.has(draft)) ?? drafts[0];
  return {
    drafts,
    clause,
    owner: (evidence) =>
      // "Assign Ann's orders to Ben": whom, says the verb.
      (evidence.preposition === "to" ? drafts.find((draft) => targets.has(draft) && draft.phrase < 0) : undefined) ??
      drafts.findLast((draft) => draft.phrase >= 0 && draft.phrase <= evidence.phrase) ??
      first,
    together: (left, right) => targets.has(left) && targets.has(right),
  };
}

function reportNothing(clause: Clause, planning: RecordPlanning, refused: readonly Profile[]): void {
  const text = textOf(clause, planning);
  const hasContent = clause.tokens.some(
    (token) =>
      token.kind !== "punctuation" &&
      !fillers.has(token.lower) &&
      !auxiliaries.has(token.lower) &&
      !emptyNouns.has(token.lower),
  );
  if (text === "" || !hasContent) return;
  const [other] = refused;
  const message =
    other === undefined
      ? `No resource fits "${text}".`
      : `No resource does what "${text}" asks: \`${other.label}\` is about the same thing but only serves to ${[...other.actions].join(" or ")}.`;
  planning.unresolved.push({ reason: "no_resource", text, message });
}

/** The clause as it is written in the goal. */
export function textOf(clause: Clause, planning: RecordPlanning): string {
  const first = clause.tokens.find((token) => token.kind !== "punctuation");
  const last = clause.tokens.findLast((token) => token.kind !== "punctuation");
  return first === undefined || last === undefined ? "" : planning.text.slice(first.start, last.end).slice(0, 300);
}
