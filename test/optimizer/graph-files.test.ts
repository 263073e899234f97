import { ManualOptimizer, planGraphs } from "@planloom/optimizer";
import { graphToGexf, graphToGraphml, TaskData } from "@planloom/plan";
import { DirectedGraph } from "graphology";
import { parse as parseGexf } from "graphology-gexf";
import { parse as parseGraphml } from "graphology-graphml";
import { describe, expect, test } from "vitest";

const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a", description: 'Fetch <"news"> & weather', estimate_data: { duration_ms: 100 } },
    { task_id: "b", dependencies: ["a"], estimate_data: { duration_ms: 200 } },
    { task_id: "c", dependencies: ["a"], estimate_data: { duration_ms: 300 } },
  ],
});
const environment = { executors: 2, overheadMs: 10 };
const graphs = planGraphs(plan, new ManualOptimizer({ environment, strategy: "per-task" }).optimize(plan));

describe.each([
  { format: "GEXF", write: graphToGexf, parse: parseGexf },
  { format: "GraphML", write: async (graph: DirectedGraph) => graphToGraphml(graph), parse: parseGraphml },
])("$format", ({ write, parse }) => {
  const read = async (graph: unknown) => {
    const text = await write(graph as DirectedGraph);
    return parse(DirectedGraph as never, text) as unknown as DirectedGraph;
  };

  test("is read back by graphology with its attributes and edges", async () => {
    const tasks = await read(graphs.tasks);
    expect(tasks.nodes().sort()).toEqual(["a", "b", "c"]);
    expect(tasks.getNodeAttributes("a")).toMatchObject({
      label: 'Fetch <"news"> & weather',
      work: 100,
      level: 0,
      rank: 400,
      slack: 0,
      critical: true,
      startMs: 10,
      endMs: 110,
      task: "a",
    });
    expect(tasks.getNodeAttributes("b")).toMatchObject({ level: 1, slack: 100, critical: false });
    expect(tasks.mapEdges((edge, { critical }) => [...tasks.extremities(edge), critical]).sort()).toEqual([
      ["a", "b", false],
      ["a", "c", true],
    ]);
    const subgraphs = await read(graphs.subgraphs);
    expect(subgraphs.order).toBe(3);
    expect(subgraphs.mapNodes((_, { tasks }) => tasks).sort()).toEqual(["a", "b", "c"]);
  });

  test("is grouped as the plan is, once it is read back", async () => {
    const own = new ManualOptimizer({ environment }).optimize(plan);
    const again = new ManualOptimizer({ environment }).optimize(await read(graphs.tasks));
    expect(again.predictedMs).toBe(own.predictedMs);
    expect(again.subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id))).toEqual(
      own.subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => task_id)),
    );
  });

  test("holds what XML may hold of any text, and no values that it cannot", async () => {
    const graph = new DirectedGraph();
    graph.addNode("x]]>", { label: "tab\tbell\u0007", list: [1, 2], far: Number.POSITIVE_INFINITY, note: "<!--" });
    graph.addNode("y");
    graph.addDirectedEdge("x]]>", "y");
    const node = (await read(graph)).getNodeAttributes("x]]>");
    expect(node).toMatchObject({ label: "tab\tbell\ufffd", note: "<!--" });
    expect(node.far).toBeUndefined();
  });
});
