import { validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";
import { task } from "../support/plans.ts";

const mailInput = { type: "object", properties: { body: { type: "string" } }, required: ["body"] };

test('validation takes {"$text"} for text', () => {
  const resource = { kind: "tool" as const, id: "mail", description: "", input_schema: mailInput };
  const tasks = ["${a}", "all of ${a}"].map((text, at) =>
    task({
      task_id: `b${at}`,
      execution_type: "tool",
      tool_id: "mail",
      arguments: { body: { $text: text } },
    }),
  );
  const first = task({ task_id: "a", execution_type: "tool", tool_id: "mail", arguments: { body: "x" } });
  expect(validatePlan({ planned_tasks: [first, ...tasks] }, [resource])).toEqual([]);
});

test("validation names the tool that is not available, the task and what there is", () => {
  const lost = task({ task_id: "a", execution_type: "tool", tool_id: "gone" });
  const [issue] = validatePlan({ planned_tasks: [lost] }, [{ kind: "tool", id: "mail", description: "" }]);
  expect(issue?.message).toBe('Tool not available: gone (task "a"); known are mail.');
});
