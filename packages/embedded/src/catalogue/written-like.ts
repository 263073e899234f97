import { readExamples } from "./examples.ts";
import { idAgreement } from "./id-forms.ts";
import type { Parameter } from "./parameter.ts";

/** It begins like the ids that the parameter takes, or is made up of parts like an example: "pump.north" for "gate.outer_wall". */
export function isWrittenLike(parameter: Parameter, text: string): boolean {
  if (parameter.choices.length > 0 || !(parameter.types.size === 0 || parameter.types.has("string"))) return false;
  const form = formOf(text);
  const alike = form === undefined ? [] : examplesOf(parameter).filter((each) => formOf(each) === form);
  if (form !== undefined && alike.length > 0) return !alike.every((each) => hasOtherInitial(each, text, parameter));
  return idAgreement(parameter, text) === true;
}

const examples = new WeakMap<Parameter, readonly string[]>();

function examplesOf(parameter: Parameter): readonly string[] {
  let own = examples.get(parameter);
  if (own === undefined) {
    own = readExamples(parameter.description);
    examples.set(parameter, own);
  }
  return own;
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
