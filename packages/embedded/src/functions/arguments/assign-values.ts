import { allows, isOfItsForm } from "../../catalogue/allows.ts";
import { isForeignId, isNumberOfThing } from "../../catalogue/id-forms.ts";
import { isOtherFile, mediumOfFile } from "../../catalogue/medium.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, isFilled } from "../../draft/draft.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { nounsOfAll } from "../../language/text/says-all.ts";
import { singular } from "../../language/text/singular.ts";
import { stem } from "../../language/text/stem.ts";
import { chance, logOdds } from "../learned/weigh.ts";
import { weights } from "../learned/weights.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import type { Candidate } from "./candidate.ts";

/** A value that an argument takes, and how likely it is right. */
export interface Assigned {
  readonly candidate: Candidate;
  readonly likelihood: number;
}

/**
 * A value takes its argument from this likelihood on. A required argument may wait for what another call
 * yields; where none can yield it (`alone`), an unlikely value is better than none.
 */
const minLikelihood = { required: 0.1, alone: 0.03, reference: 0.14, optional: 0.3 } as const;

/**
 * What it costs, in log-odds, that two values are in the other order than their parameters, that a name, number or
 * quotation stays unused, and that words are used where only a file or an output can be meant.
 */
const costs = { inversion: 0.3, unused: 0.75, noFile: 2 } as const;

/** The number of values that are kept for an argument, and of ways to fill the arguments before it. */
const beamWidths = { values: 6, states: 12 } as const;

interface RatedCandidate extends Assigned {
  /** Log-odds won against leaving the argument open. */
  readonly gain: number;
}

interface State {
  readonly gain: number;
  readonly taken: readonly RatedCandidate[];
}

/**
 * Values for all arguments of a call in one matching: no piece of text twice, the sum of log-odds the highest, less what
 * it costs that values are out of order or unused. Beam search over the arguments, the surest first; O(candidates +
 * arguments² x beam).
 * @returns the arguments that take a value, the likeliest first
 */
export function assignValues(
  candidates: readonly Candidate[],
  draft: Draft,
  spans: readonly Span[],
  yielded: (parameter: Parameter) => boolean,
): readonly Assigned[] {
  let states: State[] = [{ gain: 0, taken: [] }];
  for (const options of optionsOf(candidates, draft, yielded)) {
    const next = [...states];
    for (const state of states) {
      for (const option of options) {
        if (!state.taken.every(({ candidate }) => agree(candidate, option.candidate))) continue;
        const gain = state.gain + option.gain - costs.inversion * inversions(state, option.candidate);
        next.push({ gain, taken: [...state.taken, option] });
      }
    }
    states = next.sort((left, right) => right.gain - left.gain).slice(0, beamWidths.states);
  }
  const telling = spans.filter((span) => span.kind !== "phrase");
  const [best] = states
    .map((state) => ({ state, gain: state.gain - costs.unused * unused(state, telling) }))
    .sort((left, right) => right.gain - left.gain);
  return [...(best?.state.taken ?? [])].sort((left, right) => right.likelihood - left.likelihood);
}

/** By argument what it could take, the likeliest first; the arguments by what is to be won. */
function optionsOf(
  candidates: readonly Candidate[],
  draft: Draft,
  yielded: (parameter: Parameter) => boolean,
): readonly (readonly RatedCandidate[])[] {
  const found = new Map<Candidate["reading"], RatedCandidate[]>();
  for (const candidate of candidates) {
    const { reading, group, features, shared, link, fits, outright = 0 } = candidate;
    const odds = outright + (shared?.odds ?? 0) + logOdds(group, reading.sort, features, weights) - misfit(candidate);
    const likelihood = chance(odds);
    // What has a default need not be given, even where the schema says so.
    const required = reading.parameter.required && reading.parameter.fallback === undefined;
    const must = yielded(reading.parameter) ? minLikelihood.required : minLikelihood.alone;
    const bar = required || fits === true ? must : minLikelihood.optional;
    // What is a little less likely may still be taken so that nothing said stays unused.
    if (odds < oddsOf(bar) - costs.unused || (link !== undefined && likelihood < minLikelihood.reference)) continue;
    if (isFilled(draft, reading.parameter)) continue;
    const gain = odds - oddsOf(required ? must : minLikelihood.optional);
    const own = found.get(reading);
    if (own === undefined) found.set(reading, [{ candidate, likelihood, gain }]);
    else own.push({ candidate, likelihood, gain });
  }
  return [...found.values()]
    .map((own) => best(own, draft))
    .filter((own) => own.length > 0)
    .sort((left, right) => right[0]!.gain - left[0]!.gain);
}

/** What it costs that a value is of no medium, or of another one (`talk.wav` as an image): there it is none. */
function misfit({ reading, value, link }: Candidate): number {
  const { medium } = reading.parameter;
  if (medium === undefined || link !== undefined || typeof value !== "string") return 0;
  const own = mediumOfFile(value);
  if (own !== undefined) return own === medium ? 0 : Number.POSITIVE_INFINITY;
  if (medium !== "text" && isOtherFile(value)) return Number.POSITIVE_INFINITY;
  return medium === "text" || /^\S*[/.:_\d]\S*$/.test(value) ? 0 : costs.noFile;
}

function best(options: RatedCandidate[], draft: Draft): readonly RatedCandidate[] {
  options.sort((left, right) => right.gain - left.gain);
  const all = nounsOfAll(draft.clause.tokens);
  const kept: RatedCandidate[] = [];
  for (const option of options) {
    const { reading, value, link, spans, said, parts } = option.candidate;
    const { parameter } = reading;
    const isFit =
      allows(parameter, value) && isOfItsForm(parameter, value) && !isForeignId(parameter, value, draft.profile.effect);
    // "Tomorrow" is when, and the id of nothing.
    const isDay = parameter.isIdentifier && spans.length > 0 && spans.every(({ kind }) => kind === "date");
    // "Flaky test, see #442" is a text, whatever it speaks of.
    const isText =
      parameter.isIdentifier &&
      parameter.words.join() !== "code" &&
      typeof value === "string" &&
      /\p{L}{2}\S*\s.*\p{L}{2}\S*\s+\S/u.test(value);
    const isOther =
      isOneOfAll(parameter, spans, all) ||
      isFurtherCode(parameter, spans) ||
      isCodeOfOwn(parameter, spans, draft) ||
      isIdOfOther(parameter, parts, draft) ||
      isNumberOfThing(parameter, said);
    if (link === undefined && (!isFit || isDay || isText || isOther)) continue;
    kept.push(option);
    if (kept.length === beamWidths.values) break;
  }
  return kept;
}

/** "Shut all valves in hall 2": no valve is called "hall". */
const isOneOfAll = (
  { isIdentifier, takesOne, required, words }: Parameter,
  spans: readonly Span[],
  all: ReadonlySet<string>,
): boolean =>
  !isIdentifier &&
  takesOne &&
  required &&
  all.has(singular(words.at(-1) ?? "")) &&
  !spans.some(({ kind }) => kind === "quoted" || kind === "literal");

/** In "refund O-10 or O-11" the second code is another order, and it is not the reason for the first refund. A code alone does not fill a parameter for prose. */
function isFurtherCode({ required, isIdentifier, takesList, words }: Parameter, spans: readonly Span[]): boolean {
  const [only, more] = spans;
  if (required || isIdentifier || takesList || only === undefined || more !== undefined) return false;
  if (only.kind !== "literal" || !/^[\p{L}\d]+(?:[-_]?\d[\p{L}\d]*)+$/u.test(only.text)) return false;
  return only.joined || prose.has(words.at(-1) ?? "");
}

/** "The status of O-11" by a tool that lists orders: a code that begins as the noun of the rows does is none of the customer whom nobody mentions. */
function isCodeOfOwn(
  { required, isIdentifier, entity }: Parameter,
  spans: readonly Span[],
  { profile, clause }: Draft,
): boolean {
  const [only, more] = spans;
  const [own, other] = [profile.entity.at(-1), entity.at(-1)];
  if (required || !isIdentifier || only === undefined || more !== undefined || only.kind !== "literal") return false;
  const lead = /^\p{L}{1,3}(?=[-_]?\d)/u.exec(only.text)?.[0].toLowerCase();
  if (lead === undefined || own === undefined || other === undefined || own === other) return false;
  return own.startsWith(lead) && !other.startsWith(lead) && !clause.tokens.some(({ noun }) => noun === other);
}

/** "Move all cards from list l_1 to list l_2": the id of a list is that of no card and nothing else of it, where the tool takes the ids of lists. */
function isIdOfOther(parameter: Parameter, parts: Candidate["parts"], { profile, clause }: Draft): boolean {
  const { isIdentifier, entity, takesOne, required, stems } = parameter;
  const [only, more] = parts;
  if (!takesOne || only === undefined || more !== undefined) return false;
  if (only[1] - only[0] !== 1 || clause.tokens[only[0]]?.kind !== "literal") return false;
  const noun = nounOfId(clause.tokens, only[0]);
  const isOf = (nouns: readonly string[]) => nouns.some((each) => stem(each) === noun);
  if (noun === undefined || !profile.parameters.some((each) => each.isIdentifier && isOf(each.entity))) return false;
  return isIdentifier ? entity.length > 0 && !isOf(entity) : !required && !stems.includes(noun);
}

const prose: ReadonlySet<string> = new Set(
  "reason comment comments note notes remark remarks description message body text content explanation".split(" "),
);

const oddsOf = (likelihood: number) => Math.log(likelihood / (1 - likelihood));

function agree(left: Candidate, right: Candidate): boolean {
  if (areParts(left, right)) return true;
  if (left.link !== undefined && left.link.source === right.link?.source && left.link.path === right.link.path)
    return false;
  return left.parts.every(([from, to]) => right.parts.every(([start, end]) => end <= from || start >= to));
}

/** Both ends of a range, and a day and its hours, come from one date. */
function areParts({ facet: left }: Candidate, { facet: right }: Candidate): boolean {
  if (left === undefined || right === undefined || left === right) return false;
  const hours = [left, right].some((facet) => facet.startsWith("clock") || facet === "part of day");
  return hours || (left !== "day" && right !== "day");
}

/** Values of the same kind that are on the other side of this one than their parameters are. */
function inversions({ taken }: State, { group, parts, reading }: Candidate): number {
  const at = parts[0]?.[0];
  if (at === undefined) return 0;
  return taken.filter(({ candidate }) => {
    const there = candidate.parts[0]?.[0];
    if (there === undefined || candidate.group !== group) return false;
    return (reading.index - candidate.reading.index) * (at - there) < 0;
  }).length;
}

function unused({ taken }: State, spans: readonly Span[]): number {
  const parts = taken.flatMap(({ candidate }) => candidate.parts);
  return spans.filter((span) => !parts.some(([from, to]) => from < span.to && to > span.from)).length;
}
