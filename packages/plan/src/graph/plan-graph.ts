import type { DirectedGraph } from "graphology";
import { loadGraphology } from "#lazy/graphology";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { SubGraph } from "../records/sub-graph.ts";
import type { TaskData } from "../records/task-data.ts";
import { tasksOf } from "../references/task-names.ts";
import { buildAdjacency } from "./adjacency.ts";
import { IdIndex } from "./id-index.ts";
import { assemble, type PlanView, planView } from "./plan-view.ts";
import { readCosts, unknownCosts } from "./task-costs.ts";

/**
 * The public, inspectable view of a plan: one node a task with the attributes `{ task }`, one edge from each dependency
 * to its dependent. For plans up to some 10,000 tasks; hot paths use `planView`.
 * @throws PlanError as `planView`; INVALID for an id that is a property of every object, which graphology cannot hold.
 */
export function planGraph(plan: TaskData | readonly PlannerTask[]): DirectedGraph<{ task: PlannerTask }> {
  const tasks = tasksOf(plan);
  const view = planView(plan);
  const graph = newGraph<{ task: PlannerTask }>();
  for (const task of tasks) graph.addNode(plainName(task.task_id), { task });
  for (let task = 0; task < view.n; task++) {
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      graph.addDirectedEdge(view.ids[view.in[edge]!]!, view.ids[task]!);
    }
  }
  return graph;
}

/**
 * The quotient of a plan: one node a subgraph with the attributes `{ tasks }`, one edge from each subgraph that must
 * end first.
 * @throws PlanError DUPLICATE_TASK, UNKNOWN_DEPENDENCY (about subgraph ids), INVALID as `planGraph`. Cycles are not looked for.
 */
export function subGraphGraph(subgraphs: readonly SubGraph[]): DirectedGraph<{ tasks: readonly PlannerTask[] }> {
  const graph = newGraph<{ tasks: readonly PlannerTask[] }>();
  const index = new IdIndex(subgraphs.map((subgraph) => subgraph.subgraph_id));
  for (const { subgraph_id, tasks } of subgraphs) graph.addNode(plainName(subgraph_id), { tasks });
  for (const { subgraph_id, dependencies } of subgraphs) {
    for (const dependency of dependencies) {
      if (index.indexOf(dependency) === -1) {
        throw new PlanError(
          PlanErrorCode.UNKNOWN_DEPENDENCY,
          `Expected every dependency to be a subgraph, but "${subgraph_id}" depends on "${dependency}".`,
          { details: { task_id: subgraph_id, dependency } },
        );
      }
      graph.mergeDirectedEdge(dependency, subgraph_id);
    }
  }
  return graph;
}

/**
 * The view of a graphology graph: nodes in insertion order; an edge goes from what comes first to what depends on it.
 * Costs come from a node's `task` attribute (as `planGraph` sets it); a number in `work` (milliseconds) says what it takes, whatever the task says.
 * @throws PlanError CYCLE; INVALID for undirected edges.
 */
export function planViewFromGraph(graph: DirectedGraph): PlanView {
  if (graph.undirectedSize > 0) {
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected directed edges only, got ${graph.undirectedSize} undirected.`,
      {
        details: { issues: [{ path: "", message: "undirected edges" }] },
      },
    );
  }
  const ids = graph.nodes();
  const index = new IdIndex(ids);
  const from = new Int32Array(graph.size);
  const to = new Int32Array(graph.size);
  let edge = 0;
  graph.forEachEdge((_key, _attributes, source, target) => {
    from[edge] = index.indexOf(source);
    to[edge++] = index.indexOf(target);
  });
  return assemble(ids, buildAdjacency(ids.length, from, to), graphCosts(graph, ids), index);
}

function graphCosts(graph: DirectedGraph, ids: readonly string[]) {
  const tasks: PlannerTask[] = [];
  for (const id of ids) {
    const task: unknown = graph.getNodeAttribute(id, "task");
    if (isRecord(task) && isRecord(task.parameters)) tasks.push(task as PlannerTask);
  }
  const costs = tasks.length === ids.length ? readCosts(tasks) : unknownCosts(ids.length);
  for (let i = 0; i < ids.length; i++) {
    const work: unknown = graph.getNodeAttribute(ids[i]!, "work");
    if (typeof work === "number" && work >= 0) costs.work[i] = work;
  }
  return costs;
}

/** graphology keeps neighbours as object keys, so a first edge into `constructor` would be refused. */
function plainName(id: string): string {
  if (id in Object.prototype) {
    throw new PlanError(
      PlanErrorCode.INVALID,
      `Expected an id other than the names that every object has (such as "constructor"), got "${id}".`,
      {
        details: { issues: [{ path: "task_id", message: id }] },
      },
    );
  }
  return id;
}

/** graphology is loaded on first use: it costs 12 ms, and most processes never ask for a graph. */
function newGraph<Attributes extends Record<string, unknown>>(): DirectedGraph<Attributes> {
  const { DirectedGraph } = loadGraphology();
  return new DirectedGraph<Attributes>();
}
