import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const word = { type: "string" };
const reading = (id: string, description: string, properties: object, required: string[], row: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  read_only: true,
  output_schema: { type: "array", items: { type: "object", properties: row } },
});
const argumentsOf = (goal: string, tools: readonly Resource[]) =>
  planGoal(goal, tools, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

const code = { type: "string", minLength: 3, maxLength: 3 };
const exchange = [
  toolNeeding("money_exchange", "Exchange an amount between currencies", {
    amount: { type: "number" },
    source: code,
    target: { type: "string", pattern: "^[A-Z]{3}$" },
  }),
  toolNeeding("gate_open", "Open a gate", { gate_id: text("Gate ID") }),
];

test.for([
  ["exchange 250 dollars to euros", 250, "USD", "EUR"],
  ["exchange 20 pounds into yen", 20, "GBP", "JPY"],
  ["exchange 99.50 GBP to USD", 99.5, "GBP", "USD"],
] as const)("texts of three letters for currencies get their codes: %s", ([goal, amount, source, target]) => {
  expect(argumentsOf(goal, exchange)).toEqual([["money_exchange", { amount, source, target }]]);
});

const recipes = [
  reading("recipes_search", "Search recipes", { query: word, folder: word }, ["query"], {
    id: word,
    name: word,
    folder: word,
  }),
  reading(
    "letters_search",
    "Search the letters",
    { query: word, from: word, after: { type: "string", format: "date" } },
    [],
    { id: word, from: word, date: word },
  ),
];

test.for([
  ["search my recipes in the folder Blue for lasagna", "recipes_search", { query: "lasagna", folder: "Blue" }],
  ["any letter from bob@x.org since Monday?", "letters_search", { from: "bob@x.org", after: "2026-11-23" }],
] as const)("words before one value do not label the next, and senders have addresses: %s", ([goal, id, given]) => {
  expect(argumentsOf(goal, recipes)).toEqual([[id, given]]);
});

test("what changes something is described by its values, and what reads by its conditions", () => {
  const mail = toolNeeding("send_mail", "Send a mail", { to: text("Email address"), subject: text("Subject") });
  const tickets = reading("list_tickets", "List tickets", { status: word }, [], { id: word });
  const titles = (goal: string) => planGoal(goal, [mail, tickets]).plan.planned_tasks.map((task) => task.description);
  expect(titles('Send a mail to ann@example.com with the subject "Hello"')).toEqual([
    "Send mail: to ann@example.com, subject Hello",
  ]);
  expect(titles('List tickets with the status "open"')).toEqual(["List tickets where status is open"]);
});
