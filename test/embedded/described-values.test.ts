import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { callsOf } from "./calls-of.ts";

const text = (description = "") => ({ type: "string", description });
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });

const yard = [
  tool("list_hulls", "List hulls", {
    state: { type: "array", items: text(), description: "Filter by states: floating, docked, sunken" },
  }),
  tool("adjust_ballast", "Adjust the ballast of a hull", { hull_id: text(), delta: { type: "integer" } }, [
    "hull_id",
    "delta",
  ]),
  tool("pack_crate", "Pack a crate", { contents: { type: "array", items: text(), description: "Ids of sails" } }, [
    "contents",
  ]),
  tool(
    "grant_rebate",
    "Grant a rebate",
    { label: text(), rebate_type: { type: "string", enum: ["percentage", "fixed_amount"] }, value: { type: "number" } },
    ["label", "rebate_type", "value"],
  ),
  tool(
    "call_crew",
    "Call sailors to a hull",
    { hull_id: text(), caller_id: text(), crew_ids: { type: "array", items: text() } },
    ["hull_id", "crew_ids"],
  ),
];

test.each([
  ["a value that the description lists", "List the sunken hulls", "list_hulls", { state: ["sunken"] }],
  [
    "less of something is a negative change",
    "Reduce the ballast of hull H-7 by 30",
    "adjust_ballast",
    { hull_id: "H-7", delta: -30 },
  ],
  ["more of it is not", "Increase the ballast of hull H-7 by 30", "adjust_ballast", { hull_id: "H-7", delta: 30 }],
  ["an id of what a list takes ids of", "Pack a crate with sail 44001", "pack_crate", { contents: ["44001"] }],
  ["how an amount is meant", 'Grant the rebate "Spring" of 20 %', "grant_rebate", { rebate_type: "percentage" }],
  [
    "how an amount is meant, in money",
    'Grant the rebate "Spring" of €20',
    "grant_rebate",
    { rebate_type: "fixed_amount", value: 20 },
  ],
  ["joined ids for one list", "Call SA4421 and SB7713 to hull H-7", "call_crew", { crew_ids: ["SA4421", "SB7713"] }],
])("%s", (_, goal, name, wanted) => {
  const [call] = callsOf(goal, yard);
  expect(call?.[0]).toBe(name);
  expect(call?.[1]).toMatchObject(wanted);
});

const shed = [
  tool("create_drawer", "Create a drawer", { path: text() }, ["path"]),
  tool("move_sail", "Move a sail to another drawer", { source: text(), destination: text() }, [
    "source",
    "destination",
  ]),
  tool("write_log", "Write to the log", { query: text("SQL statement to execute") }, ["query"]),
  tool("write_note", "Write a note to a drawer", { path: text(), content: text() }, ["path", "content"]),
];

test("of what is there already nothing is made, and a tool that needs a statement gives way where none is said", () => {
  expect(callsOf("Put it in the other drawer", shed).map(([name]) => name)).toEqual(["move_sail"]);
  expect(callsOf("Save this", shed).map(([name]) => name)).toEqual(["write_note"]);
});
