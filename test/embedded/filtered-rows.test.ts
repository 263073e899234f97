import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { defineTool, Planloom } from "planloom";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };
const listOf = (rows: string, properties: object) => ({
  output_schema: { type: "object", properties: { [rows]: { type: "array", items: { type: "object", properties } } } },
});
const requests = { number: { type: "integer" }, title: text, author: text, mergeable: { type: "boolean" } };
const projects = { id: text, name: text, status: text, budget: { type: "number" } };
const lamps = { lamp_id: text, room: text, online: { type: "boolean" } };
const tools: Resource[] = [
  { ...tool("list_requests", "List requests", { base: text }, [], true), ...listOf("requests", requests) },
  tool("merge_request", "Merge a request", { number: { type: "integer" } }, undefined, false),
  { ...tool("list_projects", "List projects", { owner_id: text }, [], true), ...listOf("projects", projects) },
  tool("create_project", "Create a project", { name: text }, undefined, false),
  tool("archive_project", "Archive a project", { id: text }, undefined, false),
  tool("create_invoice", "Create an invoice for a project", { project_id: text, amount: { type: "number" } }),
  { ...tool("list_lamps", "List lamps", { room: text }, [], true), ...listOf("lamps", lamps) },
  tool("turn_off", "Turn a lamp off", { lamp: text }, undefined, false),
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, tools);
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments]),
    each: plan.planned_tasks.at(-1)?.for_each?.items,
    when: plan.planned_tasks.at(-1)?.when?.condition,
    open: unresolved.map((each) => `${each.reason}: ${each.text}`),
  };
};

describe("what a list cannot be asked for is asked of its rows", () => {
  test.for([
    ["merge every mergeable request", "${item.mergeable?} = true"],
    ["merge all requests that are not mergeable", "${item.mergeable?} = false"],
    ["merge all requests of ada", '$lowercase($string(${item.author?})) = "ada"'],
  ] as const)("%s", ([goal, when]) => {
    const merges = ["merge_request", { number: "${item.number}" }];
    const each = "${list_requests.requests}";
    expect(read(goal)).toEqual({ calls: [["list_requests", {}], merges], each, when, open: [] });
  });

  test.for([
    ["archive all projects with a budget over 5000", '$type(${item.budget?}) = "number" and ${item.budget?} > 5000'],
    ["archive all projects named Apollo", '$lowercase($string(${item.name?})) = "apollo"'],
    ["archive all projects called 'Apollo 2'", '$lowercase($string(${item.name?})) = "apollo 2"'],
  ] as const)("%s", ([goal, when]) => {
    const archives = ["archive_project", { id: "${item.id}" }];
    const each = "${list_projects.projects}";
    expect(read(goal)).toEqual({ calls: [["list_projects", {}], archives], each, when, open: [] });
  });

  test("and stays open where no field says it", () => {
    const { when, open } = read("merge all urgent requests");
    expect(when).toBeUndefined();
    expect(open).toEqual(["no_parameter: urgent"]);
  });
});

test.for(["kitchen", "garage", "attic"])("all lamps of a place are those that the list has there: %s", (room) => {
  const { calls, each, open } = read(`turn off all lamps in the ${room}`);
  expect(calls).toEqual([
    ["list_lamps", { room }],
    ["turn_off", { lamp: "${item.lamp_id}" }],
  ]);
  expect([each, open]).toEqual(["${list_lamps.lamps}", []]);
});

test("nothing is made for what is called by its name", () => {
  expect(read("create an invoice of 300 for project Apollo").calls.map(([id]) => id)).not.toContain("create_project");
});

test("only such rows are changed", async () => {
  const rows = [
    { number: 1, author: "Ada", mergeable: true },
    { number: 2, author: "Ben", mergeable: false },
    { number: 3, author: "ada", mergeable: false },
    { number: 4, author: null, mergeable: null },
    { number: 5 },
  ];
  const merged: number[] = [];
  const planloom = new Planloom({
    tools: [
      defineTool({
        ...{ id: "list_requests", description: "List requests", readOnly: true },
        output: listOf("requests", {
          ...requests,
          author: { type: ["string", "null"] },
          mergeable: { type: ["boolean", "null"] },
        }).output_schema,
        execute: () => ({ requests: rows }),
      }),
      defineTool({
        ...{ id: "merge_request", description: "Merge a request", readOnly: false },
        input: z.object({ number: z.int() }),
        execute: (input) => merged.push(input.number),
      }),
    ],
    confirm: "never",
  });
  await planloom.run("merge every mergeable request");
  await planloom.run("merge all requests of ada");
  expect(merged).toEqual([1, 1, 3]);
  // What is not known of a row does not hold for it, and ends no run.
  const { end_reason } = await planloom.run("merge all requests that are not mergeable");
  expect([end_reason, merged.slice(3)]).toEqual(["completed", [2, 3]]);
});

test.for([
  ["turn off the lamps in the hall", "${list_lamps.lamps}", []],
  ["archive the projects of owner 7", "${list_projects.projects}", []],
  ["archive the project of owner 7", undefined, ["first_only: id"]],
] as const)("the plural says that all of them are meant, where it is said which: %s", ([goal, items, open]) => {
  const { each, open: points } = read(goal);
  expect([each, points]).toEqual([items, open]);
});
