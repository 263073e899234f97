import { timerMs } from "@planloom/plan";
import { Admission } from "../admission/admission.ts";
import { AnswerStore } from "../approvals/answer-store.ts";
import { OpenLimits } from "../dispatch/open-limits.ts";
import { type Dispatcher, inProcessDispatcher } from "../dispatch/port/dispatcher.ts";
import { defaultJournalTimeoutMs } from "../edge/guard-journal.ts";
import { Pace } from "../edge/pace.ts";
import { type Registry, registry } from "../executors/registry.ts";
import { invalid } from "../invalid-option.ts";
import type { StoredRun } from "../journal/journal.ts";
import { makeLimits, resourceKeys } from "../make-limits.ts";
import type { DispatchPrediction } from "../ports/dispatch-prediction.ts";
import { readClaim } from "../ports/run-claim.ts";
import { dispatchesSubgraphs } from "../ports/run-semantics.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import { makeReplan, type SessionReplan } from "../replan/session-replan.ts";
import { subgraphMembers } from "../replan/subgraph-members.ts";
import { memoryCache, RunCache } from "../result-cache.ts";
import type { RunOptions, Settings } from "../run-settings.ts";
import { OwnSecrets, type SecretResolver } from "../secrets/secret-resolver.ts";
import { BegunCalls } from "../task-execution/begun-calls.ts";
import { FamilyLimits } from "../task-execution/family-limits.ts";
import type { PlanRun, WholeRun } from "../task-execution/plan-run.ts";
import type { RunnablePlan } from "../task-execution/runnable-plan.ts";
import { makeState } from "./make-state.ts";
import { type DispatchedPlan, readDispatch } from "./read-dispatch.ts";

/** Everything that one execution of a plan works with. What it has around it is in its host (`RunHost`). */
export interface Session {
  readonly whole: WholeRun;
  readonly plan: PlanRun;
  /** The grouped plan and its dispatcher; undefined where tasks start one by one. */
  readonly dispatch:
    | (DispatchedPlan & { readonly dispatcher: Dispatcher; readonly prediction: DispatchPrediction | undefined })
    | undefined;
  /** What changes the plan while it runs; undefined without a replan policy. */
  readonly replan: SessionReplan | undefined;
  /** Changes of the plan in earlier sessions. */
  readonly revisions: readonly StoredRevision[];
}

/** Makes the session of a run's own plan from its options. What runs within it, or in a worker, takes its parts from there. */
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
  const dispatched = dispatchesSubgraphs(options.semantics)
    ? readDispatch(runnable, options, settings, known)
    : undefined;
  const answers = new AnswerStore();
  const now = new Date().toISOString();
  for (const answer of settings.approval.answers) answers.add({ answered_at: now, ...answer });
  return {
    whole: {
      runId,
      pace: options.pace && new Pace(options.pace, settings.paceTimeoutMs),
      family: new FamilyLimits(limits, abandonedPatienceMs(settings), shared),
      admission,
      cache: makeCache(runId, options, known),
      nestedRecords: new Map(),
      lostTasks: new Set(),
      triesAgain: false,
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
    dispatch: dispatched && {
      ...dispatched,
      dispatcher: options.dispatcher ?? inProcessDispatcher(),
      prediction: options.prediction,
    },
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
  return timerMs(Math.max(patienceMs, leastPatienceMs));
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
