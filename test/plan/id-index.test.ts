import fc from "fast-check";
import { expect, test } from "vitest";
import { IdIndex } from "../../packages/plan/src/graph/id-index.ts";
import { PlanErrorCode } from "../../packages/plan/src/index.ts";

test("finds every id and nothing else", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 200 }), fc.string(), (ids, other) => {
      const index = new IdIndex(ids);
      ids.forEach((id, task) => {
        expect(index.indexOf(id)).toBe(task);
      });
      expect(index.indexOf(other)).toBe(ids.indexOf(other));
    }),
  );
});

test("finds an id where it stands in a text", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { maxLength: 50 }),
      fc.string(),
      fc.string(),
      fc.string(),
      (ids, before, name, behind) => {
        const index = new IdIndex(ids);
        for (const id of [...ids, name]) {
          const text = `${before}${id}${behind}`;
          expect(index.indexOfWithin(text, before.length, before.length + id.length)).toBe(ids.indexOf(id));
        }
      },
    ),
  );
});

test("tells of an id that stands there again, and finds the first", () => {
  const twice: number[] = [];
  const index = new IdIndex(["a", "b", "a", "c", "b"], (task) => twice.push(task));
  expect(twice).toEqual([2, 4]);
  expect(["a", "b", "c"].map((id) => index.indexOf(id))).toEqual([0, 1, 3]);
});

test("refuses an id that stands there twice, wherever it stands", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 100 }), fc.nat(), fc.nat(), (ids, from, to) => {
      const twice = ids.toSpliced(to % (ids.length + 1), 0, ids[from % ids.length]!);
      expect(() => new IdIndex(twice)).toThrow(expect.objectContaining({ code: PlanErrorCode.DUPLICATE_TASK }));
    }),
  );
});

test("ids that differ before the characters it hashes cost no more than a map", () => {
  const end = "-the-same-for-every-task";
  const ids = Array.from({ length: 50_000 }, (_, task) => `${task}${end}`);
  const index = new IdIndex(ids);
  expect(ids.map((id) => index.indexOf(id))).toEqual(ids.map((_, task) => task));
  expect(index.indexOf(`50000${end}`)).toBe(-1);
  expect(() => new IdIndex([...ids, ids[7]!])).toThrow(expect.objectContaining({ code: PlanErrorCode.DUPLICATE_TASK }));
});
