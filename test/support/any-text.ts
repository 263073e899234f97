import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count));

/** Texts of any characters there are. `fc.string({ unit: "binary" })` lists them all first: a second, and 100 MB that stay. */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...constraints, unit: codePoint });
