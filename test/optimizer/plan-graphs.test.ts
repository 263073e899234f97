import { generateWorkload, runBench } from "@planloom/bench";
import { ManualOptimizer, planGraphs, strategies } from "@planloom/optimizer";
import { planView, planViewFromGraph, TaskData } from "@planloom/plan";
import { topologicalGenerations } from "graphology-dag";
import { Planloom } from "planloom";
import { describe, expect, test } from "vitest";

/** `b:a,x:300` is a task b of 300 ms after a and x. */
function planOf(...lines: string[]): TaskData {
  const planned_tasks = lines.map((line) => {
    const [task_id, dependencies = "", ms = "100"] = line.split(":");
    return {
      task_id,
      dependencies: dependencies.split(",").filter(Boolean),
      estimate_data: { duration_ms: Number(ms) },
    };
  });
  return TaskData.parse({ task_id: "plan", planned_tasks });
}

/** a is needed by b and c; d needs both, and e nothing. The longest path is a, c, d: 100 + 300 + 50. */
const plan = planOf("a::100", "b:a:200", "c:a:300", "d:b,c:50", "e::40");
const environment = { executors: 2, overheadMs: 10 };
const grouped = new ManualOptimizer({ environment }).optimize(plan);

describe("planGraphs", () => {
  test("gives each task its level, rank, slack, and its place in the simulated schedule", () => {
    const perTask = new ManualOptimizer({ environment, strategy: "per-task" }).optimize(plan);
    const { tasks } = planGraphs(plan, perTask);
    const shown = tasks.mapNodes((id, { level, rank, slack, critical, startMs, endMs, subgraph }) => [
      id,
      { level, rank, slack, critical, startMs, endMs, subgraph },
    ]);
    const of = (task: string) => perTask.subgraphs.find(({ tasks }) => tasks[0]!.task_id === task)!.subgraph_id;
    // A dispatch costs 10: a at 0, e beside it; then b and c; d once c has ended at 110 + 310.
    expect(Object.fromEntries(shown)).toEqual({
      a: { level: 0, rank: 450, slack: 0, critical: true, startMs: 10, endMs: 110, subgraph: of("a") },
      b: { level: 1, rank: 250, slack: 100, critical: false, startMs: 120, endMs: 320, subgraph: of("b") },
      c: { level: 1, rank: 350, slack: 0, critical: true, startMs: 120, endMs: 420, subgraph: of("c") },
      d: { level: 2, rank: 50, slack: 0, critical: true, startMs: 430, endMs: 480, subgraph: of("d") },
      e: { level: 0, rank: 40, slack: 410, critical: false, startMs: 10, endMs: 50, subgraph: of("e") },
    });
    expect(perTask.predictedMs).toBe(480);
    const critical = tasks.filterEdges((_, attributes) => attributes.critical);
    expect(critical.map((edge) => tasks.extremities(edge).join(">")).sort()).toEqual(["a>c", "c>d"]);
  });

  test("gives the quotient the same, with what a dispatch costs", () => {
    const { tasks, subgraphs } = planGraphs(plan, grouped);
    expect(subgraphs.nodes()).toEqual(grouped.subgraphs.map(({ subgraph_id }) => subgraph_id));
    expect(Math.max(...subgraphs.mapNodes((_, { endMs }) => endMs))).toBeCloseTo(grouped.predictedMs, 9);
    for (const { subgraph_id, tasks: members } of grouped.subgraphs) {
      const node = subgraphs.getNodeAttributes(subgraph_id);
      expect(node.tasks).toEqual(members);
      expect(node.work).toBe(10 + members.reduce((sum, { estimate_data }) => sum + estimate_data!.duration_ms!, 0));
      expect(node.endMs - node.startMs).toBeCloseTo(node.work, 9);
      for (const { task_id } of members) expect(tasks.getNodeAttribute(task_id, "subgraph")).toBe(subgraph_id);
    }
  });

  test("its levels are the generations of graphology-dag", () => {
    const { view } = generateWorkload("layered", 60, 4);
    const lines = Array.from({ length: view.n }, (_, v) => {
      const needs = Array.from(view.in.subarray(view.inPtr[v], view.inPtr[v + 1]), (u) => view.ids[u]);
      return `${view.ids[v]}:${needs.join(",")}:${view.work[v]}`;
    });
    const larger = planOf(...lines);
    const { tasks, subgraphs } = planGraphs(larger, new ManualOptimizer({ environment }).optimize(larger));
    for (const graph of [tasks, subgraphs]) {
      const levels = new Map<number, string[]>();
      graph.forEachNode((id, { level }) => levels.set(level, [...(levels.get(level) ?? []), id]));
      const generations = topologicalGenerations(graph as never).map((each) => [...each].sort());
      expect([...levels].sort(([one], [two]) => one - two).map(([, ids]) => ids.sort())).toEqual(generations);
    }
  });

  test("both graphs are taken where plans are, by the optimizer and the bench", async () => {
    const { tasks, subgraphs } = planGraphs(plan, { ...grouped, estimatesMs: { b: 900 } });
    const again = new ManualOptimizer({ environment, strategy: "single" }).optimize(tasks);
    // What a node's work says goes before what its task says.
    expect(again.predictedMs).toBe(10 + 100 + 900 + 300 + 50 + 40);
    expect(again.subgraphs.flatMap((each) => each.tasks)).toEqual(plan.planned_tasks);
    const quotient = new ManualOptimizer({ environment: { ...environment, overheadMs: 0 } }).optimize(subgraphs);
    expect(
      quotient.subgraphs
        .flatMap((each) => each.tasks)
        .map(({ task_id }) => task_id)
        .sort(),
    ).toEqual(subgraphs.nodes().sort());
    const workloads = [{ name: "own", family: "own", view: planViewFromGraph(tasks) }];
    const rows = await runBench({ workloads, environments: [environment], strategies: [strategies.get("single")!] });
    expect(rows).toHaveLength(1);
    expect(rows[0]!.makespanMs).toBe(again.predictedMs);
  });

  test("refuses a grouping that is not of the plan", () => {
    const [first, ...rest] = grouped.subgraphs;
    expect(() => planGraphs(plan, { ...grouped, dispatchOrder: undefined as never, subgraphs: rest })).toThrow(
      /every task once/,
    );
    expect(first).toBeDefined();
  });
});

test("planloom.graph groups as optimize does, by the durations that it learned", async () => {
  await using planloom = new Planloom({ tools: [], optimizer: { environment } });
  const { tasks, subgraphs } = await planloom.graph(plan);
  const optimized = await planloom.optimize(plan);
  expect(subgraphs.nodes()).toEqual(optimized.subgraphs.map(({ subgraph_id }) => subgraph_id));
  expect(Math.max(...tasks.mapNodes((_, { endMs }) => endMs))).toBeCloseTo(optimized.predictedMs, 9);
  expect(planViewFromGraph(tasks).work).toEqual(planView(plan).work);
  await expect(planloom.graph(plan, { concurency: 2 } as never)).rejects.toThrow(/concurrency/);
});
