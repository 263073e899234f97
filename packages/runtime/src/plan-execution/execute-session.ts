import { notedIssues } from "@planloom/plan";
import { TaskState } from "../core/task-state.ts";
import { AtomicShell } from "../dispatch/atomic-shell.ts";
import { EventSink } from "../event-sink.ts";
import { taskGroups } from "../make-limits.ts";
import { addressOf, nestedKey, placeWithin } from "../nested-keeping.ts";
import { ReplanCalls } from "../replan/replan-calls.ts";
import { Replanning } from "../replan/replanning.ts";
import { RunningPlan } from "../replan/running-plan.ts";
import type { RunResult } from "../run-result.ts";
import { buildResult } from "../task-execution/build-result.ts";
import type { PlanRun } from "../task-execution/plan-run.ts";
import type { OpenRun, RunHost } from "../task-execution/run-host.ts";
import { RunShell } from "../task-execution/run-shell.ts";
import { makeLookup } from "../task-execution/runnable-plan.ts";
import type { NestedResult, ShellParts } from "../task-execution/shell-parts.ts";
import { settleOutputs } from "./large-outputs.ts";
import { liveTasksOf } from "./live-tasks-of.ts";
import { isHalting } from "./make-state.ts";
import { runElements } from "./run-elements.ts";
import { runNested } from "./run-nested.ts";
import { runSubgraphHere } from "./run-subgraph-here.ts";
import type { Session } from "./session.ts";

/**
 * Executes a plan until nothing of it runs any more: makes the shell, lets the host keep what happens, and puts the result together. The
 * run's own plan, nested plans and subgraphs all come through here, each with its own host. @throws what keeps the host from keeping the run
 */
export async function execute(session: Session, host: RunHost, signal: AbortSignal | undefined): Promise<NestedResult> {
  const { whole, plan, dispatch } = session;
  const { runId, family } = whole;
  const { state, table, runnable, approvals } = plan;
  const startedAt = performance.now();
  const { onEvent, firstSeq, feed } = host;
  const events = new EventSink(runId, onEvent, startedAt, { firstSeq, feed });
  let recorded = 0;
  for (const flag of table.recorded) recorded += flag;
  const begunIn = whole.begunIn === undefined ? {} : { begunIn: whole.begunIn };
  const noted = notedIssues(runnable.plan);
  const planIssues = noted.length === 0 ? {} : { planIssues: noted };
  const { task_id: planId } = runnable.plan;
  events.emit({ type: "run-start", planId, tasks: runnable.view.n, recorded, ...planIssues, ...begunIn });

  const running = session.replan && new RunningPlan(runnable, state, table, plan.input);
  const replanning = running && makeReplanning(session, host, running, events, startedAt);
  const open: OpenRun = {
    runnable,
    state,
    table,
    family,
    answers: approvals.answers,
    startedAt,
    hashOf: (taskId) => approvals.contentHash(runnable.view.indexOf(taskId)),
    cancel: (reason) => shell.cancel(reason),
    liveTasks: () => liveTasksOf(session, startedAt),
    mark: replanning && ((ids, note) => replanning.mark(ids, note)),
  };
  host.open(open);
  const parts: ShellParts = {
    ...whole,
    ...plan,
    host,
    lookup: running?.lookup ?? makeLookup(runnable, (task) => outputOf(plan, task), plan.input),
    elements: undefined,
    events,
    replanning,
    startedAt,
    makeWriter: (onError) => host.writer(open, onError),
    runNested: (...nested) => runNested(session, host, execute, ...nested),
    runElements: (elements) => runElements(session, host, execute, elements),
    recorded(outer, nested, input, taskId, polls) {
      if (whole.nestedRecords.size === 0) return undefined;
      const place = placeWithin(host.position, outer, nested(), input, polls);
      return whole.nestedRecords.get(nestedKey(place, taskId));
    },
  };
  const shell: RunShell | AtomicShell =
    dispatch === undefined
      ? new RunShell(parts)
      : new AtomicShell({
          ...parts,
          plan: runnable.plan,
          ...dispatch,
          runHere: (...given) => runSubgraphHere(session, host, execute, ...given),
        });
  try {
    const outcome = await shell.run(signal);
    const unkept = await host.settle();
    // The last write may have failed when no task ran any more.
    const fatal = outcome.fatal ?? unkept?.error;
    if (fatal !== undefined) {
      await host.giveUp(fatal);
      throw fatal;
    }
    const { achievedMs } = outcome;
    const endReason = replanning?.endReason(outcome.endReason) ?? outcome.endReason;
    const event = events.stamp({ type: "run-end", endReason, achievedMs });
    await host.end(open, { endReason, achievedMs, event, nextSeq: events.nextSeq });
    events.deliver(event);
    await settleOutputs(plan);
    const result = buildResult({
      runId,
      ...(running?.runnable ?? runnable),
      numbers: running?.numbers,
      state,
      table,
      ...outcome,
      usage: replanning === undefined ? outcome.usage : replanning.withUsage(outcome.usage),
      endReason,
      subgraphOf: plan.subgraphOf,
      contentHash: (task) => approvals.contentHash(task),
    });
    const predicted = dispatch?.prediction === undefined ? result : { ...result, prediction: dispatch.prediction };
    return { result: withRevisions(predicted, session, replanning), answersKnown: outcome.answersKnown };
  } finally {
    host.close();
  }
}

function withRevisions(result: RunResult, session: Session, replanning: Replanning | undefined): RunResult {
  const revisions = replanning?.revisions ?? session.revisions;
  const replaced = replanning?.replaced ?? [];
  if (revisions.length === 0) return result;
  return { ...result, replanned: true, revisions, ...(replaced.length > 0 && { replaced }) };
}

function makeReplanning(
  { whole, plan, replan }: Session,
  host: RunHost,
  running: RunningPlan,
  events: EventSink,
  startedAt: number,
): Replanning | undefined {
  if (replan === undefined) return undefined;
  const { state, table, settings, approvals, subgraphOf } = plan;
  const { family, runId, admission } = whole;
  const calls = new ReplanCalls({
    admission,
    callRecorder: host.callRecorder,
    estimate: settings.bindEstimate,
    maxBytes: settings.maxOutputBytes,
    earlier: replan.earlierCalls,
  });
  return new Replanning({
    ...replan,
    runId,
    state,
    table,
    plan: running,
    approvals,
    events,
    startedAt,
    calls,
    subgraphOf,
    inDoubt: (listId) => whole.begun.within(new Set([listId])).map(({ path, task_id }) => addressOf(path, task_id)),
    concurrency: settings.concurrency,
    budget: settings.budgets?.run,
    abortGraceMs: settings.abortGraceMs,
    groups: (tasks) => taskGroups(tasks, family.limits, replan.registry),
    halts: (task) => isHalting(task, settings),
    keep: (revision) => host.keepRevision(revision),
    keptNested: () => host.keptNested(),
  });
}

function outputOf({ state, table }: PlanRun, task: number): { found: boolean; value?: unknown } {
  return state.state[task] === TaskState.COMPLETED ? { found: true, value: table.outputs.get(task) } : { found: false };
}
