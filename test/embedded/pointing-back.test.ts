import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { text, texts, tool } from "../support/tool-records.ts";

/** A shelf whose list is a text, so that nothing can be taken of it, and a map that takes nothing. */
const shelf = [
  tool("list_scrolls", "List the scrolls of a shelf as text.", { shelf: text("Path of the shelf.") }),
  tool("read_scroll", "Read a scroll.", { scroll: text("Path of the scroll.") }),
  tool("read_map", "Read the whole map.", {}),
];
const planOf = (goal: string) => planGoal(goal, shelf, { now: "2026-11-30", timeZone: "UTC" }).plan;

test.for(["read each of them", "read them", "read all of those"])(
  "'%s' does not call a tool that takes nothing",
  (request) => {
    const plan = planOf(`List the scrolls of /archive/north and ${request}`);
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).not.toContain("read_map");
    expect(plan.planned_tasks[0]).toMatchObject({ tool_id: "list_scrolls", arguments: { shelf: "/archive/north" } });
  },
);

test("what takes nothing is called where it is named", () => {
  expect(planOf("Read the map").planned_tasks).toMatchObject([{ tool_id: "read_map" }]);
});

test("scores of what was considered are round, also of a call that was found in what another one left over", () => {
  const entities = { type: "array", items: { type: "object", properties: { name: text() } } };
  const graph = [
    tool("search_nodes", "Search for nodes in the knowledge graph based on a query", { query: text() }, { entities }),
    tool("open_nodes", "Open specific nodes in the knowledge graph by their names", { names: texts("Entity names") }),
    tool("search_files", "Search files", { pattern: text() }),
  ];
  const { plan } = planGoal("Search the memory for Siemens and open them", graph);
  const scores = [...JSON.stringify(plan.metadata?.choices).matchAll(/"score":(-?[\d.]+)/g)].map(([, score]) => score);
  expect(scores.length).toBeGreaterThan(2);
  for (const score of scores) expect(score).toMatch(/^-?\d+(?:\.\d{1,2})?$/);
});
