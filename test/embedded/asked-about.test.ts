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
const tools = [
  tool("list_boats", "List the boats of the marina", { state: { enum: ["afloat", "ashore"] } }, [], {
    read_only: true,
  }),
  tool("get_boat", "Get one boat by its id", { boat_id: text }, ["boat_id"], { read_only: true }),
  tool("move_boat", "Bring a boat to another berth", { boat_id: text, to_berth: text }, ["boat_id", "to_berth"]),
  tool("scuttle_boat", "Sink a boat", { boat_id: text, reason: { enum: ["leak", "wreck"] } }, ["boat_id"], {
    destructive: true,
  }),
  tool("antifoul_boat", "Antifoul the hull of a boat", { boat_id: text }, ["boat_id"]),
  tool("end_lease", "End the lease of a berth", { lease_id: text }, ["lease_id"], { destructive: true }),
];
const callsOf = (goal: string) => planGoal(goal, tools).plan.planned_tasks.map(({ tool_id }) => tool_id);

test.for([
  "when was K-12 moved to berth B7?",
  "has K-12 been moved to berth B7?",
  "should I move K-12 to berth B7?",
  "I want to know when K-12 was moved to berth B7",
  "tell me if K-12 was moved to berth B7",
  "should we end the lease L-4",
  "should I scuttle K-12?",
  "was K-12 antifouled?",
  "why did we scuttle K-12?",
  "undo the move of K-12 to berth B7",
  "take back the move of K-12 to berth B7",
  "can K-12 be moved to berth B7?",
  "will K-12 be moved to berth B7?",
  "could K-12 have a leak?",
  "would it be wise to scuttle K-12?",
  "can I scuttle K-12?",
  "ought I to scuttle K-12?",
  "how do I scuttle K-12?",
  "I'd like to know if K-12 got scuttled",
  "please check if K-12 has been scuttled",
  "K-12 was scuttled, right?",
  "K-12 was moved to berth B7, wasn't it?",
  "K-12 was scuttled",
  "K-12 is a wreck",
  "can we still scuttle K-12?",
  "could you still scuttle K-12?",
  "would you scuttle K-12 if you were me?",
  "make sure K-12 was scuttled",
  "make sure that K-12 has been moved to berth B7",
  "verify that K-12 has been scuttled",
  "Anna says she scuttled K-12",
  "Jo thinks we moved K-12 to berth B7",
  "let me know before you scuttle K-12",
  "ask Jo whether we should scuttle K-12",
  "ask Jo whether to scuttle K-12",
  "pretend to scuttle K-12",
  "suppose we scuttle K-12",
  "what if we scuttled K-12?",
])("%s: nothing is changed, and what is left out is said", (goal) => {
  const { plan, unresolved } = planGoal(goal, tools);
  for (const { tool_id } of plan.planned_tasks) expect(["list_boats", "get_boat"]).toContain(tool_id);
  expect(unresolved.length).toBeGreaterThan(0);
});

test.for([
  ["could you move K-12 to berth B7?", "move_boat"],
  ["please can you move K-12 to berth B7?", "move_boat"],
  ["Scuttle K-12, it has a leak", "scuttle_boat"],
  ["could K-12 be moved to berth B7 please?", "move_boat"],
  ["will you please scuttle K-12", "scuttle_boat"],
  ["would someone move K-12 to berth B7?", "move_boat"],
  ["K-12 has to be moved to berth B7", "move_boat"],
  ["K-12 is a wreck so scuttle it", "scuttle_boat"],
  ["K-12 is a wreck, scuttle K-12", "scuttle_boat"],
  ["K-12 is a wreck. Scuttle K-12.", "scuttle_boat"],
  ["we should move K-12 to berth B7", "move_boat"],
  ["antifoul K-12", "antifoul_boat"],
  ["why don't you move K-12 to berth B7?", "move_boat"],
  ["can we move K-12 to berth B7?", "move_boat"],
  ["Jo says move K-12 to berth B7", "move_boat"],
  ["get boat K-12. Is it a wreck? Then scuttle K-12.", "scuttle_boat"],
  ["check whether K-12 is ashore and move K-12 to berth B7", "move_boat"],
])("%s is a request for %s", ([goal, called]) => {
  expect(callsOf(goal!)).toContain(called);
});

test.for(["antifoul boat K-12", "scuttle boat K-12"])(
  "%s: a verb of a trade in the name and the description of a tool is a request for it",
  (goal) => {
    expect(callsOf(goal)).toEqual([goal.startsWith("antifoul") ? "antifoul_boat" : "scuttle_boat"]);
  },
);

test("a small word at the front of a goal is not short for a verb", () => {
  const cancel = tool("cancel_lease", "Cancel a lease", { lease_id: text }, ["lease_id"]);
  const { plan } = planGoal("can you move K-12 to berth B7?", [...tools, cancel]);
  expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["move_boat"]);
});

test("a question that a tool answers is answered by it", () => {
  expect(callsOf("which boats are ashore?")).toEqual(["list_boats"]);
});

test("an id behind the noun of what a tool lists does not go to another thing by which it may be listed", () => {
  const bill = { type: "object", properties: { id: text, owner_id: text, state: text, due_on: text } };
  const catalogue = [
    tool(
      "list_bills",
      "List the bills of an owner, or all bills",
      { owner_id: text, state: { enum: ["open", "paid"] } },
      [],
      {
        read_only: true,
        output_schema: { type: "array", items: bill },
      },
    ),
    tool("find_owners", "Search owners by name", { query: text, kind: text }, [], {
      read_only: true,
      output_schema: { type: "array", items: { type: "object", properties: { id: text, kind: text } } },
    }),
  ];
  const wrong = planGoal("show bill X-77", catalogue);
  for (const task of wrong.plan.planned_tasks) expect(task.arguments).not.toHaveProperty("owner_id");
  const noNoun = planGoal("find out if X-77 was paid", catalogue);
  for (const task of noNoun.plan.planned_tasks) expect(task.arguments).not.toHaveProperty("owner_id");
  expect(noNoun.unresolved.map(({ text: said }) => said)).toContain("X-77");
  expect(planGoal("bills of W-3", catalogue).plan.planned_tasks[0]?.arguments).toEqual({ owner_id: "W-3" });
  expect(wrong.unresolved.map(({ text: said }) => said)).toContain("X-77");
  expect(planGoal("show the bills of owner W-3", catalogue).plan.planned_tasks[0]?.arguments).toEqual({
    owner_id: "W-3",
  });
});

test("a quantity behind a day is not its year", () => {
  const order = tool(
    "order_fuel",
    "Order fuel for a day",
    { day: { type: "string", format: "date" }, litres: { type: "number" } },
    ["day", "litres"],
  );
  const now = "2026-11-23T08:00:00Z";
  const { plan } = planGoal("order fuel for December 3rd, 1500 litres", [order], { now, timeZone: "UTC" });
  expect(plan.planned_tasks[0]?.arguments).toEqual({ day: "2026-12-03", litres: 1500 });
});

test.for([
  ["mail a letter to ann@quay.example with subject Hi and body See you", "See you"],
  [
    "mail a letter to ann@quay.example with subject Berth saying your mast arrives tomorrow",
    "your mast arrives tomorrow",
  ],
  ["mail a letter to ann@quay.example with subject Hi and body 'See you'", "See you"],
  ["mail a letter to ann@quay.example with subject Hi and body See you, and list boats", "See you"],
])("%s: the text is %s, whole", ([goal, body]) => {
  const mail = tool(
    "mail_letter",
    "Mail a letter to a person",
    { to: { type: "string", format: "email" }, subject: text, body: text },
    ["to", "subject", "body"],
  );
  const { plan } = planGoal(goal!, [...tools, mail], { now: "2026-11-23T08:00:00Z", timeZone: "UTC" });
  const task = plan.planned_tasks.find(({ tool_id }) => tool_id === "mail_letter");
  expect(task?.arguments).toMatchObject({ to: "ann@quay.example", body });
});

const place = { type: "object", properties: { id: text, name: text, region: text, kind: text } };
const lodgings = [
  tool(
    "find_lodgings",
    "Search lodgings by name, region or kind",
    { query: text, region: text, kind: { enum: ["hut", "hostel", "campsite"] } },
    [],
    { read_only: true, output_schema: { type: "array", items: place } },
  ),
  tool(
    "list_stays",
    "List the stays of a lodging, or all stays",
    { lodging_id: text, state: { enum: ["planned", "paid"] } },
    [],
    {
      read_only: true,
      output_schema: {
        type: "array",
        items: { type: "object", properties: { id: text, lodging_id: text, state: text } },
      },
    },
  ),
  tool("list_linen", "List the linen in a depot", { depot: { enum: ["east", "west"] } }, [], {
    read_only: true,
    output_schema: { type: "array", items: { type: "object", properties: { id: text, depot: text } } },
  }),
];

test.for(["all huts in Valais and their planned stays", "list all huts in Valais and their planned stays"])(
  "%s: the kind narrows down what is looked up first",
  (goal) => {
    const { planned_tasks } = planGoal(goal, lodgings).plan;
    const [lookup, stays] = planned_tasks;
    expect(planned_tasks).toHaveLength(2);
    expect(lookup).toMatchObject({ tool_id: "find_lodgings", arguments: { region: "Valais", kind: "hut" } });
    expect(stays).toMatchObject({ tool_id: "list_stays", arguments: { state: "planned" } });
  },
);

test("what a question asks of a list and no parameter takes is said", () => {
  const { plan, unresolved } = planGoal("what's scarce on linen in the west depot", lodgings);
  expect(plan.planned_tasks[0]).toMatchObject({ tool_id: "list_linen", arguments: { depot: "west" } });
  expect(unresolved.map(({ text: said }) => said)).toContain("scarce");
  expect(planGoal("what linen is in the west depot", lodgings).unresolved).toEqual([]);
});

const kennel = [
  tool(
    "list_visits",
    "List the visits of a keeper, or all visits",
    { keeper_id: text, state: { enum: ["booked", "cancelled"] } },
    [],
    {
      read_only: true,
      output_schema: {
        type: "array",
        items: { type: "object", properties: { id: text, keeper_id: text, state: text } },
      },
    },
  ),
  tool("walk_dog", "Walk a dog", { dog_id: text, minutes: { type: "number" } }, ["dog_id"]),
  tool("wash_dog", "Wash a dog", { dog_id: text }, ["dog_id"]),
  tool("cancel_visit", "Cancel a visit", { visit_id: text }, ["visit_id"], { destructive: true }),
  tool(
    "get_dog",
    "Get one dog by its id",
    { dog_id: { type: "string", description: "Dog id, such as D-101" } },
    ["dog_id"],
    {
      read_only: true,
    },
  ),
];

test("an id that nothing ties to a thing is not the id of another thing", () => {
  const { planned_tasks } = planGoal("how do I cancel V-9001?", kennel).plan;
  for (const task of planned_tasks) expect(task.arguments).not.toHaveProperty("keeper_id");
  expect(planGoal("V-9001", kennel).plan.planned_tasks).toEqual([]);
  expect(planGoal("D-104", kennel).plan.planned_tasks).toMatchObject([
    { tool_id: "get_dog", arguments: { dog_id: "D-104" } },
  ]);
  expect(planGoal("list visits for K-7", kennel).plan.planned_tasks).toMatchObject([
    { tool_id: "list_visits", arguments: { keeper_id: "K-7" } },
  ]);
});

test("what a message is to say is not taken for its title, which is asked for", () => {
  const mail = tool(
    "send_email",
    "Send an email to one or several recipients",
    { to: { type: "array", items: { type: "string", format: "email" }, minItems: 1 }, subject: text, body: text },
    ["to", "subject", "body"],
  );
  const goal = "send an email to ann@quay.example saying your mast arrives tomorrow";
  const owners = tool("find_owners", "Search owners by name", { query: text, kind: { enum: ["club", "firm"] } }, [], {
    read_only: true,
    output_schema: { type: "array", items: { type: "object", properties: { id: text, name: text, kind: text } } },
  });
  for (const catalogue of [
    [...tools, mail],
    [owners, mail],
  ]) {
    const { plan } = planGoal(goal, catalogue, { now: "2026-11-23T08:00:00Z", timeZone: "UTC" });
    expect(plan.planned_tasks).toHaveLength(1);
    const expected = { to: ["ann@quay.example"], body: "your mast arrives tomorrow" };
    expect(plan.planned_tasks[0]?.arguments).toEqual(expected);
  }
});

test("a thing that no tool reads is not answered by another that is found by it, without a word", () => {
  const open = (goal: string) =>
    planGoal(goal, [
      tool("list_visits", "List visits", { skipper_id: { type: "integer" } }, [], { read_only: true }),
      tool("get_visit", "Get a visit", { visit_id: { type: "integer" } }, ["visit_id"], { read_only: true }),
    ]).unresolved.map(({ reason, text: said }) => `${reason}: ${said}`);
  expect(open("who is skipper 17?")).toEqual(["no_resource: skipper"]);
  expect(open("what is visit 17?")).toEqual([]);
  expect(open("visits of skipper 17")).toEqual([]);
});
