import { deepStrictEqual, ok } from "node:assert/strict";
import type { Executor, Step, TaskData } from "@planloom/plan";
import { memoryJournal, run } from "@planloom/runtime";

/** A step that runs a plan within its task, by `runPowers(context).runPlan`. */
export interface NestingStep {
  readonly step: Step;
  /** An executor of what the nested plan calls, at least one call. The suite counts them. */
  readonly tools: Executor;
  /** The step's output, where that is always the same. */
  readonly output?: unknown;
}

/** What a case about a step with a nested plan is given. */
export interface NestingSubject extends NestingStep {
  readonly plan: TaskData;
}

/** The calls of the nested plan are tasks of the run: in its journal, and not made again when it is resumed. */
export async function nestsInRun(executor: Executor, { plan, tools, ...expected }: NestingSubject): Promise<void> {
  const seen = watching(tools);
  const journal = memoryJournal();
  const { run_id, results } = await run(plan, { executors: [executor, seen.executor], journal });
  const [result] = results;
  deepStrictEqual(
    result?.status,
    "completed",
    `Expected the step to be completed, got ${result?.status}: ${result?.error?.message}.`,
  );
  if ("output" in expected) deepStrictEqual(result?.output ?? null, expected.output);
  ok(seen.calls() > 0, "Expected the nested plan to call one of the tools.");
  const kept = (await journal.getNestedTasks(run_id)).filter(({ record }) => record.uid !== undefined);
  ok(
    kept.length >= seen.calls(),
    `Expected each of ${seen.calls()} calls to be in the journal of the run, got ${kept.length}. Run the plan by \`runPowers(context).runPlan\`.`,
  );
}

/** The budget of the run has one call, which is the step itself: nothing of the nested plan is called. */
export async function nestsWithinBudget(executor: Executor, { plan, tools }: NestingSubject): Promise<void> {
  const seen = watching(tools);
  const options = { executors: [executor, seen.executor], journal: memoryJournal(), budgets: { run: { calls: 1 } } };
  const { end_reason } = await run(plan, options);
  deepStrictEqual(seen.calls(), 0, "Expected no call of the nested plan beyond the budget of the run.");
  deepStrictEqual(end_reason, "budget", `Expected the run to end for want of budget, got ${end_reason}.`);
}

/** Two such tasks in a run of one task at once: of their nested plans one call is made at a time, and the run ends. */
export async function nestsWithinLimits(executor: Executor, { plan, tools }: NestingSubject): Promise<void> {
  const seen = watching(tools);
  const [task] = plan.planned_tasks;
  const planned_tasks = [task!, { ...task!, task_id: "second" }];
  const options = { executors: [executor, seen.executor], journal: memoryJournal(), concurrency: 1 };
  const { end_reason } = await run({ ...plan, planned_tasks }, options);
  deepStrictEqual(end_reason, "completed", `Expected the run to be completed, got ${end_reason}.`);
  deepStrictEqual(seen.most(), 1, `Expected one call at a time, as the run allows, got ${seen.most()} at once.`);
}

/** The same executor, with how many calls of it were made, and how many at once. */
function watching(tools: Executor) {
  let calls = 0;
  let running = 0;
  let most = 0;
  const executor: Executor = {
    kind: tools.kind,
    resources: () => tools.resources(),
    async execute(step, context) {
      calls++;
      most = Math.max(most, ++running);
      try {
        // Calls that are made at the same time overlap, however short they are.
        await new Promise(setImmediate);
        return await tools.execute(step, context);
      } finally {
        running--;
      }
    },
  };
  return { executor, calls: () => calls, most: () => most };
}
