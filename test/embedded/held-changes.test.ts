import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { defineLlm } from "planloom";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, properties: object, required: string[], more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const plank = { type: "object", properties: { id: text, wood: text, stock: { type: "integer" } } };
const yard: Resource[] = [
  tool("list_planks", "List the planks of the yard", { wood: text }, [], {
    read_only: true,
    output_schema: { type: "array", items: plank },
  }),
  tool("get_plank", "Get one plank by its id", { plank_id: text }, ["plank_id"], {
    read_only: true,
    output_schema: plank,
  }),
  tool(
    "order_plank",
    "Order planks from the sawmill",
    { plank_id: text, quantity: { type: "integer" } },
    ["plank_id", "quantity"],
    { read_only: false, output_schema: { type: "object", properties: { order: text } } },
  ),
  tool("set_alarm", "Set an alarm that rings again and again", { schedule: text, label: text }, ["schedule"], {
    read_only: false,
  }),
];
const read = (goal: string, resources: readonly Resource[] = yard) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  const errors = validatePlan(plan, resources).filter(({ severity }) => severity === "error");
  const { schedule } = plan.metadata ?? {};
  const calls = plan.planned_tasks.map((task) => [task.tool_id ?? task.wait, task.approval ?? "free"]);
  return { plan, calls, schedule, open: unresolved, errors: errors.map(({ code }) => code) };
};

describe("a change whose selecting words were dropped waits for a person", () => {
  test("so do all that were made of the same words", () => {
    const { calls } = read("order 5 of PL-1 and 7 of PL-2 in Larch");
    expect(calls).toEqual([
      ["order_plank", "required"],
      ["order_plank", "required"],
    ]);
  });

  test.for(["order 5 of the plank Larch", "list the heavy planks and order 10 of each"])("%s", (goal) => {
    const { calls, open } = read(goal);
    const orders = calls.filter(([id]) => id === "order_plank");
    expect(orders.length).toBeGreaterThan(0);
    expect(orders.every(([, approval]) => approval === "required")).toBe(true);
    expect(calls.filter(([id]) => id === "list_planks").every(([, approval]) => approval === "free")).toBe(true);
    expect(open.map(({ message }) => message).join(" ")).toContain("waits for an approval");
  });

  test("one that gets all it needs does not, and neither does what only reads", () => {
    expect(read("order 5 of plank P-7").calls).toEqual([["order_plank", "free"]]);
    expect(read("list the heavy planks").calls).toEqual([["list_planks", "free"]]);
  });
});

describe("a model gets what was found, and changes nothing", () => {
  const { resource } = defineLlm({ id: "write_report", description: "Writes a short report of data." });
  const withModel = [...yard, resource];

  test("what earlier tasks found goes into its prompt where `messages` would need a role", () => {
    const { plan, open, errors } = read("list the planks and write a report", withModel);
    expect(plan.planned_tasks[1]).toMatchObject({ execution_type: "llm" });
    expect(plan.planned_tasks[1]?.arguments).toEqual({
      prompt: expect.stringMatching(/^write a report\s+list_planks: \$\{list_planks\}$/),
    });
    expect([open, errors]).toEqual([[], []]);
  });

  test("a word that nothing takes makes it wait only where it is declared to change something", () => {
    const goal = "list the heavy planks and write a report";
    expect(read(goal, withModel).calls.map(([, approval]) => approval)).toEqual(["free", "free"]);
    expect(
      read(goal, withModel)
        .open.map(({ message }) => message)
        .join(),
    ).not.toContain("approval");
    const posting = { ...resource, read_only: false };
    expect(read(goal, [...yard, posting]).calls.map(([, approval]) => approval)).toEqual(["free", "required"]);
  });
});

describe("how often it is to be done is left to a schedule", () => {
  test.for([
    ["every Monday at 8 order 5 of plank P-7", "0 8 * * 1"],
    ["order 5 of plank P-7 every Monday and Thursday at 9:30 pm", "30 21 * * 1,4"],
    ["daily at 6pm, order 5 of plank P-7", "0 18 * * *"],
    ["every 15 minutes order 5 of plank P-7", "*/15 * * * *"],
    ["every weekday order 5 of plank P-7", "0 9 * * 1-5"],
    ["order 5 of plank P-7 every other week", undefined],
  ])("%s", ([goal, cron]) => {
    const { plan, calls, schedule, open } = read(goal!);
    expect(calls).toEqual([["order_plank", "required"]]);
    expect(plan.planned_tasks[0]?.arguments).toEqual({ plank_id: "P-7", quantity: 5 });
    expect(schedule).toMatchObject({ held: ["order_plank"], ...(cron !== undefined && { cron }) });
    expect(open).toEqual([expect.objectContaining({ reason: "condition" })]);
  });

  test.for([
    "order 5 of every plank",
    "list the planks of every wood",
    "Which planks are sawn every day?",
    'set an alarm for "0 7 * * *" with the label "feed the cat every morning"',
  ])("nothing is said of how often: %s", (goal) => {
    expect(read(goal).schedule).toBeUndefined();
  });

  test("a tool that has arguments for the times takes them", () => {
    const { calls, schedule } = read("set an alarm every Monday at 8");
    expect(calls).toEqual([["set_alarm", "free"]]);
    expect(schedule).toBeUndefined();
  });
});

describe("a wait is a task between what is said before and after it", () => {
  test("for a while, and until a time", () => {
    expect(read("wait 2 hours, then order 5 of plank P-7")).toMatchObject({
      calls: [
        [{ for_ms: 7_200_000 }, "free"],
        ["order_plank", "free"],
      ],
      open: [],
      errors: [],
    });
    const { plan, errors } = read("get plank P-7, then wait until tomorrow 8am and order 5 of plank P-7");
    expect(errors).toEqual([]);
    expect(plan.planned_tasks.map(({ task_id, wait, dependencies }) => [task_id, wait, dependencies])).toEqual([
      ["get_plank", undefined, []],
      ["wait", { until: "2026-03-05T08:00:00.000Z" }, ["get_plank"]],
      ["order_plank", undefined, ["get_plank", "wait"]],
    ]);
  });

  test("where a tool waits, it is called", () => {
    const waiter = tool("wait_for", "Wait for some seconds", { seconds: { type: "integer" } }, ["seconds"], {});
    const { calls } = read("wait 5 seconds, then order 5 of plank P-7", [...yard, waiter]);
    expect(calls.map(([id]) => id)).toEqual(["wait_for", "order_plank"]);
  });
});

describe("a change that is to be made at another time waits for it", () => {
  const shutter = tool("close_shutter", "Close a shutter", { shutter_id: text }, ["shutter_id"], { read_only: false });
  const list = tool("list_shutters", "List shutters", { side: text }, [], {
    read_only: true,
    output_schema: { type: "array", items: { type: "object", properties: { id: text, side: text } } },
  });
  const visit = tool("plan_visit", "Plan a visit", { shutter_id: text, date: { ...text, format: "date" } }, ["date"], {
    read_only: false,
  });
  const house = [shutter, list, visit];
  const times = (goal: string) => {
    const { plan, open } = read(goal, house);
    const steps = plan.planned_tasks.map((task) => [task.tool_id ?? task.wait, task.dependencies]);
    return { steps, open: open.map(({ reason }) => reason) };
  };
  const close = (...after: string[]) => ["close_shutter", after];

  test.for<[goal: string, wait: object]>([
    ["close shutter S-7 in two hours", { for_ms: 7_200_000 }],
    ["in half an hour, close shutter S-7", { for_ms: 1_800_000 }],
    ["close shutter S-7 in 3 days", { for_ms: 259_200_000 }],
    ["close shutter S-7 at 6 pm", { until: "2026-03-04T18:00:00.000Z" }],
    ["close shutter S-7 at 6 am", { until: "2026-03-05T06:00:00.000Z" }],
    ["tomorrow at 8:15 please close shutter S-7", { until: "2026-03-05T08:15:00.000Z" }],
    ["close shutter S-7 on Friday at noon", { until: "2026-03-06T12:00:00.000Z" }],
  ])("%s", ([goal, wait]) => {
    expect(times(goal)).toEqual({ steps: [[wait, []], close("wait")], open: [] });
  });

  test("only what is said with the time waits, and what is read for it waits too", () => {
    expect(times("close shutter S-7 and in an hour close shutter S-8").steps).toEqual([
      close(),
      [{ for_ms: 3_600_000 }, []],
      close("wait"),
    ]);
    expect(times("close all shutters of the north side at 10 pm").steps).toEqual([
      [{ until: "2026-03-04T22:00:00.000Z" }, []],
      ["list_shutters", ["wait"]],
      close("list_shutters", "wait"),
    ]);
  });

  test.for([
    "list the shutters at 6 pm",
    "which shutters are closed in two hours?",
    "plan a visit of shutter S-7 tomorrow at 8:15",
    'close shutter "in two hours"',
  ])("a question, a text, and a tool that takes the time wait for nothing: %s", (goal) => {
    expect(times(goal).steps.filter(([id]) => typeof id === "object")).toEqual([]);
  });
});
