import { deepStrictEqual, fail, ok } from "node:assert/strict";
import type { Executor, Step, TaskData } from "@planloom/plan";
import { memoryJournal, type RunResult, resume, run, signal } from "@planloom/runtime";

/** A step that waits for a signal by `runPowers`, and is done when it has come. */
export interface SuspendingStep {
  readonly step: Step;
  /** An executor of the tools that the step calls before it waits, no two with the same input. The suite counts their calls. @default it calls none */
  readonly tools?: Executor;
  /** The data of each signal that it waits for. @default null */
  readonly data?: unknown;
  /** Its output, where that is always the same. */
  readonly output?: unknown;
}

/** What a case about a suspending step is given. */
export interface SuspendingSubject extends SuspendingStep {
  readonly plan: TaskData;
  /** Another executor, as in a process that was started since. */
  create(): Executor | Promise<Executor>;
  dispose?(executor: Executor): void | Promise<void>;
}

/** Most signals that one step may wait for. */
const maxSignals = 20;

/** Waits hold no slot: with one task at once, another one is executed, and the run ends as `waiting`. */
export async function suspendsWithoutSlot(executor: Executor, { plan, tools }: SuspendingSubject): Promise<void> {
  let beside = 0;
  const other: Executor = {
    kind: "llm",
    resources: () => besideResources,
    execute: async () => ++beside,
  };
  const [task] = plan.planned_tasks;
  const both = [...plan.planned_tasks, { ...task!, ...pinnedBeside, task_id: "beside", arguments: {} }];
  const executors = [executor, other, ...(tools === undefined ? [] : [tools])];
  const options = { executors, journal: memoryJournal(), concurrency: 1 };
  const { end_reason, results } = await run({ ...plan, planned_tasks: both }, options);
  deepStrictEqual(
    end_reason,
    "waiting",
    `Expected the run to wait, got ${end_reason}: ${results[0]?.error?.message ?? "the step is done"}. Let a TaskFailure of the code TASK_WAITING through.`,
  );
  deepStrictEqual(beside, 1, "Expected the other task to be executed while the step waits.");
}

/** What was done before is kept: another executor continues, and no call is made twice. */
export async function continuesElsewhere(executor: Executor, subject: SuspendingSubject): Promise<void> {
  const made: string[] = [];
  const tools = subject.tools && noting(subject.tools, made);
  const journal = memoryJournal();
  const optionsFor = (own: Executor) => ({
    executors: [own, ...(tools === undefined ? [] : [tools])],
    journal,
  });
  let result: RunResult = await run(subject.plan, optionsFor(executor));
  for (let sent = 0; result.end_reason === "waiting"; sent++) {
    ok(sent < maxSignals, `Expected the step to be done after at most ${maxSignals} signals.`);
    const waits = ((await journal.getWaits?.(result.run_id)) ?? []).filter(({ event }) => event !== undefined);
    ok(waits.length > 0, "Expected the step to wait for a signal: a time cannot be waited for here.");
    for (const { event, key = "" } of waits)
      await signal(result.run_id, event!, { journal, key, data: subject.data ?? null });
    const another = await subject.create();
    try {
      result = await resume(result.run_id, optionsFor(another));
    } finally {
      await subject.dispose?.(another);
    }
  }
  const { status, output, error } = result.results[0] ?? fail("Expected the run to have a result of its task.");
  deepStrictEqual(status, "completed", `Expected the step to be completed, got ${status}: ${error?.message}.`);
  if ("output" in subject) deepStrictEqual(output ?? null, subject.output);
  deepStrictEqual(
    made,
    [...new Set(made)],
    "Expected no call to be made again when the step continued. Where it means to make a call twice, give the suite a step whose calls have different inputs.",
  );
  if (tools !== undefined)
    ok(made.length > 0, "Expected the step to call one of the tools by `runPowers(context).call`.");
}

/** The budget of the run has one call, which is the step itself. */
export async function callsWithinBudget(executor: Executor, { plan, tools }: SuspendingSubject): Promise<void> {
  const made: string[] = [];
  const executors = [executor, noting(tools!, made)];
  const { end_reason } = await run(plan, { executors, journal: memoryJournal(), budgets: { run: { calls: 1 } } });
  deepStrictEqual(made, [], "Expected no call beyond the budget: make calls by `runPowers(context).call` alone.");
  deepStrictEqual(end_reason, "budget", `Expected the run to end for want of budget, got ${end_reason}.`);
}

const besideId = "contract-beside";
const besideResources = [{ kind: "llm" as const, id: besideId, description: "Does nothing.", read_only: true }];
const pinnedBeside = { execution_type: "llm" as const, tool_id: null, agent_id: null, parameters: { uid: besideId } };

/** The same executor, which notes what is called with which input. */
function noting(tools: Executor, made: string[]): Executor {
  return {
    kind: tools.kind,
    resources: () => tools.resources(),
    execute: (step, context) => {
      made.push(JSON.stringify([step.uid, step.input_data]));
      return tools.execute(step, context);
    },
  };
}
