import { hashValue } from "@planloom/plan";
import { elementWindow } from "../core/element-window.ts";
import { EventSink } from "../event-sink.ts";
import type { RunEvent } from "../events.ts";
import { elementTasks } from "../executors/element-tasks.ts";
import { overlay, registry } from "../executors/registry.ts";
import { elementHost } from "../hosts/element-host.ts";
import { type NestedPlace, nestedKey, placeWithin } from "../nested-keeping.ts";
import { isStopped } from "../stop-reason.ts";
import type { OpenRun, RunHost } from "../task-execution/run-host.ts";
import { RunShell } from "../task-execution/run-shell.ts";
import type { ElementRun, ElementsResult, ShellParts } from "../task-execution/shell-parts.ts";
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
  const { whole } = outer;
  const planned = outer.plan.table.tasks[run.task]!;
  const { items, signal } = run;
  const { settings, approvals } = outer.plan;
  const { concurrency = settings.concurrency, on_failure = "all" } = planned.for_each!;
  const { given, continues } = planned.for_each!;
  const contentHash = () =>
    given === undefined && continues === undefined
      ? approvals.contentHash(run.task)
      : hashWithoutGiven(approvals.plan, planned);
  const place: NestedPlace = {
    path: [...host.position.path, planned.task_id],
    scope: once(() => hashValue([contentHash(), items])),
  };
  if (continues !== undefined) takeOverElements(whole.nestedRecords, place, continues);
  const tasksOf =
    planned.for_each!.tasks && elementTasks(planned, outer.plan.runnable.plan, run.lookup, outer.plan.input);
  const store = new Elements(planned, run, place, whole.nestedRecords, tasksOf?.uid);
  const known =
    tasksOf === undefined ? outer.plan.registry : overlay(outer.plan.registry, registry([tasksOf.executor]));
  outer.plan.table.elements.set(run.task, store);
  const left = items.length - store.counts.completed;
  if (left === 0) return store.result("completed", [], 0, noUsage);
  const mayLose = on_failure === "all" ? 0 : on_failure === "collect" ? Number.POSITIVE_INFINITY : on_failure.first - 1;
  const numbers = Math.min(left, concurrency, Number.isFinite(concurrency) ? 10_000 : widestWindow);
  const window = elementWindow(items.length, numbers, { done: store.done, mayLose });
  const tasks = Array.from({ length: numbers }, () => store.template);
  const runnable = { plan: { ...outer.plan.runnable.plan, planned_tasks: tasks }, view: elementView(store, window) };
  const { prefix } = approvals;
  const session: Session = {
    whole,
    plan: {
      ...outer.plan,
      runnable,
      settings: { ...settings, onFailure: "continue" },
      registry: known,
      // No person is asked about an element itself, only about its tasks.
      bind: tasksOf === undefined ? outer.plan.bind : undefined,
      ...makeState(runnable, { ...settings, onFailure: "continue" }, known, whole.family.limits, approvals.answers, {
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
  // Tasks within an element are bound, and find resources, as those of the plan around it.
  const inner = { ...session, plan: { ...session.plan, bind: outer.plan.bind, registry: outer.plan.registry } };
  const startedAt = performance.now();
  const { state, table } = session.plan;
  store.attach(session, startedAt);
  const within = elementHost(host, place, planned.task_id);
  const onEvent = run.onProgress && ((event: RunEvent) => store.hear(event));
  const events = new EventSink(whole.runId, onEvent, startedAt);
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
  const parts: ShellParts = {
    ...whole,
    ...session.plan,
    host: within,
    lookup: run.lookup,
    elements: store,
    events,
    replanning: undefined,
    startedAt,
    makeWriter: (onError) => within.writer(open, onError),
    runNested: (...nested) => runNested(inner, within, execute, ...nested, tasksOf !== undefined),
    runElements: (elements) => runElements(session, within, execute, elements),
    recorded(inner, nested, input, taskId) {
      if (whole.nestedRecords.size === 0) return undefined;
      return whole.nestedRecords.get(nestedKey(placeWithin(within.position.path, inner, nested, input), taskId));
    },
  };
  const outcome = await new RunShell(parts).run(signal);
  if (outcome.fatal !== undefined) throw outcome.fatal;
  // Should the list be replaced, what its elements completed is not done again.
  if (outer.replan !== undefined) store.remember();
  const waits = outcome.endReason === "waiting_approval" || outcome.endReason === "waiting";
  const waiting = waits ? store.waiting() : [];
  const lostTooMany = state.window!.lost > mayLose;
  const endReason =
    isStopped(outcome.endReason) || waiting.length > 0 ? outcome.endReason : lostTooMany ? "failed" : "completed";
  return store.result(
    lostTooMany && !isStopped(endReason) ? "failed" : endReason,
    waiting,
    outcome.answersKnown,
    outcome.usage,
  );
}

const noUsage = { attempts: 0, input_tokens: 0, output_tokens: 0 };

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
