import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const text = (description: string) => ({ type: "string", description });
const tool = (id: string, description: string, properties: object, required: readonly string[]) => ({
  kind: "tool" as const,
  id,
  description,
  input_schema: { type: "object", properties, required },
});

const archive = [
  tool("shelf_load", "Get the load of all or specific shelves", { shelf: text("Optional name of a shelf") }, []),
  tool(
    "look_up",
    "Run a query over a shelf",
    { shelf: text("Name of the shelf to search"), depth: { type: "number", description: "How deep" } },
    ["shelf"],
  ),
  tool(
    "read_scroll",
    "Get the text of a scroll or of a folder of a collection",
    {
      collection_id: text("Collection ID or encoded path"),
      file_path: text("Path to the scroll or folder"),
      ref: text("Edition/mark/copy to read from"),
    },
    ["collection_id", "file_path"],
  ),
  tool(
    "copy_collection",
    "Copy a collection to a place of yours",
    { collection_id: text("Collection ID or encoded path"), estate: text("Estate to copy to (full path)") },
    ["collection_id"],
  ),
  tool(
    "new_edition",
    "Create a new edition in a collection",
    {
      collection_id: text("Collection ID or encoded path"),
      edition: text("Name for the new edition"),
      ref: text("Source edition/copy for the new edition"),
    },
    ["collection_id", "edition"],
  ),
  tool(
    "find_clerks",
    "Find clerks of the archive",
    {
      q: text("What to look for"),
      page: { type: "number", description: "Page number" },
      per_page: { type: "number", description: "Number of results per page" },
      response_bytes: { type: "number", description: "Bytes that an answer may have at most" },
      retired: { type: "boolean", description: "Filter for retired clerks" },
      retired_on: text("Day in ISO 8601"),
    },
    ["q"],
  ),
  tool(
    "update_errand",
    "Update an errand",
    { errand_id: text("The errand"), remark: text("New remark"), assignee: text("'me' or a user ID") },
    ["errand_id"],
  ),
  tool("new_badge", "Create a badge", { name: text("Name of the badge"), color: text("Its color") }, ["name"]),
  tool(
    "get_errand",
    "Get one errand",
    { errand_id: text("The errand"), opt_fields: text("Comma-separated list of optional fields") },
    ["errand_id"],
  ),
  tool(
    "get_errands_by_id",
    "Get several errands by their IDs",
    {
      errand_ids: { type: "array", items: { type: "string" }, description: "IDs of errands" },
      opt_fields: text("Comma-separated list of optional fields"),
    },
    ["errand_ids"],
  ),
];

test.each([
  ["Show the load of the shelf papers", { shelf: "papers" }],
  ["Search the shelf papers for 'refund'", { shelf: "papers" }],
  ["Copy north/maps into the estate lanterns", { collection_id: "north/maps", estate: "lanterns" }],
  [
    "Read the scroll intro.md of collection north/maps from the edition draft",
    { collection_id: "north/maps", file_path: "intro.md", ref: "draft" },
  ],
  ["List the scrolls in the src folder of north/maps", { collection_id: "north/maps", file_path: "src" }],
  ["Create an edition gold-2 in north/maps", { collection_id: "north/maps", edition: "gold-2" }],
  ["Find clerks about kites, 5 per page", { q: "kites", per_page: 5 }],
  ["Find retired clerks about kites", { q: "kites", retired: true }],
  ["Assign errand 55 to anna@x.org", { errand_id: "55", assignee: "anna@x.org" }],
  ["Create a red badge Urgent", { name: "Urgent", color: "red" }],
  ["Show errands 55, 56 and 57", { errand_ids: ["55", "56", "57"] }],
])("what a value is called, or how it is written, says which argument it is: %s", (goal, given) => {
  expect(planGoal(goal, archive, clock).plan.planned_tasks.map((task) => task.arguments)).toEqual([given]);
});
