import {
  applyPatch,
  draftPatch,
  type PatchProposal,
  type PlannerTask,
  PlanPatch,
  planHashes,
  planRevision,
  type Resource,
  retiredTasks,
  type TaskData,
  verifyPatch,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { corrupted, loosened, randomPatch, randomRunningPlan, withProtections } from "../support/patch-attacks.ts";
import { brokenInvariants } from "../support/patch-checker.ts";
import { planOf, task } from "../support/plans.ts";

const tool = (id: string, more: object = {}): PlannerTask =>
  task({ task_id: id, execution_type: "tool", tool_id: `use_${id}`, main_task_id: "plan", ...more });

/** fetch -> parse -> report, and a stranger. */
const chain = (): TaskData =>
  planOf([
    tool("fetch", { arguments: { url: "x" }, status: "completed", output: { rows: [1] }, result_variable: "rows" }),
    tool("parse", { arguments: { rows: "${rows.rows}" }, status: "failed", mark_replan: true }),
    tool("report", { arguments: { text: "About ${parse.text}" }, dependencies: ["parse"], status: "skipped" }),
    tool("stranger", { status: "completed", output: { a: 1 } }),
  ]);

const draft = (plan: TaskData, proposal: PatchProposal): PlanPatch => {
  let number = 0;
  const { patch, issues } = draftPatch(plan, proposal, { newId: () => `id${number++}` });
  expect(issues).toEqual([]);
  return patch!;
};
const errors = (plan: unknown, patch: unknown, options = {}): string[] =>
  verifyPatch(plan, patch, options)
    .filter(({ severity }) => severity === "error")
    .map(({ code, task_id }) => (task_id === undefined ? code : `${code} ${task_id}`));
const byId = (plan: TaskData) => new Map(plan.planned_tasks.map((each) => [each.task_id, each]));

test("what new lists execute for each element is checked as they are, and so is what reads a replaced task in there", () => {
  const inner = (rows: string) => [
    tool("one", { arguments: { rows } }),
    tool("two", { arguments: { text: "${one.text}" } }),
  ];
  const list = tool("each", {
    tool_id: null,
    execution_type: "",
    for_each: { items: [1, 2], tasks: inner("${rows.rows}") },
  });
  const plan = planOf([...chain().planned_tasks, list]);
  const renewed = (tasks: object[]): PatchProposal => ({
    tasks: [
      {
        ...list,
        task_id: "other",
        for_each: { items: [1], tasks } as never,
        replaces: ["each"],
        gives_output_of: ["each"],
      },
    ],
  });
  expect(errors(plan, draft(plan, renewed(inner("${rows.rows}"))))).toEqual([]);
  expect(errors(plan, draft(plan, renewed(inner("${nobody.rows}"))))).toEqual(["unknown_reference one"]);
  // The first of the two is gone, and the second still reads it.
  expect(errors(plan, draft(plan, renewed(inner("${rows.rows}").slice(1))))).toEqual(["unknown_reference two"]);
  const issues = verifyPatch(plan, draft(plan, renewed(inner("${nobody.rows}"))));
  expect(issues).toMatchObject([{ task_id: "one", within: "other" }]);
});

describe("a good patch", () => {
  test("replaces one task, rewrites what pointed at it and keeps the rest as it was", () => {
    const plan = chain();
    const patch = draft(plan, {
      tasks: [{ task_id: "parse", tool_id: "other", execution_type: "tool", replaces: ["parse"] }],
    });
    expect(verifyPatch(plan, patch, { region: ["parse"] })).toEqual([]);
    const after = applyPatch(plan, patch);
    const tasks = byId(after);
    expect([...tasks.keys()]).toEqual(["fetch", "parse_2", "report", "stranger"]);
    expect(tasks.get("parse_2")).toMatchObject({
      main_task_id: "parse",
      dependencies: ["fetch"],
      status: "pending",
      mark_replan: false,
    });
    expect(tasks.get("report")).toMatchObject({
      dependencies: ["parse_2"],
      arguments: { text: "About ${parse_2.text}" },
      status: "pending",
    });
    for (const id of ["fetch", "stranger"]) expect(tasks.get(id)).toBe(byId(plan).get(id));
    const [before, now] = [planHashes(plan), planHashes(after)];
    expect(now.get("report")!.definition_hash).toBe(before.get("report")!.definition_hash);
    expect(now.get("report")!.content_hash).not.toBe(before.get("report")!.content_hash);
    expect(planRevision(after)).toBe(patch.patch_id);
    expect(retiredTasks(after)).toEqual(["parse"]);
    expect(brokenInvariants(plan, patch, after)).toEqual([]);
    expect(plan).toEqual(chain());
  });

  test("replaces a completed task; what consumed it runs again under a new id", () => {
    const plan = planOf([
      tool("a", { status: "completed", output: { x: 1 } }),
      tool("b", { arguments: { x: "${a.x}" }, status: "completed", output: { y: 1 } }),
      tool("c", { arguments: { y: "${b.y}" }, status: "failed" }),
      tool("d", { dependencies: ["a"], status: "completed" }),
      tool("e", { arguments: { y: "${b.y}" } }),
    ]);
    const patch = draft(plan, { tasks: [{ tool_id: "z", execution_type: "tool", task_id: "a", replaces: ["a"] }] });
    expect(patch.renewed).toEqual([
      { task_id: "b", new_task_id: "b_2" },
      { task_id: "c", new_task_id: "c_2" },
    ]);
    const tasks = byId(applyPatch(plan, patch));
    expect(tasks.get("b_2")).toMatchObject({
      status: "pending",
      output: {},
      main_task_id: "b",
      arguments: { x: "${a_2.x}" },
    });
    expect(tasks.get("e")).toMatchObject({ arguments: { y: "${b_2.y}" } });
    expect(tasks.get("d")).toMatchObject({ status: "completed", dependencies: ["a_2"] });
    expect(brokenInvariants(plan, patch, applyPatch(plan, patch))).toEqual([]);
    const without = { ...patch, renewed: [] };
    expect(errors(plan, without)).toEqual(["patch_region b", "patch_region c"]);
  });

  test("makes several of one, the last one gives the output", () => {
    const plan = chain();
    const patch = draft(plan, {
      tasks: [
        {
          task_id: "clean",
          tool_id: "clean",
          execution_type: "tool",
          arguments: { rows: "${rows.rows}" },
          replaces: ["parse"],
        },
        {
          task_id: "read",
          tool_id: "read",
          execution_type: "tool",
          arguments: { rows: "${clean.rows}" },
          replaces: ["parse"],
        },
      ],
    });
    const tasks = byId(applyPatch(plan, patch));
    expect(tasks.get("report")).toMatchObject({ dependencies: ["read"], arguments: { text: "About ${read.text}" } });
    expect(tasks.get("clean")).toMatchObject({ main_task_id: "parse", dependencies: ["fetch"] });
  });

  test("drops a task nobody reads; what waited for it waits for what it waited for", () => {
    const plan = planOf([tool("a"), tool("b", { dependencies: ["a"] }), tool("c", { dependencies: ["b"] })]);
    const after = applyPatch(plan, draft(plan, { tasks: [], drop: ["b"] }));
    expect(byId(after).get("c")!.dependencies).toEqual(["a"]);
  });

  test("result variables pass on, so that references by name stand", () => {
    const plan = planOf([
      tool("a", { result_variable: "rows", status: "failed" }),
      tool("b", { arguments: { x: "${rows.id}" } }),
    ]);
    const after = applyPatch(
      plan,
      draft(plan, { tasks: [{ tool_id: "z", execution_type: "tool", replaces: ["a"], task_id: "new" }] }),
    );
    expect(byId(after).get("b")).toEqual(byId(plan).get("b"));
    expect(byId(after).get("new")).toMatchObject({ result_variable: "rows" });
  });

  test("ids never come back, over three revisions", () => {
    let plan = planOf([tool("a", { status: "failed" }), tool("b", { arguments: { x: "${a.id}" } })]);
    for (const expected of ["a_2", "a_3", "a_4"]) {
      const current = plan.planned_tasks[0]!.task_id;
      const patch = draftPatch(plan, {
        tasks: [{ task_id: "a", tool_id: expected, execution_type: "tool", replaces: [current] }],
      });
      plan = applyPatch(plan, patch.patch!);
      expect(plan.planned_tasks[0]).toMatchObject({ task_id: expected, main_task_id: "a" });
      expect(plan.planned_tasks[1]!.arguments).toEqual({ x: `\${${expected}.id}` });
    }
    expect(retiredTasks(plan)).toEqual(["a", "a_2", "a_3"]);
  });
});

describe("a bad patch is refused:", () => {
  const good = () =>
    draft(chain(), { tasks: [{ task_id: "parse", tool_id: "other", execution_type: "tool", replaces: ["parse"] }] });
  const change = (fields: object, ofTask: object = {}) => {
    const patch = good();
    return { ...patch, tasks: patch.tasks.map((each) => ({ ...each, ...ofTask })), ...fields };
  };
  const replacement = { task_id: "parse", replaced_by: ["parse_2"], output_from: "parse_2" };
  test.for<[string, object, string, object?]>([
    ["for another plan", change({ plan_id: "other" }), "patch_stale"],
    ["for another revision", change({ base: "earlier" }), "patch_stale"],
    ["outside the region", change({}), "patch_region parse", { region: ["report"] }],
    ["of an unknown task", change({ replacements: [replacement, { task_id: "ghost" }] }), "patch_region ghost"],
    ["of a task twice", change({ replacements: [replacement, replacement] }), "patch_region parse"],
    [
      "an id in use",
      change(
        { replacements: [{ ...replacement, replaced_by: ["stranger"], output_from: "stranger" }] },
        { task_id: "stranger" },
      ),
      "duplicate_task stranger",
    ],
    [
      "the id of the replaced task",
      change(
        { replacements: [{ ...replacement, replaced_by: ["parse"], output_from: "parse" }] },
        { task_id: "parse" },
      ),
      "duplicate_task parse",
    ],
    ["a name others have", change({}, { result_variable: "rows" }), "duplicate_task parse_2"],
    ["a task that has run", change({}, { status: "completed" }), "patch_task parse_2"],
    ["a task with an output", change({}, { output: { text: "made up" } }), "patch_task parse_2"],
    ["another lineage", change({}, { main_task_id: "fetch" }), "patch_task parse_2"],
    ["a task in no place", change({ tasks: [...good().tasks, tool("extra")] }), "patch_region extra"],
    ["an input from elsewhere", change({}, { arguments: { x: "${stranger.a}" } }), "patch_boundary parse_2"],
    ["a dependency less", change({}, { dependencies: [] }), "patch_boundary parse_2"],
    [
      "nobody gives the output",
      change({ replacements: [{ ...replacement, output_from: null }] }),
      "patch_boundary parse",
    ],
    [
      "a stranger gives the output",
      change({ replacements: [{ ...replacement, output_from: "stranger" }] }),
      "patch_boundary parse",
    ],
    [
      "waits for what comes after",
      change({}, { dependencies: ["fetch", "report"] }),
      "cycle parse_2",
      { inputs: "any" },
    ],
    [
      "renews what did not consume",
      change({ renewed: [{ task_id: "stranger", new_task_id: "s2" }] }),
      "patch_region stranger",
    ],
    [
      "does again what is done",
      change({}, { tool_id: "use_stranger", dependencies: ["fetch"] }),
      "task_repeated parse_2",
    ],
    ["a reference to nothing", change({}, { arguments: { x: "${ghost.y}" } }), "unknown_reference parse_2"],
  ])("%s", ([, patch, expected, options = {}]) => {
    const plan = chain();
    if (expected.startsWith("cycle")) {
      expect(errors(plan, patch, options).join()).toMatch(/patch_boundary parse_2|cycle/);
    } else if (expected.startsWith("task_repeated")) {
      const twin = planOf([...plan.planned_tasks, tool("again", { tool_id: "use_stranger", dependencies: ["fetch"] })]);
      expect(errors(twin, patch, options)).toContain(expected);
    } else {
      expect(errors(plan, patch, options)).toContain(expected);
    }
    expect(plan).toEqual(chain());
  });

  test("two tasks cannot become one that a third reads as two", () => {
    const plan = planOf([tool("a"), tool("b"), tool("c", { arguments: { x: "${a.v}", y: "${b.v}" } })]);
    const patch = draft(plan, {
      tasks: [{ tool_id: "z", execution_type: "tool", task_id: "ab", replaces: ["a", "b"] }],
    });
    expect(errors(plan, patch)).toEqual(["patch_region c"]);
    expect(() => applyPatch(plan, patch)).toThrow(expect.objectContaining({ code: "PLAN_PATCH_REFUSED" }));
  });

  test("what consumers read is in the new output's schema, and arguments fit", () => {
    const resources: Resource[] = [
      {
        kind: "tool",
        id: "other",
        description: "",
        input_schema: { type: "object", properties: { rows: { type: "array" } }, required: ["rows"] },
        output_schema: { type: "object", properties: { words: { type: "string" } }, additionalProperties: false },
      },
      {
        kind: "tool",
        id: "use_report",
        description: "",
        input_schema: { type: "object", properties: { text: { type: "string" } } },
      },
    ];
    const issues = verifyPatch(chain(), good(), { resources });
    expect(issues.map(({ code, task_id }) => [code, task_id])).toEqual(
      expect.arrayContaining([
        ["missing_argument", "parse_2"],
        ["unknown_output", "report"],
      ]),
    );
    // What was wrong before the patch is not its fault: `use_fetch` is no known tool, and nobody says so here.
    expect(issues.every(({ task_id }) => task_id === "parse_2" || task_id === "report")).toBe(true);
  });

  test("something is left of the plan", () => {
    const plan = planOf([tool("a"), tool("b")]);
    expect(errors(plan, draft(plan, { tasks: [], drop: ["a", "b"] }))).toEqual(["plan_empty"]);
    expect(errors(plan, draft(plan, { tasks: [], drop: ["a"] }))).toEqual([]);
  });

  test("a lost race: the second of two patches for one revision", () => {
    const plan = chain();
    const after = applyPatch(plan, good());
    expect(errors(after, good())[0]).toBe("patch_stale");
  });
});

describe("laws", () => {
  const seeds = fc.tuple(fc.nat(), fc.nat(), fc.nat());

  test("honest patches that are accepted break nothing, and most are accepted", () => {
    let accepted = 0;
    let drafted = 0;
    for (let seed = 0; seed < cases(600); seed++) {
      const plan = randomRunningPlan(seed);
      const patch = randomPatch(plan, seed + 7);
      if (patch === undefined) continue;
      drafted++;
      if (errors(plan, patch).length > 0) continue;
      accepted++;
      expect(brokenInvariants(plan, patch, applyPatch(plan, patch)), `seed ${seed}`).toEqual([]);
    }
    expect(accepted / drafted).toBeGreaterThan(0.4);
  });

  test("gates, halts and bounds are never lost: not by honest patches, nor by those that loosen them", () => {
    let accepted = 0;
    let refused = 0;
    const loosens = (found: readonly string[]) => found.some((each) => each.startsWith("patch_protection"));
    for (let seed = 0; seed < cases(500); seed++) {
      const plan = withProtections(randomRunningPlan(seed), seed);
      const honest = randomPatch(plan, seed + 7);
      if (honest === undefined) continue;
      for (const patch of [honest, loosened(honest, seed)]) {
        const found = errors(plan, patch);
        if (loosens(found)) refused++;
        if (found.length > 0) continue;
        accepted++;
        expect(brokenInvariants(plan, patch, applyPatch(plan, patch)), `seed ${seed}`).toEqual([]);
      }
      expect(loosens(errors(plan, honest)), `seed ${seed}`).toBe(false);
    }
    expect(accepted).toBeGreaterThan(cases(150));
    expect(refused).toBeGreaterThan(cases(80));
  });

  test("a task that read a dropped one still comes after what that one waited for", () => {
    // Found by the law below: only a reference, no declared dependency, led from the reader to the dropped task.
    const plan = randomRunningPlan(86_621_379);
    const patch = corrupted(randomPatch(plan, 1_436_169_680), plan, 10);
    expect(errors(plan, patch)).toEqual([]);
    const read = PlanPatch.parse(patch);
    expect(brokenInvariants(plan, read, applyPatch(plan, read))).toEqual([]);
  });

  test("malicious patches: none that breaks an invariant is accepted, none throws", () => {
    fc.assert(
      fc.property(seeds, ([first, second, third]) => {
        const plan = randomRunningPlan(first);
        const patch = corrupted(randomPatch(plan, second), plan, third);
        if (errors(plan, patch).length > 0) return;
        const read = PlanPatch.parse(patch);
        expect(brokenInvariants(plan, read, applyPatch(plan, read))).toEqual([]);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test("garbage gives issues, never a throw", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (plan, patch) => {
        expect(errors(plan, patch).length).toBeGreaterThan(0);
        expect(errors(chain(), patch).length).toBeGreaterThan(0);
        expect(
          Array.isArray(verifyPatch(plan, PlanPatch.parse({ plan_id: "p", replacements: [{ task_id: "a" }] }))),
        ).toBe(true);
      }),
      { numRuns: cases(300) },
    );
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(errors(hostile, hostile)).toEqual(["schema"]);
  });
});
