import { setTimeout as sleep } from "node:timers/promises";
import { TaskData } from "@planloom/plan";
import { defineTool, memoryJournal, type RunEvent, resume, run, toolExecutor } from "@planloom/runtime";
import { noopDag } from "./dag-file.ts";

const layers = noopDag(1_000).parents;
const plan = TaskData.parse({
  planned_tasks: layers.map((parents, number) => ({
    task_id: `t${number}`,
    execution_type: "tool",
    tool_id: "work",
    dependencies: parents.map((parent) => `t${parent}`),
  })),
});

/** The task and all that depend on it. */
function descendants(origin: number): Set<number> {
  const hit = new Set([origin]);
  for (const [task, parents] of layers.entries()) if (parents.some((parent) => hit.has(parent))) hit.add(task);
  return hit;
}

/** One task fails; all that do not descend from it must finish, and a resumption must repeat none. */
export async function containment() {
  // The first task that most others depend on.
  const failing = layers.findIndex((_, task) => descendants(task).size > layers.length / 2);
  const hit = descendants(failing);
  const calls: string[] = [];
  let broken = true;
  const execute = async (_: unknown, { task }: { task: { task_id: string } }) => {
    await sleep(1);
    calls.push(task.task_id);
    if (broken && task.task_id === `t${failing}`) throw new Error("broken");
    return null;
  };
  const executors = [toolExecutor([defineTool({ id: "work", description: "", execute })])];
  const journal = memoryJournal();
  const first = await run(plan, { executors, journal, runId: "r", concurrency: 64 });
  const finished = first.results.filter(({ status }) => status === "completed");
  broken = false;
  calls.length = 0;
  const second = await resume("r", { executors, journal });
  if (second.end_reason !== "completed")
    throw new Error(`Expected the resumption to complete, it ${second.end_reason}.`);
  const done = new Set(finished.map(({ task_id }) => task_id));
  const repeated = calls.filter((id) => done.has(id)).length;
  return {
    tasks: layers.length,
    independent: layers.length - hit.size,
    finished: finished.length,
    repeated,
    resumed: calls.length,
  };
}

/** Aborts in the middle; executors obey their signal. */
export async function afterAbort() {
  const stop = new AbortController();
  const execute = (_: unknown, { signal }: { signal: AbortSignal }) => sleep(10_000, null, { signal });
  const executors = [toolExecutor([defineTool({ id: "work", description: "", execute })])];
  let aborted = false;
  let startedAfter = 0;
  let running = 0;
  const onEvent = ({ type }: RunEvent) => {
    if (type !== "task-start") return;
    running++;
    if (aborted) startedAfter++;
  };
  const ended = run(plan, { executors, concurrency: 64, signal: stop.signal, onEvent });
  await sleep(100);
  aborted = true;
  const began = performance.now();
  stop.abort();
  await ended;
  return { running, started_after: startedAfter, quiet_ms: Math.round((performance.now() - began) * 10) / 10 };
}
