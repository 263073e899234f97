import { hashValue, type PlannerTask } from "@planloom/plan";
import { type ElementWindow, elementWindow } from "../core/element-window.ts";
import { aheadOf } from "../core/limits.ts";
import { EventSink } from "../event-sink.ts";
import type { RunEvent } from "../events.ts";
import { elementTasks } from "../executors/element-tasks.ts";
import { overlay, registry } from "../executors/registry.ts";
import { elementHost } from "../hosts/element-host.ts";
import { type NestedPlace, nestedKey, placeWithin, repeated } from "../nested-keeping.ts";
import type { Settings } from "../run-settings.ts";
import { isStopped } from "../stop-reason.ts";
import type { OpenRun, RunHost } from "../task-execution/run-host.ts";
import { RunShell } from "../task-execution/run-shell.ts";
import type { ElementRun, ElementsResult, ShellOutcome, ShellParts } from "../task-execution/shell-parts.ts";
import { hashWithoutGiven, takeOverElements } from "./continued-elements.ts";
import { elementView } from "./element-view.ts";
import { Elements } from "./elements.ts";
import { liveTasksOf } from "./live-tasks-of.ts";
import { makeState } from "./make-state.ts";
import { runNested } from "./run-nested.ts";
import type { Execute } from "./run-subgraph-here.ts";
import type { Session } from "./session.ts";

/** Most elements under way at once where neither the task nor the run says fewer. */
const widestWindow = 1_000;

/**
 * Executes a task for each element of a list, under the limits of the run. A few elements at a time are tasks of a core of their own
 * (`ElementWindow`); each is recorded when it ends, as `fetch[42]` in the place of the task `fetch`.
 * @throws what keeps the journal from taking records
 */
export async function runElements(
  outer: Session,
  host: RunHost,
  execute: Execute,
  run: ElementRun,
): Promise<ElementsResult> {
  const list = openList(outer, host, run);
  const { planned, store } = list;
  outer.plan.table.elements.set(run.task, store);
  const left = store.left;
  const mayLose = mostLost(planned);
  const lostTooMany = store.lost > mayLose;
  if (left === 0 || lostTooMany) return store.result(lostTooMany ? "failed" : "completed", [], 0, noUsage);
  const { width, ahead } = windowWidth(planned, outer, left);
  const numbers = width + ahead;
  const window = elementWindow(run.items.length, numbers, { done: store.done, mayLose, lost: store.lost, ahead });
  const session = elementSession(outer, run, list, window, numbers);
  const startedAt = performance.now();
  store.attach(session, startedAt);
  const within = elementHost(host, list.place, planned.task_id);
  const outcome = await new RunShell(elementParts(outer, session, within, execute, run, list, startedAt)).run(
    run.signal,
  );
  if (outcome.fatal !== undefined) throw outcome.fatal;
  // Should the list be replaced, what its elements completed is not done again.
  if (outer.replan !== undefined) store.remember();
  return elementsResult(outcome, store, session.plan.state.window!.lost > mayLose);
}

/** A list that is about to be executed. */
interface OpenList {
  readonly planned: PlannerTask;
  /** Where its elements are recorded. */
  readonly place: NestedPlace;
  /** The workflow of an element's own tasks, where it has some. */
  readonly tasksOf: ReturnType<typeof elementTasks> | undefined;
  /** What its elements have given; those that earlier sessions completed are in it. */
  readonly store: Elements;
}

function openList(outer: Session, host: RunHost, run: ElementRun): OpenList {
  const { table, approvals, runnable, input } = outer.plan;
  const { nestedRecords, lostTasks } = outer.whole;
  const planned = table.tasks[run.task]!;
  const { given, continues, tasks } = planned.for_each!;
  const contentHash = () =>
    given === undefined && continues === undefined
      ? approvals.contentHash(run.task)
      : hashWithoutGiven(approvals.plan, planned);
  const { path, repeats } = host.position;
  const place: NestedPlace = {
    path: [...path, planned.task_id],
    repeats,
    scope: once(() => hashValue([contentHash(), run.items, ...repeated(repeats)])),
  };
  if (continues !== undefined) takeOverElements(nestedRecords, place, continues);
  const tasksOf = tasks && elementTasks(planned, runnable.plan, run.lookup, input);
  const known = { records: nestedRecords, lost: lostTasks };
  return { planned, place, tasksOf, store: new Elements(planned, run, place, known, tasksOf?.uid) };
}

/** How many elements may be lost before the rest is not begun. */
function mostLost({ for_each }: PlannerTask): number {
  const { on_failure = "all" } = for_each!;
  if (on_failure === "all") return 0;
  return on_failure === "collect" ? Number.POSITIVE_INFINITY : on_failure.first - 1;
}

/** How many elements are under way at once, and how many more may be started ahead. @param left how many are not completed */
function windowWidth({ for_each }: PlannerTask, { plan, whole }: Session, left: number) {
  const { concurrency = plan.settings.concurrency } = for_each!;
  const width = Math.min(left, concurrency, Number.isFinite(concurrency) ? 10_000 : widestWindow);
  const mayBeAhead = whole.admission.shared !== undefined && for_each!.concurrency === undefined;
  return { width, ahead: mayBeAhead ? Math.min(left - width, aheadOf(width)) : 0 };
}

/** The session of the core whose tasks are the elements under way. */
function elementSession(
  outer: Session,
  run: ElementRun,
  { store, tasksOf }: OpenList,
  window: ElementWindow,
  numbers: number,
): Session {
  const { whole, plan } = outer;
  const { approvals } = plan;
  const tasks = Array.from({ length: numbers }, () => store.template);
  const runnable = { plan: { ...plan.runnable.plan, planned_tasks: tasks }, view: elementView(store, window) };
  const settings: Settings = { ...plan.settings, onFailure: "continue" };
  const known = tasksOf === undefined ? plan.registry : overlay(plan.registry, registry([tasksOf.executor]));
  const { prefix } = approvals;
  return {
    whole,
    plan: {
      ...plan,
      runnable,
      settings,
      registry: known,
      // No person is asked about an element itself, only about its tasks.
      bind: tasksOf === undefined ? plan.bind : undefined,
      ...makeState(runnable, settings, known, whole.family.limits, approvals.answers, {
        ...(prefix !== "" && { path: prefix.slice(0, -1) }),
        hashOf: () => approvals.contentHash(run.task),
        isCovered: approvals.isCovered,
        window,
      }),
      earlier: store.asked,
      subgraphOf: new Map(),
    },
    dispatch: undefined,
    replan: undefined,
    revisions: [],
  };
}

/** The parts of the shell around the core of the elements. */
function elementParts(
  outer: Session,
  session: Session,
  within: RunHost,
  execute: Execute,
  run: ElementRun,
  { store, tasksOf }: OpenList,
  startedAt: number,
): ShellParts {
  const { whole } = outer;
  const { approvals } = outer.plan;
  const { state, table, runnable } = session.plan;
  // Tasks within an element are bound, and find resources, as those of the plan around it.
  const inner = { ...session, plan: { ...session.plan, bind: outer.plan.bind, registry: outer.plan.registry } };
  const onEvent = run.onProgress && ((event: RunEvent) => store.hear(event));
  const open: OpenRun = {
    runnable,
    state,
    table,
    family: whole.family,
    answers: approvals.answers,
    startedAt,
    hashOf: () => approvals.contentHash(run.task),
    cancel: () => {},
    liveTasks: () => liveTasksOf(session, startedAt),
    mark: undefined,
  };
  return {
    ...whole,
    ...session.plan,
    host: within,
    lookup: run.lookup,
    elements: store,
    events: new EventSink(whole.runId, onEvent, startedAt),
    replanning: undefined,
    startedAt,
    makeWriter: (onError) => within.writer(open, onError),
    runNested: (...nested) => runNested(inner, within, execute, ...nested, tasksOf !== undefined),
    runElements: (elements) => runElements(session, within, execute, elements),
    recorded(task, nested, input, taskId, polls) {
      if (whole.nestedRecords.size === 0) return undefined;
      return whole.nestedRecords.get(nestedKey(placeWithin(within.position, task, nested(), input, polls), taskId));
    },
  };
}

/** What became of the list after its shell has ended. @param lostTooMany more elements were lost than the task allows */
function elementsResult(outcome: ShellOutcome, store: Elements, lostTooMany: boolean): ElementsResult {
  const { answersKnown, usage } = outcome;
  const waits = outcome.endReason === "waiting_approval" || outcome.endReason === "waiting";
  const waiting = waits ? store.waiting() : [];
  if (isStopped(outcome.endReason)) return store.result(outcome.endReason, waiting, answersKnown, usage);
  const unlessLost = waiting.length > 0 ? outcome.endReason : "completed";
  return store.result(lostTooMany ? "failed" : unlessLost, waiting, answersKnown, usage);
}

const noUsage = { attempts: 0, input_tokens: 0, output_tokens: 0 };

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
