import { planGoal } from "@planloom/embedded";
import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";
import { callsOf } from "./calls-of.ts";

const tools = [
  tool(
    "list_crates",
    "List crates",
    ["kind:e(wood|steel)", "max_weight:n"],
    "crates[]: crate_id:i, kind, weight:n",
    true,
  ),
  tool("set_weight", "Set the weight of a crate", ["crate_id:i!", "weight:n!"], "crate_id:i", false),
  tool("list_crew", "List the crew", ["rank:e(cook|pilot)"]),
  tool("dismiss_sailor", "Dismiss a sailor", ["sailor!"]),
];
const planned = (goal: string) => callsOf(goal, tools);

test("the number behind a thing tells which one, and the number behind to what is set", () => {
  expect(planned("set the weight of crate 9 to 3.8")).toEqual([["set_weight", { crate_id: 9, weight: 3.8 }]]);
  expect(planned("raise the weight of crate 912 to 30")).toEqual([["set_weight", { crate_id: 912, weight: 30 }]]);
});

test("a kind of several is not the name of the one that is changed", () => {
  for (const goal of ["dismiss all pilots", "dismiss the pilots"]) {
    const { plan, unresolved } = planGoal(goal, tools);
    expect(unresolved.map(({ reason }) => reason)).toContain("first_only");
    expect(plan.planned_tasks.map(({ approval }) => approval)).toEqual(["required"]);
  }
  expect(planGoal("dismiss Tom Hale", tools).unresolved).toEqual([]);
});
