import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { office, travel, workshop } from "../support/everyday-tools.ts";
import { freightResources } from "../support/freight-resources.ts";

const clock = { now: "2026-11-22T10:00:00Z", timeZone: "Europe/Paris" };
type Call = readonly [tool: string, args: Record<string, unknown>];

function callsOf(goal: string, resources: readonly Resource[]): Call[] {
  const { plan } = planGoal(goal, resources, clock);
  return plan.planned_tasks.map((task) => [task.tool_id ?? "", task.arguments ?? {}]);
}

const inTheOffice: Readonly<Record<string, readonly (readonly [goal: string, ...calls: Call[]])[]>> = {
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
] as const)("a condition is reported, not dropped: %s", ([goal, condition]) => {
  const { unresolved } = planGoal(goal, office, clock);
  const reported = unresolved.filter(({ reason }) => reason === "condition").map((each) => each.text);
  expect(reported).toEqual(condition === undefined ? [] : [condition]);
});

const inTheWorkshop: Readonly<Record<string, readonly (readonly [goal: string, ...calls: Call[]])[]>> = {
  "identifiers as they are written": [
    [
      'Create an urgent issue in acme/shop titled "Checkout fails" with labels bug and payments',
      [
        "create_issue",
        { repository: "acme/shop", title: "Checkout fails", labels: ["bug", "payments"], priority: "urgent" },
      ],
    ],
    ["Close issue #42 in acme/shop", ["close_issue", { repository: "acme/shop", issue_number: 42 }]],
    [
      "Deploy version 2.3.1 to staging as a dry run",
      ["deploy", { version: "2.3.1", environment: "staging", dry_run: true }],
    ],
    ["Roll back deployment dep-9f31", ["rollback", { deployment_id: "dep-9f31" }]],
  ],
  "several calls": [
    [
      "Close issues 12, 15 and 18",
      ["close_issue", { issue_number: 12 }],
      ["close_issue", { issue_number: 15 }],
      ["close_issue", { issue_number: 18 }],
    ],
    [
      "Deploy 3.0.0 to production and roll it back",
      ["deploy", { version: "3.0.0", environment: "production" }],
      ["rollback", { deployment_id: "${deploy.deployment_id}" }],
    ],
    [
      "Create an issue titled Broken link in acme/docs and post its URL to #docs",
      ["create_issue", { repository: "acme/docs", title: "Broken link" }],
      ["post_message", { channel: "#docs", text: "${create_issue.url}" }],
    ],
    [
      "Turn on the light in the kitchen at 40% and set the thermostat in the bedroom to 21.5 degrees",
      ["turn_on_light", { room: "kitchen", brightness: 40 }],
      ["set_thermostat", { room: "bedroom", temperature: 21.5 }],
    ],
  ],
  "hours and makers": [
    [
      "Search the logs of payments between 9 am and 11 am today",
      ["query_logs", { service: "payments", from: "2026-11-22T08:00:00Z", to: "2026-11-22T10:00:00Z" }],
    ],
    [
      "Show warnings of billing over the last 24 hours",
      [
        "query_logs",
        { service: "billing", level: "warning", from: "2026-11-21T10:00:00Z", to: "2026-11-22T10:00:00Z" },
      ],
    ],
    [
      'Show me the errors of the billing service from yesterday that contain "timeout"',
      [
        "query_logs",
        {
          service: "billing",
          level: "error",
          from: "2026-11-20T23:00:00Z",
          to: "2026-11-21T22:59:59Z",
          contains: "timeout",
        },
      ],
    ],
    [
      "List the commits on main by Alice since last Monday",
      ["list_commits", { branch: "main", since: "2026-11-16", author: "Alice" }],
    ],
    [
      "Run the tests in parallel with 2 retries and a timeout of 5 minutes",
      ["run_tests", { parallel: true, retries: 2, timeout_seconds: 300 }],
    ],
    [
      "Scale checkout to 4 replicas with 2 GB of memory each",
      ["scale_service", { service: "checkout", replicas: 4, memory_mb: 2000 }],
    ],
  ],
};

const onTheWay: Readonly<Record<string, readonly (readonly [goal: string, ...calls: Call[]])[]>> = {
  "days and hours": [
    [
      "Book a table for 6 at restaurant r-881 on 24 December at 8 pm under the name Keller",
      ["reserve_table", { restaurant_id: "r-881", date: "2026-12-24", time: "20:00", guests: 6, name: "Keller" }],
    ],
    [
      "Find a four-star hotel with breakfast in Vienna from 3 to 7 March",
      ["search_hotels", { city: "Vienna", check_in: "2027-03-03", check_out: "2027-03-07", stars: 4, breakfast: true }],
    ],
    [
      "Search business flights from Paris to Tokyo on January 5th returning on the 19th for 2 passengers with at most one stop",
      [
        "search_flights",
        {
          origin: "Paris",
          destination: "Tokyo",
          departure_date: "2027-01-05",
          return_date: "2027-01-19",
          passengers: 2,
          cabin: "business",
          max_stops: 1,
        },
      ],
    ],
    [
      "Search flights from SFO to JFK tomorrow morning, first class",
      [
        "search_flights",
        { origin: "SFO", destination: "JFK", departure_date: "2026-11-23", passengers: 1, cabin: "first" },
      ],
    ],
  ],
  "shares, money, counts": [
    [
      "What is a 20% tip on a $84.50 bill split between 4 people?",
      ["calculate_tip", { bill_amount: 84.5, tip_percent: 20, people: 4 }],
    ],
    ["Give me 5 random numbers between 1 and 49", ["random_number", { min: 1, max: 49, count: 5 }]],
  ],
  "what is said, what is avoided": [
    [
      "Text +49 170 1234567 that I'll be 10 minutes late",
      ["send_sms", { phone_number: "+49 170 1234567", message: "I'll be 10 minutes late" }],
    ],
    [
      "Drive from Lyon to Geneva without tolls",
      ["directions", { from: "Lyon", to: "Geneva", mode: "driving", avoid_tolls: true }],
    ],
  ],
  "one finds what the other takes": [
    [
      "Find an Italian restaurant near Times Square and book a table for two tomorrow at 7:30 pm",
      ["search_restaurants", { location: "Times Square", cuisine: "Italian" }],
      [
        "reserve_table",
        {
          restaurant_id: "${search_restaurants.restaurants[0].restaurant_id}",
          date: "2026-11-23",
          time: "19:30",
          guests: 2,
        },
      ],
    ],
  ],
};

const cases = [
  ...Object.entries(onTheWay).map(([what, goals]) => ({ what, goals, resources: travel })),
  ...Object.entries(inTheOffice).map(([what, goals]) => ({ what, goals, resources: office })),
  ...Object.entries(inTheWorkshop).map(([what, goals]) => ({ what, goals, resources: workshop })),
];

test("what stands in a condition is reported once, over records too", () => {
  const { unresolved } = planGoal("List shipments, unless they are late", freightResources, clock);
  expect(unresolved.map(({ reason, text }) => [reason, text])).toEqual([["condition", "unless they are late"]]);
});

describe.for(cases)("$what", ({ goals, resources }) => {
  test.for(goals)("%s", ([goal, ...calls]) => {
    expect(callsOf(goal, resources)).toEqual(calls);
  });
});
