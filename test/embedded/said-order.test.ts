import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { number, text, tool } from "../support/tool-records.ts";

/** Services that declare no output: what must come first is what the goal says. */
const village: readonly Resource[] = [
  tool("book_train", "Book a train for a date, from one station to another", {
    date: { type: "string", format: "date", description: "The date of travel" },
    from: text("The station to leave from"),
    to: text("The station to arrive at"),
  }),
  tool("look_up_forecast", "Look up the weather forecast for a town and a date", {
    town: text("The town"),
    date: { type: "string", format: "date", description: "The date" },
  }),
  tool("pay_invoice", "Pay an invoice", { invoice: text("The invoice to pay") }),
  tool("join_club", "Join a club", { club: text("The club to join") }),
  tool("lock_door", "Lock a door", { door: text("The door") }),
  tool("vacuum_room", "Have the robot vacuum a room", { room: text("The room") }),
  tool("set_timer", "Set a timer", { minutes: number("How long") }),
];

const planned = (goal: string) =>
  stepsOf(planGoal(goal, village, { now: "2024-01-01T00:00:00Z" }).plan.planned_tasks).map(
    ({ tool: name, depends_on }) => [name, depends_on],
  );
const chain = (...names: string[]) => names.map((name, at) => [name, at === 0 ? [] : [at - 1]]);

test.for<{ goal: string; order: readonly string[] }>([
  {
    goal: "Before I book a train from York to Leeds on 2024-03-09, look up the forecast for Leeds.",
    order: ["look_up_forecast", "book_train"],
  },
  {
    goal: "Lock the door 'Yard' after vacuuming the room 'Hall' and before setting a timer for 15 minutes",
    order: ["vacuum_room", "lock_door", "set_timer"],
  },
  {
    goal: "Pay the invoice 'Heating' and lock the door 'Yard' once I've joined the rowing club.",
    order: ["join_club", "pay_invoice", "lock_door"],
  },
  {
    goal: "Lock the door 'Yard', but first vacuum the room 'Hall'.",
    order: ["vacuum_room", "lock_door"],
  },
  {
    goal: "After paying the invoice 'Heating', join the rowing club.",
    order: ["pay_invoice", "join_club"],
  },
  {
    goal: "Look up the forecast for Leeds on 2024-03-09, then book a train from York to Leeds.",
    order: ["look_up_forecast", "book_train"],
  },
  {
    goal: "Vacuum the room 'Hall' and lock the door 'Yard' when it's done.",
    order: ["vacuum_room", "lock_door"],
  },
  {
    goal: "Vacuum the room 'Hall' followed by locking the door 'Yard'.",
    order: ["vacuum_room", "lock_door"],
  },
])("$goal", ({ goal, order }) => {
  expect(planned(goal)).toEqual(chain(...order));
});

test("what is read waits for nothing where no order is said", () => {
  const goal = "Look up the forecast for Leeds on 2024-03-09 and book a train from York to Leeds on 2024-03-09.";
  expect(planned(goal)).toEqual([
    ["look_up_forecast", []],
    ["book_train", []],
  ]);
});

test("what is done first may take what the text says before it", () => {
  const goal = "Before I book a train from York to Leeds on 2024-03-09, look up the forecast for Leeds on that day.";
  const [first] = stepsOf(planGoal(goal, village, { now: "2024-01-01T00:00:00Z" }).plan.planned_tasks);
  expect(first?.params).toEqual({ town: "Leeds", date: "2024-03-09" });
});
