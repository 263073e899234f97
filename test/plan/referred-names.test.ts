import { collectReferences } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { visitReferredNames } from "../../packages/plan/src/patch/referred-names.ts";
import { cases } from "../support/cases.ts";

const piece = fc.constantFrom(
  "${a}",
  "${b-1.rows[0].id}",
  "${c.*.x?}",
  "$",
  "${",
  "}",
  " ",
  "$${a}",
  '${["q.r"].x}',
  "é",
  "${ä.b}",
  "${a.}",
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
const value = fc.oneof(
  text,
  fc.array(text),
  fc.record({ $ref: text }),
  fc.record({ $text: text }),
  fc.dictionary(fc.string(), text),
);

test("names exactly what collectReferences finds", () => {
  fc.assert(
    fc.property(value, (any) => {
      const names: string[] = [];
      visitReferredNames(any, (name) => names.push(name));
      expect(names).toEqual(collectReferences(any).map(({ reference }) => reference.name));
    }),
    { numRuns: cases(2_000) },
  );
});
