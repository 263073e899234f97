import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { jsonCopy } from "../../packages/runtime/src/json-copy.ts";
import { cpuTimer } from "../support/cpu-time.ts";

const limits = { maxBytes: 64 * 1024 * 1024 };

test("a cycle is reported as one, where it begins and where it leads back to", () => {
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
  const cpuMs = cpuTimer();
  expect(() => jsonCopy({ list: new Array(4_294_967_295) }, limits)).toThrow("Expected at most 67,108,864 bytes");
  expect(cpuMs()).toBeLessThan(200);
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

class Hidden {
  readonly #content = 5;
  get content() {
    return this.#content;
  }
}
class Shown {
  readonly sum = 5;
}

test.for<[what: string, value: () => unknown, message: RegExp]>([
  ["an async generator", () => (async function* () {})(), /AsyncGenerator, whose parts come later \(collect them/],
  ["a web stream", () => new ReadableStream(), /an instance of ReadableStream, whose parts come later/],
  ["a stream of Node.js, whose insides are properties", () => Readable.from([1]), /Readable, whose parts come later/],
  ["an object that is an async iterable", () => ({ async *[Symbol.asyncIterator]() {} }), /an async iterable, whose/],
  ["a generator", () => (function* () {})(), /read once \(spread it into a list first\)/],
  ["an iterator", () => [1].values(), /read once/],
  ["a WeakMap", () => new WeakMap(), /an instance of WeakMap, which shows nothing of itself as JSON/],
  ["a response", () => new Response("x"), /an instance of Response/],
  ["a pattern", () => /x/, /an instance of RegExp/],
  ["private fields", () => new Hidden(), /an instance of Hidden, .* give it a toJSON/],
])("%s is refused, never made {}", ([, make, message]) => {
  expect(() => jsonCopy(make(), limits)).toThrow(message);
  expect(() => jsonCopy({ rows: [make()] }, limits)).toThrow(/at rows\[0\], got/);
});

test("instances that show something, and plain objects of anywhere, are copied", () => {
  const foreign: unknown = runInNewContext("({ empty: {}, list: [{}] })");
  expect(jsonCopy(foreign, limits).value).toEqual({ empty: {}, list: [{}] });
  expect(jsonCopy([new Shown(), {}, Object.create(null)], limits).value).toEqual([{ sum: 5 }, {}, {}]);
});
