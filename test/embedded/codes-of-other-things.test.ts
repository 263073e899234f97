import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const gives = (names: readonly string[]) => ({
  read_only: true,
  output_schema: { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) },
});
const airfield: readonly Resource[] = [
  { ...toolNeeding("get_flight", "Get a flight", { flight_id: text("e.g. F-7") }), ...gives(["flight_id", "runway"]) },
  { ...toolNeeding("list_flights", "List flights", { runway: text() }, []), read_only: true },
  { ...toolNeeding("find_pilot", "Find a pilot by name", { name: text() }), ...gives(["pilot_id", "name"]) },
  { ...toolNeeding("search_log", "Search the log", { query: text() }), read_only: true },
  toolNeeding("add_remark", "Add a remark to a flight", { flight_id: text("e.g. F-7"), remark: text() }),
];
/** No description says how ids are written. */
const harbour: readonly Resource[] = [
  { ...toolNeeding("get_ship", "Get a ship", { ship_id: text() }), ...gives(["ship_id", "master_id", "flag"]) },
  { ...toolNeeding("get_master", "Get a master", { master_id: text() }), ...gives(["master_id", "name", "phone"]) },
  { ...toolNeeding("list_masters", "List masters", { rank: text() }, []), read_only: true },
  toolNeeding("dock_ship", "Dock a ship", { ship_id: text(), pier: text() }),
];
const planOf = (goal: string, tools: readonly Resource[]) => {
  const { plan, unresolved } = planGoal(goal, tools, { now: "2026-11-30T10:00:00Z", timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments]),
    open: unresolved.map((each) => [each.reason, each.text]),
  };
};

describe("the id of one thing is no name of another", () => {
  test.for(["find the pilot of F-7", "find pilot F-7", "who is the pilot F-7?"])("%s", (goal) => {
    for (const [, given] of planOf(goal, airfield).calls) expect(given).not.toHaveProperty("name");
  });

  test("nor where it is", () => {
    expect(planOf("which runway is F-7 on?", airfield).calls).toEqual([["get_flight", { flight_id: "F-7" }]]);
  });

  test.for([
    ["search the log for F-7", "search_log", { query: "F-7" }],
    ["find the pilot Ann Lee", "find_pilot", { name: "Ann Lee" }],
    ["list the flights on runway R-2", "list_flights", { runway: "R-2" }],
    ["add the remark 'see F-8' to F-7", "add_remark", { flight_id: "F-7", remark: "see F-8" }],
  ] as const)("what is searched for, a name and a place that is named take what is said: %s", ([goal, tool, given]) => {
    expect(planOf(goal, airfield).calls).toEqual([[tool, given]]);
  });
});

describe("what a thing has is not that thing", () => {
  test.for(["get the master of S-4", "who is the master of S-4?", "who is S-4's master?", "the master of S-4"])(
    "%s",
    (goal) => {
      const { calls, open } = planOf(goal, harbour);
      expect(calls).not.toContainEqual(["get_master", { master_id: "S-4" }]);
      if (calls.every(([tool]) => tool !== "get_ship")) expect(open).not.toEqual([]);
    },
  );

  test("its own id is taken", () => {
    expect(planOf("get the master M-2", harbour).calls).toEqual([["get_master", { master_id: "M-2" }]]);
    expect(planOf("who is the master of ship S-4?", harbour).calls.map(([tool]) => tool)).toEqual([
      "get_ship",
      "get_master",
    ]);
  });
});

describe("it is said where no field of what is read is called after what is asked for", () => {
  test.for([
    ["what is the weight of flight F-7?", "weight"],
    ["what colour is flight F-7?", "colour"],
    ["who is the pilot of flight F-7?", "pilot"],
    ["show me the weight of flight F-7", "weight"],
  ])("%s", ([goal, asked]) => {
    const { calls, open } = planOf(goal!, airfield);
    if (calls.length > 0) expect(open).toContainEqual(["no_resource", asked]);
    expect(open).not.toEqual([]);
  });

  test.for(["what is the runway of F-7?", "which runway has flight F-7?", "show the details of flight F-7"])(
    "not: %s",
    (goal) => {
      expect(planOf(goal, airfield)).toEqual({ calls: [["get_flight", { flight_id: "F-7" }]], open: [] });
    },
  );
});

describe("a code that begins as the noun of one kind of thing does is the code of such a thing", () => {
  const orders: readonly Resource[] = [
    {
      ...toolNeeding("list_berths", "List the berths of a ship, by state", { ship_id: text(), state: text() }, []),
      read_only: true,
    },
    { ...toolNeeding("get_berth", "Get a berth", { berth_id: text() }), read_only: true },
    toolNeeding("close_berth", "Close a berth", { berth_id: text() }),
  ];

  test.for(["what's the state of B-11?", "is B-11 open?", "show B-11"])("%s", (goal) => {
    expect(planOf(goal, orders)).toEqual({ calls: [["get_berth", { berth_id: "B-11" }]], open: [] });
  });

  test("unless its own noun is said, or it begins otherwise", () => {
    expect(planOf("list the berths of ship B-11", orders).calls).toEqual([["list_berths", { ship_id: "B-11" }]]);
    expect(planOf("list the berths of S-3", orders).calls).toEqual([["list_berths", { ship_id: "S-3" }]]);
  });
});
