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
  readonly text: boolean;
  readonly shapes: ReadonlySet<ValueShape>;
}
const kinds = new WeakMap<Profile, ValueKinds>();

/** Read once for each resource. */
export function valueKindsOf(profile: Profile): ValueKinds {
  let own = kinds.get(profile);
  if (own === undefined) {
    const some = (test: (parameter: Parameter) => boolean) => profile.parameters.some(test);
    own = {
      statement: some((each) => each.required && holdsCode(each)),
      number: some((each) => each.types.has("number") || each.types.has("integer")),
      date: some((each) => each.holdsDay || /date|day|time|year|month|period/.test(each.words.join(" "))),
      text: some((each) => each.types.size === 0 || each.types.has("string")),
      shapes: new Set(profile.parameters.flatMap((each) => [...shapesOf(each)])),
    };
    kinds.set(profile, own);
  }
  return own;
}
