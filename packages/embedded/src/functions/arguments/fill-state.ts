import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import { readExamples } from "../../catalogue/examples.ts";
import { flagStems, type Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, isGiven } from "../../draft/draft.ts";
import { oppositesOf, saidAlike } from "../../language/text/everyday-words.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { sliceOf, type Token } from "../../language/text/token.ts";
import { openingOf } from "../segmenting/opening.ts";
import { isSwitch, isTextual } from "./parameter-reading.ts";
import { isWrittenAsState, stateGiven, stateOfThings, statesOfVerb } from "./state-words.ts";

/** How likely the state of a thing is meant: where it is said with the thing, or behind "as" or "to", and where the verb alone says it. */
const likelihoods = { said: 0.8, implied: 0.6 } as const;

/**
 * "List shipped orders", "which orders are open?", "mark order 5 as paid", "close order 5": the state in which things are, or which one is to get, is the value of the
 * only argument that takes it: an allowed value, a switch, or a text for a status. Linear in the tokens.
 */
export function fillState(draft: Draft, tokens: readonly Token[], text: string): void {
  const { profile } = draft;
  const isRead = profile.effect === "reads";
  const isOther = (token: Token) => isSaidForOther(draft, token);
  const found = isRead ? stateOfThings(tokens, profile, isOther) : stateGiven(tokens, profile, isOther);
  if (found === undefined) {
    if (!isRead) fillOfVerb(draft, tokens);
    return;
  }
  const words = tokens.slice(...found);
  const [first, last] = [words[0]!, words.at(-1)!];
  const said = first === last && first.kind === "quoted" ? String(first.value) : sliceOf(text, first, last);
  const taker = takerOf(draft, said, isRead || isWrittenAsState(tokens, found));
  if (taker === undefined) return;
  if (isRead && isGiven(draft, taker.parameter)) return;
  if (!isRead) giveBack(draft, first.start, last.end, tokens);
  if (isTaken(draft, first.start, last.end, taker.parameter)) return;
  fill(draft, taker, { text: said, start: first.start, likelihood: likelihoods.said });
}

/** The argument for a state, and its value. */
interface StateTaker {
  readonly parameter: Parameter;
  readonly value: unknown;
}

function fill(
  draft: Draft,
  { parameter, value }: StateTaker,
  origin: { readonly text: string; readonly start: number; readonly likelihood: number },
): void {
  const isList = parameter.takesList && !parameter.takesOne;
  fillValue(draft, parameter, isList ? [value] : value, { source: "goal", ...origin });
}

/** Where the tool is called by no such verb, what it brings about: "close order 5" is `closed`. */
function fillOfVerb(draft: Draft, tokens: readonly Token[]): void {
  const { profile } = draft;
  const { at, imperative, stem: own } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const verb = imperative && at >= 0 ? tokens[at] : undefined;
  if (verb === undefined || !sortsOf(profile).has("update") || verbStems(profile).has(own)) return;
  for (const [place, state] of statesOfVerb(verb.lower).entries()) {
    const taker = takerOf(draft, state, place === 0 && !state.includes(" "));
    if (taker === undefined || isGiven(draft, taker.parameter)) continue;
    fill(draft, taker, { text: verb.text, start: verb.start, likelihood: likelihoods.implied });
    return;
  }
}

/** The only argument that takes a state: one for a status before others. @param isText whether it may be any text */
function takerOf({ profile }: Draft, state: string, isText: boolean): StateTaker | undefined {
  const found = profile.parameters.flatMap((parameter): StateTaker[] => {
    const value = parameter.path.length === 1 ? valueIn(parameter, state, isText) : undefined;
    return value === undefined ? [] : [{ parameter, value }];
  });
  const named = found.filter(({ parameter }) => isCalledState(parameter));
  const [only, more] = named.length > 0 ? named : found;
  return more === undefined ? only : undefined;
}

function valueIn(parameter: Parameter, state: string, isText: boolean): unknown {
  const isNot = /^not\s/i.test(state);
  const stems = stemsOf(isNot ? state.slice(4) : state);
  if (isSwitch(parameter)) {
    const value = switchedBy(flagStems(parameter), stems);
    return value === undefined ? undefined : value !== isNot;
  }
  if (isNot) return undefined;
  if (parameter.choices.length > 0) {
    const own = parameter.choices.filter((choice) => choice.stems.join(" ") === stems.join(" "));
    const alike = parameter.choices.filter((choice) => areAlike(choice.stems, stems));
    const [only, more] = own.length > 0 ? own : alike;
    return more === undefined ? only?.value : undefined;
  }
  return isText && holdsAnyState(parameter) ? written(state, parameter) : undefined;
}

const isCalledState = ({ words }: Parameter): boolean => /^(?:status|state|stage)$/.test(words.at(-1) ?? "");

const holdsAnyState = (parameter: Parameter): boolean =>
  isCalledState(parameter) &&
  isTextual(parameter) &&
  parameter.format === "" &&
  !parameter.isPlace &&
  !parameter.isIdentifier &&
  !/\b(?:countr|provinc|region|u\.?s\.? state)/i.test(parameter.description);

const areAlike = (left: readonly string[], right: readonly string[]): boolean =>
  saidAlike(left).some((each) => each.join(" ") === right.join(" "));

/** Of a switch that is called by one word: on for that word and what says the same, off for what denies it. */
function switchedBy(flag: readonly string[], state: readonly string[]): boolean | undefined {
  const [own, said] = [flag[0], state[0]];
  if (own === undefined || said === undefined || flag.length > 1 || state.length > 1) return undefined;
  if (sameStem(own, said) || areAlike(flag, state)) return true;
  if (said === `un${own}`) return false;
  const others = [said, ...saidAlike(state).map((each) => each.join(" "))].flatMap(oppositesOf);
  return others.some((other) => other === own || areAlike([other], flag)) ? false : undefined;
}

/** The state as the description writes it, where it names one that says the same ("In Progress", "Done"). */
function written(state: string, { description }: Parameter): string {
  const stems = stemsOf(state);
  const examples = readExamples(description);
  const isSame = (example: string) => stemsOf(example).join(" ") === stems.join(" ");
  return examples.find(isSame) ?? examples.find((example) => areAlike(stemsOf(example), stems)) ?? state;
}

const stemsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(stem);

/** The word is part of the tool's name, or of what another argument than one for a state is called. */
const isSaidForOther = ({ profile }: Draft, { stem: own }: Token): boolean =>
  profile.nameWords.some((word) => sameStem(stem(word), own)) ||
  profile.parameters.some(
    (parameter) =>
      !isCalledState(parameter) &&
      !(isSwitch(parameter) && flagStems(parameter).length === 1) &&
      parameter.stems.some((each) => sameStem(each, own)),
  );

/** The start and end of the text that an argument was read of. */
function rangesOf({ filled }: Draft) {
  return [...filled].flatMap(([name, { parameter, filling }]) => {
    const origin = filling.kind === "value" && filling.origin?.source === "goal" ? filling.origin : undefined;
    return origin?.start === undefined
      ? []
      : [{ name, parameter, start: origin.start, end: origin.start + (origin.text?.length ?? 0) }];
  });
}

const isTaken = (draft: Draft, from: number, to: number, taker: Parameter): boolean =>
  rangesOf(draft).some(({ parameter, start, end }) => parameter !== taker && start < to && end > from);

/** What an argument took of the words for a state, though nothing that the goal says speaks of it, is given back. */
function giveBack(draft: Draft, from: number, to: number, tokens: readonly Token[]): void {
  for (const { name, parameter, start, end } of rangesOf(draft)) {
    const isSpokenOf = parameter.stems.some((each) => tokens.some((token) => sameStem(token.stem, each)));
    if (start < to && end > from && !isSpokenOf && !parameter.isIdentifier) draft.filled.delete(name);
  }
}
