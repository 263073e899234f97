import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const tool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): Resource => ({ id: name, kind: "tool", description, input_schema: { type: "object", properties, required } });
const plan = (goal: string, resources: readonly Resource[]) =>
  planGoal(goal, resources, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" });
const calls = (goal: string, resources: readonly Resource[]) =>
  plan(goal, resources).plan.planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);

/** A server made of functions: what the arguments are is written below the description, and the schema has titles alone. */
const pumps = [
  tool(
    "get_pump",
    "Get the state of a pump\n\nArgs:\n    pump_id: The pump to get (e.g. 'cellar.north_hall')\n    detailed: If True, all fields\n\nReturns:\n    The pump's state",
    { pump_id: { ...text, title: "Pump Id" }, detailed: { type: "boolean", default: false, title: "Detailed" } },
    ["pump_id"],
  ),
  tool(
    "pump_action",
    "Perform an action on a pump\n\nArgs:\n    pump_id: The pump to control (e.g. 'cellar.north_hall')\n    action: What to do\n        ('on', 'off', 'rinse')\n\nReturns:\n    The reply",
    { pump_id: { ...text, title: "Pump Id" }, action: { ...text, title: "Action" } },
    ["pump_id", "action"],
  ),
  tool("list_valves", "List all valves", {}),
];

describe("arguments that a description tells of", () => {
  test("examples below `Args:` say which values an argument takes, and how ids are written", () => {
    expect(calls("Turn off cellar.east_wing", pumps)).toEqual([
      ["pump_action", { pump_id: "cellar.east_wing", action: "off" }],
    ]);
  });
  test("what the schema describes itself stays as it is", () => {
    const [first] = [
      tool("rinse_pump", "Rinse a pump\n\nArgs:\n    speed: one of slow, fast, wild", {
        speed: { ...text, description: "How fast", enum: ["a", "b"] },
      }),
    ];
    expect(calls("Rinse the pump at speed b", [first!])).toEqual([["rinse_pump", { speed: "b" }]]);
  });
});

describe("a goal whose only telling word is an id", () => {
  const permits = [
    tool("get_permit", "Get details of a permit", { permit_key: { ...text, description: "Key (e.g. 'BLD-12')" } }, [
      "permit_key",
    ]),
    tool("get_stamps", "Get the stamps of a permit", { permit_key: { ...text, description: "Key (e.g. 'BLD-12')" } }, [
      "permit_key",
    ]),
    tool(
      "revoke_permit",
      "Revoke a permit",
      { permit_key: { ...text, description: "Key (e.g. 'BLD-12')" }, reason: text },
      ["permit_key", "reason"],
    ),
  ];
  test("is got by the tool that gets such a thing by its id", () => {
    expect(calls("Show me GRD-7", permits)).toEqual([["get_permit", { permit_key: "GRD-7" }]]);
    expect(calls("GRD-7", permits)).toEqual([["get_permit", { permit_key: "GRD-7" }]]);
  });
  test("an act that no tool has is not done to it, nor is anything read of an id of another kind", () => {
    expect(calls("Repaint GRD-7", permits)).toEqual([]);
    expect(calls("Show me 77/x9", permits)).toEqual([]);
  });
});

test("what follows a colon is the statement that the only argument for a formal language takes, whole", () => {
  const find = tool("find_crates", "Find crates with a query", { jql: { ...text, description: "JQL query" } }, ["jql"]);
  expect(calls('Find crates with this JQL: depot = "Kiel" AND weight > 5 ORDER BY weight', [find])).toEqual([
    ["find_crates", { jql: 'depot = "Kiel" AND weight > 5 ORDER BY weight' }],
  ]);
});

test("a question is the value of an argument for a question", () => {
  const manual = tool("search_manual", "Search the manual of the loom", { question: text }, ["question"]);
  expect(calls("how do I change the shuttle of the loom?", [manual])).toEqual([
    ["search_manual", { question: "how do I change the shuttle of the loom?" }],
  ]);
});

describe("amounts", () => {
  const pay = tool(
    "pay_ferryman",
    "Pay a ferryman",
    { ferryman_id: text, amount: { type: "integer", description: "Amount in cents" } },
    ["ferryman_id", "amount"],
  );
  test.each([
    ["Pay ferryman F-9 15 dollars", 1500],
    ["Pay ferryman F-9 €2.50", 250],
    ["Pay ferryman F-9 80 cents", 80],
  ])("%s: money is written in cents where the description asks for them", (goal, amount) => {
    expect(calls(goal, [pay])).toEqual([["pay_ferryman", { ferryman_id: "F-9", amount }]]);
  });
  test("the next days are no past days", () => {
    const tides = tool("tide_table", "Tides of a harbour", {
      harbour: text,
      past_days: { type: "integer" },
      forecast_days: { type: "integer" },
    });
    expect(calls("Tide table of the harbour Kiel for the next 4 days", [tides])[0]?.[1]).toMatchObject({
      forecast_days: 4,
    });
    expect(calls("Tide table of the harbour Kiel for the last 4 days", [tides])[0]?.[1]).toMatchObject({
      past_days: 4,
    });
  });
});

describe("what one call made or was given, another takes", () => {
  const racks = [
    tool("create_rack", "Create a rack in a hall", { hall: text, name: text }, ["hall", "name"]),
    tool("add_shelf_to_rack", "Add a shelf to a rack", { rackId: text, name: text }, ["name"]),
    tool("list_sailors", "List sailors", { email: text }),
    tool("list_voyages", "List voyages", { sailor: { ...text, description: "The ID of the sailor" } }),
  ];
  test("an optional id is that of the thing that was just made or found, where the words point back", () => {
    expect(calls('Create a rack "Oak" in the hall "West" and add a shelf "Top" to it', racks)[1]).toEqual([
      "add_shelf_to_rack",
      { name: "Top", rackId: "${create_rack.id}" },
    ]);
    const found = calls("Find the sailor with the email bo@example.org and show his voyages", racks);
    expect(found[1]).toEqual(["list_voyages", { sailor: "${list_sailors[0].id}" }]);
  });
  test("a value that was said is taken again rather than taken from an output that may hold it", () => {
    const output = { type: "object", properties: { depot: text, crate: text } };
    const depots: Resource[] = [
      {
        ...tool("create_crate", "Create a crate in a depot", { depot: text, crate: text }, ["depot", "crate"]),
        output_schema: output,
      },
      tool(
        "insert_tools",
        "Insert tools into a crate",
        { depot: text, crate: text, tools: { type: "array", items: { type: "object" } } },
        ["depot", "crate", "tools"],
      ),
    ];
    const [, second] = calls('Create a crate spares in the depot north and insert {"name": "saw"} into it', depots);
    expect(second?.[1]).toMatchObject({ depot: "north", crate: "spares" });
  });
});

describe("a number that people seldom know", () => {
  const places = [
    tool("find_spot", "Search for spots by name. Returns their coordinates (latitude and longitude).", { name: text }, [
      "name",
    ]),
    tool(
      "pollen_forecast",
      "Pollen forecast for coordinates",
      { latitude: { type: "number" }, longitude: { type: "number" } },
      ["latitude", "longitude"],
    ),
  ];
  test("is looked up by a name where a tool's description says that it yields it, once for all such numbers", () => {
    expect(calls("Pollen forecast in Lund", places)).toEqual([
      ["find_spot", { name: "Lund" }],
      [
        "pollen_forecast",
        { latitude: expect.stringContaining("find_spot"), longitude: expect.stringContaining("find_spot") },
      ],
    ]);
  });
  test("and taken as it is where it is said", () => {
    expect(calls("Pollen forecast at 55.7, 13.2", places)).toEqual([
      ["pollen_forecast", { latitude: 55.7, longitude: 13.2 }],
    ]);
  });
});

test("of two switches that share a word only the one that is wholly said is set", () => {
  const make = tool(
    "create_loom",
    "Create a loom",
    {
      name: text,
      defaultThreads: { type: "boolean" },
      defaultLamps: { type: "boolean" },
    },
    ["name"],
  );
  expect(calls('Create a loom "Ada" without the default lamps', [make])).toEqual([
    ["create_loom", { name: "Ada", defaultLamps: false }],
  ]);
});

test("taking the noun of a required switch away sets it to false, giving it to true", () => {
  const mark = tool(
    "flag-berth",
    "Flags or unflags a berth",
    { berthId: { type: "integer" }, flagged: { type: "boolean" } },
    ["berthId", "flagged"],
  );
  expect(calls("pls remove the flag from berth 4411", [mark])).toEqual([
    ["flag-berth", { berthId: 4411, flagged: false }],
  ]);
});

test("the id of a list is not that of the thing that it was made in", () => {
  const lists = [
    tool("add_list_to_hall", "Add a list to a hall", { hallId: text, name: text }, ["hallId", "name"]),
    tool("add_note_to_list", "Add a note to a list", { listId: text, name: text }, ["listId", "name"]),
  ];
  expect(calls('Add a list "Odd" to hall 5f1e2d3c4b and add a note "Rope" to it', lists)).toEqual([
    ["add_list_to_hall", { hallId: "5f1e2d3c4b", name: "Odd" }],
    ["add_note_to_list", { listId: "${add_list_to_hall.id}", name: "Rope" }],
  ]);
});

test("words alone are no value where the description says that the argument is an id", () => {
  const refund = tool(
    "refund_voyage",
    "Refund a voyage",
    { voyage: { ...text, description: "The ID of the voyage" } },
    ["voyage"],
  );
  const { unresolved } = plan("Refund the sailor", [refund]);
  expect(unresolved.map(({ reason }) => reason)).toContain("missing_argument");
});

test("many things that are the first of their kind are to be shown, though their noun is a verb as well", () => {
  const key = { ...text, description: "Hall key (e.g. 'WEST', 'OAK2')" };
  const halls = [
    tool("get_hall_orders", "Get all orders for a specific hall.", { hall_key: key, limit: { type: "integer" } }, [
      "hall_key",
    ]),
    tool("create_order", "Create a new order", { hall_key: text, summary: text }, ["hall_key", "summary"]),
    tool("move_order", "Move an order", { order_key: text, hall_key: text }, ["order_key", "hall_key"]),
    tool("search_orders", "Search orders", { q: text }, ["q"]),
  ];
  expect(calls("first 25 orders of hall WEST", halls)).toEqual([["get_hall_orders", { hall_key: "WEST", limit: 25 }]]);
});
