import {
  defineTool,
  memoryCache,
  memoryJournal,
  type ResultCache,
  type RunOptions,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

function world() {
  const calls: unknown[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      execute(input: Record<string, unknown>) {
        calls.push([id, input.n]);
        if (input.fail) throw new Error("no");
        return { of: input.n, list: [1] };
      },
    });
  return { calls, executors: [toolExecutor([make("look"), make("act")])] };
}
const plan = (n = 1, source = 1) =>
  planOf(
    { s: [], a: ["s"], b: [] },
    {
      s: { tool_id: "look", arguments: { n: source } },
      a: { tool_id: "look", arguments: { n } },
      b: { tool_id: "act", arguments: { n } },
    },
  );

test("an equal call of a named resource is not made again, in a later run of the same journal", async () => {
  const { calls, executors } = world();
  const journal = memoryJournal();
  const options: RunOptions = { executors, journal, cache: { resources: ["look"] } };
  const first = await run(plan(), options);
  const second = await run(plan(), options);
  expect(calls.map(String).sort()).toEqual(["act,1", "act,1", "look,1", "look,1"]);
  expect(second.results.map(({ cached, attempts }) => [cached, attempts])).toEqual([
    [true, 0],
    [true, 0],
    [undefined, 1],
  ]);
  expect(second.results[1]?.output).toEqual(first.results[1]?.output);
  expect(second.end_reason).toBe("completed");
  expect((await run(plan(), { executors })).results.every(({ cached }) => cached === undefined)).toBe(true);
});

test("another input, another ancestor or another age is another call", async () => {
  const { calls, executors } = world();
  const store = memoryCache();
  const cached = async (given: ReturnType<typeof plan>, maxAgeMs?: number) => {
    calls.length = 0;
    await run(given, { executors, cache: { resources: ["look"], store, ...(maxAgeMs !== undefined && { maxAgeMs }) } });
    return calls.filter((call) => (call as string[])[0] === "look").length;
  };
  expect(await cached(plan())).toBe(2);
  expect(await cached(plan())).toBe(0);
  expect(await cached(plan(2))).toBe(1);
  expect(await cached(plan(1, 5))).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await cached(plan(), 1)).toBe(2);
});

test("failures are not kept, a cached output costs no budget and no guard", async () => {
  const { calls, executors } = world();
  const store = memoryCache();
  const failing = planOf({ a: [] }, { a: { tool_id: "look", arguments: { fail: true } } });
  const cache = { resources: ["look"], store };
  for (let i = 0; i < 2; i++) expect((await run(failing, { executors, cache })).end_reason).toBe("failed");
  expect(calls).toHaveLength(2);
  await run(plan(), { executors, cache });
  const options = { executors, cache, budgets: { run: { calls: 1 } }, guards: { total: 1 } };
  expect((await run(plan(), options)).end_reason).toBe("completed");
});

test("a store that fails or hands out its own objects does no harm", async () => {
  const { executors } = world();
  const broken: ResultCache = {
    readCache: () => Promise.reject(new Error("no disk")),
    writeCache: () => Promise.reject(new Error("no disk")),
  };
  expect((await run(plan(), { executors, cache: { resources: ["look"], store: broken } })).end_reason).toBe(
    "completed",
  );
  const store = memoryCache({ maxEntries: 1 });
  await store.writeCache("a", { output: { list: [1] }, stored_at: 0 });
  const read = await store.readCache("a");
  (read!.output as { list: number[] }).list.push(2);
  expect(await store.readCache("a")).toEqual({ output: { list: [1] }, stored_at: 0 });
  await store.writeCache("b", { output: 1, stored_at: 0 });
  expect(await store.readCache("a")).toBeUndefined();
});

test("a cached completion is recorded like any other", async () => {
  const { calls, executors } = world();
  const journal = memoryJournal();
  const cache = { resources: ["look"] };
  await run(plan(), { executors, journal, cache, runId: "one" });
  await run(plan(), { executors, journal, cache, runId: "two" });
  calls.length = 0;
  const result = await resume("two", { executors, journal });
  expect(calls).toEqual([]);
  expect(result.results.map(({ recorded }) => recorded)).toEqual([true, true, true]);
});
