import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (
  id: string,
  description: string,
  properties: object,
  required: string[],
  more: object = {},
): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const reads = { read_only: true };
const ferry = { type: "object", properties: { id: text, line: text, state: text } };
const harbour = [
  tool("list_ferries", "List ferries", { state: { enum: ["open", "moored", "lost"] }, line_id: text }, [], {
    ...reads,
    output_schema: { type: "array", items: ferry },
  }),
  tool("get_ferry", "Get one ferry by its id", { ferry_id: text }, ["ferry_id"], { ...reads, output_schema: ferry }),
  tool("scuttle_ferry", "Scuttle a ferry", { ferry_id: text }, ["ferry_id"], { destructive: true }),
  tool(
    "book_passage",
    "Book a passage for a passenger",
    {
      passenger_id: text,
      loads: {
        type: "array",
        items: {
          type: "object",
          properties: { good: text, quantity: { type: "integer" } },
          required: ["good", "quantity"],
        },
      },
    },
    ["passenger_id", "loads"],
    { read_only: false },
  ),
  tool("send_email", "Send an email", { to: { ...text, format: "email" }, subject: text, body: text }, ["to", "body"], {
    read_only: false,
  }),
];
const callsOf = (goal: string) =>
  planGoal(goal, harbour).plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]);

test.for([
  "email ida@x.org that the ferry F-7 is lost",
  "tell ida@x.org that the ferry F-7 is lost",
  "let ida@x.org know that the ferry F-7 is lost",
  "send ida@x.org an email that the ferry F-7 is lost",
  "send an email to ida@x.org saying that the ferry F-7 is lost",
  "inform ida@x.org that the ferry F-7 is lost",
])("what a message is to say is its text, and its words name no ferry: %s", (goal) => {
  expect(callsOf(goal)).toEqual([["send_email", { to: "ida@x.org", body: "the ferry F-7 is lost" }]]);
});

test("a further request behind the text is one", () => {
  expect(callsOf("email ida@x.org that we are late and scuttle the ferry F-7")).toEqual([
    ["send_email", { to: "ida@x.org", body: "we are late" }],
    ["scuttle_ferry", { ferry_id: "F-7" }],
  ]);
});

test.for(["tell me the state of ferry F-7", "email ida@x.org the state of ferry F-7"])(
  "what changes something by a verb of a trade neither reads nor sends: %s",
  (goal) => {
    expect(callsOf(goal).map(([id]) => id)).not.toContain("scuttle_ferry");
  },
);

test.for([
  "book a passage for P-4: 10 x OIL-3",
  "book a passage for P-4 with 10 OIL-3",
  "book a passage for P-4 with 10 units of OIL-3",
])("what a number counts goes to the list of things with numbers: %s", (goal) => {
  expect(callsOf(goal)).toEqual([["book_passage", { passenger_id: "P-4", loads: [{ good: "OIL-3", quantity: 10 }] }]]);
});

test.for(["open ferries", "open ferries please", "please list open ferries"])(
  "a state before things names them and requests no change: %s",
  (goal) => {
    expect(callsOf(goal)).toEqual([["list_ferries", { state: "open" }]]);
  },
);
