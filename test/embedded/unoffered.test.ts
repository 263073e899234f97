import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const tool = (name: string, description: string, properties: Record<string, unknown> = {}): Resource => ({
  id: name,
  kind: "tool",
  description,
  input_schema: { type: "object", properties, required: Object.keys(properties) },
});

const harbour = [
  tool("list_berths", "List the berths"),
  tool("get_skipper", "Get a skipper of the harbour", { skipper_id: text }),
  tool("create_skipper", "Create a skipper", { name: text }),
  tool("post_notice", "Post a notice to the board of a berth", { berth_id: text, notice: text }),
  tool("edit_berth", "Edit a berth", { berth_id: text, name: text }),
  tool("search_boats", "Search boats", { query: text, kind: { type: "string", enum: ["sloop", "barge"] } }),
  tool("import_chart", "Import a chart into a folder", { path: text, folder: text }),
];
const plan = (goal: string) => planGoal(goal, harbour, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
const called = (goal: string) => plan(goal).plan.planned_tasks.map(({ tool_id }) => tool_id);

test.each([
  ["a verb that no tool has", "ban skipper 12345 from the harbour"],
  ["a verb of a trade that no tool has", "Translate my notice into French"],
  ["a verb with its particle", "Back up the berths to S3"],
  ["a change, where the nearest tool only reads", "Give Tom access to the berths"],
  ["a kind of thing that no tool mentions", "Order a pizza for tonight"],
  ["a part that no tool mentions", "Show me the lyrics of the boat Vesta"],
  ["an act that no tool for such things does", "Delete the skipper Anna"],
])("%s is refused, with the tools that come nearest", (_, goal) => {
  const { plan: planned, unresolved } = plan(goal);
  expect(planned.planned_tasks).toEqual([]);
  expect(unresolved.map(({ reason }) => reason)).toContain("no_resource");
});

describe("the verb of a value that rows may have", () => {
  const status = { type: "string", enum: ["moored", "repaired", "returned"] };
  const list = (id: string, description: string, properties: Record<string, unknown>): Resource => ({
    ...tool(id, description),
    input_schema: { type: "object", properties },
    output_schema: { type: "array", items: { type: "object", properties: { id: text, ...properties } } },
  });
  const rows = [
    list("boats_list", "List boats", { status, owner: text, limit: { type: "integer" } }),
    list("piers_list", "List piers", { location: text, status: { type: "string" } }),
  ];
  const planned = (goal: string) =>
    planGoal(goal, rows, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks;

  test.each(["Repair the boats", "Moor all boats of Anna", "Please repair my boats"])(
    "asks for a change that no tool makes: %s",
    (goal) => {
      expect(planned(goal)).toEqual([]);
    },
  );

  test.each([
    ["Repaired boats", "repaired"],
    ["Show the moored boats", "moored"],
    ["Return the repaired boats", "repaired"],
  ])("narrows down what is read where it is a participle: %s", (goal, value) => {
    expect(planned(goal)).toMatchObject([{ tool_id: "boats_list", arguments: { status: value } }]);
  });
});

test("what a tool does is planned in other words for it", () => {
  expect(called('Put up the notice "Closed at noon" on berth B-7')).toEqual(["post_notice"]);
  expect(called("Retitle berth B-7 to North")).toEqual(["edit_berth"]);
  expect(called("Make a skipper named Anna")).toEqual(["create_skipper"]);
  expect(called("Seek barges called Vesta")).toEqual(["search_boats"]);
});

test("a request in several sentences is not refused for the verb of one", () => {
  expect(called("I would like to paint a boat. Can you show me the berths?")).toContain("list_berths");
});
