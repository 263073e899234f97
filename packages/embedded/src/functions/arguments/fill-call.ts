import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { finderFor } from "../../catalogue/finder.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillLink, fillValue, type Origin } from "../../draft/draft.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { foundNouns } from "../../language/text/lexicon.ts";
import { splitName } from "../../language/text/split-name.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { weights } from "../learned/weights.ts";
import { assignValues } from "./assign-values.ts";
import type { Call, CallWord, Hints, Known } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { candidatesFor } from "./candidates.ts";
import { fillComplement } from "./complement.ts";
import { excerptsOf } from "./excerpts.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { outputMentions } from "./output-mentions.ts";
import { saidBefore } from "./parallel-phrasing.ts";

/**
 * Fills the arguments of one call: excerpts of its text, fields of earlier calls and values said before compete in one
 * matching, likeliest first; a token is used once.
 * @returns the parameter that each span became, or a part of it
 */
export function fillCall(
  draft: Draft,
  spans: readonly Span[],
  tokens: readonly Token[],
  earlier: readonly Draft[],
  planning: FunctionPlanning,
): Map<Span, Parameter> {
  const call: Call = {
    draft,
    tokens,
    words: wordsOf(tokens),
    spans,
    excerpts: excerptsOf(planning.text, tokens, spans, planning.catalogue),
    earlier,
    mentions: outputMentions(tokens, earlier, draft.profile.nameWords),
    hints: hintsOf(tokens),
    before: saidBefore(earlier, planning.text),
  };
  const known = knownOf(call, planning);
  const candidates = candidatesFor(call, known, planning, weights);
  if (planning.observe !== undefined) planning.observe(call, candidatesFor(call, known, planning, undefined));
  const used = match(call, candidates, yieldsOf(planning.catalogue, earlier));
  if (!draft.support) fillComplement(draft, tokens, planning.text, planning.catalogue);
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
    const inCapitals = /^\p{Lu}+$/u.test(token.text);
    if (token.kind === "word") return [{ stem: token.stem, text: token.lower, at, inCapitals }];
    if (token.kind === "number") return [{ stem: token.lower, text: token.lower, at, inCapitals }];
    return splitName(token.text).map((word) => ({ stem: stem(word), text: word, at, inCapitals }));
  });
}

function knownOf({ draft, earlier }: Call, planning: FunctionPlanning): Known {
  const results = new Set<string>();
  for (const other of earlier)
    for (const field of other.profile.output.fields) for (const each of field.stems) results.add(each);
  return {
    names: new Set(draft.profile.nameWords.map(stem)),
    labels: new Set(draft.profile.parameters.flatMap((parameter) => parameter.stems)),
    results,
    own: new Set([...draft.profile.about, ...draft.profile.parameters.flatMap((parameter) => [...parameter.about])]),
    knows: planning.catalogue.knows,
    isLookedUp: (parameter) =>
      parameter.required && finderFor(parameter, draft.profile, planning.catalogue) !== undefined,
  };
}

function match(
  { draft, tokens, spans, earlier, hints }: Call,
  candidates: readonly Candidate[],
  yielded: (parameter: Parameter) => boolean,
): Map<Span, Parameter> {
  const used = new Map<Span, Parameter>();
  for (const { candidate, likelihood: exact } of assignValues(candidates, draft, spans, yielded)) {
    const { parameter } = candidate.reading;
    const likelihood = Math.round(100 * exact) / 100;
    if (candidate.link !== undefined) fillLink(draft, parameter, candidate.link, likelihood);
    else fillValue(draft, parameter, candidate.value, originOf(candidate, tokens, likelihood));
    const maker = candidate.group === "before" && hints.pointsBack ? makerOf(candidate.value, earlier) : undefined;
    if (maker !== undefined && !draft.support) draft.after.add(maker);
    for (const span of candidate.spans) if (!used.has(span)) used.set(span, parameter);
  }
  return used;
}

/** "create the folder A and move B into it": the call that makes what a value names has to be done first. */
const makerOf = (value: unknown, earlier: readonly Draft[]) =>
  earlier.findLast(
    ({ profile, filled }) =>
      sortsOf(profile).has("create") &&
      [...filled.values()].some(({ filling }) => filling.kind === "value" && filling.value === value),
  );

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
