import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";
import { callsOf } from "./calls-of.ts";

const tools = [
  tool(
    "list_parcels",
    "List parcels",
    ["status:e(new|delivered)", "delivery_date:d"],
    "parcels[]: parcel_id, status:e(new|delivered), delivery_date:d",
    true,
  ),
  tool("search_senders", "Search senders by name or city", ["q", "city"], "senders[]: sender_id, name, city", true),
];
const planned = (goal: string) => callsOf(goal, tools, { now: "2026-11-30", timeZone: "UTC" });

test("what is to be done has not been done, and its day lies ahead", () => {
  expect(planned("which parcels are to be delivered on Friday?")).toEqual([
    ["list_parcels", { delivery_date: "2026-12-04" }],
  ]);
  expect(planned("which parcels were delivered on Friday?")).toEqual([
    ["list_parcels", { status: "delivered", delivery_date: "2026-11-27" }],
  ]);
});

test("a name that is searched for is what is sought rather than a place", () => {
  expect(planned("search for the sender Anna Roth")).toEqual([["search_senders", { q: "Anna Roth" }]]);
  expect(planned("find senders in Hull")).toEqual([["search_senders", { city: "Hull" }]]);
});

test("also where tools are read as functions, what is to be done is not done yet", () => {
  const few = [
    tool("list_parcels", "List parcels", ["status:e(new|delivered)", "delivery_date:d"]),
    tool("weigh_parcel", "Weigh a parcel", ["parcel_id!"]),
  ];
  expect(callsOf("get the parcels to be delivered on 5 December", few, { now: "2026-11-30", timeZone: "UTC" })).toEqual(
    [["list_parcels", { delivery_date: "2026-12-05" }]],
  );
});
