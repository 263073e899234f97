import type { PlannerTask } from "@planloom/plan";
import { Admission } from "../admission/admission.ts";
import type { CallDesk } from "../admission/call-permit.ts";
import { ConfirmPolicy } from "../confirm.ts";
import { advance } from "../core/advance.ts";
import type { Limits } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { type AbandonedCall, inProcessDispatcher } from "../dispatch/dispatcher.ts";
import { OpenLimits } from "../dispatch/open-limits.ts";
import { type Quotient, quotientOf } from "../dispatch/quotient.ts";
import type { ReportSink } from "../dispatch/report-writer.ts";
import { defaultJournalTimeoutMs } from "../edge/guard-journal.ts";
import { Pace } from "../edge/pace.ts";
import { type Registry, registry } from "../executors/registry.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import { invalid } from "../invalid-option.ts";
import type { AskedTask, StoredRun, TaskRecord } from "../journal/journal.ts";
import { makeLimits, resourceKeys, taskGroups } from "../make-limits.ts";
import type { NestedKeeping, NestedPlace } from "../nested-keeping.ts";
import { makeReplan, type SessionReplan } from "../replan/session-replan.ts";
import type { StoredRevision } from "../replan/stored-revision.ts";
import { type SubgraphMembers, subgraphMembers } from "../replan/subgraph-members.ts";
import { memoryCache, RunCache } from "../result-cache.ts";
import type { RunOptions, Settings } from "../run-options.ts";
import { OwnSecrets, type SecretDesk } from "../secrets/secret-desk.ts";
import { AnswerBook } from "../shell/answer-book.ts";
import { ApprovalDesk, type DeskOptions, type DeskPolicy } from "../shell/approval-desk.ts";
import { LimitPool } from "../shell/limit-pool.ts";
import type { PreparedPlan } from "../shell/prepare-plan.ts";
import { createTaskTable, type TaskTable } from "../shell/task-table.ts";
import { BegunCalls } from "./begun-calls.ts";
import type { CallLedger } from "./call-ledger.ts";
import { firstSeq } from "./first-seq.ts";

/** Everything one execution of a plan works with; nested runs and subgraphs have their own, with parts of the outer's. */
export interface Session {
  /** Where the outermost run is kept. */
  readonly keeping?: NestedKeeping | undefined;
  /** Of a subgraph's run: who is told what became of its tasks. */
  readonly reports?: ReportSink | undefined;
  /** Of a subgraph's run: says whether a failure elsewhere keeps anything more from starting. */
  readonly halted?: (() => boolean) | undefined;
  /** Of a worker's run: told of calls that ignore their signal. */
  readonly abandoned?: ((call: AbandonedCall) => void) | undefined;
  /** Where the right to make a call is asked for. @default `admission` and `pool` of this process */
  readonly callDesk?: CallDesk | undefined;
  /** Where model calls and what calls may use are kept. */
  readonly ledger?: CallLedger | undefined;
  /** Of a run within another. */
  readonly place?: NestedPlace | undefined;
  /** What is known of tasks of nested plans, by `nestedKey`: from earlier sessions, and of plans that are suspended. */
  readonly nestedRecords: Map<string, TaskRecord>;
  /** Tasks of this plan that people were asked about before, by id. */
  readonly earlier: Map<string, AskedTask>;
  /** The call that a person said yes to, of a plan that is executed within it: calls that differ are asked about. */
  readonly approved: ApprovedCall | undefined;
  /** Calls of earlier sessions of which nobody knows whether they were carried out; shared by a run and all that is nested in it. */
  readonly begun: BegunCalls;
  readonly runId: string;
  readonly prepared: PreparedPlan;
  readonly settings: Settings;
  readonly options: Pick<RunOptions, "bind" | "onEvent" | "dispatcher" | "drain">;
  /** Shared with nested runs, as the pool. */
  readonly pace: Pace | undefined;
  /** Subgraph of each task of the outermost plan; what a replan adds is added to it. */
  readonly subgraphOf: SubgraphMembers;
  /** Present when subgraphs are dispatched whole. */
  readonly quotient?: Quotient | undefined;
  readonly registry: Registry;
  readonly pool: LimitPool;
  readonly desk: ApprovalDesk;
  /** Shared with nested runs, as the pool. */
  readonly admission: Admission;
  readonly cache: RunCache | undefined;
  /** Absent where the run is given none. */
  readonly secrets: SecretDesk | undefined;
  readonly outerTaskId: string | undefined;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly input: unknown;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly keyPrefix: string;
  readonly depth: number;
  /** Of the outermost run, where a policy asks for it. */
  readonly replan?: SessionReplan | undefined;
  /** Number of the first event. @default 0 */
  readonly firstSeq?: number | undefined;
  /** Changes of the plan in earlier sessions. */
  readonly revisions?: readonly StoredRevision[] | undefined;
}

export function makeSession(
  runId: string,
  prepared: PreparedPlan,
  options: RunOptions,
  settings: Settings,
  input: unknown,
  baseInput: Readonly<Record<string, unknown>> | undefined,
  stored?: StoredRun,
): Session {
  const replan = makeReplan(prepared, options, settings, stored);
  const known = replan?.registry ?? registry(options.executors);
  const limits = makeLimits(settings, known);
  const { budgets, guards, maxRepeats } = settings;
  const shared = options.shared?.join(options.tenant, known, strayPatienceMs(settings));
  const asked = { budgets, guards, maxRepeats, rates: settings.limits.rates, shared };
  const begun = stored?.options.subgraphs ?? stored?.options.dispatch?.subgraphs ?? [];
  const subgraphOf = subgraphMembers([...begun, ...(options.subgraphs ?? [])], stored?.revisions);
  const admission = new Admission(asked, known, prepared.plan, subgraphOf);
  admission.learn(input);
  const quotient = options.semantics === "atomic" ? readQuotient(prepared, options, settings, known) : undefined;
  const book = new AnswerBook();
  const now = new Date().toISOString();
  for (const answer of settings.approval.answers) book.add({ answered_at: now, ...answer });
  return {
    quotient,
    replan,
    revisions: stored?.revisions,
    firstSeq: stored && firstSeq(stored),
    cache: makeCache(runId, options, known),
    secrets: options.secrets && new OwnSecrets(options.secrets, (id) => resourceKeys(id, known)),
    admission,
    subgraphOf,
    outerTaskId: undefined,
    runId,
    prepared,
    settings,
    options,
    pace: options.pace && new Pace(options.pace, settings.paceTimeoutMs),
    registry: known,
    pool: new LimitPool(limits, strayPatienceMs(settings)),
    ...makeState(prepared, settings, known, quotient === undefined ? limits : new OpenLimits(limits), book),
    nestedRecords: new Map(),
    earlier: new Map(),
    approved: undefined,
    begun: new BegunCalls(),
    input,
    baseInput,
    keyPrefix: runId,
    depth: 0,
  };
}

const leastPatienceMs = 10_000;

/**
 * How long a limit may be held by nothing but abandoned attempts: as long as an attempt may take and its grace, and never less than
 * ten seconds.
 */
function strayPatienceMs({ taskTimeoutMs, idleTimeoutMs, abortGraceMs }: Settings): number {
  const limitMs = Math.min(taskTimeoutMs, idleTimeoutMs);
  const patienceMs = (Number.isFinite(limitMs) ? limitMs : 60_000) + abortGraceMs;
  return Math.min(Math.max(patienceMs, leastPatienceMs), 2 ** 31 - 1);
}

function makeCache(
  runId: string,
  { cache, journal, journalTimeoutMs = defaultJournalTimeoutMs }: RunOptions,
  known: Registry,
): RunCache | undefined {
  if (cache === undefined) return undefined;
  const { resources, store = journal ?? memoryCache(), maxAgeMs = Number.POSITIVE_INFINITY } = cache;
  if (!Array.isArray(resources)) throw invalid("cache.resources", "a list of ids", resources);
  if (!(maxAgeMs >= 0)) throw invalid("cache.maxAgeMs", "a number of at least 0", maxAgeMs);
  const { timeoutMs = journalTimeoutMs } = cache;
  if (!(timeoutMs > 0)) throw invalid("cache.timeoutMs", "a number above 0", timeoutMs);
  const keys = new Set(resources.flatMap((id: string) => resourceKeys(id, known)));
  return new RunCache(keys, store, maxAgeMs, runId, timeoutMs);
}

/** The core's state of a plan, the shell's table and its gates. */
export function makeState(
  { plan, view }: PreparedPlan,
  settings: Settings,
  known: Registry,
  limits: Limits,
  book: AnswerBook,
  { path, hashOf, isCovered }: DeskOptions = {},
) {
  const tasks = plan.planned_tasks;
  const halts = new Uint8Array(view.n);
  for (let number = 0; number < view.n; number++) {
    if (isHalting(tasks[number]!, settings)) halts[number] = 1;
  }
  const { expiresAfterMs } = settings.approval;
  const desk = new ApprovalDesk(plan, deskPolicy(settings, known), book, { path, hashOf, isCovered, expiresAfterMs });
  const groups = taskGroups(tasks, limits, known);
  const state = createRunState(view, { limits, ...groups, halts });
  return { state, table: createTaskTable(tasks), desk };
}

/** Which calls people are asked about. */
export function deskPolicy({ approval, confirm }: Pick<Settings, "approval" | "confirm">, known: Registry): DeskPolicy {
  const keys = (ids: readonly string[]) => new Set(ids.flatMap((id) => resourceKeys(id, known)));
  return { resources: keys(approval.resources), confirm: new ConfirmPolicy(confirm, keys(approval.allow)) };
}

/** True where a failure of the task starts nothing more. Without a replanner, "replan" contains it. */
export function isHalting(task: PlannerTask, { onFailure }: Pick<Settings, "onFailure">): boolean {
  return (task.on_failure ?? onFailure) === "halt";
}

/** Takes over what earlier sessions recorded. @param replaced tasks that are no more in the plan: what they used still counts */
export function restoreRecorded(
  session: Session,
  records: readonly TaskRecord[],
  replaced: ReadonlyMap<string, PlannerTask>,
): void {
  const { view } = session.prepared;
  for (const record of records) {
    const number = view.indexOf(record.task_id);
    const gone = number === -1 ? replaced.get(record.task_id) : undefined;
    if (gone !== undefined) session.admission.restore(gone, record);
    if (number !== -1) {
      session.admission.restore(session.table.tasks[number]!, record);
      if (record.usage !== undefined) session.table.usage.set(number, record.usage);
    }
    if (number === -1) continue;
    if (record.status !== "completed") {
      if (record.question !== undefined) session.earlier.set(record.task_id, record);
    } else if (record.output_bytes !== undefined && record.output === undefined) {
      restoreStored(session, number, record.output_bytes, record.uid);
    } else restore(session, number, record.output, record.uid);
  }
  for (const [number, task] of session.prepared.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
}

/** Takes over the output of a task that was completed before. */
export function restore({ state, table, admission }: Session, number: number, output: unknown, uid?: string): void {
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.set(number, output ?? null);
  table.uids[number] = uid;
  admission.learn(output);
  advance(state, { type: "recorded", task: number });
}

/** As `restore`, with the output left where it is. */
function restoreStored({ state, table }: Session, number: number, bytes: number, uid: string | undefined): void {
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.setStored(number, bytes);
  table.uids[number] = uid;
  advance(state, { type: "recorded", task: number });
}

/** @throws RuntimeError INVALID_OPTION for a grouping that cannot be dispatched, or promises that its dispatcher cannot keep */
function readQuotient(prepared: PreparedPlan, options: RunOptions, settings: Settings, known: Registry): Quotient {
  const { subgraphs, dispatcher = inProcessDispatcher() } = options;
  if (subgraphs === undefined) throw invalid("subgraphs", "given where semantics is atomic", subgraphs);
  if (typeof settings.confirm === "function" && dispatcher.name !== inProcessDispatcher().name)
    throw invalid(
      "confirm",
      '"writes", "destructive" or "never" where other processes make the calls',
      settings.confirm,
    );
  if (dispatcher.governed !== true) {
    const { budgets, guards, limits, approval } = settings;
    const confirms = !deskPolicy(settings, known).confirm.letsAllThrough(known.resources);
    const kept = budgets || guards || limits.kinds.size + limits.resources.size + limits.rates.size > 0;
    const shared = kept || options.shared !== undefined;
    const gated =
      confirms || approval.resources.length > 0 || prepared.plan.planned_tasks.some((task) => task.approval);
    const expected =
      "one that is `governed` (asks before each call) where budgets, guards, gates or limits by kind, resource or rate are to hold";
    if (shared || gated) throw invalid("dispatcher", expected, dispatcher.name);
  }
  return quotientOf(prepared.view, subgraphs, options);
}
