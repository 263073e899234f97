import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { number, text, toolNeeding as tool } from "../support/tool-records.ts";

const workshop: readonly Resource[] = [
  tool("cut_beam", "Cut a beam to a length.", {
    length: number("Length of the beam in millimeters."),
    wood: text("Kind of wood, e.g. oak, pine, larch."),
  }),
  tool("dry_planks", "Dry planks in the kiln.", {
    hours: number("Time in hours."),
    moisture: number("Moisture as a decimal."),
  }),
  tool("send_offer", "Send an offer to a customer.", {
    recipient: text("E-mail address of the customer."),
    currency: text("Currency of the offer, e.g. EUR."),
  }),
  tool(
    "plane_board",
    "Plane a board.",
    {
      board: text("Name of the board."),
      passes: { type: "integer", minimum: 1, maximum: 5, description: "How many passes." },
      fine: { type: "boolean", description: "Plane finely." },
    },
    ["board"],
  ),
];
const plan = (goal: string) => planGoal(goal, workshop, { now: "2025-10-12", timeZone: "UTC" });
const first = (goal: string) => plan(goal).plan.planned_tasks[0]?.arguments;

test.for([
  { goal: "Cut a beam of oak to a length of 2 m", wanted: { length: 2000, wood: "oak" } },
  { goal: "Cut a beam of larch to a length of 350 mm", wanted: { length: 350, wood: "larch" } },
  { goal: "Cut a beam of pine to a length of 40", wanted: { length: 40, wood: "pine" } },
  { goal: "Dry planks for 90 minutes to a moisture of 12%", wanted: { hours: 1.5, moisture: 0.12 } },
  { goal: "Send an offer in USD to ann@example.org", wanted: { recipient: "ann@example.org", currency: "USD" } },
])("units are converted where the schema states one, forms and examples are heeded: $goal", ({ goal, wanted }) => {
  expect(first(goal)).toEqual(wanted);
});

test("a number beyond the bounds of the schema is no argument, and is reported", () => {
  const { plan: made, unresolved } = plan("Plane the board 'Ash 4' with 12 passes");
  expect(made.planned_tasks[0]?.arguments).toEqual({ board: "Ash 4" });
  expect(unresolved.map((each) => each.text)).toContain("12");
});

test("every argument says where it comes from", () => {
  const goal = "Cut a beam of oak to a length of 2 m";
  const { metadata, planned_tasks: tasks } = plan(goal).plan;
  const provenance = metadata?.provenance as Record<
    string,
    Record<string, { source: string; text?: string; start?: number; likelihood?: number }>
  >;
  for (const task of tasks)
    expect(Object.keys(provenance[task.task_id ?? ""] ?? {}).sort()).toEqual(Object.keys(task.arguments ?? {}).sort());
  const { length, wood } = provenance.cut_beam ?? {};
  expect([length?.source, length?.text, wood?.text]).toEqual(["goal", "2", "oak"]);
  for (const each of [length, wood]) {
    expect(goal.slice(each?.start, (each?.start ?? 0) + (each?.text?.length ?? 0))).toBe(each?.text);
    expect(each?.likelihood).toBeGreaterThan(0);
    expect(each?.likelihood).toBeLessThanOrEqual(1);
  }
});

test("what was said for an earlier call, and a schema's own default, are distinguished from the goal", () => {
  const kitchen: readonly Resource[] = [
    tool("boil_pasta", "Boil pasta.", { minutes: number("Minutes to boil."), brand: text("Brand of the pasta.") }),
    tool("weigh_pasta", "Weigh pasta.", { brand: text("Brand of the pasta.") }),
    tool("rate_pasta", "Rate pasta.", { brand: text("Brand of the pasta."), stars: { type: "integer", default: 3 } }, [
      "brand",
    ]),
  ];
  const { metadata } = planGoal(
    "Boil pasta of the brand 'Gragnano' for 9 minutes, then weigh the pasta and rate the pasta",
    kitchen,
  ).plan;
  expect(metadata?.provenance).toMatchObject({
    boil_pasta: { brand: { source: "goal", text: "Gragnano" }, minutes: { source: "goal", text: "9" } },
    weigh_pasta: { brand: { source: "earlier" } },
    rate_pasta: { brand: { source: "earlier" }, stars: { source: "default" } },
  });
});

const house: readonly Resource[] = [
  tool("remind_person", "Remind a person of something.", {
    day: { type: "string", format: "date", description: "When to remind." },
    message: text("What the person gets to hear."),
  }),
  tool("run_robot", "Let the robot do a chore.", { instruction: text("What the robot is to do.") }),
  tool("open_door", "Open a door.", { door: text("Name of the door.") }),
];

test.for([
  {
    goal: "Remind me to water the plants in the hall on 2025-11-02, and open the door 'Yard'",
    tool: "remind_person",
    wanted: { day: "2025-11-02", message: "water the plants in the hall" },
  },
  {
    goal: "I want the robot to clean the big window and open the door 'Yard'",
    tool: "run_robot",
    wanted: { instruction: "clean the big window" },
  },
])("what somebody is to do is an instruction: $goal", ({ goal, tool: name, wanted }) => {
  const tasks = planGoal(goal, house, { now: "2025-10-12", timeZone: "UTC" }).plan.planned_tasks;
  expect(tasks.find((task) => task.tool_id === name)?.arguments).toEqual(wanted);
});
