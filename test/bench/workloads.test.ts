import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  evenlySpaced,
  generateWorkload,
  generatorNames,
  loadWorkloadPlans,
  loadWorkloads,
  readWorkloadPlans,
  readWorkloads,
  workloadHash,
} from "@planloom/bench";
import { OptimizerErrorCode } from "@planloom/optimizer";
import { planView } from "@planloom/plan";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const plan = {
  format: "plan-workload/1",
  name: "two",
  family: "demo",
  tasks: [
    { id: "a", type: "x", runtime: 1.5, deps: [], outputBytes: 40, promptTokens: 7 },
    { id: "b", type: "y", runtime: 2, deps: ["a"] },
  ],
};

const workflow = {
  name: "wf-1",
  schemaVersion: "1.5",
  workflow: {
    specification: {
      tasks: [
        { id: "split_1", name: "split_1", parents: [], outputFiles: ["part"] },
        { id: "count_2", name: "count_2", parents: ["split_1"], inputFiles: ["part"], outputFiles: [] },
        { id: "count_3", name: "count_3", parents: ["split_1"] },
      ],
      files: [{ id: "part", sizeInBytes: 123 }],
    },
    execution: {
      tasks: [
        { id: "split_1", runtimeInSeconds: 2 },
        { id: "count_2", runtimeInSeconds: 4 },
      ],
    },
  },
};

describe("readWorkloads", () => {
  test("reads plan-workload/1 with its costs", () => {
    const [{ name, family, view }] = readWorkloads(plan, "file").workloads as [never];
    expect({ name, family }).toEqual({ name: "two", family: "demo" });
    const { work, outBytes, tokens, affinity } = view as ReturnType<typeof generateWorkload>["view"];
    expect([[...work], [...outBytes], [...tokens], [...affinity]]).toEqual([
      [1500, 2000],
      [40, 0],
      [7, 0],
      [0, 1],
    ]);
  });

  test.each([
    ["plan-workload/1", plan],
    ["WfFormat 1.5", workflow],
  ])("a plan of %s costs what the workload costs", (_, value) => {
    const [{ view }] = readWorkloads(value, "file").workloads as unknown as [ReturnType<typeof generateWorkload>];
    const [only, ...others] = readWorkloadPlans(value, "file") ?? [];
    const read = only!.plan;
    const own = planView(read);
    expect(others).toEqual([]);
    expect([own.ids, [...own.work], [...own.outBytes], [...own.tokens]]).toEqual([
      view.ids,
      [...view.work],
      [...view.outBytes],
      [...view.tokens],
    ]);
    expect([[...own.inPtr], [...own.in]]).toEqual([[...view.inPtr], [...view.in]]);
  });

  test("a plan of Planloom's own is no workload", () => {
    expect(readWorkloadPlans({ planned_tasks: [{ task_id: "a" }] }, "file")).toBeUndefined();
  });

  test.each(["deps", "parents", "needs", "children", "successors"])(
    "tasks whose order is in a field that nothing reads, %s, are refused",
    (field) => {
      const value = { tasks: [{ id: "a" }, { id: "b", [field]: ["a"] }] };
      expect(() => readWorkloads(value, "file")).toThrow(new RegExp(`Unknown field "${field}".*dependency`));
    },
  );

  test.each([
    { tasks: [{ foo: 1 }, { bar: 2 }] },
    { name: "jobs", tasks: [{ name: "a", cost: 3 }] },
    { tasks: [{ x: 1 }], edges: [["a", "b"]] },
  ])("a list of tasks of another system is refused: %j", (value) => {
    expect(() => readWorkloads(value, "file")).toThrow(/Expected a plan \(an object with planned_tasks/);
  });

  test("keeps the defective plans of a set apart, with the reason", () => {
    const cyclic = [
      { id: "a", runtime: 1, deps: ["b"] },
      { id: "b", runtime: 1, deps: ["a"] },
    ];
    const set = {
      format: "plan-workload/1",
      name: "set",
      instances: [
        { name: "good", tasks: plan.tasks },
        { name: "bad", tasks: cyclic },
        { name: "lost", tasks: [{ id: "a", runtime: 1, deps: ["nobody"] }] },
      ],
    };
    const { workloads, defective } = readWorkloads(set, "file");
    expect(workloads.map((each) => each.name)).toEqual(["good"]);
    expect(defective.map((each) => each.name)).toEqual(["bad", "lost"]);
    expect(defective[0]!.reason).toContain("a → b → a");
    expect(defective[1]!.reason).toMatch(/^Task "\w+" depends on "\w+", which is not a task\.$/);
  });

  test("reads WfFormat 1.5; a task without a measurement takes the mean", () => {
    const [workload] = readWorkloads(workflow, "file").workloads;
    expect(workload).toMatchObject({ name: "wf-1", family: "wf" });
    expect([...workload!.view.work]).toEqual([2000, 4000, 3000]);
    expect([...workload!.view.outBytes]).toEqual([123, 0, 0]);
    expect([...workload!.view.affinity]).toEqual([0, 1, 1]);
  });

  test("reads a Planloom plan", () => {
    const { workloads } = readWorkloads(
      { planned_tasks: [{ task_id: "a" }, { task_id: "b", dependencies: ["a"] }] },
      "p",
    );
    expect(workloads[0]).toMatchObject({ name: "p", family: "planloom" });
    expect(workloads[0]!.view.n).toBe(2);
  });

  test.for([[null], [7], [{}], [{ format: "plan-workload/1" }], [{ workflow: {} }], [{ planned_tasks: 3 }]])(
    "refuses %j",
    ([value]) => {
      expect(() => readWorkloads(value, "file")).toThrow(expect.objectContaining({ code: OptimizerErrorCode.INPUT }));
    },
  );
});

describe("loadWorkloads", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "workloads-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("reads plain and packed files in order and leaves out those about them", async () => {
    await writeFile(join(folder, "b.json"), JSON.stringify(workflow));
    await writeFile(join(folder, "a.json.gz"), gzipSync(JSON.stringify(plan)));
    await writeFile(join(folder, "INDEX.json"), "{}");
    const { workloads } = await loadWorkloads(folder);
    expect(workloads.map((each) => each.name)).toEqual(["two", "wf-1"]);
  });

  test.each(["lines.ndjson", "lines.jsonl", "lines.ndjson.gz"])("reads a task a line of %s", async (name) => {
    const text = `${plan.tasks.map((task) => JSON.stringify(task)).join("\n\n")}\n`;
    await writeFile(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : text);
    const { workloads, defective } = await loadWorkloads(folder);
    const same = readWorkloads(plan, "two").workloads[0]!.view;
    expect([workloads.map((each) => each.name), defective]).toEqual([["lines"], []]);
    const { view } = workloads[0]!;
    expect([view.ids, view.work, view.tokens, view.outBytes, view.in]).toEqual([
      same.ids,
      same.work,
      same.tokens,
      same.outBytes,
      same.in,
    ]);
    const plans = await loadWorkloadPlans(join(folder, name));
    expect(
      plans?.map((each) => each.plan.planned_tasks.map(({ task_id, dependencies }) => [task_id, dependencies])),
    ).toEqual([
      [
        ["a", []],
        ["b", ["a"]],
      ],
    ]);
  });

  test.each([
    ["a line that is none", '{"id":"a","runtime":1}\n{"id":\n', /line 2/],
    ["no task", "\n\n", /hold tasks, got none/],
    ["a packed file that is cut off", gzipSync('{"id":"a","runtime":1}').subarray(0, 15), /got unexpected end of file/],
  ])("refuses lines with %s", async (_, text, message) => {
    const file = join(folder, typeof text === "string" ? "lines.ndjson" : "lines.ndjson.gz");
    await writeFile(file, text);
    await expect(loadWorkloads(file)).rejects.toThrow(message);
    await expect(loadWorkloadPlans(file)).rejects.toThrow(message);
  });

  test("lines that are no plan are left out with the reason", async () => {
    const file = join(folder, "lines.ndjson");
    await writeFile(file, '{"id":"a","runtime":1}\n{"id":"a","runtime":1}\n');
    expect(await loadWorkloads(file)).toMatchObject({
      workloads: [],
      defective: [{ reason: expect.stringContaining("twice") }],
    });
  });

  test("names the file that is no JSON", async () => {
    await writeFile(join(folder, "broken.json"), "{");
    await expect(loadWorkloads(folder)).rejects.toThrow(/broken\.json to be JSON/);
    await expect(loadWorkloads(join(folder, "none.json"))).rejects.toMatchObject({ code: OptimizerErrorCode.INPUT });
  });

  test("keeps files apart that are no workloads, and tells plans of one name apart", async () => {
    await writeFile(join(folder, "a.json"), JSON.stringify(plan));
    await writeFile(join(folder, "b.json"), JSON.stringify({ ...plan, family: "other" }));
    await writeFile(join(folder, "c.json"), JSON.stringify({ ...plan, name: "two (2)" }));
    await writeFile(join(folder, "settings.json"), '{"strict":true}');
    const { workloads, defective } = await loadWorkloads(folder);
    expect(workloads.map((each) => each.name)).toEqual(["two", "two (3)", "two (2)"]);
    expect(defective).toEqual([{ name: "settings.json", reason: expect.stringContaining("plan-workload/1") }]);
  });

  test("a folder with nothing to read is refused", async () => {
    await expect(loadWorkloads(folder)).rejects.toThrow(/files of workloads \(\.json.*got none/);
  });
});

describe.each(generatorNames)("%s", (family) => {
  test("gives the same plan for the same seed, another for another", () => {
    const hash = (seed: number) => workloadHash(generateWorkload(family, 40, seed).view);
    expect(hash(1)).toBe(hash(1));
    expect(hash(1)).not.toBe(hash(2));
  });

  test.for([1, 2, 7, 100, 1000])("has about %i tasks", (size) => {
    const { n } = generateWorkload(family, size, 3).view;
    expect(n).toBeGreaterThanOrEqual(1);
    expect(n).toBeLessThanOrEqual(Math.max(12, size * 1.2));
    if (size >= 100) expect(n).toBeGreaterThan(size * 0.8);
  });
});

test("refuses an unknown family, naming those it knows", () => {
  expect(() => generateWorkload("tree", 3)).toThrow(/in-tree.*got tree/);
});

test("a sample is evenly spaced", () => {
  expect(evenlySpaced([0, 1, 2, 3, 4, 5, 6, 7], 3)).toEqual([0, 2, 5]);
  expect(evenlySpaced([0, 1], 3)).toEqual([0, 1]);
});
