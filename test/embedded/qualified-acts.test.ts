import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };
const amount = { type: "number", description: "in litres; all that is in it when absent" };
/** None says what it gives, and those that change something do not say so either. */
const dairy: Resource[] = [
  tool("search_farmers", "Find farmers by name or village", { name: text, village: text }, [], true),
  tool(
    "list_tanks",
    "Tanks of a farmer, newest first",
    { farmer_id: text, state: { enum: ["full", "empty", "sealed"] }, since: { type: "string", format: "date" } },
    [],
    true,
  ),
  tool("drain_tank", "Let milk out of a tank", { tank_id: text, amount, reason: text }, ["tank_id"]),
  tool(
    "seal_tank",
    "Seal a full tank",
    { tank_id: text, notify: { type: "boolean", description: "tell the farmer" } },
    ["tank_id"],
  ),
  tool("set_fill_level", "Fill a tank up to a level in percent", { tank_id: text, level: { type: "number" } }, [
    "tank_id",
    "level",
  ]),
  tool(
    "open_fault",
    "Open a fault for the workshop",
    { title: text, priority: { enum: ["low", "normal", "high"] }, farmer_id: text },
    ["title"],
  ),
];
const read = (goal: string) => {
  const { plan, unresolved } = planGoal(goal, dairy, { now: "2026-03-04T10:30:00Z", timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments ?? {}]),
    each: plan.planned_tasks.map((task) => task.for_each?.items),
    approvals: plan.planned_tasks.map((task) => task.approval),
    open: unresolved.map((each) => `${each.reason}: ${each.text}`),
  };
};

describe("what a change is for only in part is said, and waits for a person", () => {
  test.for([
    ["Drain half of tank T-10", {}, "half of"],
    ["Drain a third of T-10", {}, "third of"],
    ["Drain 20% of tank T-10", {}, "20% of"],
    ["Drain all but 5 litres of tank T-10", {}, "all but 5 litres"],
    ["Drain double the amount of T-10", {}, "double"],
    ["Drain T-10 twice", {}, "twice"],
    ["Drain T-10 partially", {}, "partially"],
    ["Drain the remaining milk of T-10", {}, "remaining"],
    ["Drain at most 10 litres of T-10", { amount: 10 }, "at most 10"],
    ["Drain T-10 minus the cream", {}, "minus the cream"],
    ["Drain T-10 without telling the dairy", {}, "without telling the dairy"],
  ] as const)("%s", ([goal, given, said]) => {
    expect(read(goal)).toMatchObject({
      calls: [["drain_tank", { tank_id: "T-10", ...given }]],
      approvals: ["required"],
      open: [`no_parameter: ${said}`],
    });
  });

  test.for([
    ["Drain 5 litres of T-10", { tank_id: "T-10", amount: 5 }],
    ["Drain tank T-10 because it smells", { tank_id: "T-10", reason: "it smells" }],
    ["Fill T-10 to 20 %", { tank_id: "T-10", level: 20 }],
    ["Seal T-10 as part of the evening round", { tank_id: "T-10" }],
  ] as const)("nothing is open: %s", ([goal, given]) => {
    expect(read(goal).calls.map(([, own]) => own)).toEqual([given]);
    expect(read(goal).open).toEqual([]);
  });
});

test.for([
  ["Drain T-10 and T-11", ["T-10", "T-11"]],
  ["Drain 10 each of T-10 and T-11", ["T-10", "T-11"]],
] as const)("a further code is one more thing and no reason: %s", ([goal, tanks]) => {
  expect(read(goal).calls.map(([, own]) => own)).toMatchObject(tanks.map((tank_id) => ({ tank_id })));
  expect(JSON.stringify(read(goal).calls)).not.toContain("reason");
});

test("one of two is asked for, and is no reason for the other", () => {
  expect(read("Drain T-10 or T-11")).toMatchObject({
    calls: [["drain_tank", {}]],
    open: ["missing_argument: tank_id"],
  });
});

describe("how much more or less is no new value", () => {
  const price = { type: "number", description: "the new price" };
  const shop = [
    tool("change_price", "Change the price of a cheese", { cheese_id: text, price }, ["cheese_id", "price"]),
  ];
  const given = (goal: string) => {
    const { plan } = planGoal(goal, shop, { now: "2026-03-04T10:30:00Z", timeZone: "UTC" });
    return plan.planned_tasks.map((task) => task.arguments ?? {});
  };

  test.for(["Raise the price of CH-7 by 10 %", "Lower the price of CH-7 by 2 euros"])("%s", (goal) => {
    for (const own of given(goal)) expect(own).not.toHaveProperty("price");
  });

  test("and what it is to be is", () => {
    expect(given("Raise the price of CH-7 to 20")).toEqual([{ cheese_id: "CH-7", price: 20 }]);
  });
});

describe("what somebody does first decides a change", () => {
  test.for([
    ["Drain T-10 after the farmer has signed for it", "after the farmer has signed for it"],
    ["Once Ada confirms, drain T-10", "Once Ada confirms"],
    ["Drain T-10 as soon as it is approved by a vet", "as soon as it is approved by a vet"],
    ["Wait until the farmer has paid, then drain T-10", "until the farmer has paid"],
  ] as const)("%s", ([goal, said]) => {
    expect(read(goal).open).toEqual([`condition: ${said}`]);
    expect(read(goal).approvals).toEqual(["required"]);
  });

  test.for([
    "Drain T-10. After it is drained, seal T-11",
    "Drain T-10 and after that seal T-11",
    "After sealing tank T-11, drain tank T-10",
    "Drain T-10. Once the tank is clean, seal T-11",
  ])("what is asked for comes in its order: %s", (goal) => {
    expect(
      read(goal)
        .calls.map(([id]) => id)
        .toSorted(),
    ).toEqual(["drain_tank", "seal_tank"]);
    expect(read(goal).open).toEqual([]);
  });
});

describe("things of somebody whose id need not be given", () => {
  const ada = ["search_farmers", { name: "Ada Moss" }] as const;
  const id = "${search_farmers[0].id}";

  test.for([
    ["Which tanks does Ada Moss have?", {}],
    ["Show Ada Moss's tanks", {}],
    ["Which full tanks are there for Ada Moss?", { state: "full" }],
    ["How many tanks does Ada Moss have?", {}],
    ["Tanks of Ada Moss since March 1", { since: "2026-03-01" }],
  ] as const)("%s", ([goal, given]) => {
    expect(read(goal).calls).toEqual([ada, ["list_tanks", { farmer_id: id, ...given }]]);
    expect(read(goal).open).toEqual(["first_only: farmer_id"]);
  });

  test("a change of theirs finds them first, and one that is for each is for each of their things alone", () => {
    expect(read("Seal all full tanks of Ada Moss")).toMatchObject({
      calls: [ada, ["list_tanks", { farmer_id: id, state: "full" }], ["seal_tank", { tank_id: "${item.id}" }]],
      each: [undefined, undefined, "${list_tanks}"],
    });
    expect(read("Drain the last tank of Ada Moss").calls.map(([each]) => each)).toEqual([
      "search_farmers",
      "list_tanks",
      "drain_tank",
    ]);
  });

  test("a place and a name that is said for nothing are looked up by nobody", () => {
    expect(read("Show tanks from Kilkenny").calls).toEqual([["list_tanks", {}]]);
    expect(read("Show tanks from Kilkenny").open).toEqual(["no_parameter: Kilkenny"]);
  });
});

test("what follows a colon is the text that a change requires", () => {
  expect(read("Open a high priority fault for Ada Moss: pump on fire").calls).toEqual([
    ["search_farmers", { name: "Ada Moss" }],
    ["open_fault", { title: "pump on fire", priority: "high", farmer_id: "${search_farmers[0].id}" }],
  ]);
  expect(read('Open a fault titled "Pump": low priority please').calls).toEqual([
    ["open_fault", { title: "Pump", priority: "low" }],
  ]);
});

describe("words that are no value are left out", () => {
  test("what people do is not their name", () => {
    expect(read("Which farmers live in Ely?").calls).toEqual([["search_farmers", { village: "Ely" }]]);
  });

  test("who a text is for is not the text", () => {
    expect(read("Open a fault for Ada Moss: late milk").calls).toEqual([
      ["search_farmers", { name: "Ada Moss" }],
      ["open_fault", { title: "late milk", farmer_id: "${search_farmers[0].id}" }],
    ]);
  });
});
