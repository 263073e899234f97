import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, properties: object, required: string[], more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const status = { ...text, enum: ["sown", "sprouted", "arrived"] };
const bed = { type: "object", properties: { id: text, status } };
const nursery = [
  tool("water_bed", "Water a bed", { bed_id: text }, ["bed_id"], { read_only: false }),
  tool("list_beds", "List the beds", { side: text }, [], {
    read_only: true,
    output_schema: { type: "array", items: bed },
  }),
  tool("get_bed", "Get a bed", { bed_id: text }, ["bed_id"], { read_only: true, output_schema: bed }),
  tool("book_visit", "Book a visit to a bed", { bed_id: text, date: { ...text, format: "date" } }, ["date"], {
    read_only: false,
  }),
];
const stepsOf = (goal: string, resources = nursery) => {
  const { plan } = planGoal(goal, resources, { now: "2026-03-04T12:00:00Z", timeZone: "UTC" });
  expect(validatePlan(plan, resources).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map((task) => [task.tool_id ?? task.wait, task.dependencies ?? []]);
};

describe("what is to come first is waited for as a signal", () => {
  test.for<[goal: string, wait: object, call: string]>([
    ["When the hose arrives, water bed B-7", { event: "hose" }, "water_bed"],
    ["when the hose for bed B-9 arrives, please water bed B-7", { event: "hose", key: "B-9" }, "water_bed"],
    ["water bed B-7 as soon as the garden hose has come in", { event: "garden_hose" }, "water_bed"],
    ["Once my permit is here, list the beds", { event: "permit" }, "list_beds"],
    ["list the beds once the permit has been received", { event: "permit" }, "list_beds"],
  ])("%s", ([goal, wait, call]) => {
    expect(stepsOf(goal)).toEqual([
      [wait, []],
      [call, ["wait"]],
    ]);
  });

  test.for<[goal: string, wait: object]>([
    ["water bed B-7. When the hose arrives, water bed B-8.", { event: "hose" }],
    ["water bed B-7; once the hose is here, water bed B-8", { event: "hose" }],
    ["water bed B-7. In two hours, water bed B-8.", { for_ms: 7_200_000 }],
  ])("before the request that it is said of alone: %s", ([goal, wait]) => {
    expect(stepsOf(goal)).toEqual([
      ["water_bed", []],
      [wait, []],
      ["water_bed", ["wait"]],
    ]);
  });

  test("a tool that takes a day takes none of it", () => {
    expect(stepsOf("when the hose arrives, book a visit to bed B-7 on 2026-04-01")).toEqual([
      [{ event: "hose" }, []],
      ["book_visit", ["wait"]],
    ]);
  });

  test.for([
    "Tell me when bed B-7 arrives",
    "which beds arrive when the hose arrives?",
    "list the beds when it arrives",
    "get bed B-7; when bed B-7 has arrived, water bed B-8",
    'water bed "when the hose arrives"',
  ])("a question, a pronoun, a state and a text are none: %s", (goal) => {
    expect(stepsOf(goal).filter(([id]) => typeof id === "object")).toEqual([]);
  });
});

describe("what only reads waits for a time", () => {
  test("that is said as so long from now, at first", () => {
    expect(stepsOf("In an hour, list the beds")).toEqual([
      [{ for_ms: 3_600_000 }, []],
      ["list_beds", ["wait"]],
    ]);
  });

  test.for(["list the beds in an hour", "tomorrow at 9, list the beds", "in an hour, book a visit on 2026-04-01"])(
    "and not where the time may be of what is read, or of the call: %s",
    (goal) => {
      expect(stepsOf(goal).filter(([id]) => typeof id === "object")).toEqual([]);
    },
  );
});
