import { verbStems } from "../catalogue/acts-of.ts";
import { readExamples } from "../catalogue/examples.ts";
import type { Profile } from "../catalogue/profile.ts";
import { takesStatement } from "../catalogue/takes-statement.ts";
import { isWrittenLike } from "../catalogue/written-like.ts";
import { key } from "../draft/draft.ts";
import { keywordOf } from "../language/clauses/statements.ts";
import { singular } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { lacking, type PlannedCall, type ReadCall, readCall, withFurther } from "./read-call.ts";
import { objectOfTool } from "./segmenting/object-of-act.ts";
import { openingOf } from "./segmenting/opening.ts";

/** More tools than this that take such a value tell nothing of which is meant. */
const maxTakers = 40;

/**
 * "Show me WEB-12", "turn off pump.north": where no word of a goal is any tool's, but a value is written like the ids that tools take, by
 * their examples and patterns. What is to be seen is got by the only tool that gets such a thing by its id alone; a change is made by the
 * only tool that also takes what is said of it ("off") as a value. Undefined where there is no such tool, or more than one.
 */
export function callByValue(tokens: readonly Token[], planning: FunctionPlanning): PlannedCall | undefined {
  const stated = callByStatement(tokens, planning);
  if (stated !== undefined) return stated;
  const written = tokens.filter(({ kind }) => kind === "literal");
  if (written.length === 0) return undefined;
  const takers = planning.catalogue.profiles.filter(({ parameters }) =>
    parameters.some((parameter) => parameter.required && written.some(({ text }) => isWrittenLike(parameter, text))),
  );
  if (takers.length === 0 || takers.length > maxTakers) return undefined;
  const opening = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const others = tokens.filter(({ kind }) => kind === "word");
  const isRead = opening.actions.has("read") || others.length === 0;
  const found = takers.flatMap((profile) =>
    isRead ? read(profile, tokens, planning) : change(profile, tokens, planning),
  );
  // "look up and A-3": of tools for one and for several that for as many as are said.
  const isSeveral = written.length > 1;
  const fitting = found.filter(({ profile }) => isRead && takesSeveral(profile) === isSeveral);
  const [only, more] = fitting.length > 0 ? fitting : found;
  return only === undefined || more !== undefined
    ? undefined
    : withFurther(only, [], new Set([only.profile]), planning);
}

/** "SELECT … FROM …" and nothing else that a tool knows: the only tool that takes such statements and lacks nothing is given it. */
function callByStatement(tokens: readonly Token[], planning: FunctionPlanning): PlannedCall | undefined {
  const keywords = tokens.flatMap(({ kind, value }) => (kind === "quoted" ? (keywordOf(String(value)) ?? []) : []));
  const [keyword, another] = keywords;
  if (keyword === undefined || another !== undefined) return undefined;
  const takers = planning.catalogue.profiles.filter((profile) => takesStatement(profile, keyword));
  if (takers.length > maxTakers) return undefined;
  const readings = takers.map((profile) => readCall(profile, tokens, [], planning));
  const [only, more] = readings.filter((reading) => lacking(reading) === 0);
  if (only === undefined || more !== undefined) return undefined;
  return withFurther(only, [], new Set([only.profile]), planning);
}

/** A tool that gets a thing and needs nothing but its id. */
function read(profile: Profile, tokens: readonly Token[], planning: FunctionPlanning): ReadCall[] {
  if (profile.effect !== "reads") return [];
  const [id, more] = profile.parameters.filter(({ required, fallback }) => required && fallback === undefined);
  if (id === undefined || more !== undefined || !gets(profile)) return [];
  const own = id.entity.at(-1);
  if (own !== undefined && stem(singular(own)) !== objectOfTool(profile)) return [];
  const reading = readCall(profile, tokens, [], planning);
  return lacking(reading) === 0 ? [reading] : [];
}

const gets = (profile: Profile) =>
  [...verbStems(profile)].some((verb) => /^(?:get|fetch|read|show|view|retriev|describ|lookup)/.test(verb)) ||
  takesSeveral(profile);

/** All that it needs is a list. */
const takesSeveral = ({ parameters }: Profile): boolean =>
  parameters.some(({ required }) => required) &&
  parameters.every(({ required, takesList, isIdentifier }) => !required || (takesList && isIdentifier));

/** A tool that changes a thing and takes a word of the request as one of the values that its description names. */
function change(profile: Profile, tokens: readonly Token[], planning: FunctionPlanning): ReadCall[] {
  if (profile.effect === "reads") return [];
  const reading = readCall(profile, tokens, [], planning);
  if (lacking(reading) > 0) return [];
  const isNamed = profile.parameters.some((parameter) => {
    const filling = parameter.required ? reading.draft.filled.get(key(parameter))?.filling : undefined;
    return (
      filling?.kind === "value" &&
      filling.origin?.source === "goal" &&
      (parameter.choices.length > 0 || readExamples(parameter.description).includes(String(filling.value)))
    );
  });
  return isNamed ? [reading] : [];
}
