import { defineTool, memoryJournal, run, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";

const executors = [
  toolExecutor([
    defineTool({ id: "big", description: "", readOnly: true, execute: () => "x".repeat(10_000_000) }),
    defineTool({ id: "take", description: "", readOnly: true, execute: () => 1 }),
  ]),
];
const call = (task_id: string, tool_id: string, value: unknown = 1) =>
  ({ task_id, execution_type: "tool", tool_id, arguments: { value } }) as const;
const times = (count: number) => Array.from({ length: count }, () => "${a}");

test.for([
  { name: "a list", value: times(100), max_bytes: 67_108_864 },
  { name: "lists of lists", value: [times(3), times(3), times(3)], max_bytes: 67_108_864 },
  { name: "a text", value: times(8).join(""), max_bytes: 67_108_864 },
  { name: "a text that is longer than texts can be", value: times(100).join(""), max_bytes: 536_870_888 },
])("an input into which outputs are put is refused where it is too large: $name", async ({ value, max_bytes }) => {
  const plan = { planned_tasks: [call("a", "big"), call("b", "take", value)] };
  const { results } = await run(plan, { executors, journal: memoryJournal() });
  const failed = results.find(({ task_id }) => task_id === "b");
  expect(failed).toMatchObject({ status: "failed", error: { code: "TASK_INPUT_TOO_LARGE", details: { max_bytes } } });
});

test("an input may have as much as the outputs of the run", async () => {
  const plan = { planned_tasks: [call("a", "big"), call("b", "take", times(8))] };
  const { status } = (await run(plan, { executors, maxOutputBytes: 100_000_000 })).plan;
  expect(status).toBe("done");
});

test("an input of Stage 2 is refused where it is too large", async () => {
  const value = Array.from({ length: 100 }, () => "x".repeat(10_000_000));
  const bind = async () => ({ uid: "take", input_data: { value } });
  const { results } = await run({ planned_tasks: [call("b", "take")] }, { executors, bind, journal: memoryJournal() });
  expect(results).toMatchObject([{ status: "failed", error: { code: "TASK_INPUT_TOO_LARGE" } }]);
});
