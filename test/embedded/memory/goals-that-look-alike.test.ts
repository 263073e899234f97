import { adaptPlan, type RememberedPlan } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const clock = { now: "2026-11-30T10:00:00Z", timeZone: "UTC" };
const text = { type: "string" } as const;
const number = { type: "number" } as const;
const properties: Record<string, JsonSchema> = {
  who: text,
  what: text,
  from: text,
  to: text,
  day: text,
  amount: number,
};
const tool: Resource = {
  kind: "tool",
  id: "act",
  name: "act",
  description: "act",
  input_schema: { type: "object", properties },
};

const remember = (goal: string, args: Record<string, unknown>): RememberedPlan => ({
  id: "run-1",
  goal,
  tasks: [{ task_id: "t1", execution_type: "tool", tool_id: "act", arguments: args }],
  madeAt: clock.now,
  timeZone: "UTC",
});

const transfer = remember("Transfer 100 EUR from Alice to Bob", { amount: 100, from: "Alice", to: "Bob", what: "EUR" });
const pay = remember("Pay 50 to Ann", { amount: 50, to: "Ann" });
const scale = remember("Scale the service api to 3 replicas", { what: "api", amount: 3 });
const mails = remember("Search mails before 2026-01-05", { what: "mails", day: "2026-01-05" });
const call = remember("Remind Ann to call Bob by Friday", { who: "Ann", to: "Bob", day: "Friday" });
const access = remember("Give Ann access to the repo core", { who: "Ann", what: "core" });
const projects = remember("Archive the projects of Ann", { who: "Ann" });
const close = remember("Close issue 5", { amount: 5 });
const drafts = remember("Delete the drafts", { what: "drafts" });
const orders = remember("Cancel orders of US", { from: "US" });
const like = remember("Like the photo 12", { amount: 12 });
const thank = remember("Thank Ann for the gift", { who: "Ann" });
const paid = remember("Did Ann pay invoice 4", { who: "Ann", amount: 4 });
const weather = remember("What is the weather in Paris", { what: "Paris" });

const reused = (plan: RememberedPlan, goal: string) => adaptPlan([plan], goal, [tool], clock)?.tasks[0]?.arguments;

describe("a goal that looks alike and asks for something else gets no plan", () => {
  test.for<[what: string, plan: RememberedPlan, ...goals: string[]]>([
    [
      "a day that another word leads to",
      mails,
      "Search mails after 2026-01-05",
      "Search mails since 2026-01-05",
      "Search mails until 2026-01-05",
      "Search mails by 2026-01-05",
      "Search mails on 2026-01-05",
      "Search mails two days before 2026-01-05",
      "Search mails until 2026-02-07",
    ],
    ["a deadline for a duration", call, "Remind Ann to call Bob until Friday", "Remind Ann to call Bob on Friday"],
    [
      "a sign before a number",
      pay,
      "Pay <50 to Ann",
      "Pay >50 to Ann",
      "Pay ≥50 to Ann",
      "Pay ~50 to Ann",
      "Pay 50€ to Ann",
    ],
    ["a number below zero, or of which nobody knows what it is", pay, "Pay -50 to Ann", "Pay 1.000 to Ann"],
    ["two for one", pay, "Pay 50 to Ann and Bob", "Pay 50 to Ann & Bob", "Pay 50 to Ann/Bob"],
    ["two for one of several", transfer, "Transfer 100 EUR from Alice and Carl to Bob"],
    ["which way", scale, "Scale the service api down to 3 replicas", "Scale the service api back to 3 replicas"],
    ["to give and to show", access, "Show Ann access to the repo core", "Get Ann access to the repo core"],
    ["who gets it", access, "Give me access to the repo core"],
    [
      "what was done already",
      projects,
      "Archived projects of Ann",
      "Show archived projects of Ann",
      "Archive of the projects of Ann",
    ],
    ["likewise", close, "Closed issue 5", "Is issue 5 closed"],
    ["whose things", drafts, "Delete the drafts from me", "Delete the drafts of us", "Delete the drafts by you"],
    ["a country that is written as a pronoun", orders, "Cancel orders", "Cancel orders please", "Cancel orders of me"],
    ["an act that is a word of politeness elsewhere", like, "I need the photo 12", "The photo 12", "Show the photo 12"],
    ["likewise (thanks)", thank, "Help Ann for the gift", "Ann for the gift", "I need Ann for the gift"],
    ["what was, and what is to be", paid, "Does Ann pay invoice 4", "Ann pay invoice 4", "Will Ann pay invoice 4"],
    ["likewise (weather)", weather, "What was the weather in Paris", "What will the weather in Paris be"],
  ])("%s", ([, plan, ...goals]) => {
    expect(reused(plan, plan.goal)).toEqual(plan.tasks[0]?.arguments);
    expect(goals.filter((goal) => reused(plan, goal) !== undefined)).toEqual([]);
  });
});

test.for<[plan: RememberedPlan, goal: string, expected: Record<string, unknown>]>([
  [mails, "Search mails before 2026-02-07", { what: "mails", day: "2026-02-07" }],
  [call, "Remind Eve to call Max by Monday", { who: "Eve", to: "Max", day: "Monday" }],
  [pay, "Could you please pay fifty to Eve?", { amount: 50, to: "Eve" }],
  [pay, "I want you to pay 70 to Eve, thank you!", { amount: 70, to: "Eve" }],
  [like, "Please like the photo 13 for me", { amount: 13 }],
  [thank, "I would like to thank Bob for the gift", { who: "Bob" }],
  [drafts, "Help me delete the drafts", { what: "drafts" }],
  [weather, "Can you give me the weather in New York", { what: "New York" }],
  [paid, "Did Bob pay invoice 5", { who: "Bob", amount: 5 }],
])("one that asks for the same gets it: %#", ([plan, goal, expected]) => {
  expect(reused(plan, goal)).toEqual(expected);
});
