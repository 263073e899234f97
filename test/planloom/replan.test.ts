import { fork as forkProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, folderPlans, memoryPlans, Planloom, type PlanStore, SqliteJournal, TaskData } from "planloom";
import { draftPatch } from "planloom/plan";
import { type ReplanPolicy, reviseRun } from "planloom/runtime";
import { memoryJournal, scriptedController } from "planloom/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let works = false;
const rows = { type: "object", properties: { ids: { type: "array", items: { type: "string" } } } };
const tools = [
  defineTool({
    id: "old_berths_list",
    description: "Lists the berths of a harbour",
    readOnly: true,
    output: rows,
    execute: () => {
      if (!works) throw new Error("503");
      return { ids: ["old"] };
    },
  }),
  defineTool({
    id: "berths_list",
    description: "Lists the berths of a harbour",
    readOnly: true,
    output: rows,
    execute: () => ({ ids: ["b1"] }),
  }),
  defineTool({ id: "tell", description: "Tells somebody", execute: (input) => input }),
];
const plan = TaskData.parse({
  task_id: "harbour",
  planned_tasks: [
    {
      task_id: "berths",
      description: "List the berths",
      execution_type: "tool",
      tool_id: "old_berths_list",
      retry: { max_attempts: 1 },
      result_variable: "found",
    },
    { task_id: "tell", execution_type: "tool", tool_id: "tell", arguments: { ids: "${found.ids}" } },
  ],
});
beforeEach(() => {
  works = false;
});

describe("in a run", () => {
  test("the embedded controller puts another tool in the place of one that fails", async () => {
    await using planloom = new Planloom({ tools });
    const reported: string[] = [];
    for (const type of ["replan-start", "replan-end", "patch-apply"] as const)
      planloom.on(type, () => reported.push(type));
    const result = await planloom.run(plan, { replanPolicy: { on: ["failure"] } });
    expect(result).toMatchObject({ end_reason: "completed", replanned: true, output_data: { tell: { ids: ["b1"] } } });
    expect(result.plan.planned_tasks[0]).toMatchObject({ tool_id: "berths_list", retry: { max_attempts: 1 } });
    expect(reported).toEqual(["replan-start", "replan-end", "patch-apply"]);
  });

  test("seed 002: what is left is planned anew with what was done, what failed and what is known", async () => {
    const replanned = {
      tasks: [
        { task_id: "other", replaces: ["berths"], execution_type: "tool", tool_id: "berths_list", arguments: {} },
        {
          task_id: "say",
          replaces: ["tell"],
          execution_type: "tool",
          tool_id: "tell",
          arguments: { ids: "${other.ids}", loud: true },
        },
      ],
    };
    const controller = scriptedController([{ phase1: { success: true, data: replanned } }]);
    await using planloom = new Planloom({ tools, controller });
    const given = {
      ...plan,
      variables: { who: "ada" },
      planned_tasks: [
        ...plan.planned_tasks,
        { ...plan.planned_tasks[1]!, task_id: "before", result_variable: "hello", arguments: { to: "${who}" } },
      ].map((task) => (task.task_id === "berths" ? { ...task, dependencies: ["before"] } : task)),
    };
    const result = await planloom.run(given, { replanPolicy: { scope: "remaining" } });
    controller.assertDone();
    const [asked] = controller.requests;
    expect(asked?.phase === 1 && asked.request.replan).toMatchObject({
      tasks: [
        { task: { task_id: "berths" }, failure: { message: "503" } },
        { task: { task_id: "tell" }, optional: true },
      ],
      progress: {
        completed: [{ task_id: "before", output: { to: "ada" } }],
        failed: [{ task_id: "berths", error: { message: "503" } }],
        variables: { who: "ada", hello: { to: "ada" } },
      },
    });
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
    expect(result.replaced).toMatchObject([{ task_id: "berths", status: "failed" }, { task_id: "tell" }]);
    expect(result.output_data).toMatchObject({ say: { ids: ["b1"], loud: true } });
  });

  test("twenty steps that go well cost one planning call and no other", async () => {
    works = true;
    const tasks = Array.from({ length: 20 }, (_, at) => ({
      task_id: `s${at}`,
      execution_type: "tool",
      tool_id: "tell",
      arguments: { at, ...(at > 0 && { before: `\${s${at - 1}.at}` }) },
    }));
    const controller = scriptedController([{ phase1: { success: true, data: tasks } }]);
    await using planloom = new Planloom({ tools, controller, confirm: "never" });
    const result = await planloom.run("Tell them, one after the other", {
      replanPolicy: { on: ["failure", "resource"] },
    });
    expect(result).toMatchObject({ end_reason: "completed" });
    expect(result.results).toHaveLength(20);
    expect(controller.requests).toHaveLength(1);
  });

  test("what nothing is wrong with stays, and then the plan is not changed", async () => {
    works = true;
    await using planloom = new Planloom({ tools });
    const policy: ReplanPolicy = { every: 1, maxReplans: 5 };
    const result = await planloom.run(plan, { replanPolicy: policy });
    expect(result).toMatchObject({ end_reason: "completed", output_data: { tell: { ids: ["old"] } } });
    expect(result.replanned).toBeUndefined();
  });

  test("what Stage 2 had chosen is not chosen again", async () => {
    await using planloom = new Planloom({ tools });
    const open = {
      ...plan,
      planned_tasks: plan.planned_tasks.map(({ tool_id, ...task }) => ({ ...task, tool_id: null })),
    };
    open.planned_tasks[0]!.description = "List the old berths";
    open.planned_tasks[1]!.description = "Tell somebody";
    const result = await planloom.run(open, { replanPolicy: { maxReplans: 1 } });
    expect(result.replaced).toMatchObject([{ task_id: "berths", uid: "old_berths_list" }]);
    expect(result.results[0]).toMatchObject({ task_id: "berths_2", uid: "berths_list" });
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
  });

  test("who was to approve a task is to approve what stands in its place", async () => {
    await using planloom = new Planloom({ tools });
    const guarded = {
      ...plan,
      planned_tasks: plan.planned_tasks.map((task) => ({ ...task, approval: "required" as const })),
    };
    const { patch } = await planloom.replan(guarded, { mark: ["berths"] });
    expect(patch.tasks).toMatchObject([{ approval: "required" }]);
  });
});

describe("replan", () => {
  test("of a plan gives the plan after it, and leaves the one handed in as it is", async () => {
    await using planloom = new Planloom({ tools });
    const gone = { ...plan, planned_tasks: plan.planned_tasks.map((task) => ({ ...task })) };
    gone.planned_tasks[0]!.tool_id = "older_berths_list";
    const before = structuredClone(gone);
    const { plan: after, diff } = await planloom.replan(gone, { mark: ["berths"] });
    expect(after.planned_tasks.map(({ task_id }) => task_id)).toEqual(["berths_2", "tell"]);
    expect(diff).toMatchObject({ equal: false, changed: [{ task_id: "berths_2", was: "berths" }] });
    expect(gone).toEqual(before);
    await expect(planloom.replan(gone, { mark: ["nobody"] })).rejects.toMatchObject({ code: "PLANNER_REPLAN_INPUT" });
    await expect(planloom.replan(gone, {})).rejects.toMatchObject({ code: "PLANNER_REPLAN_INPUT" });
  });

  test("of a run changes its plan in the journal, and resume continues with it", async () => {
    await using planloom = new Planloom({ tools, journal: memoryJournal() });
    const failed = await planloom.run(plan);
    expect(failed.end_reason).toBe("failed");
    const replanned = await planloom.replan(failed.run_id, { mark: ["berths"], note: "any berth" });
    expect(replanned).toMatchObject({ run_id: failed.run_id, diff: { equal: false } });
    const resumed = await planloom.resume(failed.run_id);
    expect(resumed).toMatchObject({ end_reason: "completed", replanned: true, output_data: { tell: { ids: ["b1"] } } });
    expect(resumed.revisions).toMatchObject([{ causes: [{ task_id: "berths", cause: "person" }] }]);
  });

  test("of a run that is completed does again what consumed the marked output, and nothing else", async () => {
    works = true;
    await using planloom = new Planloom({ tools, journal: memoryJournal() });
    const done = await planloom.run(plan);
    const { diff } = await planloom.replan(done.run_id, { mark: ["berths"] });
    expect(diff).toMatchObject({ renewed: [{ task_id: "tell_2" }] });
    const resumed = await planloom.resume(done.run_id);
    expect(resumed.results.map(({ task_id, recorded }) => [task_id, recorded])).toEqual([
      ["berths_2", undefined],
      ["tell_2", undefined],
    ]);
    expect(resumed.output_data).toMatchObject({ tell_2: { ids: ["b1"] } });
  });
});

describe("a lost race", () => {
  const another = (description: string) =>
    draftPatch(plan, { tasks: [{ ...plan.planned_tasks[0]!, description, replaces: ["berths"] }] }).patch!;

  test.for([
    { name: "in memory", make: async () => memoryPlans() },
    { name: "in a folder", make: async () => folderPlans(await mkdtemp(join(tmpdir(), "plans-"))) },
  ] as { name: string; make: () => Promise<PlanStore> }[])(
    "between two who change a saved plan $name",
    async ({ make }) => {
      const store = await make();
      const other = { ...plan, metadata: { revision: "theirs", previous_revision: "" } };
      const own = { ...plan, metadata: { revision: "mine", previous_revision: "" } };
      await store.save(plan);
      const settled = await Promise.allSettled([store.save(other, { base: "" }), store.save(own, { base: "" })]);
      const [winner, loser] = settled[0].status === "fulfilled" ? [other, settled[1]] : [own, settled[0]];
      const actual = winner.metadata.revision;
      expect(loser).toMatchObject({
        status: "rejected",
        reason: { code: "PLANLOOM_PLAN_CONFLICT", details: { actual } },
      });
      await store.save({ ...plan, metadata: { revision: "next", previous_revision: actual } }, { base: actual });
      await store.save(plan);
    },
  );

  test("between two who change a run's plan", async () => {
    const journal = memoryJournal();
    await using planloom = new Planloom({ tools, journal });
    const { run_id } = await planloom.run(plan);
    const [mine, theirs] = [another("mine"), another("theirs")];
    await reviseRun(run_id, theirs, { journal });
    await expect(reviseRun(run_id, mine, { journal })).rejects.toMatchObject({ code: "RUNTIME_REVISION_CONFLICT" });
    const broken = {
      ...mine,
      base: theirs.patch_id,
      replacements: [{ task_id: "nobody", replaced_by: [], output_from: null }],
    };
    await expect(reviseRun(run_id, broken, { journal })).rejects.toMatchObject({ code: "RUNTIME_REVISION_REFUSED" });
  });

  describe("between processes", () => {
    let folder = "";
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "revisions-"));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    test("one change of a run's plan is kept, all others are reported", async () => {
      const file = join(folder, "journal.sqlite");
      await using planloom = new Planloom({ tools, journal: file });
      const { run_id } = await planloom.run(plan);
      const module = new URL("../support/revise-child.ts", import.meta.url);
      const children = Array.from({ length: 4 }, () => forkProcess(module, [file, run_id], { execArgv: [] }));
      await Promise.all(children.map((child) => once(child, "message")));
      const answers = children.map((child) => once(child, "message"));
      for (const child of children) child.send("go");
      const said = (await Promise.all(answers)).map(([message]) => message as string);
      expect(said.sort()).toEqual([
        "RUNTIME_REVISION_CONFLICT",
        "RUNTIME_REVISION_CONFLICT",
        "RUNTIME_REVISION_CONFLICT",
        "kept",
      ]);
      const journal = await SqliteJournal.open(file);
      expect((await journal.getRun(run_id)).revisions).toHaveLength(1);
      await journal.close();
    });
  });
});
