import { deepStrictEqual, fail, ok } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import {
  EstimateData,
  type ExecutionContext,
  type Executor,
  executionKinds,
  isRecord,
  PlannerTask,
  pinTo,
  type Resource,
  type Step,
  TaskData,
  validateStep,
} from "@planloom/plan";
import { memoryJournal, type RunOptions, type RunResult, resume, run } from "@planloom/runtime";
import { type NestingStep, nestsInRun, nestsWithinBudget, nestsWithinLimits } from "./executor-plans.ts";
import { callsWithinBudget, continuesElsewhere, type SuspendingStep, suspendsWithoutSlot } from "./executor-powers.ts";

export type { NestingStep } from "./executor-plans.ts";
export type { SuspendingStep } from "./executor-powers.ts";

/** An executor and steps that show how it behaves. */
export interface ExecutorSubject {
  /** How long a case may take, in milliseconds: an executor that never answers fails it. @default 30_000 */
  readonly limitMs?: number;
  /** A new executor for each case. */
  create(): Executor | Promise<Executor>;
  /** Ends what `create` opened. */
  dispose?(executor: Executor): void | Promise<void>;
  /** A step that is done within a second or so, and its output where that is always the same. */
  readonly succeeds: { readonly step: Step; readonly output?: unknown };
  /** A step that the executor accepts and whose work fails. */
  readonly fails: { readonly step: Step };
  /**
   * A step that takes at least two seconds, and whether anything of it still works or waits. Absent for work that can
   * neither take long nor be stopped.
   */
  readonly slow?: { readonly step: Step; working?(): boolean | Promise<boolean> };
  /** For an executor with the powers of agents (`runPowers`): a step that waits for a signal. Absent where none does. */
  readonly suspends?: SuspendingStep;
  /** For an executor with the powers of agents: a step that runs a plan within its task. Absent where none does. */
  readonly nests?: NestingStep;
  /** How long it may take to obey its signal, in milliseconds. @default 1_000 */
  readonly abortGraceMs?: number;
}

export interface ContractCase {
  readonly name: string;
  /** Resolves when the executor keeps this promise. @throws AssertionError saying what was expected and what came */
  run(): Promise<void>;
}

type Check = (executor: Executor, subject: ExecutorSubject) => Promise<void> | void;

/**
 * What the runtime relies on in an executor, as cases for any test framework:
 *
 * `for (const { name, run } of executorContract(subject)) test(name, run);`
 *
 * Each case makes an executor of its own, and needs neither a network nor a model of ours.
 */
export function executorContract(subject: ExecutorSubject): ContractCase[] {
  const cases: [string, Check][] = [
    ["has a kind and resources that can be planned with", describesItself],
    ["gives the same resources every time", sameResources],
    ["executes a step and gives JSON", succeeds],
    ["leaves the step as it is", leavesStep],
    ["executes many steps at once, each for itself", manyAtOnce],
    ["fails by rejecting, never by throwing or by an output", failsByRejecting],
    ["rejects a resource that it does not have", unknownResource],
    ["estimates in the record's form, or not at all", estimates],
    ["works inside a run, and a resumed run does not repeat it", insideRun],
    ["a failure inside a run is the task's, with its message", failureInsideRun],
  ];
  if (subject.slow !== undefined) {
    cases.push(
      ["stops when its signal is aborted, and leaves nothing behind", stops],
      ["does not begin what is cancelled already", startsNothing],
      ["is stopped by a timeout of its task", timesOut],
    );
  }
  if (subject.suspends !== undefined) {
    const suspending =
      (check: typeof suspendsWithoutSlot): Check =>
      (executor, { suspends, create, dispose }) => {
        const { step } = suspends!;
        return check(executor, { ...suspends!, plan: planOf(executor, step), create, ...(dispose && { dispose }) });
      };
    cases.push(
      ["waits without a slot", suspending(suspendsWithoutSlot)],
      ["continues in another process where it was, and repeats nothing", suspending(continuesElsewhere)],
    );
    if (subject.suspends.tools !== undefined)
      cases.push(["calls tools under the budget of the run", suspending(callsWithinBudget)]);
  }
  if (subject.nests !== undefined) {
    const nesting =
      (check: typeof nestsInRun): Check =>
      (executor, { nests }) =>
        check(executor, { ...nests!, plan: planOf(executor, nests!.step) });
    cases.push(
      ["runs a nested plan as part of the run", nesting(nestsInRun)],
      ["runs a nested plan under the budget of the run", nesting(nestsWithinBudget)],
      ["runs a nested plan under the limits of the run", nesting(nestsWithinLimits)],
    );
  }
  return cases.map(([name, check]) => ({
    name,
    async run() {
      const executor = await subject.create();
      const limitMs = subject.limitMs ?? 30_000;
      const ended = new AbortController();
      const late = sleep(limitMs, undefined, { signal: ended.signal }).then(() =>
        fail(`Expected an answer, got none within ${limitMs} ms.`),
      );
      late.catch(() => {});
      try {
        await Promise.race([check(executor, subject), late]);
      } catch (thrown) {
        // What a test reports must say what was wrong, for anything that the executor throws.
        throw thrown instanceof Error ? thrown : new Error(`Expected an Error, but it threw ${inspect(thrown)}.`);
      } finally {
        ended.abort();
        await subject.dispose?.(executor);
      }
    },
  }));
}

const describesItself: Check = (executor, { succeeds, fails, slow }) => {
  ok(executionKinds.includes(executor.kind), `Expected a kind of ${executionKinds.join(", ")}, got ${executor.kind}.`);
  const resources = executor.resources();
  ok(Array.isArray(resources) && resources.length > 0, "Expected resources() to give a list with something in it.");
  const ids = resources.map(({ id }) => id);
  deepStrictEqual(ids, [...new Set(ids)], "Expected each resource to have its own id.");
  for (const resource of resources) {
    ok(
      resource.kind === executor.kind,
      `Expected ${resource.id} to be of kind ${executor.kind}, got ${resource.kind}.`,
    );
    ok(resource.id !== "" && resource.description !== "", `Expected ${resource.id} to have an id and a description.`);
  }
  for (const [name, given] of Object.entries({ succeeds, fails, slow })) {
    if (given === undefined) continue;
    const { step } = given;
    const errors = validateStep(step, resourceOf(executor, step)).filter(({ severity }) => severity === "error");
    deepStrictEqual(errors, [], `Expected \`${name}.step\` to fit the input schema of ${step.uid}.`);
    ok(executor.unavailable?.(step.uid) === undefined, `Expected ${step.uid} to be available here.`);
  }
};

const sameResources: Check = async (executor, { succeeds }) => {
  const before = structuredClone(executor.resources());
  await executor.execute(structuredClone(succeeds.step), contextFor(succeeds.step));
  deepStrictEqual(structuredClone(executor.resources()), before, "Expected resources() to stay as they were.");
  const message =
    "Expected resources() to give the same list each time, not an equal one: a new list says that they changed.";
  const [first, second] = [executor.resources(), executor.resources()];
  ok(first === second, message);
};

const succeeds: Check = async (executor, subject) => {
  const { step } = subject.succeeds;
  const executing: unknown = executor.execute(structuredClone(step), contextFor(step));
  ok(executing instanceof Promise, `Expected execute() to give a promise, got ${kindOf(executing)}.`);
  const output: unknown = await executing;
  ok(!isAsyncIterable(output), `Expected one JSON value as output, got ${kindOf(output)}: collect its parts first.`);
  deepStrictEqual(output ?? null, asJson(output), "Expected the output to be JSON.");
  if ("output" in subject.succeeds) deepStrictEqual(output ?? null, subject.succeeds.output);
};

const leavesStep: Check = async (executor, { succeeds }) => {
  await executor.execute(deepFreeze(structuredClone(succeeds.step)), contextFor(succeeds.step));
};

const manyAtOnce: Check = async (executor, { succeeds }) => {
  const { step } = succeeds;
  // Eight tasks: an executor that does each key once must not take them for one.
  const all = Array.from({ length: 8 }, (_, number) =>
    executor.execute(structuredClone(step), contextFor(step, {}, `task-${number}`)),
  );
  const outputs = await Promise.all(all);
  if ("output" in succeeds) for (const output of outputs) deepStrictEqual(output ?? null, succeeds.output);
};

const failsByRejecting: Check = async (executor, { fails }) => {
  const thrown = await rejection(executor, fails.step);
  ok(thrown instanceof Error, `Expected it to reject with an Error, got ${typeof thrown}.`);
  ok(thrown.message !== "", "Expected the error to say what went wrong.");
};

const unknownResource: Check = async (executor, { succeeds }) => {
  await rejection(executor, { ...succeeds.step, uid: "a-resource-that-does-not-exist" });
};

const estimates: Check = (executor, { succeeds }) => {
  const estimate = executor.estimate?.(structuredClone(succeeds.step));
  if (estimate === undefined) return;
  const read = EstimateData.safeParse(estimate);
  ok(read.success, `Expected an estimate of the record's form, got ${JSON.stringify(estimate)}.`);
};

const insideRun: Check = async (executor, { succeeds }) => {
  let calls = 0;
  const counted = counting(executor, () => {
    calls += 1;
  });
  const journal = memoryJournal();
  const options = { executors: [counted], journal };
  const first = await run(planOf(executor, succeeds.step), options);
  deepStrictEqual(outcomeOf(first), { status: "completed", message: undefined });
  if ("output" in succeeds) deepStrictEqual(first.results[0]?.output, succeeds.output);
  const again = await resume(first.run_id, options);
  deepStrictEqual(again.results[0]?.output, first.results[0]?.output);
  deepStrictEqual(calls, 1, "Expected one execution, in the first run alone.");
};

const failureInsideRun: Check = async (executor, { fails }) => {
  const result = await run(planOf(executor, fails.step), { executors: [executor], retry: { max_attempts: 1 } });
  const { status, message = "" } = outcomeOf(result);
  deepStrictEqual(status, "failed");
  ok(message !== "", "Expected the failed task to have a message.");
};

const stops: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const stop = new AbortController();
  const executing = executor.execute(structuredClone(step), contextFor(step, { signal: stop.signal }));
  const settled = executing.then(
    () => "resolved" as const,
    () => "rejected" as const,
  );
  ok((await Promise.race([settled, sleep(100)])) === undefined, "Expected the slow step to take longer than 100 ms.");
  stop.abort(new DOMException("The contract suite aborts", "AbortError"));
  const how = await Promise.race([settled, sleep(subject.abortGraceMs ?? 1_000)]);
  ok(how !== undefined, `Expected it to settle within ${subject.abortGraceMs ?? 1_000} ms of the abort.`);
  deepStrictEqual(how, "rejected", "Expected it to reject when it was stopped.");
  ok((await working?.()) !== true, "Expected nothing to work on when it has settled.");
};

const startsNothing: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const signal = AbortSignal.abort(new DOMException("Aborted before", "AbortError"));
  const late = Symbol("late");
  const how = await Promise.race([rejection(executor, step, { signal }), sleep(subject.abortGraceMs ?? 1_000, late)]);
  ok(how !== late, "Expected it to reject at once.");
  ok((await working?.()) !== true, "Expected nothing to be started.");
};

const timesOut: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const options: RunOptions = {
    executors: [executor],
    taskTimeoutMs: 100,
    retry: { max_attempts: 1 },
    abortGraceMs: subject.abortGraceMs ?? 1_000,
  };
  const result = await run(planOf(executor, step), options);
  const error = result.results[0]?.error;
  deepStrictEqual(error?.code, "TASK_TIMEOUT", `Expected the timeout to fail the task, got ${error?.message}.`);
  ok(error?.details?.abandoned !== true, "Expected it to stop when its time was up; it was abandoned.");
  ok((await working?.()) !== true, "Expected nothing to work on after the run.");
};

function slowOf({ slow }: ExecutorSubject): NonNullable<ExecutorSubject["slow"]> {
  return slow ?? fail("The subject has no slow step.");
}

function resourceOf(executor: Executor, { uid }: Step): Resource {
  const found = executor.resources().find(({ id }) => id === uid);
  return found ?? fail(`Expected a resource "${uid}" for the step, got none.`);
}

/** What it rejects with. A throw without a promise, and an output, are not rejections. */
async function rejection(executor: Executor, step: Step, more: Partial<ExecutionContext> = {}): Promise<unknown> {
  let executing: Promise<unknown>;
  try {
    executing = executor.execute(structuredClone(step), contextFor(step, more));
  } catch (thrown) {
    return fail(`Expected a promise that rejects, but it threw: ${String(thrown)}`);
  }
  ok(executing instanceof Promise, "Expected execute() to give a promise.");
  return executing.then(
    (output) => fail(`Expected it to reject, got the output ${JSON.stringify(output)}.`),
    (thrown: unknown) => thrown,
  );
}

let calls = 0;

/** Of one call of one task; each call of the suite is of a task of its own, unless it is named. */
function contextFor(
  step: Step,
  more: Partial<ExecutionContext> = {},
  taskId = `task-of-call-${++calls}`,
): ExecutionContext {
  return {
    signal: new AbortController().signal,
    attempt: 1,
    idempotencyKey: `contract/${taskId}`,
    runId: "contract",
    task: PlannerTask.parse({ task_id: taskId, arguments: step.input_data }),
    onProgress: () => {},
    onUsage: () => {},
    onCall: () => {},
    ...more,
  };
}

function planOf({ kind }: Executor, { uid, input_data }: Step): TaskData {
  const pin = pinTo({ kind, id: uid });
  // As values, so that no text of the input is read as a reference.
  const variables = { given: input_data };
  const names = Object.keys(input_data);
  const references = names.map((name) => [name, { $ref: `given[${JSON.stringify(name)}]` }]);
  const task = { task_id: "task", ...pin, arguments: Object.fromEntries(references) };
  return TaskData.parse({ planned_tasks: [task], variables });
}

function outcomeOf({ results: [task] }: RunResult) {
  return { status: task?.status, message: task?.error?.message };
}

function counting(executor: Executor, onCall: () => void): Executor {
  return {
    kind: executor.kind,
    resources: () => executor.resources(),
    execute: (step, context) => {
      onCall();
      return executor.execute(step, context);
    },
  };
}

function isAsyncIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function kindOf(value: unknown): string {
  return isAsyncIterable(value) ? "a stream or an async iterable" : inspect(value, { depth: 0 });
}

function asJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}

function deepFreeze<Value>(value: Value): Value {
  if (isRecord(value) || Array.isArray(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
