import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, fillValue, isFilled } from "./draft.ts";

/**
 * Values that say more than their argument holds: "Elm Street 22b" for a `street` that has a `number` beside it, and "my name is Ola Berg" for a `name`.
 * Linear in the arguments.
 */
export function tidyValues(drafts: readonly Draft[]): void {
  for (const draft of drafts)
    for (const { parameter, filling } of [...draft.filled.values()]) {
      if (filling.kind !== "value" || typeof filling.value !== "string" || parameter.choices.length > 0) continue;
      const { value, origin } = filling;
      const named = nameSaid(value, parameter);
      if (named !== undefined) fillValue(draft, parameter, named, origin);
      const [street, number] = addressOf(draft, parameter);
      const [road, house] = street === undefined ? [] : partsOf(value);
      if (street === undefined || number === undefined || road === undefined || house === undefined) continue;
      fillValue(draft, street, road, origin);
      fillValue(draft, number, number.types.has("string") || number.types.size === 0 ? house : Number(house), origin);
    }
}

/** "my name is Ola Berg" */
function nameSaid(value: string, { words }: Parameter): string | undefined {
  const [, noun, named] = /^(?:my|our|his|her|their|the|its) (\p{Ll}+) (?:is|are|was) (.+)$/iu.exec(value) ?? [];
  return noun !== undefined && words.includes(noun) ? named : undefined;
}

/** The arguments for a street and the number of a house in one object, of which a call has just this one. */
function addressOf(draft: Draft, parameter: Parameter): readonly (Parameter | undefined)[] {
  const find = (name: RegExp) =>
    draft.profile.parameters.find(
      ({ words, path }) =>
        name.test(words.join("_")) && path.slice(0, -1).join("\0") === parameter.path.slice(0, -1).join("\0"),
    );
  const both = [find(/^(?:.*_)?(?:street|road)$/), find(/^(?:(?:house|street|building)_)?(?:number|no|nr)$/)];
  return both.every((each) => each !== undefined && isFilled(draft, each) === (each === parameter)) ? both : [];
}

/** "Elm Street 22b", "22 Elm Street": the street, and the number of the house. */
function partsOf(value: string): readonly (string | undefined)[] {
  const [, street, house] = /^(\p{L}.*\p{L}\.?),? (\d{1,5}\p{L}?)$/u.exec(value) ?? [];
  if (street !== undefined) return [street, house];
  const [, first, rest] = /^(\d{1,5}\p{L}?) (\p{L}.*)$/u.exec(value) ?? [];
  return [rest, first];
}
