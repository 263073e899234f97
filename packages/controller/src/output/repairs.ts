/**
 * What a reader did to a text that was not JSON. `string`: the value was written as a JSON string, or as texts joined
 * by `+`; `keys`: it was put together from the keys found; `name`: a name was cut back to the one on offer; `value`: a key had
 * none and was left out; `cut`: what was incomplete at the text's end was left out. The others name what was missing, too many
 * or of another kind.
 */
export const repairKinds = [
  "bracket",
  "colon",
  "comma",
  "comment",
  "cut",
  "escape",
  "keys",
  "literal",
  "name",
  "quote",
  "string",
  "value",
] as const;
export type RepairKind = (typeof repairKinds)[number];

export interface OutputRepair {
  readonly what: RepairKind;
  /** The beginning of the text at the place; empty where it is about the whole. */
  readonly near: string;
}

const maxRepairs = 20;
/** Characters of the text that an entry shows. */
export const nearLength = 24;

/** A log that keeps the first of its entries; a broken text has many alike. */
export class RepairLog {
  readonly entries: OutputRepair[] = [];

  add(what: RepairKind, text = "", at = 0): void {
    if (this.entries.length < maxRepairs) this.entries.push({ what, near: text.slice(at, at + nearLength) });
  }
}
