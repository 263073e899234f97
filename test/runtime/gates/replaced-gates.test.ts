import { draftPatch, type PatchProposal, TaskData, verifyPatch } from "@planloom/plan";
import { defineTool, memoryJournal, type Replan, run, toolExecutor, waitingFor } from "@planloom/runtime";
import { expect, test } from "vitest";

const tool = (task_id: string, dependencies: string[], over: object = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: task_id,
  dependencies,
  ...over,
});
const plan = TaskData.parse({
  task_id: "p",
  planned_tasks: [tool("fetch", []), tool("review", ["fetch"], { approval: "required" }), tool("publish", ["review"])],
});

/** Runs the plan with a model's answer to the failure of `fetch`. */
async function replanned(proposal: PatchProposal) {
  const calls: string[] = [];
  const journal = memoryJournal();
  const ids = ["fetch", "other", "review", "publish"];
  const tools = ids.map((id) =>
    defineTool({
      id,
      description: id,
      execute: () => {
        if (id === "fetch") throw new Error("gone");
        calls.push(id);
        return "done";
      },
    }),
  );
  const replan: Replan = async (region) => draftPatch(region.plan, proposal).patch;
  const result = await run(plan, {
    executors: [toolExecutor(tools)],
    journal,
    runId: "r",
    replan,
    replanPolicy: { on: ["failure"], scope: "remaining" },
  });
  return { result, calls, waiting: (await waitingFor("r", { journal })).map(({ id, uid }) => `${id} ${uid}`) };
}

const other = { ...tool("fetch_alt", []), tool_id: "other", replaces: ["fetch"] };

test.for([
  {
    name: "a dropped gate moves on to what comes after it",
    proposal: { tasks: [other], drop: ["review"] },
    calls: ["other"],
    waiting: ["publish publish"],
  },
  {
    name: "what takes the place of a gated task is gated",
    proposal: { tasks: [other, { ...tool("review_2", ["fetch_alt"]), tool_id: "review", replaces: ["review"] }] },
    calls: ["other"],
    waiting: ["review_2 review"],
  },
  {
    name: "what comes after a dropped gate and is replaced is gated",
    proposal: {
      tasks: [other, { ...tool("publish_2", ["fetch_alt"]), tool_id: "publish", replaces: ["publish"] }],
      drop: ["review"],
    },
    calls: ["other"],
    waiting: ["publish_2 publish"],
  },
  {
    name: "a call that stood behind the gate is not made before it",
    proposal: {
      tasks: [
        { ...other, dependencies: ["sooner"] },
        { ...tool("sooner", []), tool_id: "publish", replaces: ["fetch"] },
      ],
    },
    calls: [],
    waiting: ["sooner publish"],
  },
])("$name", async ({ proposal, calls, waiting }) => {
  const made = await replanned(proposal);
  expect(made.calls).toEqual(calls);
  expect(made.waiting).toEqual(waiting);
  expect(made.result).toMatchObject({ end_reason: "waiting_approval", replanned: true });
});

test("a patch that loosens a gate, a halt or a bound, or moves a secret, is refused", () => {
  const strict = structuredClone(plan);
  Object.assign(strict.planned_tasks[0]!, {
    approval: "required",
    on_failure: "halt",
    timeout_ms: 500,
    retry: { max_attempts: 2 },
    arguments: { key: { $secret: "KEY" } },
  });
  const loose = { timeout_ms: 60_000, on_failure: "continue" as const, retry: { max_attempts: 9 } };
  const { patch } = draftPatch(strict, { tasks: [{ ...other, ...loose }] });
  const bounds = { approval: "required", on_failure: "halt", timeout_ms: 500, retry: { max_attempts: 2 } };
  expect(patch?.tasks[0]).toMatchObject(bounds);
  const codes = (change: object) => {
    const tasks = patch!.tasks.map((task) => ({ ...task, ...change }));
    return verifyPatch(strict, { ...patch!, tasks }).map(({ code }) => code);
  };
  expect(codes({})).toEqual([]);
  for (const [field, value] of Object.entries({ approval: undefined, ...loose }))
    expect(codes({ [field]: value }), field).toEqual(["patch_protection"]);
  expect(codes({ timeout_ms: undefined })).toEqual(["patch_protection"]);
  expect(codes({ arguments: { note: { $secret: "KEY" } } })).toEqual(["patch_protection"]);
  expect(codes({ tool_id: "fetch", arguments: { key: { $secret: "KEY" }, n: 1 } })).toEqual([]);
});
