import type { DirectedGraph } from "graphology";
import type { PlannerTask } from "../records/planner-task.ts";
import type { SubGraph } from "../records/sub-graph.ts";
import { headLengths, taskLevels, upwardRanks } from "./bounds.ts";
import { planGraph, subGraphGraph } from "./plan-graph.ts";
import { type PlanView, planViewFromEdges } from "./plan-view.ts";

/** Where a node is in its graph. Times in milliseconds. */
export interface PathAttributes {
  readonly label: string;
  /** What it takes. */
  readonly work: number;
  /** How many nodes are on the longest path before it, counted in nodes. */
  readonly level: number;
  /** Longest path from its start to the end of the plan, with its own work. */
  readonly rank: number;
  /** How much later it could end with any number of executors, and the plan no later. */
  readonly slack: number;
  /** It has no slack. */
  readonly critical: boolean;
  /** When it starts and ends in the simulated schedule. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Attributes of a task's node. Times are those of its subgraph's dispatch, its tasks one after the other. */
export interface TaskAttributes extends PathAttributes {
  readonly task: PlannerTask;
  /** Id of its subgraph. */
  readonly subgraph: string;
}

/** Attributes of a subgraph's node. */
export interface SubgraphAttributes extends PathAttributes {
  readonly tasks: readonly PlannerTask[];
}

/** A dependency; `critical` on a longest path. */
export interface DependencyAttributes {
  readonly critical: boolean;
}

/** A plan and its quotient as graphology graphs, with what is known of each node. An edge goes from what comes first to what waits for it. */
export interface ScheduledGraphs {
  readonly tasks: DirectedGraph<TaskAttributes, DependencyAttributes>;
  readonly subgraphs: DirectedGraph<SubgraphAttributes, DependencyAttributes>;
}

/** A simulated dispatch, by number of the subgraph in `subgraphs`. */
export interface SimulatedDispatch {
  readonly subgraphs: readonly SubGraph[];
  readonly overheadMs: number;
  readonly startMs: ArrayLike<number>;
  readonly endMs: ArrayLike<number>;
  /** Numbers of all tasks, each after those it depends on, in the order in which an executor runs those of its subgraph. @default level by level */
  readonly taskOrder?: ArrayLike<number> | undefined;
}

/**
 * The graphs of a plan that was grouped and simulated. For plans up to some 10,000 tasks.
 * @param view of the plan, with the durations that were simulated
 * @throws PlanError as `planGraph` and `subGraphGraph`
 */
export function scheduledGraphs(
  plan: readonly PlannerTask[],
  view: PlanView,
  { subgraphs, overheadMs, startMs, endMs, taskOrder = view.topo }: SimulatedDispatch,
): ScheduledGraphs {
  const starts = new Float64Array(view.n);
  const subgraphOf = new Array<string>(view.n).fill("");
  const place = new Int32Array(view.n);
  for (let at = 0; at < view.n; at++) place[taskOrder[at]!] = at;
  const work = subgraphs.map(({ subgraph_id, tasks }, number) => {
    const members = tasks.map(({ task_id }) => view.indexOf(task_id)).sort((one, two) => place[one]! - place[two]!);
    let now = startMs[number]! + overheadMs;
    for (const task of members) {
      subgraphOf[task] = subgraph_id;
      starts[task] = now;
      now += view.work[task]!;
    }
    return now - startMs[number]!;
  });
  const taskGraph = planGraph(plan) as unknown as ScheduledGraphs["tasks"];
  const ofTasks = pathAttributes(view);
  for (let task = 0; task < view.n; task++) {
    const times = { startMs: starts[task]!, endMs: starts[task]! + view.work[task]! };
    const label = plan[task]!.description || view.ids[task]!;
    taskGraph.mergeNodeAttributes(view.ids[task]!, { ...ofTasks(task), ...times, label, subgraph: subgraphOf[task]! });
  }
  markEdges(taskGraph, view);
  const quotientGraph = subGraphGraph(subgraphs) as unknown as ScheduledGraphs["subgraphs"];
  const quotient = viewOf(subgraphs, work);
  const ofSubgraphs = pathAttributes(quotient);
  for (const [number, { subgraph_id }] of subgraphs.entries()) {
    const times = { startMs: startMs[number]!, endMs: endMs[number]! };
    quotientGraph.mergeNodeAttributes(subgraph_id, { ...ofSubgraphs(number), ...times, label: subgraph_id });
  }
  markEdges(quotientGraph, quotient);
  return { tasks: taskGraph, subgraphs: quotientGraph };
}

function viewOf(subgraphs: readonly SubGraph[], work: readonly number[]): PlanView {
  const numbers = new Map(subgraphs.map(({ subgraph_id }, number) => [subgraph_id, number]));
  const edges = subgraphs.flatMap(({ dependencies }, to) => dependencies.map((id) => [numbers.get(id)!, to] as const));
  return planViewFromEdges({
    n: subgraphs.length,
    from: edges.map(([from]) => from),
    to: edges.map(([, to]) => to),
    work,
    ids: subgraphs.map(({ subgraph_id }) => subgraph_id),
  });
}

function pathAttributes(view: PlanView) {
  const heads = headLengths(view);
  const ranks = upwardRanks(view);
  const levels = taskLevels(view);
  const longest = ranks.reduce((most, each) => Math.max(most, each), 0);
  return (node: number) => {
    const slack = slackOf(longest, heads[node]! + ranks[node]!);
    return { work: view.work[node]!, level: levels[node]!, rank: ranks[node]!, slack, critical: slack === 0 };
  };
}

/** Sums of the same numbers in another order differ in the last digits. */
function slackOf(longest: number, own: number): number {
  return longest - own > 1e-9 * longest ? longest - own : 0;
}

function markEdges(graph: DirectedGraph<PathAttributes, DependencyAttributes>, view: PlanView): void {
  const heads = headLengths(view);
  graph.forEachEdge((edge, _, source, target) => {
    const [from, to] = [view.indexOf(source), view.indexOf(target)];
    const tight = slackOf(heads[to]!, heads[from]! + view.work[from]!) === 0;
    const ends = graph.getNodeAttribute(source, "critical") && graph.getNodeAttribute(target, "critical");
    graph.setEdgeAttribute(edge, "critical", ends && tight);
  });
}
