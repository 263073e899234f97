import { type PlannerTask, withInnerTasks } from "@planloom/plan";
import { Admission } from "../admission/admission.ts";
import { AnswerStore } from "../approvals/answer-store.ts";
import { type ApprovalPolicy, PlanApprovals, type PlanApprovalsOptions } from "../approvals/plan-approvals.ts";
import { ConfirmPolicy } from "../confirm.ts";
import { advance } from "../core/advance.ts";
import type { ElementWindow } from "../core/element-window.ts";
import type { Limits } from "../core/limits.ts";
import { createRunState } from "../core/run-state.ts";
import { OpenLimits } from "../dispatch/open-limits.ts";
import { type Dispatcher, inProcessDispatcher } from "../dispatch/port/dispatcher.ts";
import { type Quotient, quotientOf } from "../dispatch/quotient.ts";
import { type AdaptivePlan, MOST_ADAPTIVE_TASKS, readAdaptive } from "../dispatch/read-adaptive.ts";
import { defaultJournalTimeoutMs } from "../edge/guard-journal.ts";
import { Pace } from "../edge/pace.ts";
import { type Registry, registry } from "../executors/registry.ts";
import { invalid } from "../invalid-option.ts";
import type { StoredRun, TaskRecord } from "../journal/journal.ts";
import { makeLimits, resourceKeys, taskGroups } from "../make-limits.ts";
import { readClaim } from "../ports/run-claim.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import { makeReplan, type SessionReplan } from "../replan/session-replan.ts";
import { subgraphMembers } from "../replan/subgraph-members.ts";
import { memoryCache, RunCache } from "../result-cache.ts";
import type { RunOptions, Settings } from "../run-settings.ts";
import { OwnSecrets, type SecretResolver } from "../secrets/secret-resolver.ts";
import { BegunCalls } from "../task-execution/begun-calls.ts";
import { FamilyLimits } from "../task-execution/family-limits.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import type { PlanRun, WholeRun } from "../task-execution/plan-run.ts";
import type { RunnablePlan } from "../task-execution/runnable-plan.ts";
import { createTaskTable } from "../task-execution/task-table.ts";

/** Everything that one execution of a plan works with. What it has around it is in its host (`RunHost`). */
export interface Session {
  readonly whole: WholeRun;
  readonly plan: PlanRun;
  /** The quotient and the dispatcher; undefined where tasks start one by one. */
  readonly dispatch:
    | {
        readonly quotient: Quotient;
        readonly dispatcher: Dispatcher;
        /** Undefined where subgraphs are dispatched as they are given. */
        readonly adaptive: AdaptivePlan | undefined;
      }
    | undefined;
  /** What changes the plan while it runs; undefined without a replan policy. */
  readonly replan: SessionReplan | undefined;
  /** Changes of the plan in earlier sessions. */
  readonly revisions: readonly StoredRevision[];
}

export function makeSession(
  runId: string,
  runnable: RunnablePlan,
  options: RunOptions,
  settings: Settings,
  input: PlanRun["input"],
  baseInput: PlanRun["baseInput"],
  stored?: StoredRun,
): Session {
  const replan = makeReplan(runnable, options, settings, stored);
  const known = replan?.registry ?? registry(options.executors);
  const limits = makeLimits(settings, known);
  const { budgets, guards, maxRepeats } = settings;
  const shared = options.shared?.join(options.tenant, known, abandonedPatienceMs(settings), readClaim(options));
  const asked = { budgets, guards, maxRepeats, rates: settings.limits.rates, shared };
  const begun = stored?.options.subgraphs ?? stored?.options.dispatch?.subgraphs ?? [];
  const subgraphOf = subgraphMembers([...begun, ...(options.subgraphs ?? [])], stored?.revisions);
  const admission = new Admission(asked, known, runnable.plan, subgraphOf);
  admission.learn(input);
  const dispatched = options.semantics === "atomic" ? readDispatch(runnable, options, settings, known) : undefined;
  const answers = new AnswerStore();
  const now = new Date().toISOString();
  for (const answer of settings.approval.answers) answers.add({ answered_at: now, ...answer });
  return {
    whole: {
      runId,
      pace: options.pace && new Pace(options.pace, settings.paceTimeoutMs),
      family: new FamilyLimits(limits, abandonedPatienceMs(settings)),
      admission,
      cache: makeCache(runId, options, known),
      nestedRecords: new Map(),
      begun: new BegunCalls(),
      begunIn: stored?.options.trace,
    },
    plan: {
      runnable,
      settings,
      registry: known,
      bind: options.bind,
      input,
      baseInput,
      ...makeState(runnable, settings, known, dispatched === undefined ? limits : new OpenLimits(limits), answers),
      earlier: new Map(),
      approved: undefined,
      subgraphOf,
    },
    dispatch: dispatched && { ...dispatched, dispatcher: options.dispatcher ?? inProcessDispatcher() },
    replan,
    revisions: stored?.revisions ?? [],
  };
}

/** The secrets that a run is given. */
export function ownSecrets(
  { plan: { registry: known } }: Session,
  { secrets }: RunOptions,
): SecretResolver | undefined {
  return secrets && new OwnSecrets(secrets, (id) => resourceKeys(id, known));
}

const leastPatienceMs = 10_000;

/**
 * How long a limit may be held by nothing but abandoned attempts: as long as an attempt may take and its grace, and never less than
 * ten seconds.
 */
function abandonedPatienceMs({ taskTimeoutMs, idleTimeoutMs, abortGraceMs }: Settings): number {
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
  { plan, view }: RunnablePlan,
  settings: Settings,
  known: Registry,
  limits: Limits,
  answers: AnswerStore,
  { path, hashOf, isCovered, window }: PlanApprovalsOptions & { readonly window?: ElementWindow | undefined } = {},
) {
  const tasks = plan.planned_tasks;
  const halts = new Uint8Array(view.n);
  for (let number = 0; number < view.n; number++) {
    if (isHalting(tasks[number]!, settings)) halts[number] = 1;
  }
  const { expiresAfterMs } = settings.approval;
  const approvals = new PlanApprovals(plan, approvalPolicy(settings, known), answers, {
    path,
    hashOf,
    isCovered,
    expiresAfterMs,
  });
  const groups = taskGroups(tasks, limits, known);
  const joins = joinRules(tasks);
  // Stage 2 may write the group of the resource that it chose for an element.
  const own = window && { ...window, groups: groups.resourceGroup.slice() };
  const state = createRunState(view, { limits, ...groups, halts, joins, window: own });
  return { state, table: createTaskTable(tasks), approvals };
}

/** The policy that says which calls people are asked about. */
export function approvalPolicy(
  { approval, confirm }: Pick<Settings, "approval" | "confirm">,
  known: Registry,
): ApprovalPolicy {
  const keys = (ids: readonly string[]) => new Set(ids.flatMap((id) => resourceKeys(id, known)));
  return { resources: keys(approval.resources), confirm: new ConfirmPolicy(confirm, keys(approval.allow)) };
}

/** True where nothing more starts after a failure of the task. Without a replanner, "replan" is like "continue". */
export function isHalting(task: PlannerTask, { onFailure }: Pick<Settings, "onFailure">): boolean {
  return (task.on_failure ?? onFailure) === "halt";
}

/** Takes over what earlier sessions recorded. @param replaced tasks that are no longer in the plan; their usage still counts */
export function restoreRecorded(
  session: Session,
  records: readonly TaskRecord[],
  replaced: ReadonlyMap<string, PlannerTask>,
): void {
  const { runnable, table, earlier } = session.plan;
  const { admission } = session.whole;
  for (const record of records) {
    const number = runnable.view.indexOf(record.task_id);
    const gone = number === -1 ? replaced.get(record.task_id) : undefined;
    if (gone !== undefined) admission.restore(gone, record);
    if (number !== -1) {
      admission.restore(table.tasks[number]!, record);
      if (record.usage !== undefined) table.usage.set(number, record.usage);
    }
    if (number === -1) continue;
    if (record.status !== "completed") {
      if (record.question !== undefined) earlier.set(record.task_id, record);
    } else if (record.output_bytes !== undefined && record.output === undefined) {
      restoreStored(session, number, record.output_bytes, record.uid);
    } else restore(session, number, record.output, record.uid);
  }
  for (const [number, task] of runnable.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
}

/** Takes over the output of a task that was completed before. */
export function restore({ plan, whole }: Session, number: number, output: unknown, uid?: string): void {
  const { state, table } = plan;
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.set(number, output ?? null);
  table.uids[number] = uid;
  whole.admission.learn(output);
  advance(state, { type: "recorded", task: number });
}

/** As `restore`, with the output left where it is. */
function restoreStored({ plan }: Session, number: number, bytes: number, uid: string | undefined): void {
  const { state, table } = plan;
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.setStored(number, bytes);
  table.uids[number] = uid;
  advance(state, { type: "recorded", task: number });
}

/** @throws RuntimeError INVALID_OPTION for a grouping that cannot be dispatched, or promises that its dispatcher cannot keep */
function readDispatch(
  runnable: RunnablePlan,
  options: RunOptions,
  settings: Settings,
  known: Registry,
): Pick<NonNullable<Session["dispatch"]>, "quotient" | "adaptive"> {
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
    const confirms = !approvalPolicy(settings, known).confirm.letsAllThrough(known.resources);
    const kept = budgets || guards || limits.kinds.size + limits.resources.size + limits.rates.size > 0;
    const shared = kept || options.shared !== undefined;
    const gated =
      confirms ||
      approval.resources.length > 0 ||
      withInnerTasks(runnable.plan.planned_tasks).some((task) => task.approval);
    const expected =
      "one that is `governed` (asks before each call) where budgets, guards, gates or limits by kind, resource or rate are to hold";
    if (shared || gated) throw invalid("dispatcher", expected, dispatcher.name);
  }
  const { adaptiveDispatch = false, dispatchOverheadMs = 0 } = options;
  if (adaptiveDispatch === false)
    return { quotient: quotientOf(runnable.view, subgraphs, options), adaptive: undefined };
  const adaptive = readAdaptive(runnable.view, adaptiveDispatch === true ? {} : adaptiveDispatch, dispatchOverheadMs);
  const quotient = quotientOf(adaptive.view, subgraphs, options);
  return { quotient, adaptive: runnable.view.n > MOST_ADAPTIVE_TASKS ? undefined : adaptive };
}
