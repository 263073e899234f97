import { newId, type SubGraph, type TaskData, type TaskDataInput } from "@planloom/plan";
import { Admission } from "./admission/admission.ts";
import { listenForAnswers } from "./approvals.ts";
import { cancelRequest, listenForCancel } from "./cancel-run.ts";
import { advance } from "./core/advance.ts";
import type { Limits } from "./core/limits.ts";
import { createRunState, type RunState } from "./core/run-state.ts";
import { TaskState } from "./core/task-state.ts";
import { AtomicShell } from "./dispatch/atomic-shell.ts";
import { type DispatchReply, type DispatchRequest, inProcessDispatcher } from "./dispatch/dispatcher.ts";
import { OpenLimits, SerialLimits } from "./dispatch/open-limits.ts";
import { type Quotient, quotientOf } from "./dispatch/quotient.ts";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { EventSink, type RunEvent } from "./events.ts";
import { type Registry, registry } from "./executors/registry.ts";
import { invalid } from "./invalid-option.ts";
import type { ApprovalAnswer, Journal, StoredRun, TaskRecord } from "./journal/journal.ts";
import { type LeaseOwner, leaseRenewalMs, processOwner } from "./journal/lease.ts";
import { JsonCopyError, jsonCopy } from "./json-copy.ts";
import { makeLimits, resourceKeys, taskGroups } from "./make-limits.ts";
import { byNestedKey, keepingWithin, type NestedKeeping, nestedKey, nestedStore } from "./nested-keeping.ts";
import { memoryCache, RunCache } from "./result-cache.ts";
import { type RunOptions, readSettings, type Settings } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";
import { ApprovalDesk } from "./shell/approval-desk.ts";
import { buildResult } from "./shell/build-result.ts";
import { certify } from "./shell/certificate.ts";
import { EventWriter } from "./shell/event-writer.ts";
import { JournalWriter } from "./shell/journal-writer.ts";
import { LimitPool } from "./shell/limit-pool.ts";
import { makeLookup, type PreparedPlan, preparePlan } from "./shell/prepare-plan.ts";
import { type NestedParent, RunShell, type ShellParts } from "./shell/run-shell.ts";
import { storedCertificate } from "./shell/stored-certificate.ts";
import { createTaskTable, type TaskTable } from "./shell/task-table.ts";
import { storedOptions, withStoredOptions } from "./stored-options.ts";

/** Plans within plans within plans: a workflow that calls itself would never end. */
const maxNesting = 8;

/**
 * Runs every task of `plan` once its dependencies are completed; tasks whose status is `completed` already are not run
 * again. Settles when no task is running any more.
 * @returns results in plan order, with why the run ended. A failing task never rejects the call.
 * @throws RuntimeError for invalid input (INVALID_PLAN, INVALID_OPTION, DUPLICATE_RESOURCE), or for a journal that cannot
 *   be written (JOURNAL_*, RUN_EXISTS, LEASE_LOST): nothing more is started then, and what runs is waited for.
 */
export async function run(plan: TaskDataInput, options: RunOptions): Promise<RunResult> {
  return runPlan(plan, options, {});
}

/** As `run`, with values under the arguments of every task. For `executeModule`. */
export async function runPlan(
  given: TaskDataInput,
  options: RunOptions,
  { baseInput }: { readonly baseInput?: Readonly<Record<string, unknown>> },
): Promise<RunResult> {
  const settings = readSettings(options);
  const prepared = preparePlan(given, options.variables);
  const input = readData("input", options.input ?? {});
  const runId = options.runId ?? newId();
  if (typeof runId !== "string" || runId === "") throw invalid("runId", "a text that is not empty", runId);
  const session = makeSession(runId, prepared, options, settings, input, baseInput);
  for (const [number, task] of prepared.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
  const { journal } = options;
  if (journal === undefined) return execute(session, options.signal, undefined);
  const now = new Date().toISOString();
  const stored: StoredRun = {
    run_id: runId,
    plan: prepared.plan,
    options: storedOptions(
      settings,
      prepared.plan.variables,
      input,
      options.metadata === undefined ? undefined : readData("metadata", options.metadata),
    ),
    status: "running",
    created_at: now,
    updated_at: now,
  };
  const owner = processOwner(newId());
  await journal.createRun(stored, owner);
  return execute(session, options.signal, { journal, owner });
}

export type ResumeOptions = Omit<RunOptions, "journal" | "runId" | "variables" | "input" | "metadata"> & {
  readonly journal: Journal;
};

/**
 * Goes on with a run from its journal, with the plan, variables and input it was begun with. Tasks that were completed are
 * not run again; failed and skipped ones are. Options given here override those the run was begun with.
 * @param runId the id, or a prefix that fits one run.
 * @throws RuntimeError RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_LEASED (another live process runs it), and as `run`.
 */
export async function resume(runId: string, options: ResumeOptions): Promise<RunResult> {
  const { journal } = options;
  const stored = await journal.getRun(runId);
  const merged = withStoredOptions(options, stored.options);
  const prepared = preparePlan(stored.plan, stored.options.variables);
  const session = makeSession(stored.run_id, prepared, merged, readSettings(merged), stored.options.input, undefined);
  const owner = processOwner(newId());
  const { tasks } = await journal.openRun(stored.run_id, owner);
  restoreRecorded(session, tasks);
  const nested = await journal.getNestedTasks(stored.run_id);
  for (const { path, record } of nested) session.admission.restoreNested(path[0]!, record);
  for (const answer of await journal.getAnswers(stored.run_id)) session.desk.add(answer);
  const nestedRecords = byNestedKey(nested);
  return execute({ ...session, nestedRecords }, options.signal, { journal, owner });
}

interface Session {
  /** Of earlier sessions; only of the outermost run. */
  readonly nestedRecords?: ReadonlyMap<string, TaskRecord>;
  /** Of a run within another. */
  readonly keeping?: NestedKeeping | undefined;
  readonly runId: string;
  readonly prepared: PreparedPlan;
  readonly settings: Settings;
  readonly options: Pick<RunOptions, "bind" | "onEvent" | "subgraphs" | "pace" | "dispatcher">;
  /** Present when subgraphs are dispatched whole. */
  readonly quotient?: Quotient | undefined;
  readonly registry: Registry;
  readonly pool: LimitPool;
  readonly desk: ApprovalDesk;
  /** Shared with nested runs, as the pool. */
  readonly admission: Admission;
  readonly cache: RunCache | undefined;
  readonly outerTaskId: string | undefined;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly input: unknown;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly keyPrefix: string;
  readonly depth: number;
}

function makeSession(
  runId: string,
  prepared: PreparedPlan,
  options: RunOptions,
  settings: Settings,
  input: unknown,
  baseInput: Readonly<Record<string, unknown>> | undefined,
): Session {
  const known = registry(options.executors);
  const limits = makeLimits(settings, known);
  const { budgets, guards, maxRepeats } = settings;
  const asked = { budgets, guards, maxRepeats, rates: settings.limits.rates };
  const admission = new Admission(asked, known, prepared.plan, options.subgraphs);
  admission.learn(input);
  const quotient = options.semantics === "atomic" ? readQuotient(prepared, options, settings) : undefined;
  return {
    quotient,
    cache: makeCache(options, known),
    admission,
    outerTaskId: undefined,
    runId,
    prepared,
    settings,
    options,
    registry: known,
    pool: new LimitPool(limits),
    ...makeState(prepared, settings, known, quotient === undefined ? limits : new OpenLimits(limits)),
    input,
    baseInput,
    keyPrefix: runId,
    depth: 0,
  };
}

function makeCache({ cache, journal }: RunOptions, known: Registry): RunCache | undefined {
  if (cache === undefined) return undefined;
  const { resources, store = journal ?? memoryCache(), maxAgeMs = Number.POSITIVE_INFINITY } = cache;
  if (!Array.isArray(resources)) throw invalid("cache.resources", "a list of ids", resources);
  if (!(maxAgeMs >= 0)) throw invalid("cache.maxAgeMs", "a number of at least 0", maxAgeMs);
  return new RunCache(new Set(resources.flatMap((id: string) => resourceKeys(id, known))), store, maxAgeMs);
}

function makeDesk({ plan }: PreparedPlan, { approval }: Settings, known: Registry): ApprovalDesk {
  const answers = approval.answers.map((answer): ApprovalAnswer => ({ ...answer, answered_at: "" }));
  return new ApprovalDesk(plan, new Set(approval.resources.flatMap((id) => resourceKeys(id, known))), answers);
}

function makeState({ plan, view }: PreparedPlan, settings: Settings, known: Registry, limits: Limits) {
  const tasks = plan.planned_tasks;
  const halts = new Uint8Array(view.n);
  for (let number = 0; number < view.n; number++) {
    // "replan" is offered by whoever wires it; without it a failure is contained.
    const policy = tasks[number]!.on_failure ?? settings.onFailure;
    if (policy === "halt") halts[number] = 1;
  }
  const desk = makeDesk({ plan, view }, settings, known);
  const gates = desk.gates(known);
  const groups = taskGroups(tasks, limits, known);
  const state = createRunState(view, { limits, ...groups, halts, ...(gates !== undefined && { gates }) });
  return { state, table: createTaskTable(tasks), desk };
}

function restoreRecorded(session: Session, records: readonly TaskRecord[]): void {
  const { view } = session.prepared;
  for (const record of records) {
    const number = view.indexOf(record.task_id);
    if (number !== -1) {
      session.admission.restore(session.table.tasks[number]!, record);
      if (record.usage !== undefined) session.table.usage.set(number, record.usage);
    }
    if (number !== -1 && record.status === "completed") restore(session, number, record.output, record.uid);
  }
  for (const [number, task] of session.prepared.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
}

function restore({ state, table, admission }: Session, number: number, output: unknown, uid?: string): void {
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs[number] = output ?? null;
  table.uids[number] = uid;
  admission.learn(output);
  advance(state, { type: "recorded", task: number });
}

async function execute(
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
    runNested: (plan, input, parent) => runNested(session, keeping, plan, input, parent),
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

/** @throws RuntimeError INVALID_OPTION for a grouping that cannot be dispatched, or promises that its dispatcher cannot keep */
function readQuotient(prepared: PreparedPlan, options: RunOptions, settings: Settings): Quotient {
  const { subgraphs, dispatcher = inProcessDispatcher() } = options;
  if (subgraphs === undefined) throw invalid("subgraphs", "given where semantics is atomic", subgraphs);
  const gated = settings.approval.resources.length > 0 || prepared.plan.planned_tasks.some((task) => task.approval);
  if (gated) throw invalid("semantics", '"streaming" for a plan with approval gates', "atomic");
  const { budgets, guards, limits } = settings;
  const shared = budgets || guards || limits.kinds.size + limits.resources.size + limits.rates.size > 0;
  if (shared && dispatcher.inProcess !== true) {
    const expected =
      "the in-process one where budgets, guards or limits by kind, resource or rate are to hold for all subgraphs";
    throw invalid("dispatcher", expected, dispatcher.name);
  }
  return quotientOf(prepared.view, subgraphs, options);
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
  { taskId, keyPrefix, signal, onProgress, addUsage, addWork }: NestedParent,
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
  const session: Session = {
    ...parent,
    keeping,
    prepared,
    ...makeState(prepared, parent.settings, parent.registry, parent.pool.limits),
    quotient: undefined,
    options: { bind: parent.options.bind, onEvent: (nested) => onProgress({ nested }) },
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

/** Tasks that an earlier session completed, in the same plan with the same input, are not run again. */
function restoreNested(session: Session, { path, scope, records }: NestedKeeping & { readonly scope: string }): void {
  for (const [number, { task_id }] of session.table.tasks.entries()) {
    const record = records.get(nestedKey(path, scope, task_id));
    if (record?.usage !== undefined) session.table.usage.set(number, record.usage);
    if (record?.status === "completed") restore(session, number, record.output, record.uid);
  }
}

type PlainData = Readonly<Record<string, unknown>>;

/** A copy of the caller's data as JSON. @throws RuntimeError INVALID_OPTION naming `option` */
function readData(option: "input" | "metadata", data: PlainData): PlainData {
  try {
    return jsonCopy(data, { maxBytes: Number.POSITIVE_INFINITY }).value as PlainData;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, `Expected \`${option}\` to be JSON: ${error.message}`, {
      details: { option },
      cause: error,
    });
  }
}
