import { hashValue } from "@planloom/plan";

/** A short text that is the same for equal inputs: nothing for the empty one, else the hash. */
export function canonicalText(input: Readonly<Record<string, unknown>>): string {
  for (const _ in input) return hashValue(input);
  return "";
}
