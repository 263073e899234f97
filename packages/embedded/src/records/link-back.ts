import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, fillLink, hasLinks, isFilled, sourcesOf } from "../draft/draft.ts";
import { linkOptions, minIdLink, minSureLink } from "../draft/link.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { copyWith } from "./fan-out.ts";
import type { RecordPlanning } from "./record-planning.ts";

/**
 * Links the drafts of a clause to what was planned before: where the goal says so ("then", "their", "those", "using"),
 * and for required arguments that nothing else fills. The nearest clause that can feed a draft does. Where several
 * tasks of that clause do the same for different values, the draft is planned for each. "then" without data to pass on
 * orders the tasks.
 * @returns all drafts, copies among them
 */
export function linkBack(
  drafts: readonly Draft[],
  asked: readonly Draft[],
  clause: Clause,
  planning: RecordPlanning,
): Draft[] {
  let result = [...drafts];
  const said =
    (planning.scoped && !clause.opens) ||
    (clause.order === "then" && !(planning.groups.at(-1) ?? []).some(isCondition)) ||
    clause.pointsBack ||
    clause.phrases.some(pointsBack);
  // "then list the pests of their trees": what is asked for has its source, and that one belongs to what was planned before.
  for (const draft of drafts) {
    if (!draft.support || !draft.possessive || hasLinks(draft)) continue;
    const source = linkNearest(draft, planning, minIdLink);
    if (source !== undefined) result = copiesFor(result, draft, source, planning);
  }
  for (const draft of asked) {
    if (clause.pointsBack && !hasLinks(draft)) linkWithin(draft, asked);
    const first =
      said && !hasLinks(draft) ? (linkNamed(draft, planning) ?? linkNearest(draft, planning, minIdLink)) : undefined;
    let source = first ?? (said || hasLinks(draft) ? undefined : linkToFound(draft, clause, planning));
    for (const parameter of draft.profile.parameters) {
      if (!parameter.required || isFilled(draft, parameter)) continue;
      source =
        linkWithin(draft, drafts, parameter) ??
        linkNearest(draft, planning, said ? minFieldLink.saidSo : minFieldLink.otherwise, parameter) ??
        source;
    }
    if (source !== undefined) result = copiesFor(result, draft, source, planning);
    if (clause.order === "then" && !isLinkedBack(draft, planning)) {
      for (const before of planning.groups.at(-1) ?? []) if (before !== draft) draft.after.add(before);
    }
  }
  return result;
}

/** "Show berth 3 and give it to V-12": of two ids that a call needs, that of what was spoken of before is "it", and V-12 is the other one. */
export function linkIt(drafts: readonly Draft[], { tokens, verb }: Clause, planning: RecordPlanning): void {
  const at = tokens.findIndex(({ lower }) => lower === verb);
  if (at < 0 || !/^(?:it|them)$/.test(tokens[at + 1]?.lower ?? "")) return;
  const before = planning.groups.at(-1) ?? [];
  for (const draft of drafts) {
    const ids = draft.profile.parameters.filter(({ required, isIdentifier }) => required && isIdentifier);
    const [own, ...others] = ids.filter(({ entity }) =>
      before.some(({ profile }) => entity.length > 0 && entity.every((noun) => profile.entity.includes(noun))),
    );
    if (own !== undefined && others.length === 0 && ids.length > 1 && !isFilled(draft, own))
      linkNearest(draft, planning, minIdLink, own);
  }
}

/** What is looked up for a condition ("If there are open orders, then …") fills no argument of what follows, unless that points back. */
const isCondition = ({ clause: { tokens } }: Draft) => /^(?:if|unless)$/.test(tokens[0]?.lower ?? "");

/** A required argument takes a field from this score on; a little less is enough where the clause points back. */
const minFieldLink = { saidSo: 1.3, otherwise: 1.5 } as const;
/** A source further back is preferred where its score is higher by at least this. */
const fartherSourceMargin = 0.4;

/** From a task of the same clause that is before. */
function linkWithin(draft: Draft, drafts: readonly Draft[], parameter?: Parameter): undefined {
  for (const source of drafts.slice(0, drafts.indexOf(draft)).reverse()) {
    if (source.profile === draft.profile || dependsOn(source, draft)) continue;
    const open = (each: Parameter) => (parameter === undefined || each === parameter) && !isFilled(draft, each);
    const [option] = linkOptions(source.profile, draft.profile, open);
    if (option === undefined || option.score < (parameter === undefined ? minSureLink : minFieldLink.otherwise))
      continue;
    fillLink(draft, option.parameter, { source, path: option.path });
    return undefined;
  }
  return undefined;
}

function dependsOn(draft: Draft, other: Draft): boolean {
  return sourcesOf(draft).some((source) => source === other || dependsOn(source, other));
}

function pointsBack(phrase: Clause["phrases"][number]): boolean {
  return phrase.possessive || phrase.demonstrative || phrase.distributive || phrase.preposition === "using";
}

function isLinkedBack(draft: Draft, planning: RecordPlanning): boolean {
  const seen = new Set<Draft>();
  const visit = (each: Draft): boolean => {
    if (seen.has(each)) return false;
    seen.add(each);
    return sourcesOf(each).some((source) => planning.drafts.includes(source) || visit(source));
  };
  return visit(draft);
}

/** Fills one argument from the nearest clause that can; `only` names which argument. */
function linkNearest(draft: Draft, planning: RecordPlanning, least: number, only?: Parameter): Draft | undefined {
  let best: LinkSource | undefined;
  for (let at = planning.groups.length - 1; at >= 0; at -= 1) {
    const found = bestOf(planning.groups[at] ?? [], draft, least, only);
    // For a required argument a source further back counts when it is plainly the better one.
    if (found !== undefined && (best === undefined || found.score >= best.score + fartherSourceMargin)) best = found;
    if (best !== undefined && only === undefined) break;
  }
  if (best === undefined) return undefined;
  fillLink(draft, best.parameter, { source: best.source, path: best.path });
  return best.source;
}

/** "Find the customer Ada and list the invoices": hers, where nothing else is said of them and a single thing was found by its name. */
function linkToFound(draft: Draft, { phrases }: Clause, planning: RecordPlanning): Draft | undefined {
  const [found, ...others] = planning.groups.at(-1) ?? [];
  const isPlain = draft.filled.size === 0 && phrases[draft.phrase]?.determiner === "the" && draft.profile.output.many;
  if (found === undefined || others.length > 0 || !isPlain || !isFoundByName(found)) return undefined;
  return linkNearest(draft, planning, minSureLink);
}

const isFoundByName = ({ filled }: Draft): boolean =>
  [...filled.values()].some(
    ({ parameter, filling }) =>
      filling.kind === "value" && /^(?:name|title|query|q)$/.test(parameter.words.at(-1) ?? ""),
  );

/** "then rate the shops": of all that was planned, the shops are meant. */
function linkNamed(draft: Draft, planning: RecordPlanning): Draft | undefined {
  const nouns = new Set<string>();
  for (const phrase of draft.clause.phrases) {
    if (phrase.determiner === "the" || phrase.demonstrative) for (const word of phrase.words) nouns.add(word.noun);
  }
  const named = planning.drafts.filter(
    (other) => other.profile !== draft.profile && nouns.has(other.profile.entity.at(-1) ?? ""),
  );
  const best = bestOf(named.slice(-20), draft, 2, undefined);
  if (best === undefined) return undefined;
  fillLink(draft, best.parameter, { source: best.source, path: best.path });
  return best.source;
}

interface LinkSource {
  readonly source: Draft;
  readonly parameter: Parameter;
  readonly path: string;
  readonly score: number;
}

function bestOf(
  group: readonly Draft[],
  draft: Draft,
  least: number,
  only: Parameter | undefined,
): LinkSource | undefined {
  const open = (parameter: Parameter) => !isFilled(draft, parameter) && (only === undefined || parameter === only);
  let best: LinkSource | undefined;
  for (const source of group) {
    const option = linkOptions(source.profile, draft.profile, open).find((each) => each.score >= least);
    if (option === undefined) continue;
    // Of equals the last named is meant, but the first of several that only differ in a value.
    const better = best === undefined ? 1 : option.score - best.score;
    if (better > 0 || (better === 0 && best?.source.profile !== source.profile)) best = { ...option, source };
  }
  return best;
}

/** The same for every task that is beside the source and does the same for another value. */
function copiesFor(drafts: readonly Draft[], draft: Draft, source: Draft, planning: RecordPlanning): Draft[] {
  const group = planning.groups.find((each) => each.includes(source)) ?? [];
  const siblings = group.filter((other) => other !== source && other.profile === source.profile).slice(0, 20);
  if (siblings.length === 0) return [...drafts];
  const copies = siblings.map((sibling) =>
    copyWith(drafts, draft, (copy) => {
      for (const { parameter, filling } of [...copy.filled.values()]) {
        if (filling.kind === "link" && filling.link.source === source)
          fillLink(copy, parameter, { ...filling.link, source: sibling });
      }
    }),
  );
  return drafts.flatMap((each) => [each, ...copies.flatMap((copy) => copy.get(each) ?? [])]);
}
