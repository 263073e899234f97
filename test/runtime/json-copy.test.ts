import { expect, test } from "vitest";
import { jsonCopy } from "../../packages/runtime/src/json-copy.ts";

const limits = { maxBytes: 64 * 1024 * 1024 };

test("a cycle is told as one, where it begins and where it leads back to", () => {
  const self: Record<string, unknown> = {};
  self.self = self;
  expect(() => jsonCopy(self, limits)).toThrow(
    "Expected a JSON value at self, got a cycle (it leads back to the whole value).",
  );
  const rows: { row?: unknown }[] = [{}];
  rows[0]!.row = rows;
  expect(() => jsonCopy({ rows }, limits)).toThrow(
    "Expected a JSON value at rows[0].row, got a cycle (it leads back to rows).",
  );
});

test("a value that is there twice, but not in itself, is no cycle", () => {
  const shared = { a: 1 };
  expect(jsonCopy([shared, { shared }], limits).value).toEqual([{ a: 1 }, { shared: { a: 1 } }]);
});

test("a list of four billion holes is refused at once", () => {
  const began = performance.now();
  expect(() => jsonCopy({ list: new Array(4_294_967_295) }, limits)).toThrow("Expected at most 67,108,864 bytes");
  expect(performance.now() - began).toBeLessThan(200);
});

test("what promises in a refused value reject with ends nothing", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const values = [
    { p: Promise.reject(new Error("first")), q: [new Map([["deep", Promise.reject(new Error("second"))]])] },
    { toJSON: () => Promise.reject(new Error("from toJSON")) },
    [10n, () => {}, Promise.reject(new Error("after the refusal"))],
  ];
  for (const value of values) expect(() => jsonCopy(value, limits)).toThrow("Expected a JSON value");
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
