import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const kiln: Resource = {
  kind: "tool",
  id: "fire_kiln",
  name: "fire_kiln",
  description: "Fire a kiln.",
  input_schema: {
    type: "object",
    properties: {
      peak: { type: "number", description: "peak temperature" },
      soak: { type: "number", description: "soak time" },
      atmosphere: { type: "string", enum: ["oxidising", "reducing"], description: "atmosphere of the kiln" },
    },
    required: ["peak", "soak"],
  },
};
const callsOf = (goal: string) =>
  planGoal(goal, [kiln]).plan.planned_tasks.map(({ arguments: given }) => [given?.peak, given?.soak]);

test.for([
  {
    name: "values said in the same way are those of a further call",
    goal: "Fire a kiln with a peak of 1040 and a soak of 20, and another one with a peak of 1220 and a soak of 45",
    calls: [
      [1040, 20],
      [1220, 45],
    ],
  },
  {
    name: "what is said once holds for all",
    goal: "Fire the kiln with a soak of 15 at a peak of 980 and then at a peak of 1000",
    calls: [
      [980, 15],
      [1000, 15],
    ],
  },
  {
    name: "one call with all its values stays one",
    goal: "Fire the kiln at a peak of 980 and a soak of 15",
    calls: [[980, 15]],
  },
  {
    name: "a number said in another way is no call",
    goal: "Fire the kiln at a peak of 980 and a soak of 15, and keep 3 shards",
    calls: [[980, 15]],
  },
])("$name", ({ goal, calls }) => {
  expect(callsOf(goal)).toEqual(calls);
});

test("a call with no new value is not made", () => {
  const goal = "Fire the kiln at a peak of 980 and a soak of 15. Tell me how the kiln was fired.";
  expect(callsOf(goal)).toEqual([[980, 15]]);
});

const ferry: Resource = {
  kind: "tool",
  id: "book_ferry",
  name: "book_ferry",
  description: "Book a ferry for a date, from one harbour to another.",
  input_schema: {
    type: "object",
    properties: {
      date: { type: "string", format: "date", description: "The date of the crossing" },
      from: { type: "string", description: "The harbour to leave from" },
      to: { type: "string", description: "The harbour to arrive at" },
    },
    required: ["date", "from", "to"],
  },
};

test.for([
  {
    name: "each leg begins where the last one ended",
    goal: "Book a ferry from Kiel to Oslo on 2024-06-01, then to Bergen on 2024-06-03 and back to Kiel on 2024-06-08.",
    legs: [
      ["2024-06-01", "Kiel", "Oslo"],
      ["2024-06-03", "Oslo", "Bergen"],
      ["2024-06-08", "Bergen", "Kiel"],
    ],
  },
  {
    name: "or where it says",
    goal: "Book a ferry from Kiel to Oslo on 2024-06-01 and go on from Bergen to Turku on 2024-06-03.",
    legs: [
      ["2024-06-01", "Kiel", "Oslo"],
      ["2024-06-03", "Bergen", "Turku"],
    ],
  },
  {
    name: "one leg stays one",
    goal: "Book a ferry from Kiel to Oslo, and for 2024-06-01.",
    legs: [["2024-06-01", "Kiel", "Oslo"]],
  },
])("legs of a journey: $name", ({ goal, legs }) => {
  const tasks = planGoal(goal, [ferry]).plan.planned_tasks;
  expect(tasks.map(({ arguments: given }) => [given?.date, given?.from, given?.to])).toEqual(legs);
  expect(tasks.map(({ dependencies }) => dependencies?.length)).toEqual(legs.map((_, at) => (at === 0 ? 0 : 1)));
});

const gullTool = (sightings: object): Resource => ({
  kind: "tool",
  id: "list_sightings",
  name: "list_sightings",
  description: "List sightings of ringed gulls.",
  input_schema: { type: "object", properties: { rings: { type: "string", ...sightings } } },
});
const ringsOf = (goal: string, sightings: object) =>
  planGoal(goal, [gullTool(sightings)]).plan.planned_tasks.map(({ arguments: given }) => given?.rings);

test.for([
  { description: "Comma-separated list of rings, e.g. KX41", form: "a comma-separated list" },
  { description: "Rings to filter by, separated by commas", form: "values separated by commas" },
])("several values are one text where the parameter holds $form", ({ description }) => {
  expect(ringsOf("list the sightings of KX41, KX42 and KX77", { description })).toEqual(["KX41,KX42,KX77"]);
  expect(ringsOf("list the sightings of KX41", { description })).toEqual(["KX41"]);
  expect(ringsOf("list the sightings of rings 4411 and 4412", { description })).toEqual(["4411,4412"]);
});

test("several values are a call each where the parameter holds one", () => {
  expect(ringsOf("list the sightings of KX41 and KX42", { description: "Ring of a gull, e.g. KX41" })).toEqual([
    "KX41",
    "KX42",
  ]);
});
