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
  id: `quay/${name}`,
  name,
  kind: "tool",
  description,
  input_schema: { type: "object", properties, required: [...required] },
});
const berth = { berth_id: { type: "string", description: "The id of the berth" } };

/** Each name begins with the server's, as those of many servers do. */
const quay = [
  tool("quay_get_berth_details", "Get the details of a berth", berth),
  tool("quay_get_berth_tides", "Get the tides at a berth", berth),
  tool("quay_export_chart_png", "Export a chart as PNG", { chart: text }),
  tool("quay_export_chart_svg", "Export a chart as SVG", { chart: text }),
  tool("quay_delete_mooring", "Delete a mooring of a quay", { mooring_id: text }),
  tool("quay_delete_mooring_note", "Delete a note on a mooring", { mooring_id: text, note_id: text }),
  tool("quay_remove_flag", "Remove a flag from a note on a mooring", { note_id: text, mooring_id: text, flag: text }),
  tool("quay_flag_buoy", "Flags or unflags a buoy", { buoy: { type: "integer" }, flagged: { type: "boolean" } }),
  tool("quay_recent_voyages", "Lists the voyages made last", { per_page: { type: "integer", default: 30 } }, []),
  tool("quay_get_voyage", "Get one voyage", { voyage_id: { type: "integer" } }),
  tool("quay_get_voyage_speeds", "Get the speeds of a voyage", {
    voyage_id: { type: "integer" },
  }),
  tool(
    "quay_edit_pier",
    "Edit a pier (name and position)",
    { pierId: text, name: text, position: { type: "number" } },
    ["pierId"],
  ),
  tool("quay_find_shoals", "Find shoals within an area", {
    bounds: { type: "string", description: "The area, as comma-separated numbers: south,west,north,east" },
  }),
  tool("quay_add_reaction", "Add an emoji reaction to a note", { note_id: text, emoji: text }),
  tool("quay_list_employees", "List the employees of the quay"),
];

const tasks = (goal: string) =>
  planGoal(goal, quay, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id, arguments: own }) => ({ tool: tool_id?.replace("quay/quay_", ""), ...own }),
  );

test("two things that are joined are a call each, where there is a tool for each", () => {
  expect(tasks("Give me the details of berth B-17 and its tides")).toEqual([
    { tool: "get_berth_details", berth_id: "B-17" },
    { tool: "get_berth_tides", berth_id: "B-17" },
  ]);
  expect(tasks('Export chart "North Bay" as both PNG and SVG')).toEqual([
    { tool: "export_chart_png", chart: "North Bay" },
    { tool: "export_chart_svg", chart: "North Bay" },
  ]);
});

test("one thing, whatever else is joined to it, is one call", () => {
  expect(tasks("Get the tides at berth B-17 and B-18").map((each) => each.tool)).toEqual([
    "get_berth_tides",
    "get_berth_tides",
  ]);
});

test("what the request acts on decides between tools that do the same", () => {
  expect(tasks("Delete moorings M-4 and M-5")).toEqual([
    { tool: "delete_mooring", mooring_id: "M-4" },
    { tool: "delete_mooring", mooring_id: "M-5" },
  ]);
  expect(tasks("Remove note N-9 from mooring M-4")).toEqual([
    { tool: "delete_mooring_note", mooring_id: "M-4", note_id: "N-9" },
  ]);
});

test("the verb of the request says what a switch of its participle is to be", () => {
  expect(tasks("Flag buoy 12")).toEqual([{ tool: "flag_buoy", buoy: 12, flagged: true }]);
  expect(tasks("Unflag buoy 12")).toEqual([{ tool: "flag_buoy", buoy: 12, flagged: false }]);
});

test("a number of things is the id of none", () => {
  expect(tasks("Show the 10 latest voyages")).toEqual([{ tool: "recent_voyages", per_page: 10 }]);
  expect(tasks("Get the speeds of 10 voyages")[0]).not.toMatchObject({ voyage_id: 10 });
});

test("so many digits are a name and never an amount", () => {
  expect(tasks("Rename pier 1170000000000000007 to Archive")).toEqual([
    { tool: "edit_pier", pierId: "1170000000000000007", name: "Archive" },
  ]);
  // Its last digits would be lost in a number.
  expect(tasks("Get voyage 1170000000000000007")).toEqual([{ tool: "get_voyage" }]);
});

test("numbers in a row are one text where the tool asks for one", () => {
  expect(tasks("Find shoals within 52.45,13.35,52.55,13.45")).toEqual([
    { tool: "find_shoals", bounds: "52.45,13.35,52.55,13.45" },
  ]);
});

test("an emoji is a value", () => {
  expect(tasks("Add 🎉 to note N-9")).toEqual([{ tool: "add_reaction", note_id: "N-9", emoji: "🎉" }]);
});

test("an everyday word for the same thing is understood", () => {
  expect(tasks("Who are our workers?").map((each) => each.tool)).toEqual(["list_employees"]);
});
