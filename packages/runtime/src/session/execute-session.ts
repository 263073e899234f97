import type { Executor, TaskData } from "@planloom/plan";
import { anySignal } from "../any-signal.ts";
import { answeredRuns, executingTasks } from "../approvals.ts";
import { cancellableRuns, cancelRequest } from "../cancel-run.ts";
import { TaskState } from "../core/task-state.ts";
import { AtomicShell } from "../dispatch/atomic-shell.ts";
import {
  type DispatchContext,
  type DispatchReply,
  type DispatchRequest,
  inProcessDispatcher,
} from "../dispatch/dispatcher.ts";
import { SerialLimits } from "../dispatch/open-limits.ts";
import type { Quotient } from "../dispatch/quotient.ts";
import { type ReportSink, ReportWriter } from "../dispatch/report-writer.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { EventSink } from "../event-sink.ts";
import { overlay, registry } from "../executors/registry.ts";
import { liveFeeds, RunFeed } from "../feed/run-feed.ts";
import type { CancelMode, Journal, StoredCertificate, TaskRecord } from "../journal/journal.ts";
import { leaseRenewalMs } from "../journal/lease.ts";
import { type LiveTask, liveTasks } from "../live-tasks.ts";
import { taskGroups } from "../make-limits.ts";
import {
  byNestedKey,
  type Keeping,
  type NestedKeeping,
  type NestedPlace,
  nestedKey,
  nestedStore,
  placeWithin,
} from "../nested-keeping.ts";
import { nestedSettings } from "../plan-run-rules.ts";
import { markableRuns } from "../replan/mark-tasks.ts";
import { ReplanCalls } from "../replan/replan-calls.ts";
import { Replanning } from "../replan/replanning.ts";
import { RunningPlan } from "../replan/running-plan.ts";
import type { RunResult } from "../run-result.ts";
import { buildResult } from "../shell/build-result.ts";
import { certify } from "../shell/certificate.ts";
import { EventWriter } from "../shell/event-writer.ts";
import { JournalWriter } from "../shell/journal-writer.ts";
import { makeLookup, preparePlan } from "../shell/prepare-plan.ts";
import { RunShell } from "../shell/run-shell.ts";
import type { NestedParent, NestedResult, ShellParts } from "../shell/shell-parts.ts";
import { storedCertificate } from "../shell/stored-certificate.ts";
import { makeRecord } from "../shell/task-record.ts";
import { CallLedger } from "./call-ledger.ts";
import { settleOutputs } from "./large-outputs.ts";
import { isHalting, makeState, restore, type Session } from "./session.ts";
import { noteStray } from "./stray-calls.ts";

/** Plans within plans within plans: a workflow that calls itself would never end. */
const maxNesting = 8;

/**
 * Runs a session to its end.
 * @param kept where the outermost run is kept, with its lease.
 * @param earlier what the session before claimed, which stands where nothing is left to run.
 */
export async function execute(
  session: Session,
  signal: AbortSignal | undefined,
  kept: Keeping | undefined,
  earlier?: StoredCertificate,
): Promise<NestedResult> {
  const { runId, state, table, prepared } = session;
  const draining = new AbortController();
  const options = kept === undefined ? session.options : drainable(session, draining.signal);
  const startedAt = performance.now();
  const eventWriter = kept && EventWriter.for(kept.journal, runId, kept.owner);
  const listener = eventWriter === undefined ? options.onEvent : eventWriter.before(options.onEvent);
  const feed = kept && new RunFeed(async () => eventWriter?.flush());
  const events = new EventSink(runId, listener, startedAt, { firstSeq: session.firstSeq ?? 0, feed });
  let recorded = 0;
  for (const flag of table.recorded) recorded += flag;
  events.emit({ type: "run-start", planId: prepared.plan.task_id, tasks: prepared.view.n, recorded });

  let renewal: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;
  const { book } = session.desk;
  const silence = kept && answeredRuns.listen(kept.journal, runId, (answer) => book.add(answer));
  const isExecuting = (id: string) => {
    const task = prepared.view.indexOf(id);
    return task !== -1 && state.state[task] === TaskState.RUNNING && !Number.isNaN(table.startedMs[task]);
  };
  const unfed = kept && feed && liveFeeds.listen(kept.journal, runId, feed);
  const unwatched = kept && liveTasks.listen(kept.journal, runId, () => liveTasksOf(session, startedAt));
  const unasked = kept && executingTasks.listen(kept.journal, runId, isExecuting);
  const uncancellable = kept && cancellableRuns.listen(kept.journal, runId, (mode) => cancel(mode));
  const cancel = (mode: CancelMode) => {
    if (mode === "drain") draining.abort(cancelRequest());
    else shell.cancel(cancelRequest());
  };
  const ledger = session.ledger ?? (kept && new CallLedger(kept, runId));
  const within: Session = kept === undefined ? session : { ...session, options, keeping: kept, ledger };
  const running = session.replan && new RunningPlan(prepared, state, table, session.input);
  const replanning = running && makeReplanning(within, running, events, startedAt, kept);
  const unmarkable =
    kept && replanning && markableRuns.listen(kept.journal, runId, (ids, note) => replanning.mark(ids, note));
  // Another process may have stored an answer.
  const readAnswers =
    kept &&
    (async () => {
      for (const answer of await kept.journal.getAnswers(runId)) book.add(answer);
    });
  const parts: ShellParts = {
    readAnswers,
    runId,
    state,
    table,
    settings: session.settings,
    registry: session.registry,
    bind: options.bind,
    pace: session.pace,
    lookup: running?.lookup ?? makeLookup(prepared, (task) => outputOf(session, task), session.input),
    baseInput: session.baseInput,
    runInput: session.input as Readonly<Record<string, unknown>>,
    events,
    pool: session.pool,
    desk: session.desk,
    admission: session.admission,
    cache: session.cache,
    secrets: session.secrets,
    replanning,
    earlier: session.earlier,
    approved: session.approved,
    outerTaskId: session.outerTaskId,
    keyPrefix: session.keyPrefix,
    startedAt,
    makeWriter(onError) {
      if (kept === undefined) {
        const { keeping, place, reports } = session;
        if (reports !== undefined) return new ReportWriter({ view: prepared.view, table, startedAt }, reports, onError);
        if (keeping === undefined || place === undefined) return undefined;
        const hashOf = (taskId: string) => session.desk.contentHash(prepared.view.indexOf(taskId));
        // What fails to be written within a task ends the whole run, as its own records do, and not that task alone.
        const onNestedError = (error: unknown) => {
          ledger?.onError(error);
          onError(error);
        };
        return new JournalWriter(nestedStore(keeping, place, hashOf), runId, keeping.owner, onNestedError);
      }
      const { journal, owner } = kept;
      const renew = () => {
        const hearLease = ({ cancel: mode }: Awaited<ReturnType<Journal["renewLease"]>>) => {
          if (mode !== false) cancel(mode);
        };
        journal.renewLease(runId, owner).then(hearLease, onError);
        if (book.asked) readAnswers?.().catch(onError);
      };
      renewal = setInterval(renew, leaseRenewalMs);
      if (ledger !== undefined) ledger.onError = onError;
      unwatch = journal.watchWrites?.(runId, onError);
      return new JournalWriter(journal, runId, owner, onError);
    },
    drain: options.drain,
    strayed: strayedIn(kept ?? session.keeping, runId),
    abandoned: session.abandoned,
    halted: session.halted,
    callDesk: session.callDesk,
    ledger,
    place: session.place,
    nestedRecords: session.nestedRecords,
    begun: session.begun,
    runNested: (...nested) => runNested(within, ...nested),
    recorded: (outer, plan, input, taskId) => recordedBefore(session, outer, plan, input, taskId),
  };
  const shell: RunShell | AtomicShell =
    session.quotient === undefined ? new RunShell(parts) : atomicShell(within, session.quotient, parts);
  try {
    const outcome = await shell.run(signal);
    if (kept !== undefined) await ledger?.flush();
    // The last write may have failed when no task ran any more.
    const fatal = outcome.fatal ?? (kept && ledger?.failure?.error);
    if (fatal !== undefined) {
      const givenBack = kept && giveBack(kept, runId);
      // A journal that does not answer would keep the run from ending as long again.
      if (!isTimeout(fatal)) await givenBack;
      throw fatal;
    }
    const { achievedMs } = outcome;
    const endReason = replanning?.endReason(outcome.endReason) ?? outcome.endReason;
    const runEnd = events.stamp({ type: "run-end", endReason, achievedMs });
    if (kept !== undefined) {
      await eventWriter?.end(runEnd);
      const { limits } = session.pool;
      // A session that only finds that all is done claims so, where the one before died before it could.
      const ran = table.recorded.includes(0) || earlier === undefined;
      const certificate = ran ? storedCertificate(certify(state, table, achievedMs), limits, startedAt) : earlier;
      const told = { ...certificate, next_seq: events.nextSeq };
      await kept.journal.endRun(runId, kept.owner, endReason, told);
    }
    events.tell(runEnd);
    await settleOutputs(session);
    const result = buildResult({
      runId,
      ...(running?.prepared ?? prepared),
      numbers: running?.numbers,
      state,
      table,
      ...outcome,
      usage: replanning === undefined ? outcome.usage : replanning.withUsage(outcome.usage),
      endReason,
      // Tasks of a plan within may have the same ids.
      subgraphOf: session.depth === 0 ? session.subgraphOf : new Map(),
      contentHash: (task) => session.desk.contentHash(task),
    });
    return { result: withRevisions(result, session, replanning), answersKnown: outcome.answersKnown };
  } finally {
    clearInterval(renewal);
    unwatch?.();
    silence?.();
    unfed?.();
    unwatched?.();
    feed?.end();
    unasked?.();
    uncancellable?.();
    unmarkable?.();
    if (session.depth === 0) session.admission.close();
  }
}

/** What is known now of every task of the run, by id. O(tasks) */
function liveTasksOf({ state, table, quotient }: Session, startedAt: number): ReadonlyMap<string, LiveTask> {
  const known = new Map<string, LiveTask>();
  for (const [number, { task_id }] of table.tasks.entries()) {
    const started = table.startedMs[number]!;
    const hasStarted = !Number.isNaN(started);
    const dispatched = table.dispatched.get(number);
    if (quotient !== undefined && dispatched !== undefined && state.state[number] === TaskState.RUNNING) {
      const { attempt, uid, startedAt: began } = dispatched;
      known.set(task_id, {
        state: TaskState.RUNNING,
        attempts: attempt,
        ...(uid !== undefined && { uid }),
        startedAt: began,
      });
      continue;
    }
    // In a subgraph that goes whole, a task whose turn has not come counts as one that may run.
    const isQueued = quotient !== undefined && !hasStarted && state.state[number] === TaskState.RUNNING;
    const uid = table.prepared[number]?.step.uid ?? table.uids[number];
    known.set(task_id, {
      state: isQueued ? TaskState.READY : state.state[number]!,
      attempts: hasStarted ? state.attempts[number]! : 0,
      ...(uid !== undefined && { uid }),
      ...(hasStarted && { startedAt: Math.floor(performance.timeOrigin + startedAt + started) }),
    });
  }
  return known;
}

function strayedIn(keeping: NestedKeeping | undefined, runId: string): ShellParts["strayed"] {
  return keeping && ((stray) => noteStray(keeping.journal, runId, stray));
}

function isTimeout(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === RuntimeErrorCode.JOURNAL_TIMEOUT;
}

/** How often a lease is given back that the journal could not be told of, every `leaseRenewalMs`. */
const maxGiveBacks = 120;

/**
 * Gives the lease back after the journal failed. This process takes the run over at once all the same; others wait until it is
 * written, since they see that this process lives.
 */
async function giveBack({ journal, owner }: Keeping, runId: string, left = maxGiveBacks): Promise<void> {
  try {
    await journal.endRun(runId, owner, "shut_down");
  } catch (error) {
    const lost = error instanceof RuntimeError && error.code === RuntimeErrorCode.LEASE_LOST;
    if (!lost && left > 0) setTimeout(() => void giveBack({ journal, owner }, runId, left - 1), leaseRenewalMs).unref();
  }
}

/** The run's options, with a signal for draining that also hears what is asked for from outside. */
function drainable({ options }: Session, signal: AbortSignal): Session["options"] {
  return { ...options, drain: anySignal(options.drain, signal) };
}

function withRevisions(result: RunResult, session: Session, replanning: Replanning | undefined): RunResult {
  const revisions = replanning?.revisions ?? session.revisions ?? [];
  const replaced = replanning?.replaced ?? [];
  if (revisions.length === 0) return result;
  return { ...result, replanned: true, revisions, ...(replaced.length > 0 && { replaced }) };
}

function makeReplanning(
  session: Session,
  plan: RunningPlan,
  events: EventSink,
  startedAt: number,
  kept: Parameters<typeof execute>[2],
): Replanning | undefined {
  const { replan, state, table, settings, desk, pool, runId, admission, ledger } = session;
  if (replan === undefined) return undefined;
  const calls = new ReplanCalls({
    admission,
    ledger,
    estimate: settings.bindEstimate,
    maxBytes: settings.maxOutputBytes,
    earlier: replan.earlierCalls,
  });
  return new Replanning({
    ...replan,
    runId,
    state,
    table,
    plan,
    desk,
    events,
    startedAt,
    calls,
    subgraphOf: session.subgraphOf,
    concurrency: settings.concurrency,
    budget: settings.budgets?.run,
    abortGraceMs: settings.abortGraceMs,
    groups: (tasks) => taskGroups(tasks, pool.limits, replan.registry),
    halts: (task) => isHalting(task, settings),
    keep: async (revision) => kept?.journal.addRevision(runId, revision, kept.owner),
  });
}

function outputOf({ state, table }: Session, task: number): { found: boolean; value?: unknown } {
  return state.state[task] === TaskState.COMPLETED ? { found: true, value: table.outputs.get(task) } : { found: false };
}

function atomicShell(session: Session, quotient: Quotient, parts: ShellParts): AtomicShell {
  const { dispatcher = inProcessDispatcher() } = session.options;
  const { plan } = session.prepared;
  return new AtomicShell({
    ...parts,
    plan,
    quotient,
    dispatcher,
    runHere: (...given) => runHere(session, ...given),
    async reportCalls(calls) {
      const { keeping } = session;
      if (keeping !== undefined) await keeping.journal.recordCalls(session.runId, keeping.owner, calls);
    },
    async reportNested(records) {
      const { keeping, nestedRecords } = session;
      if (keeping !== undefined) await keeping.journal.recordNested(session.runId, keeping.owner, records);
      for (const [key, record] of byNestedKey(records)) nestedRecords.set(key, record);
    },
  });
}

/** Runs one subgraph as a run of its own within the limits, budgets and guards of the whole. */
async function runHere(
  parent: Session,
  { plan, input }: DispatchRequest,
  { signal, onEvent }: Pick<DispatchContext, "signal" | "onEvent">,
  reports: ReportSink,
  halted: () => boolean,
): Promise<DispatchReply> {
  const prepared = preparePlan(plan);
  const session: Session = {
    ...parent,
    quotient: undefined,
    replan: undefined,
    revisions: undefined,
    firstSeq: undefined,
    prepared,
    ...makeState(prepared, parent.settings, parent.registry, new SerialLimits(parent.pool.limits), parent.desk.book, {
      hashOf: (taskId) => parent.desk.contentHash(parent.prepared.view.indexOf(taskId)),
    }),
    earlier: new Map(parent.earlier),
    reports,
    halted,
    options: { bind: parent.options.bind, onEvent },
    input,
    baseInput: parent.baseInput,
    depth: parent.depth + 1,
  };
  for (const [number, { task_id, status, output }] of prepared.plan.planned_tasks.entries()) {
    if (status === "completed") restore(session, number, output);
    const before = parent.table.usage.get(parent.prepared.view.indexOf(task_id));
    if (before !== undefined) session.table.usage.set(number, before);
  }
  const { usage } = (await execute(session, signal, undefined)).result;
  return { results: [], usage };
}

/** A run inside a task: in no journal of its own, heard as progress of the task, under the limits of the outermost run. */
async function runNested(
  parent: Session,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  { taskId, path, keyPrefix, signal, onProgress, addUsage, addWork, approved, isCovered }: NestedParent,
  executors: readonly Executor[] | undefined,
): Promise<NestedResult> {
  if (parent.depth >= maxNesting) {
    throw new RuntimeError(
      RuntimeErrorCode.INVALID_PLAN,
      `Expected workflows nested at most ${maxNesting} deep, got more.`,
      {
        details: { issues: [] },
      },
    );
  }
  const prepared = preparePlan(plan);
  const place = placeWithin(parent.place?.path ?? [], taskId, prepared.plan, input);
  const own = executors !== undefined;
  const known = own && executors.length > 0 ? overlay(parent.registry, registry(executors)) : parent.registry;
  const { bind, drain } = parent.options;
  const settings = nestedSettings(parent.settings, plan);
  const session: Session = {
    ...parent,
    settings,
    place,
    prepared,
    registry: known,
    ...makeState(prepared, settings, known, parent.pool.limits, parent.desk.book, { path, isCovered }),
    earlier: new Map(),
    approved,
    reports: undefined,
    // What runs may come to its end.
    halted: undefined,
    quotient: undefined,
    replan: undefined,
    revisions: undefined,
    firstSeq: undefined,
    options: { bind: own ? undefined : bind, drain, onEvent: (nested) => onProgress({ nested }) },
    input,
    baseInput: undefined,
    keyPrefix,
    outerTaskId: parent.outerTaskId ?? taskId,
    depth: parent.depth + 1,
  };
  // Whoever wrote the workflow gave the numbers in it.
  const given = plan.planned_tasks.map((task) => task.arguments);
  if (parent.callDesk === undefined) parent.admission.learn(given);
  else parent.callDesk.learn(given);
  if (session.nestedRecords.size > 0) restoreNested(session, place);
  const ended = await execute(session, signal, undefined);
  const { result } = ended;
  // An agent makes a nested run of every call; when a later one waits, those before must not be made again.
  if (own || result.end_reason === "waiting_approval") rememberEnded(session, place);
  addUsage(result.usage);
  addWork(session.table.slotMs.reduce((sum, ms) => sum + ms, 0));
  return ended;
}

function recordedBefore(
  { place, nestedRecords }: Session,
  outer: string,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  taskId: string,
): TaskRecord | undefined {
  if (nestedRecords.size === 0) return undefined;
  return nestedRecords.get(nestedKey(placeWithin(place?.path ?? [], outer, plan, input), taskId));
}

/** Tasks that were completed before, in the same plan with the same input, are not run again. */
function restoreNested(session: Session, place: NestedPlace): void {
  for (const [number, { task_id }] of session.table.tasks.entries()) {
    const record = session.nestedRecords.get(nestedKey(place, task_id));
    if (record?.usage !== undefined) session.table.usage.set(number, record.usage);
    if (record?.status === "completed") restore(session, number, record.output, record.uid);
    else if (record?.question !== undefined) session.earlier.set(task_id, record);
  }
}

const statusesKept: Readonly<Record<number, TaskRecord["status"]>> = {
  [TaskState.COMPLETED]: "completed",
  [TaskState.FAILED]: "failed",
  [TaskState.GATED]: "waiting_approval",
};

/** What a suspended task has done in its nested plans is known when it goes on. */
function rememberEnded({ state, table, nestedRecords }: Session, place: NestedPlace): void {
  for (const [number, { task_id }] of table.tasks.entries()) {
    const status = statusesKept[state.state[number]!];
    if (status === undefined || table.recorded[number] === 1) continue;
    nestedRecords.set(nestedKey(place, task_id), makeRecord(number, status, state, table, 0));
  }
}
