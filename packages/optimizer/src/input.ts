import {
  PlanError,
  PlanErrorCode,
  PlannerTask,
  type PlanView,
  planView,
  planViewFromGraph,
  type TaskData,
  viewWithCosts,
} from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import { type WaitTimes, waitTimes } from "./timed-waits.ts";

/** A graphology graph, as `planGraph` makes it: edges go from a dependency to its dependent. */
export type PlanGraph = Parameters<typeof planViewFromGraph>[0];

/** What an optimizer groups. */
export type OptimizerInput = TaskData | readonly PlannerTask[] | PlanGraph;

/** A plan as the optimizers read it. */
export interface ReadPlan {
  /** Waits take no time in it: nobody is busy while a task waits. */
  readonly view: PlanView;
  /** `tasks[v]` is the task of number `v` in `view`: the caller's own object, or, for a graph node without a `task` attribute, a fresh `PlannerTask` named after the node. */
  readonly tasks: readonly PlannerTask[];
  /** The same tasks with their defaults filled in, for prompts. */
  readonly complete: readonly PlannerTask[];
  /** How long the waits are; undefined for a plan without waits. */
  readonly waits: WaitTimes | undefined;
}

/**
 * Reads any accepted input.
 * @throws OptimizerError for a cycle, an unknown dependency, a repeated id, or a value of another kind.
 */
export function readInput(input: OptimizerInput): ReadPlan {
  try {
    if (isGraph(input)) return apartFromWaits(planViewFromGraph(input), graphTasks(input));
    const tasks = isPlan(input) ? input.planned_tasks : input;
    if (!Array.isArray(tasks)) throw wrongInput(input);
    // Tasks from plain JavaScript may leave fields to their defaults; they are completed for reading, not in place.
    const complete = (tasks as readonly PlannerTask[]).every(
      (task) => task?.arguments !== undefined && task.parameters !== undefined,
    );
    if (complete) return apartFromWaits(planView(input as TaskData | readonly PlannerTask[]), tasks);
    const parsed = tasks.map((task) => PlannerTask.parse(task));
    return apartFromWaits(planView(parsed), tasks, parsed);
  } catch (error) {
    throw error instanceof PlanError
      ? translated(error)
      : error instanceof OptimizerError
        ? error
        : wrongInput(input, error);
  }
}

/** The view that is grouped: each task takes what it costs its executor as well. */
export function withTaskOverhead(view: PlanView, { taskOverheadMs = 0 }: ExecutionEnvironment): PlanView {
  return taskOverheadMs === 0 ? view : viewWithCosts(view, { work: view.work.map((ms) => ms + taskOverheadMs) });
}

function apartFromWaits(view: PlanView, tasks: readonly PlannerTask[], complete = tasks): ReadPlan {
  const waits = waitTimes(view, tasks);
  if (waits === undefined) return { view, tasks, complete, waits };
  const work = view.work.map((ms, task) => (tasks[task]!.wait === undefined ? ms : 0));
  return { view: viewWithCosts(view, { work }), tasks, complete, waits };
}

function isGraph(input: unknown): input is PlanGraph {
  return (
    typeof input === "object" && input !== null && "forEachNode" in input && typeof input.forEachNode === "function"
  );
}

function isPlan(input: unknown): input is TaskData {
  return typeof input === "object" && input !== null && "planned_tasks" in input;
}

function graphTasks(graph: PlanGraph): PlannerTask[] {
  return graph.mapNodes((id, attributes): PlannerTask => {
    const own: unknown = attributes.task;
    if (typeof own === "object" && own !== null && "task_id" in own) return own as PlannerTask;
    const { work } = attributes;
    const estimate_data = typeof work === "number" && work >= 0 ? { duration_ms: work } : null;
    return PlannerTask.parse({ task_id: id, dependencies: graph.inNeighbors(id), estimate_data });
  });
}

function translated(error: PlanError): OptimizerError {
  const { details } = error;
  switch (error.code) {
    case PlanErrorCode.CYCLE: {
      const path = Array.isArray(details.path) ? details.path.join(" → ") : error.message;
      return new OptimizerError(
        OptimizerErrorCode.CYCLE,
        `Expected a plan without a cycle, got one: ${path}. Remove one of these dependencies.`,
        { details, cause: error },
      );
    }
    case PlanErrorCode.UNKNOWN_DEPENDENCY:
      return new OptimizerError(
        OptimizerErrorCode.UNKNOWN_DEPENDENCY,
        `Task ${String(details.task_id)} has an unknown dependency ${String(details.dependency)}; no task of the plan has that id.`,
        { details, cause: error },
      );
    case PlanErrorCode.DUPLICATE_TASK:
      return new OptimizerError(OptimizerErrorCode.DUPLICATE_TASK, error.message, { details, cause: error });
    default:
      return new OptimizerError(OptimizerErrorCode.INPUT, error.message, { details, cause: error });
  }
}

function wrongInput(input: unknown, cause?: unknown): OptimizerError {
  const shape = Array.isArray(input) ? "an array" : input === null ? "null" : `a ${typeof input}`;
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  return new OptimizerError(
    OptimizerErrorCode.INPUT,
    `Expected a TaskData, an array of PlannerTask or a graphology graph, got ${shape}${why}.`,
    cause === undefined ? {} : { cause },
  );
}
