import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Queryable, Statement } from "../../packages/postgres/src/connection/database.ts";
import { OutputCache } from "../../packages/postgres/src/rows/output-cache.ts";

const outputs = ["one", "two", "three"].map((word) => JSON.stringify(word.repeat(10_000)));
const reference = (at: number) => {
  const text = outputs[at]!;
  return { task_id: `t${at}`, hash: hash("sha256", text), length: text.length };
};

/** A database that has `outputs`, and says what it was asked for. */
function database({ fails = 0, wrong = false } = {}) {
  const asked: string[][] = [];
  let failures = fails;
  const on: Queryable = {
    async query<Row extends object>({ values = [] }: Statement) {
      const hashes = values[1] as string[];
      asked.push(hashes.map((each) => outputs.find((text) => hash("sha256", text) === each)!.slice(1, 4)));
      await Promise.resolve();
      if (failures-- > 0) throw new Error("the connection broke");
      const found = outputs.filter((text) => hashes.includes(hash("sha256", text)));
      return found.map((text) => ({
        hash: hash("sha256", text),
        value: wrong ? `${text} ` : text,
      })) as unknown as Row[];
    },
  };
  return { on, asked };
}

describe("large outputs that a process has read", () => {
  test("are read once, in one statement where they are not too long, also by those who want them at once", async () => {
    const { on, asked } = database();
    const cache = new OutputCache("s");
    const [both, other] = await Promise.all([
      cache.read(on, "r", [reference(0), reference(1)]),
      cache.read(on, "r", [reference(1), reference(2)]),
    ]);
    expect(asked).toEqual([["one", "two"], ["thr"]]);
    const words = (texts: ReadonlyMap<string, string>) => [...texts.values()].map((text) => text.slice(1, 4)).sort();
    expect(words(both)).toEqual(["one", "two"]);
    expect(words(other)).toEqual(["thr", "two"]);
    await cache.read(on, "r", [reference(0), reference(1), reference(2)]);
    expect(asked).toHaveLength(2);
    // Another run has outputs of its own, though they be the same.
    await cache.read(on, "other", [reference(0)]);
    expect(asked).toHaveLength(3);
  });

  test("leave when they take too much memory, the longest unused first", async () => {
    const { on, asked } = database();
    const cache = new OutputCache("s");
    cache.memoryBytes = outputs[0]!.length + outputs[1]!.length;
    for (const at of [0, 1, 0]) await cache.read(on, "r", [reference(at)]);
    cache.memoryBytes = outputs[0]!.length + outputs[2]!.length;
    for (const at of [2, 0, 1]) await cache.read(on, "r", [reference(at)]);
    expect(asked).toEqual([["one"], ["two"], ["thr"], ["two"]]);
  });

  test("one that does not fit is given and not kept", async () => {
    const { on, asked } = database();
    const cache = new OutputCache("s");
    cache.memoryBytes = 10;
    const twice = await Promise.all([cache.read(on, "r", [reference(0)]), cache.read(on, "r", [reference(0)])]);
    expect(twice.map((texts) => [...texts.values()])).toEqual([[outputs[0]], [outputs[0]]]);
    expect(asked).toHaveLength(1);
    await cache.read(on, "r", [reference(0)]);
    expect(asked).toHaveLength(2);
  });

  test("what one fails to read, another one that waited for it reads", async () => {
    const { on, asked } = database({ fails: 1 });
    const cache = new OutputCache("s");
    const [failed, read] = await Promise.allSettled([
      cache.read(on, "r", [reference(0)]),
      cache.read(on, "r", [reference(0)]),
    ]);
    expect(failed).toMatchObject({ status: "rejected", reason: { message: "the connection broke" } });
    expect(read).toMatchObject({ status: "fulfilled" });
    expect(asked).toHaveLength(2);
  });

  test("one that is not what was written is refused, and named", async () => {
    const { on } = database({ wrong: true });
    await expect(new OutputCache("s").read(on, "r", [reference(0)])).rejects.toMatchObject({
      code: "RUNTIME_JOURNAL_CORRUPT",
      message: expect.stringContaining('The output of task "t0" of run "r"'),
    });
  });
});
