import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";

const bugs = [
  tool("list_bugs", "List bugs", ["limit:i"]),
  tool("get_bug", "Get one bug", ["bug_id!"]),
  tool("create_bug", "Create a bug", ["title!", "owner"]),
  tool("update_bug", "Update a bug", ["bug_id!", "notes", "owner"]),
];
const rooms = [tool("search_rooms", "Search rooms", ["city", "max_price:n", "min_price:n"])];

const read = (goal: string, tools: Parameters<typeof planGoal>[1]) => {
  const { plan, unresolved } = planGoal(goal, tools, { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" });
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]),
    open: unresolved.map(({ text }) => text),
  };
};

test.each([
  "The owner of bug B-1 should be Anna",
  "The owner of bug B-1 should be 'Anna'",
  "Update the owner of bug B-1: Anna",
  "Update bug B-1: owner Anna",
  "Change bug B-1's owner from open to Anna",
])("what a thing has is changed, however it is said: %s", (goal) => {
  expect(read(goal, bugs).calls).toEqual([["update_bug", { bug_id: "B-1", owner: "Anna" }]]);
});

test("what is set in passing is no value", () => {
  const { calls } = read("Report a bug 'Login fails' with owner set to Anna", bugs);
  expect(calls).toEqual([["create_bug", { title: "Login fails", owner: "Anna" }]]);
});

test("a sign before a code is no part of it", () => {
  expect(read("Look up bug #B-1", bugs)).toEqual({ calls: [["get_bug", { bug_id: "B-1" }]], open: [] });
});

test.each([
  ["maximum", { city: "Rome", max_price: 250 }],
  ["minimum", { city: "Rome", min_price: 250 }],
])("a bound that is said of a noun is one of its number: %s", (bound, given) => {
  expect(read(`Find rooms in Rome with a ${bound} price of 250`, rooms)).toEqual({
    calls: [["search_rooms", given]],
    open: [],
  });
});
