import { setTimeout as wait } from "node:timers/promises";
import type { Executor } from "@planloom/plan";
import { approve, inProcessDispatcher, memoryJournal, type RunOptions, resume, run } from "@planloom/runtime";
import { expect, test } from "vitest";

/** An llm whose model allows 20 ms, and which answers after 80 ms. */
const executor: Executor = {
  kind: "llm",
  resources: () => [{ kind: "llm", id: "slow", name: "slow", description: "A model" }],
  timeoutMs: () => 20,
  execute: async (_, { signal }) => {
    await wait(80, undefined, { signal });
    return { text: "done" };
  },
};
const executors = [executor];
const say = { task_id: "say", execution_type: "llm" as const, parameters: { uid: "slow" }, arguments: { prompt: "x" } };
const once: Pick<RunOptions, "executors" | "retry"> = { executors, retry: { max_attempts: 1 } };
const subgraphs = [{ subgraph_id: "s", tasks: [say], dependencies: [] }] as unknown as NonNullable<
  RunOptions["subgraphs"]
>;

test.for<[name: string, options: Partial<RunOptions>]>([
  ["here", {}],
  ["in a dispatched subgraph", { semantics: "atomic", subgraphs, dispatcher: inProcessDispatcher() }],
])(
  "the default time limit, given by the run, holds for llm tasks in place of their model's: %s",
  async ([, options]) => {
    const plan = { planned_tasks: [say] };
    const unsaid = await run(plan, { ...once, ...options });
    expect(unsaid.results[0]?.error?.code).toBe("TASK_TIMEOUT");
    const said = await run(plan, { ...once, ...options, taskTimeoutMs: 60_000 });
    expect(said.end_reason).toBe("completed");
  },
);

test("a resumption keeps whether the run was given the default", async () => {
  const plan = { planned_tasks: [{ ...say, approval: "required" as const }] };
  const journal = memoryJournal();
  const outcome = async (runId: string, options: Partial<RunOptions>) => {
    await run(plan, { ...once, ...options, journal, runId });
    await approve(runId, "say", { journal });
    const { end_reason } = await resume(runId, { executors, journal });
    return [end_reason, (await journal.getRun(runId)).options.task_timeout_given];
  };
  expect(await outcome("unsaid", {})).toEqual(["failed", undefined]);
  expect(await outcome("said", { taskTimeoutMs: 60_000 })).toEqual(["completed", true]);
  expect(await outcome("other", { taskTimeoutMs: 50_000 })).toEqual(["completed", undefined]);
});
