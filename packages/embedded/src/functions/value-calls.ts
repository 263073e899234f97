import { verbStems } from "../catalogue/acts-of.ts";
import { readExamples } from "../catalogue/examples.ts";
import { idAgreement } from "../catalogue/id-forms.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { key } from "../draft/draft.ts";
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
  const [only, more] = found;
  return only === undefined || more !== undefined
    ? undefined
    : withFurther(only, [], new Set([only.profile]), planning);
}

/** A tool that gets a thing and needs nothing but its id. */
function read(profile: Profile, tokens: readonly Token[], planning: FunctionPlanning): ReadCall[] {
  if (profile.effect !== "reads") return [];
  const [id, more] = profile.parameters.filter(({ required, fallback }) => required && fallback === undefined);
  if (id === undefined || more !== undefined || !gets(profile)) return [];
  const head = stem(singular(id.entity.at(-1) ?? ""));
  if (head !== objectOfTool(profile)) return [];
  const reading = readCall(profile, tokens, [], planning);
  return lacking(reading) === 0 ? [reading] : [];
}

const gets = (profile: Profile) =>
  [...verbStems(profile)].some((verb) => /^(?:get|fetch|read|show|view|retriev|describ|lookup)/.test(verb));

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

/** It begins like the ids that the parameter takes, or is made up of parts like an example: "pump.north" for "gate.outer_wall". */
function isWrittenLike(parameter: Parameter, text: string): boolean {
  if (parameter.choices.length > 0 || !(parameter.types.size === 0 || parameter.types.has("string"))) return false;
  const form = formOf(text);
  const alike = readExamples(parameter.description).filter((each) => formOf(each) === form);
  if (form !== undefined && alike.length > 0) return !alike.every((each) => hasOtherInitial(each, text, parameter));
  return idAgreement(parameter, text) === true;
}

/** "C-7" names another thing than a buoy where buoys are written "B-12": one letter, the first of the noun, says what an id is of. */
function hasOtherInitial(example: string, text: string, { entity }: Parameter): boolean {
  const initial = /^\p{Lu}(?=[-_.:#]?\d)/u.exec(example)?.[0];
  return initial !== undefined && entity.at(-1)?.[0]?.toUpperCase() === initial && !text.startsWith(initial);
}

/** Runs of letters and of digits as one sign each, and the signs between; undefined for a single word or number. */
function formOf(text: string): string | undefined {
  if (text.length > 60 || !/^[\p{L}\d]+(?:[-_.:#][\p{L}\d]+)+$/u.test(text)) return undefined;
  return text
    .replace(/[\p{Ll}\d_]*\p{Ll}[\p{Ll}\d_]*/gu, "a")
    .replace(/\p{Lu}+/gu, "A")
    .replace(/\d+/g, "9");
}
