import type { Executor, SubGraph, TaskData } from "@planloom/plan";
import { listenForAnswers } from "../approvals.ts";
import { cancelRequest, listenForCancel } from "../cancel-run.ts";
import { TaskState } from "../core/task-state.ts";
import { AtomicShell } from "../dispatch/atomic-shell.ts";
import { type DispatchReply, type DispatchRequest, inProcessDispatcher } from "../dispatch/dispatcher.ts";
import { SerialLimits } from "../dispatch/open-limits.ts";
import type { Quotient } from "../dispatch/quotient.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { EventSink, type RunEvent } from "../events.ts";
import { overlay, registry } from "../executors/registry.ts";
import type { ApprovalAnswer, Journal, TaskRecord } from "../journal/journal.ts";
import { type LeaseOwner, leaseRenewalMs } from "../journal/lease.ts";
import { keepingWithin, type NestedKeeping, nestedKey, nestedStore } from "../nested-keeping.ts";
import type { RunResult } from "../run-result.ts";
import { buildResult } from "../shell/build-result.ts";
import { certify } from "../shell/certificate.ts";
import { EventWriter } from "../shell/event-writer.ts";
import { JournalWriter } from "../shell/journal-writer.ts";
import { makeLookup, preparePlan } from "../shell/prepare-plan.ts";
import { RunShell } from "../shell/run-shell.ts";
import type { NestedParent, ShellParts } from "../shell/shell-parts.ts";
import { storedCertificate } from "../shell/stored-certificate.ts";
import { makeState, restore, type Session } from "./session.ts";

/** Plans within plans within plans: a workflow that calls itself would never end. */
const maxNesting = 8;

/** Runs a session to its end. @param kept where the outermost run is kept, with its lease. */
export async function execute(
  session: Session,
  signal: AbortSignal | undefined,
  kept: { readonly journal: Journal; readonly owner: LeaseOwner } | undefined,
): Promise<RunResult> {
  const { runId, state, table, prepared, options } = session;
  const startedAt = performance.now();
  const eventWriter = kept && EventWriter.for(kept.journal, runId, kept.owner);
  const listener = eventWriter === undefined ? options.onEvent : eventWriter.before(options.onEvent);
  const events = new EventSink(runId, listener, () => performance.now() - startedAt);
  let recorded = 0;
  for (const flag of table.recorded) recorded += flag;
  events.emit({ type: "run-start", planId: prepared.plan.task_id, tasks: prepared.view.n, recorded });

  let renewal: NodeJS.Timeout | undefined;
  const hear = (answer: ApprovalAnswer) => shell.hear(answer);
  const silence = kept && listenForAnswers(kept.journal, runId, hear);
  const uncancellable = kept && listenForCancel(kept.journal, runId, () => shell.cancel(cancelRequest()));
  const keeping: NestedKeeping | undefined =
    kept === undefined
      ? session.keeping
      : { ...kept, path: [], scope: undefined, records: session.nestedRecords ?? new Map() };
  const parts: ShellParts = {
    runId,
    state,
    table,
    settings: session.settings,
    registry: session.registry,
    bind: options.bind,
    pace: options.pace,
    lookup: makeLookup(prepared, (task) => outputOf(session, task), session.input),
    baseInput: session.baseInput,
    runInput: session.input as Readonly<Record<string, unknown>>,
    events,
    pool: session.pool,
    desk: session.desk,
    admission: session.admission,
    cache: session.cache,
    outerTaskId: session.outerTaskId,
    keyPrefix: session.keyPrefix,
    startedAt,
    makeWriter(onError) {
      if (kept === undefined) {
        if (keeping?.scope === undefined) return undefined;
        return new JournalWriter(nestedStore(keeping), runId, keeping.owner, onError);
      }
      const { journal, owner } = kept;
      const renew = () => {
        const hearLease = ({ cancel }: { readonly cancel: boolean }) => {
          if (cancel) shell.cancel(cancelRequest());
        };
        journal.renewLease(runId, owner).then(hearLease, onError);
        // Another process may have stored an answer.
        if (state.gated > 0) journal.getAnswers(runId).then((answers) => answers.forEach(hear), onError);
      };
      renewal = setInterval(renew, leaseRenewalMs);
      return new JournalWriter(journal, runId, owner, onError);
    },
    drain: options.drain,
    runNested: (...nested) => runNested(session, keeping, ...nested),
    recorded: (outer, plan, input, taskId) => recordedBefore(keeping, outer, plan, input, taskId),
  };
  const shell: RunShell | AtomicShell =
    session.quotient === undefined
      ? new RunShell(parts)
      : atomicShell({ ...session, keeping }, session.quotient, parts);
  try {
    const outcome = await shell.run(signal);
    if (outcome.fatal !== undefined) {
      // Gives the lease back if the journal can still be written at all; else it runs out.
      await kept?.journal.endRun(runId, kept.owner, "cancelled").catch(() => {});
      throw outcome.fatal;
    }
    const { endReason, achievedMs } = outcome;
    const runEnd = events.stamp({ type: "run-end", endReason, achievedMs });
    if (kept !== undefined) {
      await eventWriter?.end(runEnd);
      const { limits } = session.pool;
      const certificate = storedCertificate(certify(state, table, achievedMs), limits, startedAt);
      await kept.journal.endRun(runId, kept.owner, endReason, certificate);
    }
    events.tell(runEnd);
    const subgraphs: readonly SubGraph[] | undefined = options.subgraphs;
    return buildResult({
      runId,
      plan: prepared.plan,
      state,
      table,
      ...outcome,
      subgraphs,
      contentHash: (task) => session.desk.contentHash(task),
    });
  } finally {
    clearInterval(renewal);
    silence?.();
    uncancellable?.();
    if (session.depth === 0) session.admission.close();
  }
}

function outputOf({ state, table }: Session, task: number): { found: boolean; value?: unknown } {
  return state.state[task] === TaskState.COMPLETED ? { found: true, value: table.outputs[task] } : { found: false };
}

function atomicShell(session: Session, quotient: Quotient, parts: ShellParts): AtomicShell {
  const { dispatcher = inProcessDispatcher() } = session.options;
  const { plan } = session.prepared;
  return new AtomicShell({
    ...parts,
    plan,
    quotient,
    dispatcher,
    runHere: (...request) => runHere(session, ...request),
  });
}

/** Runs one subgraph as a run of its own within the limits, budgets and guards of the whole. */
async function runHere(
  parent: Session,
  { plan, input }: DispatchRequest,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void,
): Promise<DispatchReply> {
  const prepared = preparePlan(plan);
  const session: Session = {
    ...parent,
    quotient: undefined,
    prepared,
    ...makeState(prepared, parent.settings, parent.registry, new SerialLimits(parent.pool.limits)),
    options: { bind: parent.options.bind, pace: parent.options.pace, onEvent },
    input,
    baseInput: parent.baseInput,
    depth: parent.depth + 1,
  };
  for (const [number, { task_id, status, output }] of prepared.plan.planned_tasks.entries()) {
    if (status === "completed") restore(session, number, output);
    const before = parent.table.usage.get(parent.prepared.view.indexOf(task_id));
    if (before !== undefined) session.table.usage.set(number, before);
  }
  const { results, usage } = await execute(session, signal, undefined);
  const used = [...session.table.usage].map(([number, amounts]) => [session.table.tasks[number]!.task_id, amounts]);
  return { results: results.filter(({ recorded }) => recorded !== true), usage, task_usage: Object.fromEntries(used) };
}

/** A run inside a task: in no journal of its own, heard as progress of the task, under the limits of the outermost run. */
async function runNested(
  parent: Session,
  outer: NestedKeeping | undefined,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  { taskId, path, keyPrefix, signal, onProgress, addUsage, addWork }: NestedParent,
  executors: readonly Executor[],
): Promise<RunResult> {
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
  const keeping = outer && keepingWithin(outer, taskId, prepared.plan, input);
  const own = executors.length > 0;
  const known = own ? overlay(parent.registry, registry(executors)) : parent.registry;
  const { bind, drain } = parent.options;
  const session: Session = {
    ...parent,
    keeping,
    prepared,
    registry: known,
    ...makeState(prepared, parent.settings, known, parent.pool.limits, { desk: parent.desk, path }),
    quotient: undefined,
    options: { bind: own ? undefined : bind, drain, onEvent: (nested) => onProgress({ nested }) },
    input,
    baseInput: undefined,
    keyPrefix,
    outerTaskId: parent.outerTaskId ?? taskId,
    depth: parent.depth + 1,
  };
  // Whoever wrote the workflow gave the numbers in it.
  parent.admission.learn(plan.planned_tasks.map((task) => task.arguments));
  if (keeping !== undefined && keeping.records.size > 0) restoreNested(session, keeping);
  const result = await execute(session, signal, undefined);
  addUsage(result.usage);
  addWork(session.table.slotMs.reduce((sum, ms) => sum + ms, 0));
  return result;
}

function recordedBefore(
  keeping: NestedKeeping | undefined,
  outer: string,
  plan: TaskData,
  input: Readonly<Record<string, unknown>>,
  taskId: string,
): TaskRecord | undefined {
  if (keeping === undefined || keeping.records.size === 0) return undefined;
  const { path, scope, records } = keepingWithin(keeping, outer, plan, input);
  return records.get(nestedKey(path, scope, taskId));
}

/** Tasks that an earlier session completed, in the same plan with the same input, are not run again. */
function restoreNested(session: Session, { path, scope, records }: NestedKeeping & { readonly scope: string }): void {
  for (const [number, { task_id }] of session.table.tasks.entries()) {
    const record = records.get(nestedKey(path, scope, task_id));
    if (record?.usage !== undefined) session.table.usage.set(number, record.usage);
    if (record?.status === "completed") restore(session, number, record.output, record.uid);
  }
}
