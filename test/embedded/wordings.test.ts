import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { number, text, tool } from "../support/tool-records.ts";

/** Functions of a stud farm and its library. */
const farm: readonly Resource[] = [
  tool("look_up_horse", "Look up a horse of the farm.", {
    horse_name: text("name of the horse"),
    owner_name: text("name of its owner"),
  }),
  tool("measure_dose", "Measure out a dose of a remedy.", {
    remedy: text("the remedy"),
    mg_per_kg: number("milligrams per kilogram"),
  }),
  tool("catalogue_book", "Catalogue a book.", { author: text("author of the book") }),
  tool("request_stall", "Request a stall in the barn.", { arrival: text("time of arrival") }),
  tool("write_pedigree", "Write a pedigree.", { subject: text("the horse"), max_words: number("most words") }),
  tool("groom", "Groom a statue.", { statue: text("the statue") }),
];

const planned = (goal: string) =>
  stepsOf(planGoal(goal, farm, { now: "2026-05-04T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks).map(
    ({ tool: name, params }) => [name, params],
  );

test.for<{ says: string; goal: string; steps: readonly (readonly [tool: string, params: object])[] }>([
  {
    says: "a rate has no single unit to convert to",
    goal: "Measure out a dose of the remedy arnica at 0.2 mg per kg",
    steps: [["measure_dose", { remedy: "arnica", mg_per_kg: 0.2 }]],
  },
  {
    says: "an initial belongs to the name",
    goal: "Catalogue a book by P. Ellen Marsh",
    steps: [["catalogue_book", { author: "P. Ellen Marsh" }]],
  },
  {
    says: "a time is taken without its preposition",
    goal: "Request a stall in the barn, arriving at 14:30",
    steps: [["request_stall", { arrival: "14:30" }]],
  },
  {
    says: "a weekday's short form may begin a name",
    goal: "Groom the statue called Sun Gate",
    steps: [["groom", { statue: "Sun Gate" }]],
  },
  {
    says: "at most is no value",
    goal: "Write a pedigree of at most 40 words for the mare",
    steps: [["write_pedigree", { subject: "mare", max_words: 40 }]],
  },
  {
    says: "what follows a comma and says nothing of the next call belongs to the one before",
    goal: "Look up the horse Pepper, owned by Grace Lindqvist, and measure a dose of the remedy arnica at 0.2 mg per kg",
    steps: [
      ["look_up_horse", { horse_name: "Pepper", owner_name: "Grace Lindqvist" }],
      ["measure_dose", { remedy: "arnica", mg_per_kg: 0.2 }],
    ],
  },
])("$says: $goal", ({ goal, steps }) => {
  expect(planned(goal)).toEqual(steps);
});
