import { readExamples } from "../../catalogue/examples.ts";
import { holdsCode } from "../../catalogue/holds-code.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapesOf, type ValueShape } from "../../catalogue/value-shape.ts";

/** What some parameter of a resource takes. */
export interface ValueKinds {
  /** It must be given a statement in a formal language. */
  readonly statement: boolean;
  readonly number: boolean;
  readonly date: boolean;
  /** Units of time that a number of it counts: "hour" for `hours`. */
  readonly lengths: ReadonlySet<string>;
  readonly text: boolean;
  /** Any text: not only one of a few that the schema or its description lists. */
  readonly anyText: boolean;
  readonly shapes: ReadonlySet<ValueShape>;
}
const lengthUnit = /^(minute|hour|day|week|month|year)s?$/;
const kinds = new WeakMap<Profile, ValueKinds>();

const maxExamples = 2;
const takesAnyText = ({ types, choices, description }: Parameter): boolean =>
  (types.size === 0 || types.has("string")) && choices.length === 0 && readExamples(description).length <= maxExamples;

/** Read once for each resource. */
export function valueKindsOf(profile: Profile): ValueKinds {
  let own = kinds.get(profile);
  if (own === undefined) {
    const some = (test: (parameter: Parameter) => boolean) => profile.parameters.some(test);
    own = {
      statement: some((each) => each.required && holdsCode(each)),
      number: some((each) => each.types.has("number") || each.types.has("integer")),
      date: some((each) => each.holdsDay || /date|day|time|year|month|period/.test(each.words.join(" "))),
      lengths: new Set(
        profile.parameters.flatMap(({ types, words }) =>
          types.has("number") || types.has("integer") ? words.flatMap((word) => lengthUnit.exec(word)?.[1] ?? []) : [],
        ),
      ),
      text: some((each) => each.types.size === 0 || each.types.has("string")),
      anyText: some(takesAnyText),
      shapes: new Set(profile.parameters.flatMap((each) => [...shapesOf(each)])),
    };
    kinds.set(profile, own);
  }
  return own;
}
