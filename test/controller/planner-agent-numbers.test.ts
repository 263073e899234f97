import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { expect, test } from "vitest";

const step = (fields: object = {}) => ({ tool: "t", params: {}, ...fields });

async function answered(steps: object[]) {
  const model = scriptedModel([JSON.stringify({ steps })]);
  const controller = new LlmController({ model, protocol: "planner-agent" });
  return controller.processPhase1({
    search_id: "1",
    phase_1_data: { task_input_data: "q", n_history_samples: 0, llm_data: {} },
  });
}

test.for([
  {
    name: "a number that is too high",
    steps: [step(), step({ depends_on: [5] })],
    says: "Invalid dependency index: 5",
  },
  { name: "a negative one", steps: [step({ depends_on: [-1] })], says: "Invalid dependency index: -1" },
  { name: "a step that needs itself", steps: [step({ depends_on: [0] })], says: "depends on itself" },
  {
    name: "a list of ids that outputs do not have",
    steps: [step(), step({ params: { x: "${step[0].data.ids}" }, depends_on: [0] })],
    says: "Invalid template ${step[0].data.ids}",
  },
])("the planner-agent protocol refuses $name, in the format's own numbers", async ({ steps, says }) => {
  const reply = await answered(steps);
  expect(reply).toMatchObject({ success: false, message: expect.stringContaining(says) });
  expect(reply.issues?.[0]?.message).toContain(says);
});

test("it lets a step use a later one; order comes from the graph", async () => {
  expect((await answered([step({ params: { x: "${step[1].data.id}" } }), step()])).success).toBe(true);
});
