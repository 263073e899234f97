import type { Building } from "../build/building.ts";
import { type Draft, fillLink, fillValue, isFilled, key } from "../build/draft.ts";
import { fitDate } from "../build/fit-date.ts";
import { fieldPath } from "../build/link.ts";
import type { Parameter } from "../schema/parameter.ts";
import { foundNouns } from "../text/lexicon.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import { bestFlow, type Hints } from "./dataflow.ts";
import type { Span } from "./spans.ts";
import { type Known, suit, suitFlag } from "./suit.ts";

interface Candidate {
  readonly parameter: Parameter;
  readonly score: number;
  readonly span?: Span;
  take(): void;
}

/** An argument that need not be given wants this much evidence. */
const optional = 1.2;
const required = 0.25;
const possible = 0.5;

/**
 * Fills the arguments of one call: spans of its text, fields of earlier calls and values said before compete in one
 * matching, best first; a span is used once.
 * @returns the parameter that each span became
 */
export function fillCall(
  draft: Draft,
  spans: readonly Span[],
  tokens: readonly Token[],
  earlier: readonly Draft[],
  building: Building,
): Map<Span, Parameter> {
  const names = new Set(draft.profile.nameWords.map(stem));
  const labels = new Set(draft.profile.parameters.flatMap((parameter) => parameter.stems));
  const hints = hintsOf(tokens);
  for (const other of earlier) {
    for (const field of other.profile.output.fields) for (const each of field.stems) hints.results.add(each);
  }
  const candidates = draft.profile.parameters.flatMap((parameter) => [
    ...spans.flatMap((span) => fromSpan(draft, parameter, span, { names, labels, results: hints.results }, building)),
    ...fromWords(draft, parameter, tokens),
    ...fromFields(draft, parameter, hints, earlier),
    ...fromBefore(draft, parameter, earlier),
  ]);
  const used = new Map<Span, Parameter>();
  for (const candidate of candidates.sort((left, right) => right.score - left.score)) {
    const { parameter, span } = candidate;
    if (candidate.score < (parameter.required ? required : optional) || isFilled(draft, parameter)) continue;
    if (span !== undefined && used.has(span) && !sharesDay(span, parameter, used.get(span)!)) continue;
    candidate.take();
    if (span !== undefined) used.set(span, parameter);
  }
  // A value that is left goes to the one argument that could hold it.
  for (const candidate of candidates) {
    const { parameter, span } = candidate;
    if (span === undefined || span.kind === "phrase" || span.joined || used.has(span) || isFilled(draft, parameter))
      continue;
    const open = candidates.filter((other) => other.span === span && !isFilled(draft, other.parameter));
    if (candidate.score < possible || open.length > 1) continue;
    candidate.take();
    used.set(span, parameter);
  }
  return used;
}

function hintsOf(tokens: readonly Token[]): Hints & { readonly results: Set<string> } {
  const pointing = tokens.some(
    (token, at) =>
      /^(?:it|them|this|these|those|its|their)$/.test(token.lower) ||
      (foundNouns.has(token.lower) && token.lower !== "data" && tokens[at - 1]?.lower === "the"),
  );
  const stems = new Set(tokens.filter((token) => token.kind === "word").map((token) => token.stem));
  return { stems, pointsBack: pointing, results: new Set() };
}

/** Both ends of a range come from one date. */
function sharesDay(span: Span, parameter: Parameter, other: Parameter): boolean {
  return (
    span.kind === "date" && parameter.side !== undefined && other.side !== undefined && other.side !== parameter.side
  );
}

function fromSpan(draft: Draft, parameter: Parameter, span: Span, known: Known, building: Building): Candidate[] {
  if (parameter.choices.length > 0 || isSwitch(parameter)) return [];
  const found = span.kind === "date" ? day(draft, parameter, span, building) : suit(parameter, span, known);
  if (found === undefined) return [];
  return [
    {
      parameter,
      span,
      score: found.score - (span.joined ? 0.05 : 0),
      take: () => fillValue(draft, parameter, found.value),
    },
  ];
}

function day(draft: Draft, parameter: Parameter, span: Span, building: Building) {
  const date = building.dates[span.value as number];
  if (date === undefined) return undefined;
  const numeric = parameter.types.has("integer") || parameter.types.has("number");
  if (/^\d{1,4}$/.test(date.text) && (numeric || parameter.words.includes("year"))) {
    if (parameter.words.includes("year")) return { score: 2, value: numeric ? Number(date.text) : date.text };
    return suit(parameter, { ...span, kind: "number", value: Number(date.text) }, nothing);
  }
  const dated = /date|day|time|deadline/.test(parameter.name.toLowerCase()) || parameter.about.has("date");
  return fitDate(
    dated && parameter.types.has("string") ? { ...parameter, holdsDay: true } : parameter,
    {
      kind: "date",
      text: date.text,
      tokens: span.words,
      phrase: 0,
      preposition: span.preposition,
      negated: false,
      near: new Set(span.before.slice(0, 4)),
      date,
      beforeNoun: false,
      afterNoun: false,
    },
    {
      clock: building.clock,
      phrases: draft.clause.phrases,
      parameters: draft.profile.parameters,
      reads: true,
      entity: draft.profile.entity,
      knows: building.catalogue.knows,
    },
  );
}

const nothing: Known = { names: new Set(), labels: new Set(), results: new Set() };

const isSwitch = (parameter: Parameter) => parameter.types.has("boolean") && !parameter.types.has("string");

/** Allowed values and switches are named by words anywhere in the call. */
function fromWords(draft: Draft, parameter: Parameter, tokens: readonly Token[]): Candidate[] {
  if (isSwitch(parameter)) {
    const flag = suitFlag(parameter, tokens);
    return flag === undefined
      ? []
      : [{ parameter, score: flag.score, take: () => fillValue(draft, parameter, flag.value) }];
  }
  const stems = ` ${tokens.map((token) => (token.kind === "quoted" ? stem(String(token.value).toLowerCase()) : token.stem || token.lower)).join(" ")} `;
  const list = parameter.takesList && !parameter.takesOne;
  const named = parameter.choices.filter(
    (choice) => choice.stems.length > 0 && stems.includes(` ${choice.stems.join(" ")} `),
  );
  const longest = [...named].sort((left, right) => right.stems.length - left.stems.length);
  if (list) {
    if (named.length === 0) return [];
    const values = named.map((choice) => choice.value);
    return [{ parameter, score: 2, take: () => fillValue(draft, parameter, values) }];
  }
  return longest.slice(0, 1).map((choice) => ({
    parameter,
    score: 2 + choice.stems.length / 10,
    take: () => fillValue(draft, parameter, choice.value),
  }));
}

function fromFields(draft: Draft, parameter: Parameter, hints: Hints, earlier: readonly Draft[]): Candidate[] {
  const flow = bestFlow(parameter, draft, earlier, hints);
  if (flow === undefined) return [];
  const { source, field } = flow;
  const take = () => fillLink(draft, parameter, { source, path: fieldPath(field, parameter, source.profile) });
  return [{ parameter, score: flow.score, take }];
}

/** "… and its total too": what an earlier call was told under the same name holds on. */
function fromBefore(draft: Draft, parameter: Parameter, earlier: readonly Draft[]): Candidate[] {
  if (!parameter.required) return [];
  for (const other of [...earlier].reverse()) {
    for (const { parameter: given, filling } of other.filled.values()) {
      if (filling.kind !== "value" || given.stems.join(" ") !== parameter.stems.join(" ")) continue;
      if (key(given) !== key(parameter) && given.takesList !== parameter.takesList) continue;
      return [{ parameter, score: 0.85, take: () => fillValue(draft, parameter, filling.value) }];
    }
  }
  return [];
}
