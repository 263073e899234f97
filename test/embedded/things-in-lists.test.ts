import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

const read = (goal: string, tools: Parameters<typeof planGoal>[1]) => {
  const { plan, unresolved } = planGoal(goal, tools, clock);
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]),
    open: unresolved.map(({ text }) => text),
  };
};

const cards = [
  tool("get_cards_by_list_id", "Fetch the cards of a list", ["listId!", "nameFilter"]),
  tool("watch_list", "Subscribe to a list", ["listId!", "subscribed!:b"]),
  tool("move_card", "Move a card to a different list", ["cardId!", "listId!", "pos"]),
  tool("add_column_to_board", "Add a new column to a board", ["boardId!", "name!"]),
  tool("create_label", "Create a new label on a board", ["boardId!", "name!"]),
];

test.each(["Which cards are in list l_1?", "What cards are in list l_1?", "Show the cards in list l_1"])(
  "the id of a list is read by the tool that lists what is in it: %s",
  (goal) => {
    expect(read(goal, cards)).toEqual({ calls: [["get_cards_by_list_id", { listId: "l_1" }]], open: [] });
  },
);

test.each(["Move all cards from list l_1 to list l_2", "Move every card in list l_1 to list l_2"])(
  "all things of one list go to another one: %s",
  (goal) => {
    expect(read(goal, cards).calls).toEqual([
      ["get_cards_by_list_id", { listId: "l_1" }],
      ["move_card", { cardId: `\${item.id}`, listId: "l_2" }],
    ]);
  },
);

test("what is made is what is said, also where the tool adds it", () => {
  const { calls } = read("Create a column Backlog on board b_1", cards);
  expect(calls).toEqual([["add_column_to_board", { boardId: "b_1", name: "Backlog" }]]);
});

const bugs = [
  tool("search_bugs", "Search bugs", ["query", "team_id", "labels:ss", "limit:i"]),
  tool("create_bug", "Create a bug", ["title!", "team_id!"]),
];

test.each([
  ["List bugs of team ENG", { team_id: "ENG" }],
  ["Search for bugs labelled crash in team ENG", { team_id: "ENG", labels: ["crash"] }],
  ["Find bugs with the label crash", { labels: ["crash"] }],
  ["Find bugs whose label is crash", { labels: ["crash"] }],
  ["Find bugs with label = crash", { labels: ["crash"] }],
  ["Find open bugs about login", { query: "login" }],
])("initials name a team, and a word behind the label is one: %s", (goal, given) => {
  expect(read(goal, bugs).calls).toEqual([["search_bugs", given]]);
});

const mails = [
  tool("modify_mail", "Change the labels of a mail", [
    "mail_id!",
    "label_ids:ss",
    "add_label_ids:ss",
    "remove_label_ids:ss",
  ]),
  tool("delete_label", "Delete a label", ["label_id!"]),
  tool("create_label", "Create a label", ["name!"]),
];

test.each([
  ["Add the label L-7 to mail M-5", { mail_id: "M-5", add_label_ids: ["L-7"] }],
  ["Remove the label L-7 from mail M-5", { mail_id: "M-5", remove_label_ids: ["L-7"] }],
])("a value goes to the argument that is called by the act: %s", (goal, given) => {
  expect(read(goal, mails)).toEqual({ calls: [["modify_mail", given]], open: [] });
});

const meetings = [
  {
    ...tool("create_meeting", "Create a meeting", []),
    input_schema: {
      type: "object",
      properties: {
        summary: { type: "string" },
        start: { type: "string", format: "date-time" },
        end: { type: "string", format: "date-time" },
        reminders: {
          type: "array",
          items: { type: "object", properties: { minutes: { type: "number" } }, required: ["minutes"] },
        },
      },
      required: ["summary", "start", "end"],
    },
  },
  tool("delete_meeting", "Delete a meeting", ["meeting_id!", "notify:e(all|external|none)"]),
];

test("how long a meeting lasts reminds nobody", () => {
  const { calls, open } = read("Create a meeting 'Budget' tomorrow at 9:30 for 30 minutes", meetings);
  expect(calls).toEqual([
    ["create_meeting", { summary: "Budget", start: "2026-11-19T08:30:00Z", end: "2026-11-19T09:00:00Z" }],
  ]);
  expect(open).toEqual([]);
});

test('"all my meetings" says nothing of who hears of it', () => {
  const { calls } = read("Cancel all my meetings on Friday", meetings);
  expect(calls.map(([, given]) => given)).not.toContainEqual(expect.objectContaining({ notify: "all" }));
});
