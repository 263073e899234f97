import type { Profile } from "../../catalogue/profile.ts";
import { shapeOf, type ValueShape } from "../../catalogue/value-shape.ts";
import type { Token } from "../../language/text/token.ts";
import type { CodeTakers } from "./code-takers.ts";
import { nounOfId } from "./named-ids.ts";

/** The values that a segment says, which only some resources have a place for. */
export interface SegmentValues {
  number: boolean;
  date: boolean;
  /** Units of what lasts: "hour" of "the last 48 hours". */
  readonly lengths: Set<string>;
  quotation: boolean;
  readonly shapes: Set<ValueShape>;
  /** Stems of the nouns before ids: "berth 4411". */
  readonly ids: Set<string>;
  /** Of each code that is written like ids, who takes such ids. */
  readonly codes: ReadonlySet<Profile>[];
}

export function noValues(): SegmentValues {
  return {
    number: false,
    date: false,
    lengths: new Set(),
    quotation: false,
    shapes: new Set(),
    ids: new Set(),
    codes: [],
  };
}

/** Shapes that only arguments made for them take. */
const tellingShapes: ReadonlySet<ValueShape> = new Set(["path", "link", "mail", "cells"]);

/** Adds what the token at a place says, if it is a value. */
export function addValue(values: SegmentValues, tokens: readonly Token[], place: number, codes: CodeTakers): void {
  const token = tokens[place]!;
  const noun = nounOfId(tokens, place);
  if (token.kind === "number") values.number = true;
  else if (token.kind === "date") {
    const [, unit] = /\b(?:last|past|next|previous) \w+ (minute|hour|day|week|month|year)s?\b/i.exec(token.text) ?? [];
    if (unit === undefined) values.date = true;
    else values.lengths.add(unit.toLowerCase());
  } else if (token.kind === "quoted") values.quotation = true;
  else if (token.kind === "literal" && noun === undefined) {
    // An id that is written as a link leads nowhere.
    const shape = shapeOf({ kind: "literal", text: token.text });
    if (shape !== undefined && tellingShapes.has(shape)) values.shapes.add(shape);
  }
  const takers = codes.get(token);
  if (takers !== undefined) values.codes.push(takers);
  if (noun !== undefined) values.ids.add(noun);
}
