import {
  isRecord,
  type OptionChecks,
  type PlannerTask,
  planView,
  type ReferenceLookup,
  type TaskDataInput,
  taskNames,
} from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { advance } from "../core/advance.ts";
import type { CoreEvent } from "../core/core-event.ts";
import { Limits } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { TaskHeap } from "../core/task-heap.ts";
import { TaskState } from "../core/task-state.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import type { Journal, StoredRun, TaskRecord } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { addressOf } from "../nested-keeping.ts";
import { outputNames } from "../ports/plan-outputs.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import { makeLookup, type RunnablePlan, runnablePlan } from "../task-execution/runnable-plan.ts";
import { RecordedReplies } from "./recorded-replies.ts";
import { RecordedTasks } from "./recorded-tasks.ts";
import { type Divergence, outcomeOf, type Recorded, ReplayComparison } from "./replay-comparison.ts";

export type { Divergence } from "./replay-comparison.ts";

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

/** What a replay did, and the first value that came out otherwise. */
export interface ReplayResult {
  readonly run_id: string;
  /** Tasks whose recorded outcome was fed back, skipped ones too. */
  readonly replayed: number;
  /** Tasks without an outcome in the journal: the run was cut off, cancelled, or waits for approval. */
  readonly unfinished: readonly string[];
  /** Absent when nothing differs. */
  readonly divergence?: Divergence;
  /** Outputs of the sinks by task id, or of the tasks that the plan's `outputs` name by those names, as far as the replay came. */
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
  const variables = { ...stored.options.variables, ...(isRecord(plan?.variables) ? plan.variables : {}) };
  const runnable = runnablePlan(plan ?? stored.plan, variables, { stored: plan === undefined });
  const hasElements = stored.plan.planned_tasks.some(({ for_each }) => for_each !== undefined);
  const records = new RecordedTasks(
    await journal.getTasks(stored.run_id),
    hasElements ? await journal.getNestedTasks(stored.run_id) : [],
  );
  const player = new Player({
    runnable,
    onFailure: stored.options.on_failure,
    lookup: (own) => own,
    input: stored.options.input,
    recorded: { path: [], records, replies: new RecordedReplies(await journal.getCalls(stored.run_id)) },
    signal,
  });
  return { run_id: stored.run_id, ...(await player.play()) };
}

type PlayedTasks = Omit<ReplayResult, "run_id">;

/** What a player plays. */
interface Score {
  readonly runnable: RunnablePlan;
  /** What the run did after a failed task that has no setting of its own. */
  readonly onFailure: StoredRun["options"]["on_failure"];
  readonly lookup: (own: ReferenceLookup) => ReferenceLookup;
  readonly input: unknown;
  readonly recorded: Omit<Recorded, "replayElement">;
  readonly signal: AbortSignal | undefined;
}

class Player {
  readonly #score: Score;
  readonly #runnable: RunnablePlan;
  readonly #records: ReadonlyMap<string, TaskRecord>;
  readonly #state: RunState;
  readonly #outputs: unknown[];
  readonly #comparison: ReplayComparison;
  /** Started and not ended, what ended first then at the top. */
  readonly #running: TaskHeap;
  #replayed = 0;

  constructor(score: Score) {
    const { runnable, recorded } = score;
    const { plan, view } = runnable;
    this.#score = score;
    this.#runnable = runnable;
    this.#records = recorded.records.within(recorded.path);
    const halts = Uint8Array.from(plan.planned_tasks, ({ on_failure }) =>
      (on_failure ?? score.onFailure) === "halt" ? 1 : 0,
    );
    const joins = joinRules(plan.planned_tasks);
    this.#state = createRunState(view, { limits: new Limits({ concurrency: Number.POSITIVE_INFINITY }), halts, joins });
    this.#running = new TaskHeap(this.#endingOrder());
    this.#outputs = plan.planned_tasks.map(({ status, output }) => (status === "completed" ? output : undefined));
    const output = (task: number) =>
      this.#state.state[task] === TaskState.COMPLETED ? { found: true, value: this.#outputs[task] } : { found: false };
    const lookup = score.lookup(makeLookup(runnable, output, score.input));
    this.#comparison = new ReplayComparison(lookup, {
      ...recorded,
      replayElement: (tasks, path, around) => this.#replayElement(tasks, path, around),
    });
  }

  async play(): Promise<PlayedTasks> {
    const { plan } = this.#runnable;
    for (const [number, { status }] of plan.planned_tasks.entries()) {
      if (status === "completed") advance(this.#state, { type: "recorded", task: number });
    }
    this.#feed({ type: "begin" });
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      this.#score.signal?.throwIfAborted();
      const record = this.#recordOf(task);
      if (record === undefined) continue;
      const divergence = await this.#comparison.compare(this.#task(task), record);
      if (divergence !== undefined) return this.#result(divergence);
      this.#settle(task, record);
    }
    return this.#result(this.#unreached());
  }

  /** The tasks of an element are a plan of their own, whose names go before those around it. */
  async #replayElement(
    tasks: readonly PlannerTask[],
    path: readonly string[],
    around: ReferenceLookup,
  ): Promise<Divergence | undefined> {
    const { variables: _, outputs: __, ...plan } = this.#runnable.plan;
    const planned_tasks = [...tasks];
    const own = taskNames(planned_tasks);
    const { recorded, ...rest } = this.#score;
    const player = new Player({
      ...rest,
      runnable: { plan: { ...plan, planned_tasks }, view: planView(planned_tasks) },
      lookup: (inner) => (name) => (own.has(name) ? inner(name) : around(name)),
      recorded: { ...recorded, path },
    });
    return (await player.play()).divergence;
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

  /** The running task that ended first at that time. Tasks without an outcome never end. */
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

  /** A recorded result that the replay never reached. */
  #unreached(): Divergence | undefined {
    for (const [number, { task_id }] of this.#runnable.plan.planned_tasks.entries()) {
      const record = this.#recordOf(number);
      if (record?.status !== "completed" && record?.status !== "failed") continue;
      const state = this.#state.state[number];
      if (state === TaskState.COMPLETED || state === TaskState.FAILED) continue;
      const blame = this.#state.blame[number] ?? -1;
      const actual = blame === -1 ? "not started" : `skipped because of "${this.#task(blame).task_id}"`;
      const address = addressOf(this.#score.recorded.path, task_id);
      return { task_id: address, what: "reached", path: "", expected: outcomeOf(record), actual };
    }
    return undefined;
  }

  #result(divergence: Divergence | undefined): PlayedTasks {
    const { plan, view } = this.#runnable;
    const sinks: [string, unknown][] = [];
    const unfinished: string[] = [];
    const namesOf = outputNames(plan, view);
    for (const [number, { task_id, status }] of plan.planned_tasks.entries()) {
      const record = this.#recordOf(number);
      if (status !== "completed" && (record === undefined || record.status === "waiting_approval"))
        unfinished.push(task_id);
      if (this.#state.state[number] !== TaskState.COMPLETED) continue;
      const names = namesOf(this.#task(number), number);
      // Of a sink the id alone.
      for (const name of plan.outputs === undefined ? names.slice(0, 1) : names)
        sinks.push([name, this.#outputs[number]]);
    }
    return {
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
