import { LlmController } from "@planloom/controller";
import { scriptedController, scriptedModel } from "@planloom/controller/testing";
import type { Resource } from "@planloom/plan";
import { Planner, readReplanReply } from "@planloom/planner";
import { expect, test } from "vitest";

const resources: readonly Resource[] = [{ kind: "tool", id: "pay", description: "Pays" }];
const task = { task_id: "a", execution_type: "tool", tool_id: "pay" };

test("a model that misspells a gate is informed, with the nearest name, and asked again", async () => {
  const controller = scriptedController([
    { phase1: { success: true, data: [{ ...task, aproval: "required" }] } },
    { phase1: { success: true, data: [{ ...task, approval: "required" }] } },
  ]);
  const plan = await new Planner({ controller, resources }).createPlan("Pay it");
  expect(plan.planned_tasks[0]?.approval).toBe("required");
  const { request } = controller.requests[1]!;
  expect(request.feedback?.[0]?.issues).toMatchObject([
    { code: "unknown_field", severity: "error", task_id: "a", repair: { candidates: ["approval"] } },
  ]);
});

test("what a model merely notes beside its tasks costs no second question", async () => {
  const controller = scriptedController([{ phase1: { success: true, data: [{ ...task, rationale: "because" }] } }]);
  const plan = await new Planner({ controller, resources }).createPlan("Pay it");
  expect(plan.planned_tasks).toHaveLength(1);
});

test("a task with such a field is not reported early", async () => {
  const text = JSON.stringify({ tasks: [{ ...task, aproval: "required" }] });
  const good = JSON.stringify({ tasks: [task] });
  const reported: number[] = [];
  const controller = new LlmController({ model: scriptedModel([{ text }, { text: good }]) });
  await new Planner({ controller, resources }).createPlan("Pay", {
    onTask: (_, attempt) => void reported.push(attempt),
  });
  expect(reported).toEqual([2]);
});

test("a replan's reply likewise", () => {
  const answer = (more: object) => readReplanReply({ tasks: [{ ...task, replaces: ["a"], ...more }] }, ["a"]);
  expect(answer({ aproval: "required" }).issues).toMatchObject([
    { code: "unknown_field", severity: "error", repair: { candidates: ["approval"] } },
  ]);
  expect(answer({ rationale: "because" }).issues).toEqual([]);
  // Seed 002's way to say what comes first is read.
  expect(answer({ depends_on: [] }).issues).toEqual([]);
});
