import { defineTool, Planloom, TaskData } from "planloom";
import { approve } from "planloom/runtime";
import { memoryJournal, scriptedController } from "planloom/testing";
import { expect, test } from "vitest";

const llmData = { model: "m" };
/** What is asked for sends all of both, that of the call over that of the instance. */
const sent = { model: "m", top_p: 0.5 };
const planner = { llmData: { model: "own", top_p: 0.5 } };

const tools = [
  defineTool({
    id: "list",
    description: "Lists",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    execute: ({ n }) => n,
  }),
  defineTool({
    id: "broken",
    description: "Breaks",
    execute: () => {
      throw new Error("no");
    },
  }),
  defineTool({ id: "works", description: "Works", readOnly: true, execute: () => 1 }),
];
const bound = { phase2: { success: true, data: { uid: "list", input_data: { n: 1 } } } };
const replaced = {
  phase1: { success: true, data: { tasks: [{ execution_type: "tool", tool_id: "works", replaces: ["b"] }] } },
};
const tasks = [
  { task_id: "a", execution_type: "tool" as const, tool_id: "list", description: "Lists one" },
  { task_id: "b", execution_type: "tool" as const, tool_id: "broken", dependencies: ["a"] },
];

function world(steps: Parameters<typeof scriptedController>[0]) {
  const controller = scriptedController(steps);
  const asked = () =>
    controller.requests.map(
      ({ request }) => ("phase_1_data" in request ? request.phase_1_data : request.phase_2_data).llm_data,
    );
  const planloom = new Planloom({ tools, controller, planner, journal: memoryJournal() });
  return { planloom, asked };
}

test("`llmData` of a run is sent where its goal is planned, and its tasks are bound and replaced", async () => {
  const plan = { phase1: { success: true, data: { tasks } } };
  const { planloom, asked } = world([plan, bound, replaced]);
  await using _ = planloom;
  const { end_reason } = await planloom.run("Do it", { llmData, confirm: "never", replanPolicy: { on: ["failure"] } });
  expect(end_reason).toBe("completed");
  expect(asked()).toMatchObject([sent, sent, sent]);
});

test("that of a resumption, of a fork and of a replan is sent in these, and what a run was given is kept nowhere", async () => {
  const { planloom, asked } = world([bound, replaced, bound, bound, replaced]);
  await using _ = planloom;
  const { run_id } = await planloom.run(TaskData.parse({ planned_tasks: tasks }), { llmData: { api_key: "s3cret" } });
  await planloom.replan(run_id, { mark: ["b"], llmData });
  expect(JSON.stringify(await (await planloom.journal()).getRun(run_id))).not.toContain("s3cret");
  await planloom.fork(run_id, "a", { llmData });
  const cut = await planloom.run(TaskData.parse({ planned_tasks: tasks }), { approval: { resources: ["list"] } });
  await approve(cut.run_id, "a", { journal: await planloom.journal() });
  await planloom.resume(cut.run_id, { llmData, replanPolicy: { on: ["failure"] } });
  expect(asked()).toMatchObject([{ top_p: 0.5, api_key: "s3cret" }, sent, sent, { model: "own", top_p: 0.5 }, sent]);
});
