import { emptyNouns } from "./lexicon.ts";
import { stem } from "./stem.ts";

/** Stems of names that say little of what a field holds. */
export const weakNames: ReadonlySet<string> = new Set(
  [...emptyNouns, "name", "id", "type", "number", "code"].map(stem),
);
