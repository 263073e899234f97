import { expect, test } from "vitest";
import { tool } from "../bench/own-tools/catalogue.ts";
import { callsOf } from "./calls-of.ts";

const tools = [
  tool("list_boats", "List boats", ["owner_id"], "boats[]: boat_id, name, owner_id", true),
  tool("get_boat", "Get one boat", ["boat_id!"], "boat_id, name", true),
  tool("list_moorings", "List moorings", ["pilot", "day:d"], "moorings[]: mooring_id, boat_id, pilot, day:d", true),
  tool("cancel_mooring", "Cancel a mooring", ["mooring_id!", "reason"], "mooring_id", false),
];
const planned = (goal: string) => callsOf(goal, tools, { now: "2026-11-30", timeZone: "UTC" });

test("the code behind the of of a thing says whose it is and not which one", () => {
  expect(planned("cancel the mooring of A-14")).toEqual([["cancel_mooring", {}]]);
  expect(planned("cancel mooring M-14")).toEqual([["cancel_mooring", { mooring_id: "M-14" }]]);
  expect(planned("list the boats of O-4")).toEqual([["list_boats", { owner_id: "O-4" }]]);
});

test("the code of an owner that rows have and nothing filters by is no other filter", () => {
  expect(planned("show the moorings of A-14")).toEqual([["list_moorings", {}]]);
  expect(planned("show the moorings of Ruiz")).toEqual([["list_moorings", { pilot: "Ruiz" }]]);
});
