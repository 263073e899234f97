import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, encodeText, keyOf } from "../../packages/postgres/src/connection/text.ts";

/** Texts with everything that Postgres cannot store, and what stands for it. */
const texts = fc.string({
  unit: fc.oneof(fc.constantFrom("\0", "\\", "\ud83d", "\ude00", "0", "d", "8", "x"), fc.string()),
});

test("every text comes back as it was, and none has what Postgres cannot store", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = encodeText(text);
      expect(decodeText(encoded)).toBe(text);
      expect(encoded.isWellFormed() && !encoded.includes("\0")).toBe(true);
    }),
  );
});

test("different texts have different keys, which fit an index", () => {
  const long = "x".repeat(500);
  const all = ["", "a", "\\0000", "\0", long, `${long}y`, `${long}z`, "\ud83d".repeat(90), "\ud83d".repeat(91)];
  const keys = all.map(keyOf);
  expect(new Set(keys).size).toBe(all.length);
  for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(800);
});
