import { isEntity } from "../catalogue/output-shape.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { takesIds } from "../catalogue/takes-ids.ts";
import { type Draft, fillLink, fillValue, hasLinks, isFilled, sourcesOf } from "../draft/draft.ts";
import { bestLink, linkOptions, minSureLink } from "../draft/link.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import type { Token } from "../language/text/token.ts";
import type { RecordPlanning } from "./record-planning.ts";
import type { Role } from "./roles.ts";

/**
 * "items of order 42", "for authors A1 and A2": the ids are known, so nothing needs to find them. Fills the argument
 * and takes the support out.
 * @returns the tokens that are used up
 */
export function idsOfSupports(byRole: Map<Role, Draft>, clause: Clause): Set<Token> {
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
    const { preposition = "" } = clause.phrases[role.mention.phrase] ?? {};
    const parameter = idParameter(draft, parent, ids.length > 1, preposition);
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

/**
 * The argument of `parent` that holds ids of what `draft` is about; for several ids rather one that takes a list, and behind "from" or "into" one for that
 * end.
 */
function idParameter(draft: Draft, parent: Draft, several: boolean, preposition: string): Parameter | undefined {
  const fitting = parent.profile.parameters.filter(
    (parameter) =>
      !isFilled(parent, parameter) && takesIds(parameter) && isEntity(parameter.entity, draft.profile.entity),
  );
  const listed = several ? fitting.find((parameter) => parameter.takesList) : undefined;
  const linked = bestLink(draft, parent, minSureLink)?.parameter;
  // An appointment has a `patient_id`, and an id of its own that identifies the appointment.
  const isOther = linked?.isIdentifier === true && linked.entity.length > 0;
  const end = /^(?:from|out of)$/.test(preposition)
    ? "origin"
    : /^(?:in)?to$|^onto$/.test(preposition)
      ? "target"
      : undefined;
  // `source_id` and `target_id` of a merge are ids of the tool's own things.
  const ownEnds = parent.profile.parameters.filter(
    (each) => !isFilled(parent, each) && takesIds(each) && each.entity.length === 0 && each.direction !== undefined,
  );
  const ofEnd = end === undefined ? undefined : [...fitting, ...ownEnds].find(({ direction }) => direction === end);
  return listed ?? ofEnd ?? fitting[0] ?? (isOther ? undefined : linked);
}

function isId(token: Token): boolean {
  return token.kind === "literal" || token.kind === "quoted" || (token.kind === "number" && token.unit === undefined);
}

/** "those orders" after orders were planned: no new task, unless it is what the clause asks for by itself. */
export function isReuse(role: Role, clause: Clause, planning: RecordPlanning): Draft | undefined {
  const phrase = clause.phrases[role.mention.phrase];
  const definite = phrase?.demonstrative === true || phrase?.distributive === true || phrase?.determiner === "the";
  const scopes = clause.scopes && clause.verb === "";
  if (phrase === undefined || (role.target && !scopes) || !definite || hasModifiers(phrase.words.length, role))
    return undefined;
  return planning.drafts.findLast((draft) => draft.profile === role.profile);
}

function hasModifiers(words: number, role: Role): boolean {
  return words > role.mention.to - role.mention.from;
}

/** Supports that say something of their own (or that are needed) feed what they narrow down; the others fall away. */
export function linkSupports(byRole: ReadonlyMap<Role, Draft>, clause: Clause, planning: RecordPlanning): Draft[] {
  const kept: Draft[] = [];
  // The innermost first: "A of B of C" links C to B before B to A.
  for (const [role, draft] of [...byRole].reverse()) {
    if (role.target || role.of === undefined) continue;
    const parent = byRole.get(role.of);
    if (parent === undefined) continue;
    if (sourcesOf(parent).includes(draft)) {
      kept.push(draft);
      continue;
    }
    const phrase = clause.phrases[role.mention.phrase];
    const earlier = planning.drafts.findLast((other) => other.profile === draft.profile);
    const saysSomething = draft.filled.size > 0 || phrase?.distributive === true;
    const source = saysSomething ? draft : (earlier ?? draft);
    const referred = source === draft ? linkToIdsInRows(role, draft, parent, clause, planning) : undefined;
    if (referred !== undefined) {
      fillLink(parent, referred.parameter, referred.link);
      continue;
    }
    const link = bestLink(source, parent);
    if (link === undefined || (source === draft && !saysSomething && !link.parameter.required)) continue;
    fillLink(parent, link.parameter, link.link);
    if (source === draft) kept.push(draft);
  }
  return kept;
}

/**
 * "List the open orders, then check the stock of their plants": where the rows of what was planned before name the plants by their ids (`plant_id`), those
 * are meant. A list of all plants would answer for others, too.
 */
function linkToIdsInRows(
  { mention }: Role,
  { filled, profile }: Draft,
  parent: Draft,
  { phrases, pointsBack }: Clause,
  { groups }: RecordPlanning,
): ReturnType<typeof bestLink> {
  const phrase = phrases[mention.phrase];
  const isOfEarlier = pointsBack || phrase?.possessive === true || phrase?.demonstrative === true;
  if (!isOfEarlier || filled.size > 0) return undefined;
  const open = (parameter: Parameter) =>
    !isFilled(parent, parameter) && takesIds(parameter) && isEntity(parameter.entity, profile.entity);
  for (const group of groups.toReversed()) {
    for (const source of group.toReversed()) {
      const [option] = linkOptions(source.profile, parent.profile, open);
      if (option !== undefined) return { parameter: option.parameter, link: { source, path: option.path } };
    }
  }
  return undefined;
}

/** "orders and their items", "those parcels" as what a target belongs to. */
export function linkDependent(
  role: Role,
  draft: Draft,
  byRole: ReadonlyMap<Role, Draft>,
  roles: readonly Role[],
  clause: Clause,
  planning: RecordPlanning,
): void {
  if (role.target && role.of !== undefined) {
    const owner = byRole.get(role.of);
    const link = owner === undefined ? undefined : bestLink(owner, draft);
    if (link !== undefined) fillLink(draft, link.parameter, link.link);
    else if (owner !== undefined) reportWhose(role, draft, owner, clause, planning);
  }
  // A noun that was planned before narrows this one down.
  for (const other of roles) {
    if (other.target || other.of !== role) continue;
    const reused = isReuse(other, clause, planning);
    const link = reused === undefined ? undefined : bestLink(reused, draft);
    if (link !== undefined && !hasLinks(draft)) fillLink(draft, link.parameter, link.link);
  }
}

/** "The visits of patient P-5" are that patient's: where visits are not read by a patient, reading both does not say whose they are. */
function reportWhose(
  { mention }: Role,
  draft: Draft,
  owner: Draft,
  { phrases }: Clause,
  planning: RecordPlanning,
): void {
  const { preposition, words = [] } = phrases[mention.phrase] ?? {};
  const id = words.slice(mention.to).find(isId);
  if (preposition !== "of" || id === undefined || draft.filled.size === 0) return;
  const text = planning.text.slice(words[mention.from]!.start, id.end);
  const message = `\`${owner.profile.label}\` has no parameter for "${text}"; the result is not narrowed down by it.`;
  planning.unresolved.push({ reason: "no_parameter", text, message, draft: owner });
}
