import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { number, text, toolNeeding, whole } from "../support/tool-records.ts";

const clock = { now: "2026-11-30T09:00:00Z", timeZone: "UTC" };
const day: JsonSchema = { type: "string", format: "date" };
const lines = (amount: string): JsonSchema => ({
  type: "array",
  items: { type: "object", properties: { article: text(), [amount]: whole() }, required: ["article"] },
});

const farm: readonly Resource[] = [
  toolNeeding("order_feed", "Order feed for the stable", { feed: text(), bags: whole() }, ["feed", "bags"]),
  toolNeeding("weigh_calf", "Record the weight of a calf", { calf_id: text(), weight_kg: number() }),
  toolNeeding("extend_lease", "Extend the lease of a field", { lease_id: text(), months: whole() }),
  toolNeeding("heat_barn", "Set the temperature of a barn", { barn: text(), celsius: number() }),
  toolNeeding("rent_tools", "Rent tools", { lines: lines("qty"), from: day }, ["lines", "from"]),
];

test.for([
  [
    "order 40 bags of oats and 10 bags of barley",
    [
      { feed: "oats", bags: 40 },
      { feed: "barley", bags: 10 },
    ],
  ],
  [
    "record weight of CF-9 as 41.5 and of CF-10 as 52",
    [
      { calf_id: "CF-9", weight_kg: 41.5 },
      { calf_id: "CF-10", weight_kg: 52 },
    ],
  ],
  [
    "extend LS-90 by two months and LS-91 by one",
    [
      { lease_id: "LS-90", months: 2 },
      { lease_id: "LS-91", months: 1 },
    ],
  ],
  [
    "set BN1 to 18, BN2 to 19 and BN4 to 20 degrees",
    [
      { barn: "BN1", celsius: 18 },
      { barn: "BN2", celsius: 19 },
      { barn: "BN4", celsius: 20 },
    ],
  ],
  [
    "rent 2 ladders and 3 saws from Wednesday",
    [
      {
        lines: [
          { article: "ladders", qty: 2 },
          { article: "saws", qty: 3 },
        ],
        from: "2026-12-02",
      },
    ],
  ],
  [
    "rent 2 ladders and a saw from Wednesday",
    [
      {
        lines: [
          { article: "ladders", qty: 2 },
          { article: "saw", qty: 1 },
        ],
        from: "2026-12-02",
      },
    ],
  ],
] as const)(
  "a verb that is said once counts for each of several things with values of its own: %s",
  ([goal, calls]) => {
    const { plan, unresolved } = planGoal(goal, farm, clock);
    expect(plan.planned_tasks.map((task) => task.arguments)).toEqual(calls);
    expect(unresolved).toEqual([]);
  },
);

test.for([
  ["extend LS-90 by two months, no, three months", { lease_id: "LS-90", months: 3 }],
  ["extend LS-90, sorry, LS-91 by two months", { lease_id: "LS-91", months: 2 }],
  ["extend lease LS-90, no wait, lease LS-91, by 4 months", { lease_id: "LS-91", months: 4 }],
  ["extend LS-90, not LS-91, by 4 months", { lease_id: "LS-90", months: 4 }],
  ["set BN1 to 18 - I mean 19 degrees", { barn: "BN1", celsius: 19 }],
])("what is taken back in the same breath is not done: %s", ([goal, said]) => {
  const { plan, unresolved } = planGoal(goal as string, farm, clock);
  expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([said]);
  expect(unresolved).toEqual([]);
});

test("what a message says stays as it is", () => {
  const tools = [toolNeeding("text_hand", "Text a farm hand", { name: text(), message: text() })];
  const { plan } = planGoal("text Ann: come at 5, no, 6", tools, clock);
  expect(plan.planned_tasks[0]?.arguments?.message).toBe("come at 5, no, 6");
});

test("everyone in a department is each row of those that are listed", () => {
  const row = { type: "object", properties: { employee_id: text(), name: text(), department: text() } };
  const department = { type: "string", enum: ["dairy", "field"] };
  const tools: Resource[] = [
    {
      ...toolNeeding("list_employees", "List employees", { department, manager_id: text() }, []),
      read_only: true,
      output_schema: { type: "object", properties: { employees: { type: "array", items: row } } },
    },
    { ...toolNeeding("get_leave_balance", "Leave balance of an employee", { employee_id: text() }), read_only: true },
    toolNeeding("send_email", "Send an email", { to: text(), subject: text(), body: text() }),
  ];
  const [list, each] = planGoal("leave balance of everyone in dairy", tools, clock).plan.planned_tasks;
  expect(list?.arguments).toEqual({ department: "dairy" });
  expect(each).toMatchObject({ for_each: { items: "${list_employees.employees}" } });
});
