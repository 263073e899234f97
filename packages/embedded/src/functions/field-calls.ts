import type { Profile } from "../catalogue/profile.ts";
import { fillValue } from "../draft/draft.ts";
import { missingArguments } from "../draft/tasks.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import { sliceOf, type Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { lacking, type PlannedCall, type ReadCall, readCall, withFurther } from "./read-call.ts";
import { impliedAt } from "./segmenting/implied-words.ts";
import { opensQuestion } from "./segmenting/opening.ts";

/** More tools than this that tell what is asked for say nothing of which is meant. */
const maxTellers = 10;
/** Letters that a word of the question and a field begin with alike: "directed" and `director`. */
const minRoot = 5;
/** How likely the only name of a question is what a tool needs to know. */
const likelihoodOfOnlyName = 0.6;

/**
 * "Who directed Alien?", "how long is Heat?": where no word of a question is any tool's, it may be a field of what one tool yields, by the name or code that is
 * said. Undefined where no such tool lacks nothing, or more than one does. Linear in the tools.
 */
export function callByField(tokens: readonly Token[], planning: FunctionPlanning): PlannedCall | undefined {
  if (!opensQuestion(tokens, { from: 0, to: tokens.length, sentence: 0 })) return undefined;
  const said = tokens.flatMap((token, at) => [
    ...(token.kind === "word" && !token.capital && isContent(token.lower) && !emptyNouns.has(token.lower)
      ? [token.stem]
      : []),
    ...impliedAt(tokens, at).map(({ stem }) => stem),
  ]);
  if (said.length === 0) return undefined;
  const tellers = planning.catalogue.profiles.filter((profile) => tells(profile, said));
  if (tellers.length > maxTellers) return undefined;
  const readings = tellers.flatMap((profile) => readOnlyName(profile, tokens, planning) ?? []);
  const [only, more] = readings;
  return only === undefined || more !== undefined
    ? undefined
    : withFurther(only, [], new Set([only.profile]), planning);
}

/** It reads one thing by one text, and a field of that thing is asked for. */
function tells({ effect, output, parameters }: Profile, said: readonly string[]): boolean {
  const [taken, more] = parameters.filter(({ required, fallback }) => required && fallback === undefined);
  if (effect !== "reads" || !output.known || taken?.types.has("string") !== true || more !== undefined) return false;
  return output.fields.some(
    ({ stems, isIdentifier }) => !isIdentifier && stems.some((each) => said.some((word) => isAlike(word, each))),
  );
}

const isAlike = (left: string, right: string): boolean =>
  left === right ||
  (Math.min(left.length, right.length) >= minRoot && (left.startsWith(right) || right.startsWith(left)));

function readOnlyName(profile: Profile, tokens: readonly Token[], planning: FunctionPlanning): ReadCall | undefined {
  const reading = readCall(profile, tokens, [], planning);
  const [open, more] = missingArguments(reading.draft);
  const name = open === undefined || more !== undefined ? undefined : onlyName(tokens);
  if (open !== undefined && name !== undefined) {
    const text = sliceOf(planning.text, name[0]!, name.at(-1)!);
    fillValue(reading.draft, open, text, {
      source: "goal",
      text,
      start: name[0]!.start,
      likelihood: likelihoodOfOnlyName,
    });
  }
  return lacking(reading) === 0 ? reading : undefined;
}

/** The only run of words in capitals, quotation or code behind the word that asks. */
function onlyName(tokens: readonly Token[]): readonly Token[] | undefined {
  const runs: Token[][] = [];
  for (const [at, token] of tokens.entries()) {
    const isPart =
      token.kind === "quoted" || token.kind === "literal" || (token.kind === "word" && token.capital && at > 0);
    if (!isPart) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.at(-1) === tokens[at - 1]) last.push(token);
    else runs.push([token]);
  }
  return runs.length === 1 ? runs[0] : undefined;
}
