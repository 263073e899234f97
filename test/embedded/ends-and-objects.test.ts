import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

const code = [
  {
    kind: "tool" as const,
    id: "create_branch",
    description: "Create a new branch in a project",
    input_schema: {
      type: "object",
      properties: {
        project_id: { type: "string", description: "ID of the project" },
        branch: { type: "string", description: "Name for the new branch" },
        ref: { type: "string", description: "Source branch or commit for the new branch" },
      },
      required: ["project_id", "branch"],
    },
  },
  tool("create_merge_request", "Create a new merge request in a project", [
    "project_id!",
    "title!",
    "source_branch!",
    "target_branch!",
  ]),
];
const cards = [
  tool("get_cards_by_list_id", "Fetch the cards of a list", ["listId!", "nameFilter"]),
  tool("update_list", "Update a list's name, archive state or board", ["listId!", "name", "closed:b"]),
  tool("archive_list", "Send a list to the archive", ["listId!"]),
  tool("archive_card", "Send a card to the archive", ["cardId!"]),
  tool("move_card", "Move a card to a different list", ["cardId!", "listId!", "pos"]),
];

const read = (goal: string, tools: Parameters<typeof planGoal>[1]) => {
  const { plan, unresolved } = planGoal(goal, tools, clock);
  return { calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments]), open: unresolved.length };
};

test.each(["main", "develop"])("a plain word is the end of a move: from fix-1 to %s", (name) => {
  const { calls, open } = read(`Open a merge request from fix-1 to ${name} in project 42 titled 'Add search'`, code);
  expect(calls).toEqual([
    ["create_merge_request", { project_id: "42", title: "Add search", source_branch: "fix-1", target_branch: name }],
  ]);
  expect(open).toBe(0);
});

test("a plain word is where something comes from, where the tool takes one such thing", () => {
  const { calls } = read("Create a branch fix-1 from develop in project 42", code);
  expect(calls).toEqual([["create_branch", { project_id: "42", branch: "fix-1", ref: "develop" }]]);
});

test("what is archived is the cards of a list and not the list", () => {
  const { calls } = read("Archive all cards in list l_1", cards);
  expect(calls).toEqual([
    ["get_cards_by_list_id", { listId: "l_1" }],
    ["archive_card", { cardId: `\${item.id}` }],
  ]);
});

test("the id of a list is never that of a card", () => {
  const { calls } = read("Move all cards from list l_1 to list l_2", cards);
  expect(calls).toEqual([
    ["get_cards_by_list_id", { listId: "l_1" }],
    ["move_card", { cardId: `\${item.id}`, listId: "l_2" }],
  ]);
});
