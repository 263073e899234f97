import {
  defaultMaxElements,
  elementId,
  elementNames,
  hashValue,
  indexName,
  isDecidedByConditions,
  isRecord,
  type OptionChecks,
  PlanError,
  type PlannerTask,
  type ReferenceLookup,
  resolveReferences,
  type TaskDataInput,
} from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { advance } from "../core/advance.ts";
import type { CoreEvent } from "../core/core-event.ts";
import { Limits } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { TaskHeap } from "../core/task-heap.ts";
import { TaskState } from "../core/task-state.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { evaluateExpression } from "../expressions/evaluate-expression.ts";
import { askCondition } from "../input/condition.ts";
import { decideByConditions } from "../input/decision.ts";
import type { Journal, StoredRun, TaskRecord } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { elementRecords } from "../journal/recorded-elements.ts";
import { type TaskError, TaskErrorCode, taskErrorFrom } from "../task-error.ts";
import { isAboutElements } from "../task-execution/conditions.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import { makeLookup, type RunnablePlan, runnablePlan } from "../task-execution/runnable-plan.ts";
import { type Difference, firstDifference } from "./first-difference.ts";
import { RecordedReplies } from "./recorded-replies.ts";

export interface ReplayOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /**
   * Another plan over the same recorded outcomes: what would it have done differently? Its variables have its own values,
   * those it does not name the run's. @default the run's own
   */
  readonly plan?: TaskDataInput | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checks = { ...ofJournal, plan: "own", signal: "signal" } as const satisfies OptionChecks<ReplayOptions>;

/** The first thing that came out differently from what the journal has. */
export interface Divergence extends Difference {
  readonly task_id: string;
  /**
   * `input`: references, `convertor_code` or arguments give other values. `outcome`: the task could be prepared now and
   * could not be then, or the other way round. `reached`: the run had a result of the task, and the replay does not reach it.
   * `reply`: what is recorded of the task is not what Stage 2, a model or an agent replied then.
   */
  readonly what: "input" | "outcome" | "reached" | "reply";
}

/** What a replay did, and the first value that came out otherwise. */
export interface ReplayResult {
  readonly run_id: string;
  /** Tasks whose recorded outcome was fed back, skipped ones too. */
  readonly replayed: number;
  /** Tasks without an outcome in the journal: the run was cut off, cancelled, or waits for approval. */
  readonly unfinished: readonly string[];
  /** Absent when nothing differs. */
  readonly divergence?: Divergence;
  /** Outputs of the sinks by task id, as far as the replay came. */
  readonly output_data: Readonly<Record<string, unknown>>;
}

/**
 * Executes a recorded run again from its journal, with no executor and no model: the core decides again what starts, each
 * input is put together again and compared with the one recorded, and the recorded outcome is fed back. Stops at the first
 * divergence. Outcomes come in the order in which they came then; nothing depends on that order but which failure is blamed.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND, INVALID_PLAN; rejects with the signal's reason.
 */
export async function replay(runId: string, options: ReplayOptions): Promise<ReplayResult> {
  checkOptions("`replay`", options, checks);
  const { plan, signal } = options;
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const stored = await loadRun(journal, runId);
  const records = new Map<string, TaskRecord>();
  for (const record of await journal.getTasks(stored.run_id)) records.set(record.task_id, record);
  const variables = { ...stored.options.variables, ...(isRecord(plan?.variables) ? plan.variables : {}) };
  const player = new Player(
    stored,
    runnablePlan(plan ?? stored.plan, variables, { stored: plan === undefined }),
    records,
    new RecordedReplies(await journal.getCalls(stored.run_id)),
    await recordsOfElements(stored, journal),
  );
  return player.play(signal);
}

async function recordsOfElements(
  { plan, run_id }: StoredRun,
  journal: Journal,
): Promise<Map<string, Map<string, TaskRecord>>> {
  if (!plan.planned_tasks.some(({ for_each }) => for_each !== undefined)) return new Map();
  const found = elementRecords(await journal.getNestedTasks(run_id));
  return new Map(
    [...found].map(([task, records]) => [task, new Map([...records].map(([id, { record }]) => [id, record]))]),
  );
}

class Player {
  readonly #stored: StoredRun;
  readonly #runnable: RunnablePlan;
  readonly #records: ReadonlyMap<string, TaskRecord>;
  readonly #replies: RecordedReplies;
  /** Records of elements by id, by task. */
  readonly #elements: ReadonlyMap<string, ReadonlyMap<string, TaskRecord>>;
  readonly #state: RunState;
  readonly #outputs: unknown[];
  readonly #lookup: ReturnType<typeof makeLookup>;
  /** Started and not ended, what ended first then at the top. */
  readonly #running: TaskHeap;
  #replayed = 0;

  constructor(
    stored: StoredRun,
    runnable: RunnablePlan,
    records: ReadonlyMap<string, TaskRecord>,
    replies: RecordedReplies,
    elements: ReadonlyMap<string, ReadonlyMap<string, TaskRecord>>,
  ) {
    this.#elements = elements;
    this.#replies = replies;
    const { plan, view } = runnable;
    this.#stored = stored;
    this.#runnable = runnable;
    this.#records = records;
    const halts = Uint8Array.from(plan.planned_tasks, ({ on_failure }) =>
      (on_failure ?? stored.options.on_failure) === "halt" ? 1 : 0,
    );
    const joins = joinRules(plan.planned_tasks);
    this.#state = createRunState(view, { limits: new Limits({ concurrency: Number.POSITIVE_INFINITY }), halts, joins });
    this.#running = new TaskHeap(this.#endingOrder());
    this.#outputs = plan.planned_tasks.map(({ status, output }) => (status === "completed" ? output : undefined));
    const output = (task: number) =>
      this.#state.state[task] === TaskState.COMPLETED ? { found: true, value: this.#outputs[task] } : { found: false };
    this.#lookup = makeLookup(runnable, output, stored.options.input);
  }

  async play(signal: AbortSignal | undefined): Promise<ReplayResult> {
    const { plan } = this.#runnable;
    for (const [number, { status }] of plan.planned_tasks.entries()) {
      if (status === "completed") advance(this.#state, { type: "recorded", task: number });
    }
    this.#feed({ type: "begin" });
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      signal?.throwIfAborted();
      const record = this.#recordOf(task);
      if (record === undefined) continue;
      const divergence = await this.#compare(this.#task(task), record);
      if (divergence !== undefined) return this.#result(divergence);
      this.#settle(task, record);
    }
    return this.#result(this.#unreached());
  }

  /** Place of each task in the order of ending. */
  #endingOrder(): Int32Array {
    const tasks = Array.from(this.#runnable.plan.planned_tasks, (_, number) => {
      const record = this.#recordOf(number);
      return { number, at: record?.timing?.ended_at ?? record?.started_at ?? Number.MAX_VALUE };
    });
    tasks.sort((a, b) => a.at - b.at || a.number - b.number);
    const order = new Int32Array(tasks.length);
    for (const [place, { number }] of tasks.entries()) order[number] = place;
    return order;
  }

  #feed(event: CoreEvent): void {
    for (const command of advance(this.#state, event)) {
      if (command.type !== "start" && command.type !== "skip") continue;
      if (this.#recordOf(command.task) === undefined) continue;
      if (command.type === "start") this.#running.push(command.task);
      else this.#replayed++;
    }
  }

  /** Of the tasks that run, the one that ended first then. Tasks without an outcome never end. */
  #next(): number | undefined {
    return this.#running.size === 0 ? undefined : this.#running.pop();
  }

  #settle(task: number, record: TaskRecord): void {
    if (record.status !== "waiting_approval") this.#replayed++;
    switch (record.status) {
      case "completed":
        this.#outputs[task] = record.output ?? null;
        this.#feed({ type: "completed", task });
        break;
      case "failed":
        this.#feed({ type: "failed", task });
        break;
      case "skipped":
      case "waiting_approval":
        this.#feed({ type: "unavailable", task });
        break;
      default:
        record.status satisfies never;
    }
  }

  async #compare(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const unmet = await this.#compareCondition(task, record);
    if (unmet !== undefined) return unmet;
    // What stopped it then was outside of the plan: no model, a budget, a person, a failure that halted the run.
    if (record.status === "skipped" && record.input_hash === "") return undefined;
    // Earlier versions asked people about tasks that were not prepared yet.
    if (record.status === "waiting_approval" && record.input_hash === "") return undefined;
    if (task.for_each !== undefined) return this.#compareElements(task, record);
    if (isDecidedByConditions(task)) return this.#compareDecision(task, record);
    return this.#compareCall(task, record, this.#lookup);
  }

  /** Whether the task is executed as it was then. A condition about elements is asked for each of them, and not here. */
  async #compareCondition(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const wasUnmet = record.error?.code === TaskErrorCode.NOT_MET;
    if (isAboutElements(task) || (task.when === undefined && !wasUnmet)) return undefined;
    let met = true;
    try {
      const asked = task.when && askCondition(task.when.condition, this.#lookup);
      if (asked !== undefined) met = ("value" in asked ? asked.value : await asked.evaluated) === true;
    } catch {
      // What keeps it from being asked fails the task, then as now.
      return undefined;
    }
    if (met !== wasUnmet || record.error?.code === TaskErrorCode.CONDITION) return undefined;
    const actual = met ? "its condition is true" : "its condition is false";
    return { task_id: task.task_id, what: "outcome", path: "", expected: outcomeOf(record), actual };
  }

  async #compareDecision(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    let actual: unknown;
    try {
      actual = await decideByConditions(task.choose!, this.#lookup);
    } catch (thrown) {
      const { code, message } = taskErrorFrom(thrown);
      if (record.error?.code === code) return undefined;
      actual = { code, message };
    }
    if (record.status === "completed" && hashValue(actual) === hashValue(record.output)) return undefined;
    return { task_id: task.task_id, what: "outcome", path: "", expected: outcomeOf(record), actual };
  }

  /** Each element that has a record: its input is put together from the list as it is now. */
  async #compareElements(task: PlannerTask, record: TaskRecord): Promise<Divergence | undefined> {
    const { task_id, for_each } = task;
    const differs = (actual: unknown): Divergence => ({
      task_id,
      what: "outcome",
      path: "",
      expected: outcomeOf(record),
      actual,
    });
    let items: unknown;
    try {
      items = resolveReferences(for_each!.items, this.#lookup);
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      const code = TaskErrorCode.REFERENCE;
      return record.error?.code === code ? undefined : differs({ code, message: error.message });
    }
    const { max_items = defaultMaxElements } = for_each!;
    const isList = Array.isArray(items) && items.length <= max_items;
    if ((record.error?.code === TaskErrorCode.ITEMS) === isList)
      return differs(isList ? { items } : { items: "no list" });
    if (!isList) return undefined;
    if (record.status === "completed" && (record.output as readonly unknown[]).length !== (items as unknown[]).length)
      return differs({ elements: (items as unknown[]).length });
    const [itemName] = elementNames(task);
    for (const [index, item] of (items as unknown[]).entries()) {
      const element = this.#elements.get(task_id)?.get(elementId(task_id, index));
      // What is within tasks of its own is replayed as little as what is within a workflow.
      if (element === undefined || for_each!.tasks !== undefined || element.status === "skipped") continue;
      const lookup: ReferenceLookup = (name) => {
        if (name === itemName) return { found: true, value: item };
        return name === indexName ? { found: true, value: index } : this.#lookup(name);
      };
      const divergence = await this.#compareCall({ ...task, task_id: element.task_id }, element, lookup);
      if (divergence !== undefined) return divergence;
    }
    return undefined;
  }

  async #compareCall(task: PlannerTask, record: TaskRecord, lookup: ReferenceLookup): Promise<Divergence | undefined> {
    const { task_id } = task;
    // It made no call.
    if (task.wait !== undefined) return undefined;
    const made = await this.#input(task, lookup);
    // It had not reached its call; references are resolved only after an answer.
    if ("error" in made && record.status === "waiting_approval") return undefined;
    if ("error" in made) {
      if (record.status === "failed" && record.error?.code === made.error.code) return undefined;
      return { task_id, what: "outcome", path: "", expected: outcomeOf(record), actual: made.error };
    }
    const couldNotPrepare = record.input_hash === "" && isPreparing(record.error?.code);
    if (couldNotPrepare) {
      return { task_id, what: "outcome", path: "", expected: record.error, actual: { input: made.input } };
    }
    // Nothing was recorded of the input of a task that failed before it had one.
    const expectedHash = record.asked_hash ?? record.input_hash;
    if (expectedHash === "") return undefined;
    const hash = hashValue(made.input);
    if (hash === expectedHash) {
      const other = this.#replies.difference(record);
      return other && { task_id, what: "reply", ...other };
    }
    // What Stage 2 left as it was is the input that was recorded.
    const kept = expectedHash === record.input_hash ? record.input : undefined;
    const difference = kept === undefined ? undefined : firstDifference(kept, made.input);
    return {
      task_id,
      what: "input",
      ...(difference ?? { path: "", expected: { sha256: expectedHash }, actual: { sha256: hash, input: made.input } }),
    };
  }

  async #input(
    task: PlannerTask,
    lookup: ReferenceLookup,
  ): Promise<{ readonly input: unknown } | { readonly error: TaskError }> {
    let input: unknown;
    try {
      input = resolveReferences(task.arguments, lookup);
      resolveReferences(task.parameters, lookup);
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      return { error: { code: TaskErrorCode.REFERENCE, message: error.message } };
    }
    if (!task.convertor_code) return { input };
    try {
      input = await evaluateExpression(task.convertor_code, input as Record<string, unknown>);
    } catch (error) {
      return {
        error: { code: TaskErrorCode.CONVERTOR, message: error instanceof Error ? error.message : String(error) },
      };
    }
    if (isRecord(input)) return { input };
    return { error: { code: TaskErrorCode.CONVERTOR, message: "convertor_code gives no object." } };
  }

  /** A recorded result that the replay never reached. */
  #unreached(): Divergence | undefined {
    for (const [number, { task_id }] of this.#runnable.plan.planned_tasks.entries()) {
      const record = this.#recordOf(number);
      if (record?.status !== "completed" && record?.status !== "failed") continue;
      const state = this.#state.state[number];
      if (state === TaskState.COMPLETED || state === TaskState.FAILED) continue;
      const blame = this.#state.blame[number] ?? -1;
      const actual = blame === -1 ? "not started" : `skipped because of "${this.#task(blame).task_id}"`;
      return { task_id, what: "reached", path: "", expected: outcomeOf(record), actual };
    }
    return undefined;
  }

  #result(divergence: Divergence | undefined): ReplayResult {
    const { plan, view } = this.#runnable;
    const sinks: [string, unknown][] = [];
    const unfinished: string[] = [];
    for (const [number, { task_id, status }] of plan.planned_tasks.entries()) {
      const record = this.#recordOf(number);
      if (status !== "completed" && (record === undefined || record.status === "waiting_approval"))
        unfinished.push(task_id);
      const isSink = view.outPtr[number] === view.outPtr[number + 1];
      if (isSink && this.#state.state[number] === TaskState.COMPLETED) sinks.push([task_id, this.#outputs[number]]);
    }
    return {
      run_id: this.#stored.run_id,
      replayed: this.#replayed,
      unfinished,
      ...(divergence !== undefined && { divergence }),
      output_data: Object.fromEntries(sinks),
    };
  }

  #task(number: number): PlannerTask {
    const task = this.#runnable.plan.planned_tasks[number];
    if (task === undefined) throw new RangeError(`No task has the number ${number}.`);
    return task;
  }

  #recordOf(number: number): TaskRecord | undefined {
    return this.#records.get(this.#task(number).task_id);
  }
}

function isPreparing(code: string | undefined): boolean {
  return code === TaskErrorCode.REFERENCE || code === TaskErrorCode.CONVERTOR;
}

function outcomeOf({ status, output, error }: TaskRecord): unknown {
  return { status, ...(status === "completed" ? { output } : { error }) };
}
