import { planGoal } from "@planloom/embedded";
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

const shop = [
  tool("list_lamps", "List lamps", ["kind:e(desk|floor)", "maker_id:i"], "lamps[]: lamp_id:i, kind, maker_id:i", true),
  tool("get_lamp", "Get one lamp", ["lamp_id:i!"], "lamp_id:i, kind, maker_id:i", true),
  tool("search_makers", "Search makers by name or city", ["q", "city"], "makers[]: maker_id:i, name, city", true),
  tool("list_repairs", "List repairs", ["state:e(open|done)"], "repairs[]: repair_id:i, lamp_id:i, state", true),
];
const openIn = (goal: string) => planGoal(goal, shop).unresolved.map(({ reason, text }) => `${reason}: ${text}`);

test("several of a kind that a tool lists by are listed, before the noun of whose they are", () => {
  const cats = [
    tool("list_boats", "List boats", ["kind:e(ferry|barge)", "owner_id"], "boats[]: boat_id, kind, owner_id", true),
    tool("find_owner", "Find owners by name", ["name!"], "owners[]: owner_id, name", true),
  ];
  expect(callsOf("all barges of owner O-4", cats)).toEqual([["list_boats", { kind: "barge", owner_id: "O-4" }]]);
});

test("a list of all does not tell which one is meant", () => {
  expect(openIn("get lamp 45 and the maker it belongs to")).toEqual(["no_parameter: the maker"]);
  expect(openIn("get lamp 45")).toEqual([]);
});

test("what reads a thing beside a list does not say that the list is of the thing", () => {
  expect(openIn("repairs of lamp 45")).toEqual(["no_parameter: lamp 45"]);
});

test("a name behind its noun is what is called so, and no place", () => {
  expect(callsOf("show the lamps of the maker Anna Roth", shop)[0]).toEqual(["search_makers", { q: "Anna Roth" }]);
  expect(callsOf("show the lamps of makers in Hull", shop)[0]).toEqual(["search_makers", { city: "Hull" }]);
});
