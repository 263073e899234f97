import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { callsOf } from "./calls-of.ts";

const text = { type: "string" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });

const harbour = [
  tool("list_berths", "List the berths", { page: { type: "integer" }, limit: { type: "integer" } }, []),
  tool("list_berth_keepers", "List who works at a berth", { berth_id: text, limit: { type: "integer" } }, ["berth_id"]),
  tool("list_pilots", "List pilots", { harbour_ids: { type: "array", items: text }, limit: { type: "integer" } }, []),
  tool("get_pilot", "Get details about an existing pilot", { pilot_id: text }, ["pilot_id"]),
  tool("compare_charts", "Compare two versions of a chart", { chart_id: text, from_version: { type: "integer" } }, [
    "chart_id",
  ]),
  tool("list_mooring_requests", "List mooring requests", { state: { type: "string", enum: ["opened", "sealed"] } }, []),
  tool("sign_mooring_request", "Sign a mooring request", { mooring_request_iid: text }, ["mooring_request_iid"]),
  tool(
    "update_mooring_request",
    "Update a mooring request",
    { mooring_request_iid: text, title: text, state_event: { type: "string", enum: ["close", "reopen"] } },
    ["mooring_request_iid"],
  ),
  tool("acknowledge_storm", "Acknowledge a storm", { storm_id: text }, ["storm_id"]),
  tool("create_jetty", "Create a jetty", { jetty: text, berth_id: text }, ["jetty"]),
];
const options = { now: "2026-11-22T10:00:00Z", timeZone: "UTC" };
const calls = (goal: string) => callsOf(goal, harbour, options);

test("an id that is said with its noun goes to a tool that takes such ids, and never to a limit or a page", () => {
  expect(calls("Who works in berth 4411?")).toEqual([["list_berth_keepers", { berth_id: "4411" }]]);
  expect(calls("What is the phone number of pilot PXPGF42?")).toEqual([["get_pilot", { pilot_id: "PXPGF42" }]]);
  expect(calls("Compare chart 90210 since version 3")).toEqual([
    ["compare_charts", { chart_id: "90210", from_version: 3 }],
  ]);
});

test("a number of things is still a limit", () => {
  expect(calls("Show me the last 20 pilots")).toEqual([["list_pilots", { limit: 20 }]]);
});

test("initials stand for the noun of several tools, and a cut verb for the verb of one", () => {
  expect(calls("sign MR 57")).toEqual([["sign_mooring_request", { mooring_request_iid: "57" }]]);
  expect(calls("list MRs")).toEqual([["list_mooring_requests", {}]]);
  expect(calls("ack storm ST-9")).toEqual([["acknowledge_storm", { storm_id: "ST-9" }]]);
});

test("an act that is a value of a tool is done by that tool", () => {
  expect(calls("Close mooring request 57")).toEqual([
    ["update_mooring_request", { mooring_request_iid: "57", state_event: "close" }],
  ]);
});

test("the name of what is to be made is no unknown thing", () => {
  expect(calls("Create a jetty northend for berth 4411")).toEqual([
    ["create_jetty", { jetty: "northend", berth_id: "4411" }],
  ]);
});
