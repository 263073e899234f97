import {
  collectReferences,
  collectSecrets,
  type ExecutionContext,
  type Executor,
  hashValue,
  inputName,
  type PlannerTask,
  type ResourceCatalogue,
  referringValues,
  type Step,
  TaskData,
  validatePlan,
} from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import { namesWith, type RunOptions, run, type TaskError, TaskFailure } from "@planloom/runtime";
import type { EarlyEvent } from "./early-event.ts";
import { pickOptions } from "./planloom-options.ts";

/** What holds for the run of an early task as it does for the run to come. */
const passedOn = namesWith({ early: true });

export interface EarlyTasksOptions {
  readonly runId: string;
  readonly executors: readonly Executor[];
  readonly catalogue: ResourceCatalogue;
  /** The options of the run to come: its limits, timeouts and retries hold here too. */
  readonly run: Pick<RunOptions, "approval" | "confirm" | "concurrency" | "limits" | (typeof passedOn)[number]>;
  readonly onEvent: (event: EarlyEvent) => void;
}

interface Entry {
  readonly task: PlannerTask;
  /** Names that it reads or waits for and that no early task has given yet. */
  missing: number;
}

interface Outcome {
  readonly uid: string | undefined;
  readonly inputHash: string;
  readonly output?: unknown;
  readonly error?: TaskError;
}

/**
 * Executes tasks of a plan that is not whole yet. A task starts when all it needs is completed, it is valid, and its tool is declared
 * read-only; what a gate, a secret, Stage 2 or a `convertor_code` has a say in waits for the whole. When the plan is there, `adopting` lends
 * the executors of its run the outputs: a task with the same id, resource and input is not executed again.
 *
 * Costs are linear in the tasks and what they refer to.
 */
export class EarlyTasks {
  readonly #options: EarlyTasksOptions;
  readonly #stop = new AbortController();
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Map<string, Entry[]>();
  /** By task id and result variable: the task that was completed early. */
  readonly #given = new Map<string, { readonly task: PlannerTask; readonly output: unknown }>();
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  #ready: PlannerTask[] = [];
  readonly #used = new Map<string, number>();
  /** Attempts of the run that `pace` let start and that count against its concurrency. */
  #lent = 0;
  #handedOver = false;
  #room = Promise.withResolvers<void>();

  constructor(options: EarlyTasksOptions) {
    this.#options = options;
  }

  /** Ids of the tasks that were started, in that order. */
  get started(): readonly string[] {
    return [...this.#outcomes.keys()];
  }

  /** Of them, those that were completed and that a plan of their own can show. */
  get completed(): readonly PlannerTask[] {
    return this.started.flatMap((id) => this.#given.get(id)?.task ?? []);
  }

  /** A task that was written whole. A second one of the same id is left to the whole plan. */
  add(task: PlannerTask): void {
    if (this.#stop.signal.aborted || this.#entries.has(task.task_id)) return;
    const needs = namesOf(task);
    const entry: Entry = { task, missing: 0 };
    this.#entries.set(task.task_id, entry);
    // What the run is given, and plan variables, come with the whole.
    if (needs.has(inputName) || !this.#mayStart(task)) return;
    for (const name of needs) {
      if (this.#given.has(name)) continue;
      entry.missing += 1;
      const others = this.#waiting.get(name);
      if (others === undefined) this.#waiting.set(name, [entry]);
      else others.push(entry);
    }
    if (entry.missing === 0) this.#queue(task, needs);
  }

  /** The executors of the run to come. */
  adopting(): Executor[] {
    return this.#options.executors.map((executor) => {
      const execute = (step: Step, context: ExecutionContext) => this.#execute(executor, step, context);
      return new Proxy(executor, {
        get: (target, name) => {
          if (name === "execute") return execute;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    });
  }

  /** For `pace` of the run to come: no more at once than its concurrency, early tasks counted. */
  pace(): Promise<void> | undefined {
    if (this.#inFlight === 0) return undefined;
    if (this.#isFull) return this.#whenRoom();
    this.#lent += 1;
    return undefined;
  }

  async #whenRoom(): Promise<void> {
    while (this.#inFlight > 0 && this.#isFull) await this.#room.promise;
    this.#lent += 1;
  }

  get #isFull(): boolean {
    return this.#inFlight + this.#lent >= (this.#options.run.concurrency ?? 4);
  }

  /**
   * No more tasks come. Limits of kinds and resources are the run's own, and slots of shared limits are few: where there are some, it
   * begins when these have ended.
   */
  async handOver(): Promise<void> {
    this.#handedOver = true;
    this.#ready = [];
    this.#waiting.clear();
    const { limits, shared, tenant } = this.#options.run;
    const limited = limits?.kinds !== undefined || limits?.resources !== undefined;
    if (limited || shared?.limitsCalls(tenant) === true) await this.#quiet();
  }

  get handedOver(): boolean {
    return this.#handedOver;
  }

  /** Stops what runs and waits for it. */
  async stop(): Promise<void> {
    this.#ready = [];
    this.#stop.abort(new DOMException("The plan was not completed", "AbortError"));
    await this.#quiet();
  }

  get #inFlight(): number {
    return this.#used.get("") ?? 0;
  }

  async #quiet(): Promise<void> {
    await Promise.all(this.#outcomes.values());
  }

  #mayStart(task: PlannerTask): boolean {
    const { catalogue, run: options } = this.#options;
    const resource = task.tool_id === null ? undefined : catalogue.find("tool", task.tool_id);
    return (
      task.execution_type === "tool" &&
      resource?.read_only === true &&
      resource.destructive !== true &&
      // A policy of the caller's own is asked about calls whose input exists.
      typeof options.confirm !== "function" &&
      task.approval === undefined &&
      !(options.approval?.resources ?? []).some((id) => catalogue.find("tool", id) === resource) &&
      (task.convertor_code ?? "") === "" &&
      // How often it is executed, and whether, the whole plan says.
      task.for_each === undefined &&
      task.when === undefined &&
      task.choose === undefined &&
      task.join === undefined &&
      collectSecrets(task.arguments).length === 0 &&
      task.status !== "completed"
    );
  }

  #queue(task: PlannerTask, needs: ReadonlySet<string>): void {
    const plan = this.#planOf(task, needs);
    const issues = validatePlan(plan, this.#options.catalogue);
    if (issues.some(({ severity, task_id }) => severity === "error" && task_id === task.task_id)) return;
    this.#ready.push(task);
    this.#startReady();
  }

  /** The task, and what it needs as tasks that were completed. */
  #planOf(task: PlannerTask, needs: Iterable<string>): TaskData {
    const before = new Map<string, PlannerTask>();
    for (const name of needs) {
      const given = this.#given.get(name);
      if (given === undefined) continue;
      const { task_id, execution_type, tool_id, result_variable } = given.task;
      const done = { task_id, execution_type, tool_id, status: "completed" as const, output: given.output };
      const [stub] = TaskData.parse({
        planned_tasks: [{ ...done, ...(result_variable === undefined ? {} : { result_variable }) }],
      }).planned_tasks;
      before.set(task_id, stub as PlannerTask);
    }
    return TaskData.parse({ planned_tasks: [...before.values(), { ...task, dependencies: [...before.keys()] }] });
  }

  #startReady(): void {
    const waiting: PlannerTask[] = [];
    for (const task of this.#ready) {
      const groups = ["", `tool:${task.tool_id}`, "kind"];
      if (groups.some((group) => (this.#used.get(group) ?? 0) >= this.#limitOf(group, task))) waiting.push(task);
      else this.#start(task, groups);
    }
    this.#ready = waiting;
  }

  #limitOf(group: string, task: PlannerTask): number {
    const { concurrency = 4, limits } = this.#options.run;
    if (group === "") return concurrency;
    if (group === "kind") return limits?.kinds?.tool ?? Number.POSITIVE_INFINITY;
    const resource = this.#options.catalogue.find("tool", task.tool_id ?? "");
    const ids = [task.tool_id, resource?.id].filter((id) => id !== null && id !== undefined);
    return Math.min(Number.POSITIVE_INFINITY, ...ids.map((id) => limits?.resources?.[id] ?? Number.POSITIVE_INFINITY));
  }

  #start(task: PlannerTask, groups: readonly string[]): void {
    const { runId, onEvent } = this.#options;
    for (const group of groups) this.#used.set(group, (this.#used.get(group) ?? 0) + 1);
    onEvent({ type: "early-start", runId, taskId: task.task_id });
    const outcome = this.#run(task).then((ended) => {
      for (const group of groups) this.#used.set(group, (this.#used.get(group) ?? 0) - 1);
      this.#release();
      const about = { type: "early-end" as const, runId, taskId: task.task_id };
      if (ended.error === undefined) {
        onEvent({ ...about, status: "completed" });
        this.#give(task, ended.output);
      } else onEvent({ ...about, status: "failed", error: ended.error });
      this.#startReady();
      return ended;
    });
    this.#outcomes.set(task.task_id, outcome);
  }

  async #run(task: PlannerTask): Promise<Outcome> {
    const { runId, executors } = this.#options;
    const { signal, ...passed } = pickOptions(this.#options.run, passedOn);
    const stop = signal == null ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    try {
      const { results } = await run(this.#planOf(task, namesOf(task)), {
        ...passed,
        executors,
        runId,
        signal: stop,
      });
      const result = results.at(-1);
      const about = { uid: result?.uid, inputHash: hashValue(result?.input ?? {}) };
      if (result?.status === "completed") return { ...about, output: result.output };
      return { ...about, error: result?.error ?? { code: "TASK_FAILED", message: "It gave no result." } };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { uid: undefined, inputHash: "", error: { code: "TASK_FAILED", message } };
    }
  }

  #give(task: PlannerTask, output: unknown): void {
    for (const name of [task.task_id, task.result_variable]) {
      if (name === undefined || this.#given.has(name)) continue;
      this.#given.set(name, { task, output });
      const waiting = this.#waiting.get(name) ?? [];
      this.#waiting.delete(name);
      for (const entry of waiting) {
        entry.missing -= 1;
        if (entry.missing === 0 && !this.#stop.signal.aborted) this.#queue(entry.task, namesOf(entry.task));
      }
    }
  }

  async #execute(executor: Executor, step: Step, context: ExecutionContext): Promise<unknown> {
    const { runId } = this.#options;
    const { task_id } = context.task;
    const early = context.idempotencyKey === `${runId}/${task_id}` ? this.#outcomes.get(task_id) : undefined;
    // `pace` let this attempt start. If only an early output is handed over, the slot is given back.
    const lent = this.#lent > 0 ? 1 : 0;
    const giveBack = () => {
      this.#lent = Math.max(0, this.#lent - lent);
      this.#release();
    };
    if (early !== undefined && context.attempt === 1) {
      giveBack();
      const outcome = await abortable(early, context.signal);
      if (outcome.uid === step.uid && outcome.inputHash === hashValue(step.input_data)) {
        if (outcome.error === undefined) return outcome.output;
        throw new TaskFailure(outcome.error.code, outcome.error.message, {
          retryable: false,
          ...(outcome.error.details === undefined ? {} : { details: outcome.error.details }),
        });
      }
      return executor.execute(step, context);
    }
    try {
      return await executor.execute(step, context);
    } finally {
      giveBack();
    }
  }

  #release(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers<void>();
  }
}

/** What a task waits for and reads. */
function namesOf(task: PlannerTask): Set<string> {
  const needs = new Set(task.dependencies);
  for (const value of referringValues(task)) {
    for (const { reference } of collectReferences(value)) needs.add(reference.name);
  }
  return needs;
}
