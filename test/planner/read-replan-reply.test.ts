import { readReplanReply } from "@planloom/planner";
import { expect, test } from "vitest";

const seed003 = {
  task_id: "T9001",
  description: "List",
  execution_type: "tool_call",
  tool_id: "list_new",
  parameters: { city: "Lyon" },
};
test.for<[string, unknown]>([
  ["a bare list, as seed 003 answers", [seed003]],
  ["in the planner document's envelope", { success: true, data: [seed003] }],
  ["in the controller document's envelope", { status: "complete", processed_data: { tasks: [seed003] } }],
  ["one task alone", seed003],
  ["JSON text", JSON.stringify({ tasks: [seed003] })],
  ["lineage in main_task_id", [{ ...seed003, main_task_id: "list" }]],
])("%s", ([, data]) => {
  const { proposal, issues } = readReplanReply(data, ["list"]);
  expect(issues).toEqual([]);
  expect(proposal?.tasks).toMatchObject([{ task_id: "T9001", replaces: ["list"], arguments: { city: "Lyon" } }]);
});

test("numbers as dependencies are 0-based positions in the answer", () => {
  const { proposal } = readReplanReply(
    [
      { replaces: ["a"], tool_id: "x" },
      { replaces: ["a"], tool_id: "y", depends_on: [0, "other"] },
    ],
    ["a"],
  );
  expect(proposal?.tasks).toMatchObject([{ task_id: "step_1" }, { dependencies: ["step_1", "other"] }]);
});

test("what a task in the place of another says came of it is left out, within lists too", () => {
  const done = { tool_id: "x", status: "completed", output: { ok: true } };
  const deeper = { task_id: "in", for_each: { items: [1], tasks: [{ ...done, task_id: "b" }] } };
  const { proposal } = readReplanReply(
    [
      { task_id: "r", for_each: { items: [1], tasks: [{ ...done, task_id: "a" }, deeper] } },
      { tool_id: "x", for_each: { items: [1, 2, 3], given: { 0: { ok: true }, 1: "${a.page}", 2: { $ref: "a" } } } },
    ],
    ["review"],
  );
  const [list, calls] = proposal!.tasks;
  expect(list!.for_each!.tasks).toMatchObject([
    { status: "pending", output: {} },
    { for_each: { tasks: [{ status: "pending", output: {} }] } },
  ]);
  expect(calls!.for_each).toMatchObject({ given: { 1: "${a.page}", 2: { $ref: "a" } } });
  expect(calls!.for_each!.given).not.toHaveProperty("0");
});
