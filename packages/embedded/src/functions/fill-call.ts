import type { Building } from "../build/building.ts";
import { type Draft, fillLink, fillValue, isFilled, type Origin } from "../build/draft.ts";
import { allows } from "../schema/allows.ts";
import type { Parameter } from "../schema/parameter.ts";
import { foundNouns } from "../text/lexicon.ts";
import { splitName } from "../text/split-name.ts";
import { stem } from "../text/stem.ts";
import type { Token } from "../text/token.ts";
import { type Candidate, candidatesFor } from "./candidates.ts";
import type { Hints } from "./dataflow.ts";
import type { Span } from "./spans.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { chance, logOdds } from "./weigh.ts";
import { weights } from "./weights.ts";

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
  /** Some resource mentions the stem. */
  knows(stem: string): boolean;
}

/** An argument that need not be given wants a likelier value, and so does one that makes a call wait for another. */
const least = { required: 0.025, reference: 0.08, optional: 0.3 } as const;

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
  };
  const known = knownOf(call, building);
  const candidates = candidatesFor(call, known, building, weights);
  if (building.observe !== undefined) building.observe(call, candidatesFor(call, known, building, undefined));
  return match(call, candidates);
}

function wordsOf(tokens: readonly Token[]): CallWord[] {
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
    knows: building.catalogue.knows,
  };
}

function match({ draft, tokens }: Call, candidates: readonly Candidate[]): Map<Span, Parameter> {
  const used = new Map<Span, Parameter>();
  const taken: (Candidate | undefined)[] = tokens.map(() => undefined);
  const scored = candidates.map((candidate) => ({
    candidate,
    score: chance(
      (candidate.shared?.odds ?? 0) + logOdds(candidate.group, candidate.reading.sort, candidate.features, weights),
    ),
  }));
  scored.sort((left, right) => right.score - left.score);
  for (const { candidate, score } of scored) {
    const { parameter } = candidate.reading;
    const needed = candidate.link === undefined ? least.required : least.reference;
    if (score < (parameter.required || candidate.fits === true ? needed : least.optional)) continue;
    if (isFilled(draft, parameter)) continue;
    if (candidate.link === undefined && !allows(parameter, candidate.value)) continue;
    if (
      candidate.parts.some(([from, to]) =>
        taken.slice(from, to).some((other) => other !== undefined && !shares(other, candidate)),
      )
    )
      continue;
    const likelihood = Math.round(100 * score) / 100;
    if (candidate.link !== undefined) fillLink(draft, parameter, candidate.link, likelihood);
    else fillValue(draft, parameter, candidate.value, originOf(candidate, tokens, likelihood));
    for (const [from, to] of candidate.parts) taken.fill(candidate, from, to);
    for (const span of candidate.spans) if (!used.has(span)) used.set(span, parameter);
  }
  return used;
}

function originOf({ group, parts, said }: Candidate, tokens: readonly Token[], likelihood: number): Origin {
  if (group === "before") return { source: "earlier", likelihood };
  const start = tokens[parts[0]?.[0] ?? -1]?.start;
  return { source: "goal", text: said, ...(start !== undefined && { start }), likelihood };
}

/** Both ends of a range come from one date. */
function shares(other: Candidate, candidate: Candidate): boolean {
  const own = candidate.reading.parameter.side;
  const side = other.reading.parameter.side;
  return (
    candidate.group === "date" && other.group === "date" && own !== undefined && side !== undefined && own !== side
  );
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
