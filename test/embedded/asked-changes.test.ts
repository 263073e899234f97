import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const record = (properties: object): JsonSchema => ({ type: "object", properties });
const rows = (properties: object): JsonSchema => ({ type: "array", items: record(properties) });
const tool = (
  id: string,
  description: string,
  input: object,
  output: JsonSchema,
  more: { required?: string[]; read_only?: boolean; destructive?: boolean } = {},
): Resource => ({
  kind: "tool",
  id,
  description,
  read_only: more.read_only ?? false,
  ...(more.destructive !== undefined && { destructive: more.destructive }),
  input_schema: { type: "object", properties: input, required: more.required ?? Object.keys(input) },
  output_schema: output,
});
const parcel = { parcel_id: text, state: text, weight: { type: "number" }, sender_id: text };
const states = { type: "string", enum: ["open", "shipped", "sealed", "lost"] };
const parcelId = { ...text, description: "Id such as P-12" };
const depot: Resource[] = [
  tool("list_parcels", "List parcels by state.", { state: states }, rows(parcel), { required: [], read_only: true }),
  tool("get_parcel", "Get one parcel.", { parcel_id: parcelId }, record(parcel), { read_only: true }),
  tool("set_parcel_state", "Change the state of a parcel.", { parcel_id: text, state: states }, record(parcel)),
  tool("delete_parcel", "Delete a parcel for good.", { parcel_id: text }, record({ ok: { type: "boolean" } }), {
    destructive: true,
  }),
  tool("assign_parcel", "Assign a parcel to a driver.", { parcel_id: text, driver_id: text }, record(parcel)),
  tool("send_letter", "Send a letter.", { to: text, subject: text, body: text }, record({ letter_id: text })),
];
const seed = { seed_id: text, bed: text, packets: { type: "integer" } };
const nursery: Resource[] = [
  tool("list_seeds", "List the seeds of a bed.", { bed: text }, rows(seed), { required: [], read_only: true }),
  tool("get_seed", "Get one seed by its id.", { seed_id: text }, record(seed), { read_only: true }),
  tool(
    "restock",
    "Buy more packets of a seed.",
    { seed_id: text, quantity: { type: "integer", exclusiveMinimum: 0 } },
    record({ receipt: text }),
  ),
];
const read = (goal: string, resources = depot) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  const errors = validatePlan(plan, resources).filter(({ severity }) => severity === "error");
  const calls = plan.planned_tasks.map(({ task_id, arguments: given, for_each, when }) => [
    task_id,
    given,
    ...(for_each === undefined ? [] : [for_each.items]),
    ...(when === undefined ? [] : [when.condition]),
  ]);
  return { calls, open: unresolved.map(({ reason }) => reason), errors: errors.map((each) => each.code) };
};
const done = (calls: unknown[]) => ({ calls, open: [], errors: [] });

test.for([
  ["Ship parcel P-12", "shipped"],
  ["Seal the parcel P-12", "sealed"],
  ["Reopen parcel P-12", "open"],
])("a verb calls the tool that does it by a value: %s", ([goal, state]) => {
  expect(read(goal!)).toEqual(done([["set_parcel_state", { parcel_id: "P-12", state }]]));
});

test("so it does to each of several, and under a condition", () => {
  expect(read("Ship all sealed parcels")).toEqual(
    done([
      ["list_parcels", { state: "sealed" }],
      ["set_parcel_state", { parcel_id: "${item.parcel_id}", state: "shipped" }, "${list_parcels}"],
    ]),
  );
  expect(read("If parcel P-12 is sealed, ship it")).toEqual(
    done([
      ["get_parcel", { parcel_id: "P-12" }],
      [
        "set_parcel_state",
        { parcel_id: "${get_parcel.parcel_id}", state: "shipped" },
        '${get_parcel.state} = "sealed"',
      ],
    ]),
  );
});

test("a tool that is called by the verb itself comes first, and so does what the words ask for", () => {
  const shipper = tool("ship_parcel", "Ship a parcel.", { parcel_id: text }, record(parcel));
  expect(read("Ship parcel P-12", [...depot, shipper])).toEqual(done([["ship_parcel", { parcel_id: "P-12" }]]));
  expect(read("Show the shipped parcels")).toEqual(done([["list_parcels", { state: "shipped" }]]));
  expect(read("Set the state of parcel P-12 to lost")).toEqual(
    done([["set_parcel_state", { parcel_id: "P-12", state: "lost" }]]),
  );
});

test("without an id the question is for that tool, and nothing is deleted", () => {
  const { calls, open } = read("Ship the parcel");
  expect(calls).toEqual([["set_parcel_state", { state: "shipped" }]]);
  expect(open).toEqual(["missing_argument"]);
  const closing = depot.filter(({ id }) => id !== "set_parcel_state");
  expect(read("Close the parcel P-12", closing).calls.flat()).not.toContain("delete_parcel");
});

test.for(["Escalate parcel P-12", "Repaint the parcel P-12", "Email Bolt Ltd that parcel P-12 is lost"])(
  "a change that no tool makes is refused, and not answered by a look: %s",
  (goal) => {
    expect(read(goal)).toMatchObject({ calls: [], open: ["no_resource"] });
  },
);

test.for(["Get parcel P-12", "Check parcel P-12", "What is the weight of parcel P-12?", "Parcel P-12"])(
  "what only asks to look is still looked up: %s",
  (goal) => {
    expect(read(goal)).toEqual(done([["get_parcel", { parcel_id: "P-12" }]]));
  },
);

test.for(["Do not delete parcel P-12", "Never ship parcel P-12", "Please don't delete the parcel P-12"])(
  "what is not to be done is refused: %s",
  (goal) => {
    expect(read(goal)).toMatchObject({ calls: [], open: ["no_resource"] });
  },
);

test("beside a request it is left out", () => {
  expect(read("Ship parcel P-12 but do not delete parcel P-13")).toEqual(
    done([["set_parcel_state", { parcel_id: "P-12", state: "shipped" }]]),
  );
  expect(read("List the parcels and do not delete parcel P-13")).toEqual(done([["list_parcels", {}]]));
});

test.for([
  [
    "Get seed K-2 and restock 7 of it",
    [
      ["get_seed", { seed_id: "K-2" }],
      ["restock", { seed_id: "${get_seed.seed_id}", quantity: 7 }],
    ],
  ],
  [
    "Restock 20 of each seed in bed North",
    [
      ["list_seeds", { bed: "North" }],
      ["restock", { seed_id: "${item.seed_id}", quantity: 20 }, "${list_seeds}"],
    ],
  ],
  [
    "List the seeds of bed North, then restock 20 of each",
    [
      ["list_seeds", { bed: "North" }],
      ["restock", { seed_id: "${item.seed_id}", quantity: 20 }, "${list_seeds}"],
    ],
  ],
] as const)("a tool whose whole name is a verb is called by it: %s", ([goal, calls]) => {
  expect(read(goal, nursery)).toEqual(done([...calls]));
});

test("a condition that asks for nothing calls nothing that changes something", () => {
  const { calls } = read('If there are open parcels, send a letter to Ida with subject "Load" and body "Busy"');
  const changing = calls.map(([id]) => id).filter((id) => !/^(?:list|get)_/.test(String(id)));
  expect(changing).toEqual(["send_letter"]);
});

test("what a text is about and what it says are one call's arguments", () => {
  const { calls } = read('If there are lost parcels, send a letter to ida@x.org about "Load" saying "Busy"');
  expect(calls.filter(([id]) => String(id).startsWith("send"))).toEqual([
    ["send_letter", { to: "ida@x.org", subject: "Load", body: "Busy" }, "$count(${list_parcels}) > 0"],
  ]);
});

test("an id goes to the argument whose ids are written like it", () => {
  expect(read("If parcel P-12 is sealed then assign it to D-3")).toEqual(
    done([
      ["get_parcel", { parcel_id: "P-12" }],
      ["assign_parcel", { parcel_id: "${get_parcel.parcel_id}", driver_id: "D-3" }, '${get_parcel.state} = "sealed"'],
    ]),
  );
});

test("what a condition says that there is, is looked up, and is no material for what follows", () => {
  expect(read("If there are lost parcels, ship parcel P-12")).toEqual(
    done([
      ["list_parcels", { state: "lost" }],
      ["set_parcel_state", { parcel_id: "P-12", state: "shipped" }, "$count(${list_parcels}) > 0"],
    ]),
  );
  const extended = tool(
    "extend_parcel",
    "Extend the storage of a parcel.",
    { parcel_id: text, sender_id: text },
    record({ ok: { type: "boolean" } }),
    { required: ["parcel_id"] },
  );
  expect(read("If there are lost parcels then extend parcel P-12", [depot[0]!, extended]).calls.at(-1)).toEqual([
    "extend_parcel",
    { parcel_id: "P-12" },
    "$count(${list_parcels}) > 0",
  ]);
});
