import { run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { notingTools, planOf } from "../support/run-plans.ts";

test("a cache that has hung once is not asked again in the run: each task would wait as long", async () => {
  const { executors, calls } = notingTools(["a", "b", "c"]);
  let asked = 0;
  const never = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  const cache = { resources: ["a", "b", "c"], timeoutMs: 40, store: { readCache: never, writeCache: never } };
  const result = await run(planOf({ a: [], b: ["a"], c: ["b"] }), { executors, cache });
  expect([result.end_reason, calls, asked]).toEqual(["completed", ["a", "b", "c"], 1]);
});
