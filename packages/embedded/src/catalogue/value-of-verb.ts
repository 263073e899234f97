import { isVerb } from "../language/text/actions.ts";
import { isParticiple } from "../language/text/participle.ts";
import { stem } from "../language/text/stem.ts";
import type { EnumValue, Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

/** An allowed value that is what a verb makes of a thing. */
export interface ValueOfVerb {
  readonly parameter: Parameter;
  readonly choice: EnumValue;
}

/**
 * The allowed value of a tool that changes something by which it does what a verb asks for: "solve" is `solved`, "reopen" is `open`, and
 * where the argument is an act ("action", "operation") the verb itself. Undefined where there is none, or several.
 * @param verb as it is written, lower-cased
 */
export function valueOfVerb({ effect, parameters }: Profile, verb: string): ValueOfVerb | undefined {
  if (effect === "reads" || verb === "") return undefined;
  const found = parameters.flatMap((parameter) =>
    parameter.takesOne
      ? parameter.choices.flatMap((choice) => (isMadeBy(verb, choice, parameter) ? [{ parameter, choice }] : []))
      : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

function isMadeBy(verb: string, { value, stems }: EnumValue, { words }: Parameter): boolean {
  const [own, ...others] = stems;
  if (own === undefined || others.length > 0) return false;
  if (verb === `re${String(value).toLowerCase()}`) return true;
  if (own !== stem(verb)) return false;
  return isDone(String(value)) || /^(?:action|operation|command|transition|act)$/.test(words.at(-1) ?? "");
}

/** "solved", "sent": the value says what was done. */
const isDone = (value: string) => !value.endsWith("ing") && isParticiple({ kind: "word", lower: value.toLowerCase() });

/** The verbs whose doing such values tell of: "ship" of `shipped`, "reopen" of `open`. They follow the spelling alone, so that some do not exist. */
export function verbsOfValues({ effect, parameters }: Profile): readonly string[] {
  if (effect === "reads") return [];
  return parameters.flatMap(({ choices }) =>
    choices.flatMap(({ value }) => {
      if (isVerb(String(value))) return [`re${String(value)}`];
      const [, root = ""] = /^(\p{Ll}{2,20})ed$/u.exec(String(value).toLowerCase()) ?? [];
      if (root === "") return [];
      return root.at(-1) === root.at(-2) ? [root, root.slice(0, -1)] : [root, `${root}e`];
    }),
  );
}
