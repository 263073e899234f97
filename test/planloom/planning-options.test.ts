import { defineTool, EmbeddedController, LlmController, Planloom } from "planloom";
import { scriptedController, scriptedModel } from "planloom/testing";
import { describe, expect, test } from "vitest";

const look = defineTool({ id: "look", description: "Looks", readOnly: true, execute: () => "seen" });
const step = (task_id: string, tool_id: string) => ({ task_id, execution_type: "tool", tool_id, description: task_id });
const answers = {
  planloom: JSON.stringify({ tasks: [step("a", "look")] }),
  kirha: '<plan>[{"toolName":"look","arguments":{}}]</plan>',
  "planner-agent": JSON.stringify({ steps: [{ tool: "look", params: {} }] }),
} as const;

describe("instructions of one call", () => {
  const wish = "Look twice before you leap.";

  test.for(["planloom", "kirha", "planner-agent"] as const)(
    "reach the model once, by protocol %s",
    async (protocol) => {
      const model = scriptedModel([answers[protocol], answers[protocol]]);
      const controller = new LlmController({ model, protocol, instructions: "Always be kind." });
      await using planloom = new Planloom({ controller, tools: [look] });
      await planloom.plan("Look around", { instructions: wish });
      await planloom.run("Look around");
      const said = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\n"));
      expect(said.map((text) => text.split(wish).length - 1)).toEqual([1, 0]);
      expect(said.every((text) => text.includes("Always be kind."))).toBe(true);
    },
  );

  test("reach a remote controller in its text and beside it, and a run of a goal and its stream", async () => {
    const data = { success: true, data: [step("a", "look")] };
    const controller = scriptedController([{ phase1: data }, { phase1: data }, { phase1: data }]);
    await using planloom = new Planloom({ controller, tools: [look] });
    await planloom.run("Look around", { instructions: wish });
    await planloom.stream("Look around", { instructions: wish }).result;
    await planloom.planStream("Look around", { instructions: wish }).plan;
    for (const { request } of controller.requests) {
      expect(request).toMatchObject({
        instructions: wish,
        phase_1_data: { task_input_data: expect.stringContaining(wish) },
      });
    }
    expect(controller.requests).toHaveLength(3);
  });

  test("are said to be unread by the embedded planner", async () => {
    await using planloom = new Planloom({ controller: new EmbeddedController(), tools: [look] });
    const { metadata } = await planloom.plan("Look", { instructions: wish });
    expect(metadata?.issues).toContainEqual(expect.objectContaining({ code: "unresolved", severity: "warning" }));
    expect((await planloom.plan("Look")).metadata?.issues).toBeUndefined();
  });
});

test("a plan that may name tools that are not there can be run, and the task without one fails alone", async () => {
  const plan = [step("a", "look"), step("b", "elsewhere")];
  const controller = () => scriptedController([{ phase1: { success: true, data: plan } }]);
  await using open = new Planloom({
    controller: controller(),
    tools: [look],
    confirm: "never",
    planner: { validateToolAvailability: false },
  });
  const made = await open.plan("Look around");
  expect(open.validate(made)).toEqual([expect.objectContaining({ code: "unknown_tool", severity: "warning" })]);
  const { results, end_reason } = await open.run(made);
  expect(end_reason).toBe("failed");
  expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
    ["completed", undefined],
    ["failed", "TASK_RESOURCE_NOT_FOUND"],
  ]);
  await using strict = new Planloom({ controller: controller(), tools: [look] });
  await expect(strict.run(made)).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
});
