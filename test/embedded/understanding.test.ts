import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const clock = { now: "2026-11-22T10:00:00Z", timeZone: "Europe/Paris" };
const text = (description = "") => ({ type: "string", ...(description !== "" && { description }) });
const tool = (
  id: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[],
  output?: Record<string, unknown>,
): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...(output && { output_schema: { type: "object", properties: output } }),
});

/** What an office assistant may have; every parameter is named and described the way such tools do. */
const office: readonly Resource[] = [
  tool(
    "book_room",
    "Book a meeting room",
    {
      room: text("Name of the room"),
      start: { type: "string", format: "date-time" },
      duration_minutes: { type: "integer" },
      projector: { type: "boolean", description: "Whether a projector is needed" },
    },
    ["room", "start"],
  ),
  tool(
    "weather_forecast",
    "Get the weather forecast of a city",
    {
      city: text(),
      days: { type: "integer", description: "Number of days" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    ["city"],
    { forecast: text() },
  ),
  tool(
    "send_mail",
    "Send an e-mail message to somebody",
    {
      to: { type: "string", format: "email" },
      subject: text(),
      body: text(),
      attachments: { type: "array", items: text() },
    },
    ["to", "body"],
  ),
  tool(
    "convert_money",
    "Convert an amount of money from one currency to another",
    { amount: { type: "number" }, from: text("ISO 4217 code, e.g. EUR"), to: text("ISO 4217 code") },
    ["amount", "from", "to"],
    { converted: { type: "number" } },
  ),
  tool(
    "translate",
    "Translate text into another language",
    { text: text(), language: text("Target language") },
    ["text", "language"],
    { translation: text() },
  ),
  tool("fetch_page", "Download a web page", { url: { type: "string", format: "uri" } }, ["url"], {
    text: text(),
    title: text(),
  }),
  tool("summarize", "Summarize a long text", { text: text(), max_words: { type: "integer" } }, ["text"], {
    summary: text(),
  }),
  tool(
    "search_flats",
    "Search flats to rent",
    {
      city: text(),
      min_price: { type: "number" },
      max_price: { type: "number" },
      furnished: { type: "boolean" },
      rooms: { type: "integer" },
      pets_allowed: { type: "boolean" },
    },
    ["city"],
    { flats: { type: "array", items: { type: "object", properties: { id: text(), price: { type: "number" } } } } },
  ),
  tool("cancel_order", "Cancel an order", { order_id: text(), reason: text() }, ["order_id"]),
  tool(
    "set_alarm",
    "Set an alarm",
    {
      time: { type: "string", format: "date-time" },
      label: text(),
      repeat: { type: "string", enum: ["never", "daily", "weekly"] },
    },
    ["time"],
  ),
  tool("track_parcel", "Track a parcel", { tracking_number: text() }, ["tracking_number"], {
    status: text(),
    location: text(),
  }),
];

type Call = readonly [tool: string, args: Record<string, unknown>];

function callsOf(goal: string): Call[] {
  const { plan } = planGoal(goal, office, clock);
  return plan.planned_tasks.map((task) => [task.tool_id ?? "", task.arguments ?? {}]);
}

const cases: Readonly<Record<string, readonly (readonly [goal: string, ...calls: Call[]])[]>> = {
  "what is not to be done": [
    ["Don't translate anything, just fetch https://example.org/a", ["fetch_page", { url: "https://example.org/a" }]],
    ["Fetch https://example.org/a without translating it", ["fetch_page", { url: "https://example.org/a" }]],
    ["Never cancel order A-1, only track parcel 77X", ["track_parcel", { tracking_number: "77X" }]],
    ['Please do not send a mail, just summarize "a long text"', ["summarize", { text: "a long text" }]],
    ["Don't forget to set an alarm for 7 am", ["set_alarm", { time: "2026-11-23T06:00:00Z" }]],
    ["Find flats in Lyon, but don't show furnished ones", ["search_flats", { city: "Lyon", furnished: false }]],
  ],
  "what is asked about, not to be changed": [
    ["Check if order A-1 is late"],
    ["Show me the status of parcel A-1", ["track_parcel", { tracking_number: "A-1" }]],
    ["Cancel the order A-1", ["cancel_order", { order_id: "A-1" }]],
  ],
};

test.for([
  ['If it rains in Oslo, mail tom@example.com "take an umbrella"', "If it rains in Oslo"],
  ['Mail bob@example.com "late" unless parcel 77X is delivered', "unless parcel 77X is delivered"],
  ['Mail bob@example.com "hello" if possible', undefined],
  ["Find out if parcel 77X has arrived", undefined],
] as const)("a condition is told, not dropped: %s", ([goal, condition]) => {
  const { unresolved } = planGoal(goal, office, clock);
  const told = unresolved.filter(({ reason }) => reason === "condition").map((each) => each.text);
  expect(told).toEqual(condition === undefined ? [] : [condition]);
});

describe.for(Object.entries(cases))("%s", ([, own]) => {
  test.for(own)("%s", ([goal, ...calls]) => {
    expect(callsOf(goal)).toEqual(calls);
  });
});
