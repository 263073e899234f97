import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadWorkloadPlans, loadWorkloads } from "@planloom/bench";
import { ManualOptimizer, OptimizerErrorCode, planGraphs } from "@planloom/optimizer";
import { graphToGexf, graphToGraphml, TaskData } from "@planloom/plan";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "graph-formats-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a", description: 'Fetch <"news"> & weather', estimate_data: { duration_ms: 100 } },
    { task_id: "b", description: "Sum up", dependencies: ["a"], estimate_data: { duration_ms: 200 } },
    { task_id: "c", description: "Send", dependencies: ["a", "b"], estimate_data: { duration_ms: 300 } },
  ],
});
const environment = { executors: 2, overheadMs: 10 };
const { tasks: graph } = planGraphs(plan, new ManualOptimizer({ environment }).optimize(plan));

test.for([
  ["gexf", graphToGexf],
  ["graphml", async (own: typeof graph) => graphToGraphml(own)],
] as const)("what is written as %s is read as the same tasks, durations and dependencies", async ([format, write]) => {
  // The name of the file does not matter.
  const path = await file("graph.xml", await write(graph));
  const [read] = (await loadWorkloadPlans(path))!;
  expect(read!.plan.planned_tasks).toMatchObject(
    plan.planned_tasks.map(({ task_id, description, dependencies, estimate_data }) => ({
      task_id,
      description,
      dependencies,
      estimate_data: { duration_ms: estimate_data!.duration_ms },
    })),
  );
  const { workloads } = await loadWorkloads(await file(`graph.${format}`, await write(graph)));
  expect(workloads).toMatchObject([{ family: format, name: "graph" }]);
});

/** As NetworkX writes it. */
const graphml = (nodes: string, edges: string, direction = "directed") => `<?xml version='1.0' encoding='utf-8'?>
<!-- <gexf> --><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="runtime" attr.type="double"/><key id="d1" for="node" attr.name="output_bytes" attr.type="long"/>
<graph edgedefault="${direction}">${nodes}${edges}</graph></graphml>
`;
const three =
  '<node id="x"><data key="d0">1.5</data><data key="d1">70</data></node><node id="y"/><node id="z"><data key="d0">2.5</data></node>';

describe("GraphML of another program", () => {
  test("seconds and bytes; a node without a duration takes the mean; two edges are one dependency", async () => {
    const twice = '<edge source="x" target="z"/><edge id="again" source="x" target="z"/>';
    const { workloads } = await loadWorkloads(await file("nx.graphml", graphml(three, twice)));
    const { view } = workloads[0]!;
    expect([...view.ids]).toEqual(["x", "y", "z"]);
    expect([...view.work]).toEqual([1500, 2000, 2500]);
    expect([...view.outBytes]).toEqual([70, 0, 0]);
    expect([...view.in]).toEqual([0]);
  });

  test.for([
    ["is cut off", graphml(three, "").slice(0, -20), "</graphml>"],
    ["has undirected edges", graphml(three, '<edge source="x" target="y"/>', "undirected"), "directed edges only"],
    ["has an edge to no node", graphml(three, '<edge source="x" target="q"/>'), "directed edges between nodes"],
    ["has a text for a duration", graphml(three.replace("2.5", "slow"), ""), "a number in runtime at node z"],
    ["has no nodes", graphml("", ""), "to hold tasks, got none"],
  ])("a file that %s is refused", async ([, text, message]) => {
    await expect(loadWorkloadPlans(await file("bad.graphml", text!))).rejects.toMatchObject({
      code: OptimizerErrorCode.INPUT,
      message: expect.stringContaining(message!),
    });
  });

  test("a cycle is named", async () => {
    const round = '<edge source="x" target="y"/><edge source="y" target="x"/>';
    const { defective } = await loadWorkloads(await file("round.graphml", graphml(three, round)));
    expect(defective[0]!.reason).toContain("cycle");
    await expect(
      loadWorkloadPlans(await file("round.graphml", graphml(three, round))).then((plans) =>
        new ManualOptimizer().optimize(plans![0]!.plan),
      ),
    ).rejects.toMatchObject({ code: OptimizerErrorCode.CYCLE });
  });
});

test("GEXF without a direction is refused, since its edges are undirected then", async () => {
  const text = (await graphToGexf(graph))
    .replace(/ ?defaultedgetype="\w+"/, "")
    .replace(/(<edge\b[^>]*?) type="\w+"/g, "$1");
  await expect(loadWorkloadPlans(await file("u.gexf", text))).rejects.toMatchObject({
    code: OptimizerErrorCode.INPUT,
    message: expect.stringMatching(/directed edges/),
  });
});
