import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding, whole } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };

const orchard = [
  { ...toolNeeding("read_label", "Read the label of a crate", { path: text("Path of the label") }), read_only: true },
  {
    ...toolNeeding("search_rows", "Search for rows of trees below a field", {
      path: text("Path of the field to begin at"),
      pattern: text("Pattern of names to search for, e.g. '*.row'"),
    }),
    read_only: true,
  },
  toolNeeding("move_crate", "Move or rename a crate", {
    source: text("Where the crate is"),
    destination: text("Where the crate goes"),
  }),
  toolNeeding("edit_label", "Replace a text in the label of a crate", {
    path: text("Path of the label"),
    old_text: text("Text to replace"),
    new_text: text("Text to put in its place"),
  }),
  toolNeeding("prune_rows", "Prune a number of rows of a plot", {
    plot: text("Name of the plot"),
    rows: whole("How many rows to prune"),
  }),
  {
    ...toolNeeding("list_pickers", "List the pickers", { plot: text("Only the pickers of this plot") }, []),
    read_only: true,
  },
];

const planned = (goal: string) => callsOf(goal, orchard, options);

const requests = [
  "Read the label /store/a/north.txt",
  "Rename the crate pears-old.box to pears-new.box",
  "Prune 5 rows of the plot east",
  "List the pickers",
];
const lower = (request: string) => `${request.charAt(0).toLowerCase()}${request.slice(1)}`;
const joinings: readonly (readonly [form: string, join: (a: string, b: string) => string])[] = [
  ["A. B.", (a, b) => `${a}. ${b}.`],
  ["A, B on lines", (a, b) => `${a}\n${b}`],
  ["A, then B", (a, b) => `${a}, then ${lower(b)}`],
  ["A and B", (a, b) => `${a} and ${lower(b)}`],
  ["A, and also B", (a, b) => `${a}, and also ${lower(b)}`],
  ["First A; B", (a, b) => `First ${lower(a)}; ${lower(b)}`],
  ["B after you A", (a, b) => `${b} after you ${lower(a)}`],
];

describe("two requests in one goal are planned as each is alone", () => {
  for (const [form, join] of joinings)
    for (const first of requests)
      for (const second of requests.filter((each) => each !== first))
        test(`${form}: ${join(first, second)}`, () => {
          expect(planned(join(first, second))).toEqual([...planned(first), ...planned(second)]);
        });
});

describe("requests that need each other are read together", () => {
  test("a word that points back", () => {
    expect(planned("Read the label /store/a/north.txt. Then replace 'ripe' with 'sold' in it.")).toEqual([
      ["read_label", { path: "/store/a/north.txt" }],
      ["edit_label", { path: "/store/a/north.txt", old_text: "ripe", new_text: "sold" }],
    ]);
  });

  test("what no tool does takes no part of the plan", () => {
    const calls = planned("List the pickers of the plot east. Ban the plot 'east'.");
    expect(calls).toEqual([["list_pickers", { plot: "east" }]]);
  });

  test("what must not be done is no request", () => {
    expect(planned("Don't prune 5 rows of the plot east. List the pickers.")).toEqual([["list_pickers", {}]]);
  });
});

test("what comes after another request waits for it where it changes something", () => {
  const { planned_tasks } = planGoal(
    "Rename the crate pears-old.box to pears-new.box after you prune 5 rows of the plot east",
    orchard,
    options,
  ).plan;
  const [first, second] = planned_tasks;
  expect(first?.tool_id).toBe("prune_rows");
  expect(second?.dependencies).toEqual([first?.task_id]);
});
