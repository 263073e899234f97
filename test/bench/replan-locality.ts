import { applyPatch, draftPatch, type PlanView, planHashes, TaskData } from "@planloom/plan";
import { generateWorkload, generatorNames, loadWorkloads, type Workload } from "../../packages/bench/src/index.ts";
import { advance } from "../../packages/runtime/src/core/advance.ts";
import type { Command } from "../../packages/runtime/src/core/core-event.ts";
import { Limits } from "../../packages/runtime/src/core/limits.ts";
import { createRunState, type RunState } from "../../packages/runtime/src/core/run-state.ts";
import { simulateAttempts } from "../../packages/runtime/src/core/simulate.ts";
import { TaskState } from "../../packages/runtime/src/core/task-state.ts";
import { registry } from "../../packages/runtime/src/executors/registry.ts";
import { taskGroups } from "../../packages/runtime/src/make-limits.ts";
import { RunningPlan } from "../../packages/runtime/src/replan/running-plan.ts";
import { runnablePlan } from "../../packages/runtime/src/task-execution/runnable-plan.ts";
import { createTaskTable, growTaskTable } from "../../packages/runtime/src/task-execution/task-table.ts";
import { mulberry32 } from "../support/layered-dag.ts";

export interface LocalityRow {
  readonly set: string;
  readonly runs: number;
  /** 95th percentiles of the work planned anew, as a share of the plan's work. */
  readonly localP95: number;
  readonly wholeP95: number;
  /** 95th percentile and mean of the makespan over that of a run, scheduled alike, in which the task simply took so much longer. */
  readonly costP95: number;
  readonly costMean: number;
  /** Makespan of replanning all that is left, over that of the local replan; mean. */
  readonly wholeOverLocal: number;
  readonly tasksOutside: number;
  readonly changedOutside: number;
}

const concurrency = 8;

/**
 * One task of a plan fails at a random moment of its work; after a time as long as a mean task (a model's answer) another one
 * stands in its place. In virtual time, by the runtime's own core: the local replan against planning anew all that is not
 * completed, where what runs is stopped and nothing starts before the answer.
 */
export async function measureLocality(folder: string | undefined, seeds: number): Promise<LocalityRow[]> {
  const sets = new Map<string, Workload[]>();
  const generated = generatorNames.flatMap((name) => [60, 300].map((size) => generateWorkload(name, size, size)));
  sets.set("generated, 60 and 300 tasks", generated);
  const read = folder === undefined ? [] : (await loadWorkloads(folder)).workloads;
  sets.set(
    "workflows, 20 tasks and more",
    read.filter(({ view }) => view.n >= 20 && view.n <= 2_000),
  );
  sets.set("plans of models, 4 to 19 tasks", read.filter(({ view }) => view.n >= 4 && view.n < 20).slice(0, 400));
  return [...sets].flatMap(([set, workloads]) => (workloads.length === 0 ? [] : [measureSet(set, workloads, seeds)]));
}

function measureSet(set: string, workloads: readonly Workload[], seeds: number): LocalityRow {
  const runs = workloads.flatMap(({ view }, at) =>
    Array.from({ length: seeds }, (_, seed) => measureRun(view, 1 + at * 1_000 + seed)),
  );
  const of = (read: (run: Run) => number) => runs.map(read).sort((a, b) => a - b);
  const p95 = (values: readonly number[]) => values[Math.min(values.length - 1, Math.floor(values.length * 0.95))]!;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const cost = of(({ localMs, knownMs }) => localMs / knownMs - 1);
  return {
    set,
    runs: runs.length,
    localP95: p95(of(({ localWork }) => localWork)),
    wholeP95: p95(of(({ wholeWork }) => wholeWork)),
    costP95: p95(cost),
    costMean: mean(cost),
    wholeOverLocal: mean(of(({ wholeMs, localMs }) => wholeMs / localMs)),
    tasksOutside: runs.reduce((sum, { outside }) => sum + outside, 0),
    changedOutside: runs.reduce((sum, { changed }) => sum + changed, 0),
  };
}

interface Run {
  readonly localWork: number;
  readonly wholeWork: number;
  readonly localMs: number;
  readonly wholeMs: number;
  readonly knownMs: number;
  readonly outside: number;
  readonly changed: number;
}

function measureRun(shape: PlanView, seed: number): Run {
  const random = mulberry32(seed);
  const plan = planOf(shape);
  const { view } = runnablePlan(plan);
  const total = view.work.reduce((sum, ms) => sum + ms, 0);
  const failing = taskRunningAt(view, random());
  const failsAfterMs = random() * view.work[failing]!;
  const answerMs = total / view.n;
  const fault = { failing, failsAfterMs, answerMs };
  const local = runLocally(plan, fault);
  const whole = runAnew(view, fault);
  const longerMs = failsAfterMs + answerMs + view.work[failing]!;
  const expected = simulateAttempts(stateOf(view), {
    attempt: (task) => ({ ms: task === failing ? longerMs : view.work[task]!, fails: false }),
    retryAfterMs: () => undefined,
  });
  const before = planHashes(plan);
  const after = planHashes(local.plan);
  const outside = plan.planned_tasks.filter((_, task) => task !== failing);
  const changed = outside.filter(
    ({ task_id }) => before.get(task_id)!.definition_hash !== after.get(task_id)?.definition_hash,
  );
  return {
    localWork: view.work[failing]! / total,
    wholeWork: whole.work / total,
    localMs: local.makespanMs,
    wholeMs: whole.makespanMs,
    knownMs: expected.makespanMs,
    outside: outside.length,
    changed: changed.length,
  };
}

interface Fault {
  readonly failing: number;
  readonly failsAfterMs: number;
  readonly answerMs: number;
}

function planOf(view: PlanView): TaskData {
  const planned_tasks = Array.from({ length: view.n }, (_, task) => ({
    task_id: `t${task}`,
    description: `Task ${task}`,
    execution_type: "tool",
    tool_id: `tool_${task % 7}`,
    arguments: Object.fromEntries(
      Array.from(view.in.subarray(view.inPtr[task]!, view.inPtr[task + 1]!), (source) => [
        `from${source}`,
        `\${t${source}.rows}`,
      ]),
    ),
    estimate_data: { duration_ms: Math.max(1, view.work[task]!) },
  }));
  return TaskData.parse({ task_id: "bench", planned_tasks });
}

const stateOf = (view: PlanView) => createRunState(view, { limits: new Limits({ concurrency }) });

/** The task whose share of an undisturbed run's work a random moment falls into: long tasks fail more often. */
function taskRunningAt(view: PlanView, moment: number): number {
  let left = moment * view.work.reduce((sum, ms) => sum + ms, 0);
  for (let task = 0; task < view.n; task++) {
    left -= view.work[task]!;
    if (left < 0) return task;
  }
  return view.n - 1;
}

/** The run with a local replan, in virtual time. */
function runLocally(
  plan: TaskData,
  { failing, failsAfterMs, answerMs }: Fault,
): { plan: TaskData; makespanMs: number } {
  const prepared = runnablePlan(plan);
  const state = stateOf(prepared.view);
  const table = createTaskTable(plan.planned_tasks);
  const running = new RunningPlan(prepared, state, table, {});
  const ends: { at: number; place: number; act: () => Command[] }[] = [];
  let now = 0;
  let place = 0;
  const later = (ms: number, act: () => Command[]) => void ends.push({ at: now + ms, place: place++, act });
  const obey = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (command.type !== "start") continue;
      const { task } = command;
      if (task === failing) {
        later(failsAfterMs, () => {
          later(answerMs, replan);
          return advance(state, { type: "failed", task, held: true });
        });
      } else {
        later(state.view.work[task]!, () => {
          table.outputs.set(task, { rows: [] });
          return advance(state, { type: "completed", task });
        });
      }
    }
  };
  const replan = (): Command[] => {
    const before = running.snapshot();
    const old = before.planned_tasks[failing]!;
    const { main_task_id: _, ...rest } = old;
    const { patch } = draftPatch(before, {
      tasks: [{ ...rest, arguments: { ...old.arguments, again: true }, replaces: [old.task_id] }],
    });
    const after = applyPatch(before, patch!, { region: [old.task_id] });
    const change = running.revise(before, after);
    growTaskTable(table, change.added, change.changed);
    const none = new Uint8Array(change.added.length);
    const groups = taskGroups(change.added, state.limits, registry([]));
    return advance(state, {
      type: "revise",
      revision: { ...change, ...groups, halts: none, asksAgain: [] },
    });
  };
  obey(advance(state, { type: "begin" }));
  while (ends.length > 0) {
    let first = 0;
    for (let at = 1; at < ends.length; at++) {
      const [one, best] = [ends[at]!, ends[first]!];
      if (one.at < best.at || (one.at === best.at && one.place < best.place)) first = at;
    }
    const [next] = ends.splice(first, 1);
    now = next!.at;
    obey(next!.act());
  }
  assertCompleted(state);
  return { plan: running.runnable.plan, makespanMs: now };
}

function assertCompleted({ state, view }: RunState): void {
  const left = view.ids.filter((_, task) => state[task] !== TaskState.COMPLETED && state[task] !== TaskState.REPLACED);
  if (left.length > 0) throw new Error(`The run did not complete ${left.slice(0, 5).join(", ")}.`);
}

/** All that is not completed when the task fails is planned anew: what runs is stopped, and nothing starts before the answer. */
function runAnew(view: PlanView, { failing, failsAfterMs, answerMs }: Fault): { work: number; makespanMs: number } {
  const undisturbed = simulateAttempts(stateOf(view), {
    attempt: (task) => ({ ms: view.work[task]!, fails: false }),
    retryAfterMs: () => undefined,
  });
  const stopsMs = undisturbed.startMs[failing]! + failsAfterMs;
  const state = stateOf(view);
  let work = 0;
  for (let task = 0; task < view.n; task++) {
    if (task !== failing && undisturbed.startMs[task]! + view.work[task]! <= stopsMs)
      advance(state, { type: "recorded", task });
    else work += view.work[task]!;
  }
  const rest = simulateAttempts(state, {
    attempt: (task) => ({ ms: view.work[task]!, fails: false }),
    retryAfterMs: () => undefined,
  });
  return { work, makespanMs: stopsMs + answerMs + rest.makespanMs };
}
