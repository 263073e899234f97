import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillLink, fillValue, type Origin } from "../../draft/draft.ts";
import type { Building } from "../../draft/planning-state.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { foundNouns } from "../../language/text/lexicon.ts";
import { splitName } from "../../language/text/split-name.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { weights } from "../learned/weights.ts";
import { assignValues } from "./assign-values.ts";
import { type Candidate, candidatesFor } from "./candidates.ts";
import { fillComplement } from "./complement.ts";
import type { Hints } from "./dataflow.ts";
import { saidBefore } from "./parallel-phrasing.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";

/** One call in the making: its words, and the calls before it. */
export interface Call {
  readonly draft: Draft;
  readonly tokens: readonly Token[];
  /** Every word, also those within quotations, dates and identifiers. */
  readonly words: readonly CallWord[];
  readonly spans: readonly Span[];
  readonly stretches: readonly Stretch[];
  readonly earlier: readonly Draft[];
  readonly hints: Hints;
  readonly before: ReturnType<typeof saidBefore>;
}

export interface CallWord {
  readonly stem: string;
  /** Lower case, without what belongs to punctuation. */
  readonly text: string;
  /** Position of its token. */
  readonly at: number;
}

/** Stems that say what is called or what was found, rather than with what to call. */
export interface Known {
  readonly names: ReadonlySet<string>;
  /** Of the parameters: such a word announces a value and is none. */
  readonly labels: ReadonlySet<string>;
  /** Of the fields that earlier calls yield. */
  readonly results: ReadonlySet<string>;
  /** Stems of the descriptions of the resource and its parameters. */
  readonly own: ReadonlySet<string>;
  /** Some resource mentions the stem. */
  knows(stem: string): boolean;
}

/**
 * Fills the arguments of one call: stretches of its text, fields of earlier calls and values said before compete in one
 * matching, likeliest first; a token is used once.
 * @returns the parameter that each span became, or a part of it
 */
export function fillCall(
  draft: Draft,
  spans: readonly Span[],
  tokens: readonly Token[],
  earlier: readonly Draft[],
  building: Building,
): Map<Span, Parameter> {
  const call: Call = {
    draft,
    tokens,
    words: wordsOf(tokens),
    spans,
    stretches: stretchesOf(building.text, tokens, spans, building.catalogue),
    earlier,
    hints: hintsOf(tokens),
    before: saidBefore(earlier, building.text),
  };
  const known = knownOf(call, building);
  const candidates = candidatesFor(call, known, building, weights);
  if (building.observe !== undefined) building.observe(call, candidatesFor(call, known, building, undefined));
  const used = match(call, candidates, yieldsOf(building.catalogue, earlier));
  if (!draft.support) fillComplement(draft, tokens, building.text, building.catalogue);
  return used;
}

const yielding = new WeakMap<Catalogue, ReadonlySet<string>>();

/** Whether a value may come from another call: an earlier one, or one that declares an output that is called so. */
function yieldsOf(catalogue: Catalogue, earlier: readonly Draft[]): (parameter: Parameter) => boolean {
  let stems = yielding.get(catalogue);
  if (stems === undefined) {
    const fields = catalogue.profiles.flatMap(({ output }) => output.fields);
    stems = new Set(fields.flatMap((field) => field.stems));
    yielding.set(catalogue, stems);
  }
  const known = stems;
  return ({ stems: own }) => known.size > 0 && (earlier.length > 0 || own.some((each) => known.has(each)));
}

export function wordsOf(tokens: readonly Token[]): CallWord[] {
  return tokens.flatMap((token, at): CallWord[] => {
    if (token.kind === "punctuation" || token.kind === "break") return [];
    if (token.kind === "word") return [{ stem: token.stem, text: token.lower, at }];
    if (token.kind === "number") return [{ stem: token.lower, text: token.lower, at }];
    return splitName(token.text).map((word) => ({ stem: stem(word), text: word, at }));
  });
}

function knownOf({ draft, earlier }: Call, building: Building): Known {
  const results = new Set<string>();
  for (const other of earlier)
    for (const field of other.profile.output.fields) for (const each of field.stems) results.add(each);
  return {
    names: new Set(draft.profile.nameWords.map(stem)),
    labels: new Set(draft.profile.parameters.flatMap((parameter) => parameter.stems)),
    results,
    own: new Set([...draft.profile.about, ...draft.profile.parameters.flatMap((parameter) => [...parameter.about])]),
    knows: building.catalogue.knows,
  };
}

function match(
  { draft, tokens, spans }: Call,
  candidates: readonly Candidate[],
  yielded: (parameter: Parameter) => boolean,
): Map<Span, Parameter> {
  const used = new Map<Span, Parameter>();
  for (const { candidate, likelihood: exact } of assignValues(candidates, draft, spans, yielded)) {
    const { parameter } = candidate.reading;
    const likelihood = Math.round(100 * exact) / 100;
    if (candidate.link !== undefined) fillLink(draft, parameter, candidate.link, likelihood);
    else fillValue(draft, parameter, candidate.value, originOf(candidate, tokens, likelihood));
    for (const span of candidate.spans) if (!used.has(span)) used.set(span, parameter);
  }
  return used;
}

function originOf({ group, parts, said }: Candidate, tokens: readonly Token[], likelihood: number): Origin {
  if (group === "before") return { source: "earlier", likelihood };
  const start = tokens[parts[0]?.[0] ?? -1]?.start;
  return { source: "goal", text: said, ...(start !== undefined && { start }), likelihood };
}

function hintsOf(tokens: readonly Token[]): Hints {
  const pointing = tokens.some(
    (token, at) =>
      /^(?:it|them|this|these|those|its|their)$/.test(token.lower) ||
      (foundNouns.has(token.lower) && token.lower !== "data" && tokens[at - 1]?.lower === "the"),
  );
  return {
    stems: new Set(tokens.filter((token) => token.kind === "word").map((token) => token.stem)),
    pointsBack: pointing,
  };
}
