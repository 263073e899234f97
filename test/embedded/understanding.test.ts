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
  tool(
    "resize_image",
    "Resize an image file",
    {
      file: text("Path of the image"),
      width: { type: "integer", description: "in pixels" },
      height: { type: "integer", description: "in pixels" },
      keep_ratio: { type: "boolean" },
    },
    ["file"],
  ),
  tool(
    "fill_tank",
    "Fill a tank",
    { tank: text("Number of the tank"), liters: { type: "number", description: "Amount in liters" } },
    ["tank", "liters"],
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
  "bounds and ranges": [
    [
      "Find flats in Lyon between 700 and 1,200 euros",
      ["search_flats", { city: "Lyon", min_price: 700, max_price: 1200 }],
    ],
    ["Find flats in Rome from 500 to 800 euros", ["search_flats", { city: "Rome", min_price: 500, max_price: 800 }]],
    ["Find flats in Rome for 500 euros or less", ["search_flats", { city: "Rome", max_price: 500 }]],
    ["Find flats in Rome for no less than 500 euros", ["search_flats", { city: "Rome", min_price: 500 }]],
    ["Find flats in Rome under two thousand five hundred euros", ["search_flats", { city: "Rome", max_price: 2500 }]],
    ["Find flats in Rome for 700-1200 euros", ["search_flats", { city: "Rome", min_price: 700, max_price: 1200 }]],
    ["Resize cat.png to 800x600", ["resize_image", { file: "cat.png", width: 800, height: 600 }]],
  ],
  "yes and no": [
    ["Find furnished flats in Lyon", ["search_flats", { city: "Lyon", furnished: true }]],
    ["Find unfurnished flats in Lyon under 900", ["search_flats", { city: "Lyon", max_price: 900, furnished: false }]],
    ["Find flats in Lyon where pets are allowed", ["search_flats", { city: "Lyon", pets_allowed: true }]],
  ],
  "amounts and their units": [
    ["Convert 20 USD to EUR", ["convert_money", { amount: 20, from: "USD", to: "EUR" }]],
    ["Convert 20 dollars to euros", ["convert_money", { amount: 20, from: "USD", to: "EUR" }]],
    ["Convert 40 pounds into yen", ["convert_money", { amount: 40, from: "GBP", to: "JPY" }]],
    ["Fill the tank T-4 with two gallons", ["fill_tank", { tank: "T-4", liters: 7.570823568 }]],
    ["Fill the tank T-4 with 500 ml", ["fill_tank", { tank: "T-4", liters: 0.5 }]],
    [
      "Book room Blue at 4 pm for two and a half hours",
      ["book_room", { room: "Blue", start: "2026-11-22T15:00:00Z", duration_minutes: 150 }],
    ],
    [
      "Book the room Aurora tomorrow at 3 pm for an hour and a half with a projector",
      ["book_room", { room: "Aurora", start: "2026-11-23T14:00:00Z", duration_minutes: 90, projector: true }],
    ],
    [
      "Book room Blue on Friday at 9:30 for forty-five minutes, no projector",
      ["book_room", { room: "Blue", start: "2026-11-27T08:30:00Z", duration_minutes: 45, projector: false }],
    ],
  ],
  "names and reasons": [
    [
      "Cancel order A-1093 because it arrived broken",
      ["cancel_order", { order_id: "A-1093", reason: "it arrived broken" }],
    ],
    ["Cancel order A-7 due to a late delivery", ["cancel_order", { order_id: "A-7", reason: "a late delivery" }]],
    [
      "Set a weekly alarm for Monday at 6:45 am called gym",
      ["set_alarm", { time: "2026-11-23T05:45:00Z", label: "gym", repeat: "weekly" }],
    ],
  ],
  "one call for each of several values": [
    [
      "What's the weather in Paris and in Rome for the next 3 days?",
      ["weather_forecast", { city: "Paris", days: 3 }],
      ["weather_forecast", { city: "Rome", days: 3 }],
    ],
    [
      "Get the forecast for Berlin in Fahrenheit, then the same for Munich",
      ["weather_forecast", { city: "Berlin", unit: "fahrenheit" }],
      ["weather_forecast", { city: "Munich", unit: "fahrenheit" }],
    ],
    [
      "Find flats in Paris, in Lyon and in Nice below 1000 euros",
      ["search_flats", { city: "Paris", max_price: 1000 }],
      ["search_flats", { city: "Lyon", max_price: 1000 }],
      ["search_flats", { city: "Nice", max_price: 1000 }],
    ],
  ],
  "what one call yields for the next": [
    [
      "Download https://example.org/news, summarize it in at most 100 words and translate the summary into French",
      ["fetch_page", { url: "https://example.org/news" }],
      ["summarize", { text: "${fetch_page.text}", max_words: 100 }],
      ["translate", { text: "${summarize.summary}", language: "French" }],
    ],
    [
      'Send an email to anna@example.org with the subject "Minutes" and body "See attached", attach minutes.pdf and plan.docx',
      [
        "send_mail",
        { to: "anna@example.org", subject: "Minutes", body: "See attached", attachments: ["minutes.pdf", "plan.docx"] },
      ],
    ],
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
