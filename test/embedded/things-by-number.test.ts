import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const issue = { number: whole, title: text, state: text, assignee: text };
const gives = (properties: object) => ({ output_schema: { type: "object", properties } });
/** A tracker whose issues are known by their `number`, with and without declared outputs. */
const tracker = (isDeclared: boolean): Resource[] => {
  const filters = { query: text, state: { enum: ["open", "closed"] }, label: text, limit: whole };
  const rows = { type: "array", items: { type: "object", properties: issue } };
  return [
    { ...tool("search_issues", "Search issues", filters, [], true), ...(isDeclared && gives({ issues: rows })) },
    { ...tool("get_issue", "Get one issue", { number: whole }, undefined, true), ...(isDeclared && gives(issue)) },
    tool("create_issue", "Create an issue", { title: text, body: text }, ["title"], false),
    tool("close_issue", "Close an issue", { number: whole }, undefined, false),
    tool("comment_issue", "Comment on an issue", { number: whole, body: text }, undefined, false),
    tool("assign_issue", "Assign an issue to someone", { number: whole, assignee: text }, undefined, false),
    tool("add_labels", "Add labels to an issue", { number: whole, labels: { type: "array", items: text } }),
  ];
};
const callsOf = (goal: string, isDeclared = true) =>
  planGoal(goal, tracker(isDeclared)).plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) => [
    tool_id,
    given,
    ...(for_each === undefined ? [] : [for_each.items]),
  ]);
const issues = "${search_issues.issues}";
const number = "${item.number}";

describe("a bare number or id of a tool is that of what the tool is about", () => {
  test.for([
    ["close all open issues labelled stale", { state: "open", label: "stale" }, ["close_issue", { number }, issues]],
    ["find issues about timeouts and close them", { query: "timeouts" }, ["close_issue", { number }, issues]],
    [
      "add the label p1 to every issue about crashes",
      { query: "crashes" },
      ["add_labels", { number, labels: ["p1"] }, issues],
    ],
  ] as const)("%s", ([goal, filters, each]) => {
    expect(callsOf(goal)).toEqual([["search_issues", filters], each]);
  });
});

describe("a thing whose noun is a verb elsewhere is named by its number", () => {
  const read = [["get_issue", { number: 42 }]];
  test.for(["issue 42", "Issue 42.", "what's issue 42 about?", "who is issue 42 assigned to?", "is issue 42 closed?"])(
    "%s",
    (goal) => {
      for (const isDeclared of [true, false]) expect(callsOf(goal, isDeclared)).toEqual(read);
    },
  );
});

describe("#42 numbers a thing and nothing else", () => {
  test.for([
    ["assign #42 to marta", ["assign_issue", { number: 42, assignee: "marta" }]],
    ["label #42 bug", ["add_labels", { number: 42, labels: ["bug"] }]],
    ["label issue 42 as wontfix", ["add_labels", { number: 42, labels: ["wontfix"] }]],
  ] as const)("%s", ([goal, call]) => {
    for (const isDeclared of [true, false]) expect(callsOf(goal, isDeclared)).toEqual([call]);
  });

  test("and no number of rows", () => {
    const given = planGoal("is #42 closed?", tracker(true)).plan.planned_tasks.map((task) => task.arguments);
    expect(JSON.stringify(given)).not.toContain("limit");
  });
});

describe("an act is named by a noun as well", () => {
  test.for([
    "comment on issue 42 that it is fixed",
    "comment 'it is fixed' on issue 42",
    "add a comment to issue 42 saying that it is fixed",
    "write a comment on issue 42 saying it is fixed",
    "please add a comment to #42 that it is fixed",
  ])("%s", (goal) => {
    for (const isDeclared of [true, false])
      expect(callsOf(goal, isDeclared)).toEqual([["comment_issue", { number: 42, body: "it is fixed" }]]);
  });

  test("and a second one says what it says of the first one's thing", () => {
    expect(callsOf("close #42 and comment that it is a duplicate of #40")).toEqual([
      ["close_issue", { number: 42 }],
      ["comment_issue", { number: 42, body: "it is a duplicate of #40" }],
    ]);
  });
});
