import { deepStrictEqual, ok } from "node:assert/strict";
import { defineTool, fork, replay, resume, run, toolExecutor, verifyRun } from "@planloom/runtime";
import { same } from "./check.ts";
import type { JournalCheck } from "./samples.ts";

const task = (task_id: string, from: string[]) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: "join",
  arguments: { sizes: from.map((id) => `\${${id}.large}`) },
});
const diamond = { planned_tasks: [task("a", []), task("b", ["a"]), task("c", ["a"]), task("d", ["b", "c"])] };

const verified: JournalCheck = async ({ journal, another }) => {
  let calls = 0;
  const join = defineTool({
    id: "join",
    description: "",
    execute: (input) => {
      calls += 1;
      return { input, large: "x".repeat(50_000) };
    },
  });
  const executors = [toolExecutor([join])];
  await run(diamond, { executors, journal, runId: "r" });
  const view = await another();
  const { ok: isSound, problems, checked } = await verifyRun(view, "r");
  ok(isSound, `Expected the run to verify, got ${JSON.stringify(problems)}.`);
  deepStrictEqual(checked, 4);
  ok(!("divergence" in (await replay("r", { journal: view }))), "Expected the replay to go as the run did.");
  const forked = await fork("r", "b", { executors, journal, runId: "s" });
  const recorded = forked.results.map((result) => result.recorded ?? false);
  deepStrictEqual(recorded, [true, false, true, false], "Expected what does not depend on the task to be kept.");
  deepStrictEqual((await replay("s", { journal: view })).replayed, 4);
  deepStrictEqual(calls, 6);
};

const resumed: JournalCheck = async ({ journal, another }) => {
  let calls = 0;
  let failing = true;
  const join = defineTool({
    id: "join",
    description: "",
    execute: () => {
      calls += 1;
      if (failing && calls === 3) throw new Error("not yet");
      return { large: "x".repeat(50_000) };
    },
  });
  const executors = [toolExecutor([join])];
  const first = await run(diamond, { executors, journal, runId: "r", concurrency: 1, retry: { max_attempts: 1 } });
  deepStrictEqual(first.end_reason, "failed");
  failing = false;
  const before = calls;
  const again = await resume("r", { executors, journal: await another() });
  deepStrictEqual(again.end_reason, "completed");
  deepStrictEqual(calls - before, 2, "Expected the failed task and its dependent alone to be executed again.");
  same(
    (await journal.getTasks("r")).map(({ status }) => status),
    ["completed", "completed", "completed", "completed"],
  );
  deepStrictEqual((await journal.getRun("r")).status, "completed");
};

export const insideRunChecks: readonly (readonly [string, JournalCheck])[] = [
  ["a run on it is verified, replayed and forked from it alone", verified],
  ["a failed run is resumed from it, and what was completed is not executed again", resumed],
];
