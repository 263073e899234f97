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

const harbour = [
  tool("search_wrecks", "Search wrecks by words", { query: text }),
  tool("list_wrecks", "List all wrecks"),
  tool("read_wreck_log", "Read the log of a wreck", { wreck_id: text }),
  tool("create_buoy", "Create a buoy", { name: text }),
  tool("create_lantern", "Create a lantern on a buoy", {
    buoy_id: { type: "string", description: "The id of the buoy" },
    height: { type: "integer" },
  }),
  tool("add_anchorage_note", "Add a note to an anchorage", { anchorage: text, note: text }),
  tool("list_anchorage_notes", "List the notes of an anchorage", { anchorage: text }),
  tool("get_pier_boats", "Get the boats at a pier", { pier: { type: "integer" } }),
  tool("get_pier_repairs", "Get the state of the repairs of a pier", { pier: { type: "integer" } }),
  tool("get_delivered_crates", "Get crates that were delivered", { since: text }, []),
  tool("deliver_crates", "Deliver crates", { crates: { type: "array", items: text } }),
  tool("open_chart", "Open one chart", { chart: text }),
  tool("open_several_chart", "Open several charts at once", { charts: { type: "array", items: text } }),
  tool("moor_boat", "Moor or unmoor a boat", { boat: text, action: { type: "string", enum: ["add", "remove"] } }),
];

const plan = (goal: string) => planGoal(goal, harbour, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
const tasks = (goal: string) =>
  plan(goal).plan.planned_tasks.map(({ tool_id, arguments: own }) => ({ tool: tool_id, ...own }));

test("a question that follows another one is a call of its own", () => {
  expect(tasks("Which boats are at pier 12, and are its repairs done?")).toEqual([
    { tool: "get_pier_boats", pier: 12 },
    { tool: "get_pier_repairs", pier: 12 },
  ]);
});

test("what somebody did is looked up and not done again", () => {
  expect(tasks("Which crates did I deliver?").map((each) => each.tool)).toEqual(["get_delivered_crates"]);
});

test("a verb that is a noun of a tool calls the tool that makes such a thing", () => {
  expect(tasks('Note "shallow at low tide" on anchorage north')).toMatchObject([{ tool: "add_anchorage_note" }]);
});

test("an id that nobody says is that of what the call before found, and the plan says that the first is taken", () => {
  const { plan: planned, unresolved } = plan("Find the wreck Vesta and read its log");
  const [search, log] = planned.planned_tasks;
  expect([search?.tool_id, log?.tool_id]).toEqual(["search_wrecks", "read_wreck_log"]);
  expect(log?.arguments).toEqual({ wreck_id: `\${${search?.task_id}[0].id}` });
  expect(log?.dependencies).toEqual([search?.task_id]);
  expect(unresolved.map(({ reason }) => reason)).toContain("first_only");
});

test("an id that nobody says is that of what the call before made", () => {
  expect(tasks('Create a buoy called "Mira" and a lantern of height 4 for it')).toEqual([
    { tool: "create_buoy", name: "Mira" },
    { tool: "create_lantern", buoy_id: "${create_buoy.id}", height: 4 },
  ]);
});

test("several values go to the tool that takes them all", () => {
  expect(tasks("Open the charts a.map, b.map and c.map")).toEqual([
    { tool: "open_several_chart", charts: ["a.map", "b.map", "c.map"] },
  ]);
});

test("calls for several values say where in the goal each value stands, and how likely it is", () => {
  const { planned_tasks, metadata } = plan("Moor the boats a-1.sail, b-2.sail and c-3.sail").plan;
  const provenance = metadata?.provenance as Record<string, Record<string, { text: string; likelihood: number }>>;
  const said = planned_tasks.map(({ task_id }) => provenance[task_id ?? ""]?.boat);
  expect(said.map((each) => each?.text)).toEqual(["a-1.sail", "b-2.sail", "c-3.sail"]);
  for (const each of said) expect(each?.likelihood).toBeGreaterThan(0);
});

test("the act that is asked for chooses among acts", () => {
  expect(tasks("Take the boat b-17.sail off")).toEqual([{ tool: "moor_boat", boat: "b-17.sail", action: "remove" }]);
});

test("an act that no task does is said", () => {
  const { unresolved } = plan('Add the note "leaking" to anchorage north and delete it');
  expect(unresolved.map(({ reason, text: said }) => [reason, said])).toContainEqual(["no_resource", "delete it"]);
});
