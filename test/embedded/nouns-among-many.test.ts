import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };

/** Tools of many trades that have nothing to do with the goals below. */
const others = Array.from({ length: 300 }, (_, at) =>
  toolNeeding(`read_meter_${at}`, `Read gauge ${at} of hall ${at % 17}`, { hall: text("Name of the hall") }),
);

// What makes what a verb names as a noun may have no word of the goal, while other tools have the verb itself as a noun: the plan of such a goal once ended in
// a TypeError.
test.each([
  {
    goal: "React with heart to post P-17",
    maker: toolNeeding("add_reaction", "Put an emoji below a post", {
      post_id: text("ID of the post"),
      emoji: text("Name of the emoji"),
    }),
    namesake: toolNeeding("list_react_widgets", "Widgets that are written in React", {
      page: text("Name of the page"),
    }),
    tool: "add_reaction",
  },
  {
    goal: "Treat animal H-12 for colic",
    maker: toolNeeding("add_treatment", "Note what was done for an animal", { animal_id: text("ID of the animal") }),
    namesake: toolNeeding("count_treat_bags", "Bags of dog treats in a shed", { shed: text("Name of the shed") }),
    tool: "add_treatment",
  },
])("$goal: the verb asks for the tool that makes its noun, among hundreds", ({ goal, maker, namesake, tool }) => {
  const calls = callsOf(goal, [...others.slice(0, 150), namesake, ...others.slice(150), maker], options);
  expect(calls.map(([name]) => name)).toEqual([tool]);
});
