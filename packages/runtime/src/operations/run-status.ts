import { notedIssues, type PlanIssue, type PlanView, planTitle, planView, readElementId } from "@planloom/plan";
import { waitingFor } from "../approvals/approvals.ts";
import { checkOptions, ofJournal } from "../check-options.ts";
import { TaskState } from "../core/task-state.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { everyRun } from "../journal/every-run.ts";
import type { ApprovalAnswer, Journal, PendingUsage, RunSummary, StoredRun, TaskRecord } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { recordedElements } from "../journal/recorded-elements.ts";
import { openStatuses, resumableStatuses } from "../journal/run-filter.ts";
import { isAsleep, viewOf } from "../journal/stored-wait.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import { type LiveTask, liveTasks } from "../live-tasks.ts";
import type { WaitView } from "../ports/wait-view.ts";
import type { ElementCounts } from "../run-result.ts";
import type { TaskError } from "../task-error.ts";

export interface RunStatusOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
}

/** A wait of a task, or of what is in it. */
export interface TaskWait extends WaitView {
  /** Within the whole run: `pay`, `authors[3]/books`. */
  readonly id: string;
}

/** Where one task of a run is now. Plain JSON, without inputs and outputs. */
export interface TaskStatusView {
  readonly task_id: string;
  readonly title: string;
  /**
   * `running`: an attempt is made, or Stage 2 is asked. `delayed`: it waits for its next attempt, a rate or a budget. `pending`: it has
   * not begun. Of a run of another process, a task that runs is `running` where its call may have an effect, since those are written
   * before they are made, and `pending` otherwise.
   */
  readonly status:
    | "pending"
    | "running"
    | "delayed"
    | "waiting_approval"
    | "waiting"
    | "completed"
    | "failed"
    | "skipped";
  /** The plan has it as completed, with its output: the run does not call it. */
  readonly given?: true;
  /** The resource that executes it, as far as that is known. */
  readonly uid?: string;
  /** Attempts that were begun in the last session. */
  readonly attempts: number;
  /** When its first attempt began, milliseconds since the epoch. */
  readonly started_at?: number;
  /** All attempts together, of a task that has ended. */
  readonly duration_ms?: number;
  readonly error?: TaskError;
  readonly skipped_because?: string;
  /** The tasks that it waits for: those it names and those it refers to, in plan order. */
  readonly depends_on: readonly string[];
  /**
   * How many elements of a task with `for_each` have ended. `total` is known once the list was read by this process, or the task has ended
   * with a result.
   */
  readonly elements?: Partial<ElementCounts>;
  /** What it waits for, or what is in it and waits, where that is a time or a signal. */
  readonly waits?: readonly TaskWait[];
  /** A person approved a call of it with another input than that of the plan, which its title may still name. */
  readonly input_changed?: true;
  /** Ids of the calls in it that a person is asked about, as `approve` takes them. */
  readonly waiting_calls?: readonly string[];
}

/** Where a run and each of its tasks are now. Plain JSON. */
export interface RunStatusView {
  readonly run_id: string;
  readonly plan_id: string;
  readonly title: string;
  readonly status: RunSummary["status"];
  /** No process runs it and it has not ended, or it ended waiting for an answer that it has by now, or its plan was changed since it was completed: `resume` continues it. */
  readonly resumable: boolean;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What the planner noted about the plan, such as parts of the goal that it left open; absent where it noted nothing. */
  readonly plan_issues?: readonly PlanIssue[];
  /** How many tasks there are of each status. */
  readonly counts: Readonly<Partial<Record<TaskStatusView["status"], number>>>;
  /** In plan order. */
  readonly tasks: readonly TaskStatusView[];
  /** Everything a person is asked about, with what would be called, and with an `answer` that the run has not gone on with. */
  readonly waiting: readonly WaitingCall[];
  /** Everything that was answered, in the order of the answers: who said what, when and why. */
  readonly answers: readonly RecordedAnswer[];
}

/** An answer without the input or the output that came with it. One with `edited_from` brought an input of its own. */
export type RecordedAnswer = Omit<ApprovalAnswer, "input" | "output">;

/**
 * Where a run is now, task by task: what the journal has of it, and what this process knows about running tasks.
 * @param runId the run's whole id
 * @throws RuntimeError RUN_NOT_FOUND, INVALID_OPTION, JOURNAL_*
 */
export async function runStatus(runId: string, options: RunStatusOptions): Promise<RunStatusView> {
  checkOptions("`runStatus`", options, ofJournal);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const run = await loadRun(journal, runId);
  const live = liveTasks.find(journal, runId)?.();
  const records = new Map((await journal.getTasks(runId, { outputs: "small" })).map((each) => [each.task_id, each]));
  const status = live === undefined ? await statusOf(run, journal) : "running";
  const waiting = await waitingFor(runId, { journal });
  const begun = status === "running" ? begunTasks(await journal.getPendingUsage(runId)) : new Map<string, number>();
  const sleeping = openStatuses.has(status) ? ((await journal.getWaits?.(runId)) ?? []).filter(isAsleep) : [];
  const elements = await recordedElements(journal, run.plan, runId);
  const view = planView(run.plan);
  const ids = new Set(run.plan.planned_tasks.map(({ task_id }) => task_id));
  const answers = await journal.getAnswers(runId);
  const changed = new Set(answers.flatMap((each) => (each.input === undefined ? [] : [taskOf(each.task_id, ids)])));
  const callsOf = Map.groupBy(waiting, ({ id }) => taskOf(id, ids));
  const waitsOf = Map.groupBy(sleeping, ({ id }) => taskOf(id, ids));
  const tasks = run.plan.planned_tasks.map((task, number): TaskStatusView => {
    const { task_id } = task;
    const calls = (callsOf.get(task_id) ?? []).map(({ id }) => id);
    const waits = (waitsOf.get(task_id) ?? []).map((wait) => ({ id: wait.id, ...viewOf(wait) }));
    const output = records.get(task_id)?.output;
    const known = elements.get(task_id);
    const counts =
      live?.get(task_id)?.elements ?? (known && { ...known, ...(Array.isArray(output) && { total: output.length }) });
    return {
      task_id,
      title: task.title ?? task.description,
      ...(task.status === "completed" && !records.has(task_id)
        ? { status: "completed", given: true, attempts: 0 }
        : taskStatus(
            records.get(task_id),
            live?.get(task_id),
            begun.get(task_id),
            calls.length > 0 ? "waiting_approval" : waits.length > 0 ? "waiting" : "pending",
          )),
      depends_on: neededBy(view, number),
      ...(counts !== undefined && { elements: counts }),
      ...(waits.length > 0 && { waits }),
      ...(changed.has(task_id) && { input_changed: true }),
      ...(calls.length > 0 && { waiting_calls: calls }),
    };
  });
  const noted = notedIssues(run.plan);
  const counts: Partial<Record<TaskStatusView["status"], number>> = {};
  for (const task of tasks) counts[task.status] = (counts[task.status] ?? 0) + 1;
  return {
    run_id: runId,
    plan_id: run.plan.task_id,
    title: planTitle(run.plan),
    status,
    resumable:
      (resumableStatuses as readonly string[]).includes(status) ||
      // Only a change of the plan leaves tasks of a completed run to be executed.
      (status === "completed" && counts.pending !== undefined) ||
      (status === "waiting_approval" && waiting.some(({ answer }) => answer !== undefined)),
    created_at: run.created_at,
    updated_at: run.updated_at,
    ...(run.options.metadata !== undefined && { metadata: run.options.metadata }),
    ...(noted.length > 0 && { plan_issues: noted }),
    counts,
    tasks,
    waiting,
    answers: answers.map(({ input: _, output: __, ...answer }) => answer),
  };
}

/** As in a list of runs: a run whose process is gone is `interrupted`. */
export async function statusOf(run: StoredRun, journal: Journal): Promise<RunSummary["status"]> {
  if (run.status !== "running") return run.status;
  // Only the list knows whether the lease is held; its conditions select little more than this run.
  const createdBefore = Date.parse(run.created_at) + 1;
  for await (const listed of everyRun(journal, { createdAfter: run.created_at, createdBefore })) {
    if (listed.run_id === run.run_id) return listed.status;
  }
  return run.status;
}

/** When the calls of tasks were begun that have no record since, milliseconds since the epoch. */
function begunTasks(pending: readonly PendingUsage[]): Map<string, number> {
  return new Map(
    pending.flatMap(({ path, task_id, begun }) =>
      begun === undefined ? [] : [[path[0] ?? task_id, Date.parse(begun.at)] as const],
    ),
  );
}

function neededBy({ ids, in: edges, inPtr }: PlanView, task: number): string[] {
  return Array.from(edges.subarray(inPtr[task]!, inPtr[task + 1]!), (needed) => ids[needed]!);
}

/** The task of the plan that a call is in: ids of tasks may have slashes of their own, and the longest that fits is meant. */
function taskOf(callId: string, ids: ReadonlySet<string>): string | undefined {
  let id = callId.replace(/#begun$/, "");
  while (!ids.has(id)) {
    const element = readElementId(id);
    if (element !== undefined && ids.has(element.taskId)) return element.taskId;
    const end = id.lastIndexOf("/");
    if (end === -1) return undefined;
    id = id.slice(0, end);
  }
  return id;
}

const liveStatuses: Readonly<Record<number, TaskStatusView["status"]>> = {
  [TaskState.RUNNING]: "running",
  [TaskState.DELAYED]: "delayed",
  [TaskState.GATED]: "waiting_approval",
  [TaskState.ASLEEP]: "waiting",
};

function taskStatus(
  record: TaskRecord | undefined,
  live: LiveTask | undefined,
  begunAt: number | undefined,
  otherwise: TaskStatusView["status"],
): Omit<TaskStatusView, "task_id" | "title" | "depends_on" | "waiting_calls" | "waits"> {
  const now = live && liveStatuses[live.state];
  if (live !== undefined && (now !== undefined || record === undefined)) {
    const { attempts, uid, startedAt } = live;
    return {
      status: now ?? "pending",
      ...(uid !== undefined && { uid }),
      attempts: startedAt === undefined ? 0 : attempts,
      ...(startedAt !== undefined && { started_at: startedAt }),
    };
  }
  if (begunAt !== undefined && record?.status !== "completed")
    return { status: "running", attempts: 1, started_at: begunAt };
  if (record === undefined) return { status: otherwise, attempts: 0 };
  // Its question was answered, and it waits for a time or a signal since.
  if (record.status === "waiting_approval" && otherwise === "waiting")
    return { status: "waiting", ...(record.uid !== undefined && { uid: record.uid }), attempts: record.attempts };
  const { status, uid, attempts, started_at, duration_ms, error, skipped_because } = record;
  return {
    status,
    ...(uid !== undefined && { uid }),
    attempts,
    ...(attempts > 0 && { started_at, duration_ms }),
    ...(error !== undefined && { error }),
    ...(skipped_because !== undefined && { skipped_because }),
  };
}
