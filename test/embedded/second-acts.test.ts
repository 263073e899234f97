import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown> = {},
  required: readonly string[] = Object.keys(properties),
): Resource => ({
  id: name,
  kind: "tool",
  description,
  input_schema: { type: "object", properties, required: [...required] },
});
const berth = { berth_number: { type: "integer" } };

const harbour = [
  tool("add_berth_note", "Add a note to a berth", { ...berth, body: text }),
  tool("update_berth", "Update a berth", { ...berth, state: { type: "string", enum: ["open", "closed"] } }, [
    "berth_number",
  ]),
  tool("create_folder", "Create a folder for charts", { path: text }),
  tool("move_chart", "Move a chart to another path", { source: text, destination: text }),
  tool("list_boards", "List the boards of the harbour", { cursor: text }, []),
  tool("post_notice", "Post a notice to a board", { board_id: { type: "string", description: "The board" }, text }),
];

const plan = (goal: string) => planGoal(goal, harbour, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
const tasks = (goal: string) =>
  plan(goal).plan.planned_tasks.map(({ tool_id, arguments: own }) => ({ tool: tool_id, ...own }));

test("an act that only a value of a tool names is a call of its own, with what the call before was given", () => {
  expect(tasks('Note "too shallow" on berth 17 and close it')).toEqual([
    { tool: "add_berth_note", berth_number: 17, body: "too shallow" },
    { tool: "update_berth", berth_number: 17, state: "closed" },
  ]);
});

test("what is moved into something new waits for it", () => {
  const { plan: planned } = plan("Create the folder /charts/2026 and move north.png from /old into it");
  const [made, moved] = planned.planned_tasks;
  expect([made?.tool_id, moved?.tool_id]).toEqual(["create_folder", "move_chart"]);
  expect(moved?.dependencies).toEqual([made?.task_id]);
});

test("a name where an id is wanted is asked about, and none of many is taken for it", () => {
  const { plan: planned, unresolved } = plan("Tell #general that the tide is low");
  expect(planned.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["post_notice"]);
  expect(planned.planned_tasks[0]?.arguments).not.toHaveProperty("board_id");
  expect(unresolved).toContainEqual(expect.objectContaining({ reason: "missing_argument", text: "board_id" }));
});
