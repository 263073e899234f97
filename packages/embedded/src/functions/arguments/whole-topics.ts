import { type Draft, fillValue, isGiven, key } from "../../draft/draft.ts";
import { conjunctions, determiners } from "../../language/text/lexicon.ts";
import type { Token } from "../../language/text/token.ts";
import { isTextual } from "./parameter-reading.ts";
import { holdsTopic } from "./topics.ts";
import { withoutUsed } from "./without-used.ts";

/** Words behind a subject that still belong to it. */
const maxWords = 5;
/** Where a tool has more parameters than this, most are settings: only one that must be given, or that is for a place, could take the rest. */
const maxPlain = 5;
/** Likelier than not: nothing else of the call takes a text. */
const likelihood = 0.6;

/**
 * "search for glaciers in Norway": what is left right behind the subject of a search belongs to it, where the tool has no other text
 * that it could be. O(tokens x drafts).
 */
export function extendTopics(drafts: readonly Draft[], goal: readonly Token[], text: string): void {
  for (const draft of drafts) {
    const [taken, more] = [...draft.filled.values()].filter(({ parameter }) => holdsTopic(parameter));
    if (taken === undefined || more !== undefined) continue;
    const { parameter, filling } = taken;
    if (filling.kind !== "value" || typeof filling.value !== "string" || filling.origin?.source !== "goal") continue;
    const { start, text: said } = filling.origin;
    if (start === undefined || said !== filling.value) continue;
    const isOpen = draft.profile.parameters.some(
      (other) =>
        other !== parameter &&
        isTextual(other) &&
        other.choices.length === 0 &&
        (other.required || other.isPlace || draft.profile.parameters.length <= maxPlain) &&
        !draft.filled.has(key(other)) &&
        !isGiven(draft, other),
    );
    if (isOpen) continue;
    const left = drafts.reduce<readonly Token[]>((rest, each) => withoutUsed(rest, each), goal);
    const last = endOfRest(
      left,
      left.findIndex((token) => token.start >= start + said.length),
    );
    if (last === undefined) continue;
    const whole = text.slice(start, last.end);
    fillValue(draft, parameter, whole, {
      ...filling.origin,
      text: whole,
      likelihood: Math.min(filling.origin.likelihood ?? 1, likelihood),
    });
  }
}

/** The last token of "in Norway", "at the North Sea" from a place on, if that ends the clause. */
function endOfRest(tokens: readonly Token[], from: number): Token | undefined {
  if (!/^(?:in|at|on|near|around)$/.test(tokens[from]?.lower ?? "")) return undefined;
  let at = from + 1;
  while (determiners.has(tokens[at]?.lower ?? "")) at += 1;
  const first = at;
  while (tokens[at]?.kind === "word" && !conjunctions.has(tokens[at]!.lower) && at - first <= maxWords) at += 1;
  const isEnd = tokens[at] === undefined || tokens[at]!.kind === "punctuation" || conjunctions.has(tokens[at]!.lower);
  return at > first && at - first <= maxWords && isEnd && tokens[first]!.capital ? tokens[at - 1] : undefined;
}
