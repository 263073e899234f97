import { isRecord } from "@planloom/plan";
import type { Outline } from "./schema-outline.ts";

/** Values of all enumerations of one schema together, and their characters: of more OpenAI refuses the schema, and others make grammars that are slow. */
const maxValues = 1_000;
const maxCharacters = 30_000;

/** The alternatives without their longest enumerations, as many as it takes to stay within these limits; validation looks at the values afterwards. */
export function withFewerChoices(alternatives: readonly Outline[]): readonly Outline[] {
  const sizes: Size[] = [];
  for (const each of alternatives) walk(each, (choices) => sizes.push(sizeOf(choices)));
  let [values, characters] = [0, 0];
  const over = sizes
    .toSorted((left, right) => left.characters - right.characters)
    .find((each) => {
      values += each.values;
      characters += each.characters;
      return values > maxValues || characters > maxCharacters;
    });
  if (over === undefined) return alternatives;
  return alternatives.map((each) => walk(each, (choices) => sizeOf(choices).characters < over.characters));
}

interface Size {
  readonly values: number;
  readonly characters: number;
}

function sizeOf(choices: readonly unknown[]): Size {
  return { values: choices.length, characters: JSON.stringify(choices).length };
}

/** A copy without the enumerations of which `keeps` says no. */
function walk(schema: Outline, keeps: (choices: readonly unknown[]) => unknown): Outline {
  const inner = (each: unknown): unknown => (isRecord(each) ? walk(each, keeps) : each);
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === "enum" && Array.isArray(value)) return keeps(value) === false ? [] : [[key, value]];
    if (key === "items") return [[key, inner(value)]];
    if (key === "anyOf" && Array.isArray(value)) return [[key, value.map(inner)]];
    if (key !== "properties" || !isRecord(value)) return [[key, value]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))]];
  });
  return Object.fromEntries(entries);
}
