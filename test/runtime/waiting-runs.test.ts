import { approve, defineTool, memoryJournal, resume, run, toolExecutor, waitingRuns } from "@planloom/runtime";
import { expect, test } from "vitest";

const executors = [toolExecutor([defineTool({ id: "pay", description: "", execute: () => 1 })])];
const plan = (tasks: Record<string, boolean>, title: string) => ({
  title,
  planned_tasks: Object.entries(tasks).map(([task_id, gated]) => ({
    task_id,
    execution_type: "tool" as const,
    tool_id: "pay",
    arguments: { amount: task_id.length },
    ...(gated && { approval: "required" as const }),
  })),
});

test("all that waits for a person, in all runs, the newest first", async () => {
  const journal = memoryJournal();
  await run(plan({ a: false }, "nothing"), { executors, journal, runId: "done" });
  await run(plan({ b: true, free: false }, "one"), { executors, journal, runId: "one", metadata: { tenant: "x" } });
  await run(plan({ cc: true, dd: true }, "two"), { executors, journal, runId: "two" });
  const listed = async (more = {}) =>
    (await waitingRuns({ journal, ...more })).map(({ run: { run_id, title }, calls }) => [
      run_id,
      title,
      ...calls.map(({ id, input }) => [id, input]),
    ]);
  expect(await listed()).toEqual([
    ["two", "two", ["cc", { amount: 2 }], ["dd", { amount: 2 }]],
    ["one", "one", ["b", { amount: 1 }]],
  ]);
  expect(await listed({ metadata: { tenant: "x" } })).toEqual([["one", "one", ["b", { amount: 1 }]]]);
  await approve("one", "b", { journal });
  await resume("one", { executors, journal });
  expect((await listed()).map(([id]) => id)).toEqual(["two"]);
  await expect(waitingRuns({ journal, tennant: "x" } as never)).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
  });
});

test("a run that cannot be read hides no other", async () => {
  const sound = memoryJournal();
  for (const runId of ["good", "bad"]) await run(plan({ a: true }, runId), { executors, journal: sound, runId });
  const getRun = async (id: string) => {
    if (id === "bad") throw new Error("unreadable");
    return sound.getRun(id);
  };
  const [bad, good] = await waitingRuns({ journal: { ...sound, getRun } });
  expect(bad).toMatchObject({ run: { run_id: "bad" }, calls: [], error: { code: "RUNTIME_JOURNAL_READ" } });
  expect(good).toMatchObject({ run: { run_id: "good" }, calls: [{ id: "a" }] });
});
