import { TaskData } from "@planloom/plan";
import {
  approve,
  cancelRun,
  defineTool,
  deny,
  fork,
  type Journal,
  markTasks,
  memoryJournal,
  recordedPlan,
  replay,
  resume,
  resumePlanExecute,
  run,
  toolExecutor,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

const executors = [toolExecutor([defineTool({ id: "pay", description: "", execute: () => "paid" })])];
const plan = TaskData.parse({
  planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "pay", approval: "required" }],
});

/** Every function that takes the id of a run. */
const doors: [string, (runId: string, journal: Journal) => Promise<unknown>][] = [
  ["approve", (runId, journal) => approve(runId, "a", { journal })],
  ["deny", (runId, journal) => deny(runId, "a", { journal })],
  ["waitingFor", (runId, journal) => waitingFor(runId, { journal })],
  ["cancelRun", (runId, journal) => cancelRun(runId, { journal })],
  ["resume", (runId, journal) => resume(runId, { journal, executors })],
  ["resumePlanExecute", (runId, journal) => resumePlanExecute(runId, loopOptions(journal))],
  ["fork", (runId, journal) => fork(runId, "a", { journal, executors })],
  ["replay", (runId, journal) => replay(runId, { journal })],
  ["verifyRun", (runId, journal) => verifyRun(journal, runId)],
  ["markTasks", (runId, journal) => markTasks(runId, ["a"], { journal })],
  ["recordedPlan", (runId, journal) => recordedPlan(runId, { journal })],
  ["getRun", (runId, journal) => journal.getRun(runId)],
  ["getTasks", (runId, journal) => journal.getTasks(runId)],
  ["deleteRun", (runId, journal) => journal.deleteRun(runId)],
];

test.for(doors)("%s never takes a run for another whose id begins alike", async ([, call]) => {
  const journal = memoryJournal();
  await run(plan, { executors, journal, runId: "order-4711" });
  const before = JSON.stringify([await journal.getRun("order-4711"), await journal.getAnswers("order-4711")]);
  await expect(call("order-47", journal)).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
  await expect(call("", journal)).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  expect(JSON.stringify([await journal.getRun("order-4711"), await journal.getAnswers("order-4711")])).toBe(before);
});

test("a journal that still takes the beginning of an id approves and resumes nothing", async () => {
  const journal = memoryJournal();
  await run(plan, { executors, journal, runId: "order-4711" });
  const lax: Journal = { ...journal, getRun: () => journal.getRun("order-4711") };
  for (const call of [approve("order-47", "a", { journal: lax }), resume("order-47", { journal: lax, executors })]) {
    await expect(call).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND", details: { run_id: "order-47" } });
  }
  expect(await journal.getAnswers("order-4711")).toEqual([]);
});

function loopOptions(journal: Journal): Parameters<typeof resumePlanExecute>[1] {
  return { journal, executors, model: { name: "none", generate: () => Promise.reject(new Error("not asked")) } };
}
