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

const sameResources: Check = async (executor, subject) => {
  const before = structuredClone(executor.resources());
  const { step } = subject.succeeds;
  await inTask(subject, step, (context) => executor.execute(structuredClone(step), context));
  deepStrictEqual(structuredClone(executor.resources()), before, "Expected resources() to stay as they were.");
  const message =
    "Expected resources() to give the same list each time, not an equal one: a new list says that they changed.";
  const [first, second] = [executor.resources(), executor.resources()];
  ok(first === second, message);
};

const succeeds: Check = async (executor, subject) => {
  const { step } = subject.succeeds;
  const output: unknown = await inTask(subject, step, (context) => {
    const executing: unknown = executor.execute(structuredClone(step), context);
    ok(executing instanceof Promise, `Expected execute() to give a promise, got ${kindOf(executing)}.`);
    return executing;
  });
  ok(!isAsyncIterable(output), `Expected one JSON value as output, got ${kindOf(output)}: collect its parts first.`);
  deepStrictEqual(output ?? null, asJson(output), "Expected the output to be JSON.");
  if ("output" in subject.succeeds) deepStrictEqual(output ?? null, subject.succeeds.output);
};

const leavesStep: Check = async (executor, subject) => {
  const { step } = subject.succeeds;
  await inTask(subject, step, (context) => executor.execute(deepFreeze(structuredClone(step)), context));
};

const manyAtOnce: Check = async (executor, subject) => {
  const { succeeds } = subject;
  const { step } = succeeds;
  // Eight tasks: an executor that does each key once must not take them for one.
  const all = Array.from({ length: 8 }, () =>
    inTask(subject, step, (context) => executor.execute(structuredClone(step), context)),
  );
  const outputs = await Promise.all(all);
  if ("output" in succeeds) for (const output of outputs) deepStrictEqual(output ?? null, succeeds.output);
};

const failsByRejecting: Check = async (executor, subject) => {
  const thrown = await rejection(executor, subject, subject.fails.step);
  ok(thrown instanceof Error, `Expected it to reject with an Error, got ${typeof thrown}.`);
  ok(thrown.message !== "", "Expected the error to say what went wrong.");
};

const unknownResource: Check = async (executor, subject) => {
  await rejection(executor, subject, { ...subject.succeeds.step, uid: "a-resource-that-does-not-exist" });
};

const estimates: Check = (executor, { succeeds }) => {
  const estimate = executor.estimate?.(structuredClone(succeeds.step));
  if (estimate === undefined) return;
  const read = EstimateData.safeParse(estimate);
  ok(read.success, `Expected an estimate of the record's form, got ${JSON.stringify(estimate)}.`);
};

const insideRun: Check = async (executor, subject) => {
  const { succeeds } = subject;
  let calls = 0;
  const counted = counting(executor, () => {
    calls += 1;
  });
  const journal = memoryJournal();
  const options = { executors: [counted, ...toolsOf(subject)], journal };
  const first = await run(planOf(executor, succeeds.step), options);
  deepStrictEqual(outcomeOf(first), { status: "completed", message: undefined });
  if ("output" in succeeds) deepStrictEqual(first.results[0]?.output, succeeds.output);
  const again = await resume(first.run_id, options);
  deepStrictEqual(again.results[0]?.output, first.results[0]?.output);
  deepStrictEqual(calls, 1, "Expected one execution, in the first run alone.");
};

const failureInsideRun: Check = async (executor, subject) => {
  const executors = [executor, ...toolsOf(subject)];
  const result = await run(planOf(executor, subject.fails.step), { executors, retry: { max_attempts: 1 } });
  const { status, message = "" } = outcomeOf(result);
  deepStrictEqual(status, "failed");
  ok(message !== "", "Expected the failed task to have a message.");
};

const stops: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const stop = new AbortController();
  await inTask(subject, step, async (context) => {
    const executing = executor.execute(structuredClone(step), { ...context, signal: stop.signal });
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
  });
};

const startsNothing: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const signal = AbortSignal.abort(new DOMException("Aborted before", "AbortError"));
  const late = Symbol("late");
  const how = await Promise.race([
    rejection(executor, subject, step, signal),
    sleep(subject.abortGraceMs ?? 1_000, late),
  ]);
  ok(how !== late, "Expected it to reject at once.");
  ok((await working?.()) !== true, "Expected nothing to be started.");
};

const timesOut: Check = async (executor, subject) => {
  const { step, working } = slowOf(subject);
  const options: RunOptions = {
    executors: [executor, ...toolsOf(subject)],
    retry: { max_attempts: 1 },
    abortGraceMs: subject.abortGraceMs ?? 1_000,
  };
  const plan = planOf(executor, step);
  // The task's own limit, since that of the run does not hold for a task that makes calls of the run.
  const planned_tasks = plan.planned_tasks.map((task) => ({ ...task, timeout_ms: 100 }));
  const result = await run({ ...plan, planned_tasks }, options);
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

/** What it rejects with. A throw without a promise, and an output, are not rejections. @param signal in the place of the task's own */
async function rejection(
  executor: Executor,
  subject: ExecutorSubject,
  step: Step,
  signal?: AbortSignal,
): Promise<unknown> {
  return inTask(subject, step, (context) => {
    let executing: Promise<unknown>;
    try {
      executing = executor.execute(structuredClone(step), { ...context, ...(signal !== undefined && { signal }) });
    } catch (thrown) {
      return fail(`Expected a promise that rejects, but it threw: ${String(thrown)}`);
    }
    ok(executing instanceof Promise, "Expected execute() to give a promise.");
    return executing.then(
      (output) => fail(`Expected it to reject, got the output ${JSON.stringify(output)}.`),
      (thrown: unknown) => thrown,
    );
  });
}

const stage: readonly Resource[] = [{ kind: "tool", id: "planloom-contract", description: "A case of the suite" }];
let tasks = 0;

/**
 * Gives `use` the context of a task in a run of its own, so that the executor has the powers that a run gives (`runPowers`), and the step's
 * arguments as those of the task.
 */
async function inTask<Given>(
  subject: ExecutorSubject,
  step: Step,
  use: (context: ExecutionContext) => Promise<Given>,
): Promise<Given> {
  let given: Promise<Given> | undefined;
  const task_id = `task-${++tasks}`;
  const task = PlannerTask.parse({ task_id, arguments: step.input_data });
  const host: Executor = {
    kind: "tool",
    resources: () => stage,
    delegates: () => true,
    async execute(_, context) {
      given = (async () => use({ ...context, task }))();
      await given.catch(() => {});
    },
  };
  const planned_tasks = [{ task_id, tool_id: stage[0]!.id }];
  // The case has a limit of its own.
  const taskTimeoutMs = 2 * (subject.limitMs ?? 30_000);
  const { results } = await run({ planned_tasks }, { executors: [host, ...toolsOf(subject)], taskTimeoutMs });
  return given ?? fail(`Expected a run for the step, got ${results[0]?.error?.message}.`);
}

/** What steps may call by the powers of a run. Where two executors have the same tool, the first is taken. */
function toolsOf({ suspends, nests }: ExecutorSubject): Executor[] {
  const idsOf = (executor: Executor | undefined) => executor?.resources().map(({ id }) => id) ?? [];
  const known = new Set(idsOf(suspends?.tools));
  const others = idsOf(nests?.tools).some((id) => known.has(id)) ? undefined : nests?.tools;
  return [suspends?.tools, others].filter((tools) => tools !== undefined);
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
