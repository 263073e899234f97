import { scriptedController } from "@planloom/controller/testing";
import { PlannerTask, type Resource, validatePlan, validateStep } from "@planloom/plan";
import { bindWith, Planner, PlannerError } from "@planloom/planner";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";

const tool: Resource = {
  kind: "tool",
  id: "t",
  description: "Does t",
  input_schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
};
const resources: readonly Resource[] = [tool, { kind: "agent", id: "a", description: "Does a" }];
const signal = new AbortController().signal;

/** JSON with the keys and values that plans are made of, in places where they may or may not belong. */
const word = fc.constantFrom(
  "t",
  "a",
  "b",
  "tool",
  "agent",
  "tools",
  "${a}",
  "${b.x}",
  "__proto__",
  "constructor",
  "",
  "failed",
);
const key = fc.constantFrom(
  "tasks",
  "steps",
  "plan",
  "task_id",
  "tool_id",
  "tool",
  "agent_id",
  "execution_type",
  "arguments",
  "params",
  "dependencies",
  "depends_on",
  "q",
  "uid",
  "input_data",
  "success",
  "data",
  "status",
  "processed_data",
  "toolName",
  "__proto__",
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(word, fc.integer({ max: 3 }), fc.constant(null), fc.boolean()),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("json")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

test("whatever a controller answers, a plan comes out valid or not at all", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(json, async (data) => {
      const controller = scriptedController([{ phase1: { success: true, data } }]);
      try {
        const plan = await new Planner({ controller, resources, maxAttempts: 1 }).createPlan("g");
        accepted += 1;
        expect(
          validatePlan(plan, resources, { missingArguments: "warning" }).filter(({ severity }) => severity === "error"),
        ).toEqual([]);
      } catch (error) {
        if (!(error instanceof PlannerError)) throw error;
        expect(error.code).toBe("PLANNER_NO_VALID_PLAN");
      }
    }),
    {
      numRuns: cases(500),
      seed: 1,
      examples: [[[{ task_id: "b", tool_id: "t", execution_type: "tool", arguments: { q: "x" } }]]],
    },
  );
  expect(accepted).toBeGreaterThan(0);
});

test("whatever a controller answers, a step comes out valid or not at all", async () => {
  let accepted = 0;
  const task = PlannerTask.parse({ task_id: "x", execution_type: "tool", tool_id: "t" });
  await fc.assert(
    fc.asyncProperty(json, async (data) => {
      const bind = bindWith({
        controller: scriptedController([{ phase2: { success: true, data } }]),
        resources,
        maxAttempts: 1,
      });
      try {
        const step = await bind({ task, input: {} }, { signal });
        accepted += 1;
        expect(validateStep(step, tool)).toEqual([]);
      } catch (error) {
        if (!(error instanceof PlannerError)) throw error;
        expect(error.code).toBe("PLANNER_NO_VALID_STEP");
      }
    }),
    { numRuns: cases(500), seed: 1, examples: [[{ uid: "t", input_data: { q: "x" } }]] },
  );
  expect(accepted).toBeGreaterThan(0);
});
