import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const record = (properties: object): JsonSchema => ({ type: "object", properties });
const tool = (id: string, description: string, input: object, output: JsonSchema, more: object = {}): Resource => ({
  kind: "tool",
  id,
  description,
  read_only: false,
  input_schema: { type: "object", properties: input, required: Object.keys(input) },
  output_schema: output,
  ...more,
});
const reads = { read_only: true };

const stages = { type: "string", enum: ["moored", "at sea", "scrapped"] };
const vessel = record({
  vessel_id: text,
  name: text,
  stage: text,
  registered_on: text,
  rank: { ...text, enum: ["routine", "critical"] },
  cargo: { ...text, description: "What it carries, e.g. grain, ore" },
  insured: { type: "boolean" },
});
const harbour: Resource[] = [
  tool("get_vessel", "Get one vessel.", { vessel_id: { ...text, description: "Id such as V-12" } }, vessel, reads),
  {
    ...tool("list_vessels", "List vessels by stage.", {}, { type: "array", items: vessel }, reads),
    input_schema: { type: "object", properties: { stage: stages } },
  },
  tool("send_signal", "Send a signal.", { text }, record({ signal_id: text })),
  tool("remove_vessel", "Remove a vessel for good.", { vessel_id: text }, record({ removed: { type: "boolean" } }), {
    destructive: true,
  }),
];
const lease = record({ lease_id: text, title: text, mood: text });
const leases: Resource[] = [
  tool("get_lease", "Get a lease.", { lease_id: text }, lease, reads),
  {
    ...tool("list_leases", "List leases by mood.", {}, { type: "array", items: lease }, reads),
    input_schema: { type: "object", properties: { mood: text } },
  },
  tool("renew_lease", "Renew a lease.", { lease_id: text }, record({ until: text })),
];
const read = (goal: string, resources = harbour) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  const errors = validatePlan(plan, resources).filter(({ severity }) => severity === "error");
  const tasks = plan.planned_tasks.map(({ task_id, when, approval }) => ({
    task: task_id,
    when: when?.condition,
    approval,
  }));
  const { confidence, proposal } = plan.metadata ?? {};
  return { tasks, open: unresolved.map(({ reason }) => reason), errors, confidence, proposal };
};

test.for([
  ["If vessel V-12 is scrapped then remove it", '${get_vessel.stage} = "scrapped"'],
  ["If vessel V-12 is not moored then remove it", '${get_vessel.stage} != "moored"'],
  ["If vessel V-12 is at sea then remove it", '${get_vessel.stage} = "at sea"'],
  ["If vessel V-12 has rank critical then remove it", '${get_vessel.rank} = "critical"'],
  ["If the rank of vessel V-12 is routine then remove it", '${get_vessel.rank} = "routine"'],
  ["If the cargo of vessel V-12 is ore then remove it", '${get_vessel.cargo} = "ore"'],
  ["If vessel V-12 is not insured then remove it", "$not(${get_vessel.insured})"],
])("a value is compared with the field that may have it: %s", ([goal, when]) => {
  const { tasks, open, errors } = read(goal!);
  expect(tasks).toEqual([
    { task: "get_vessel", when: undefined, approval: undefined },
    { task: "remove_vessel", when, approval: undefined },
  ]);
  expect([open, errors]).toEqual([[], []]);
});

test.for([
  // No field is known to be "rusty", and several texts could be.
  "If vessel V-12 is rusty then remove it",
  // The field that is named cannot have the value.
  "If the rank of vessel V-12 is scrapped then remove it",
  // Two values at once.
  "If vessel V-12 is moored or scrapped then remove it",
  // The flag says less than the words.
  "If vessel V-12 is insured against fire then remove it",
  // An id is none of its properties.
  "If vessel V-12 is V-13 then remove it",
  // No field holds the word of a day.
  "If vessel V-12 is registered today then remove it",
])("a change under a condition that no field decides waits for an approval: %s", (goal) => {
  const { tasks, open, errors, proposal } = read(goal);
  expect(tasks).toEqual([
    { task: "get_vessel", when: undefined, approval: undefined },
    { task: "remove_vessel", when: undefined, approval: "required" },
  ]);
  expect([open, errors, proposal]).toEqual([["condition"], [], true]);
});

test("the only field that could say it is taken as a guess, and the change waits for an approval", () => {
  const { tasks, open, proposal } = read("If lease L-7 is sunny then renew it", leases);
  expect(tasks).toEqual([
    { task: "get_lease", when: undefined, approval: undefined },
    { task: "renew_lease", when: '${get_lease.mood} = "sunny"', approval: "required" },
  ]);
  expect([open, proposal]).toEqual([["condition"], true]);
});

test("rows decide only where the list is narrowed down by all that the condition says", () => {
  const { tasks, open } = read("If there are moored vessels then send the signal 'Clear'");
  expect(tasks.at(-1)).toEqual({ task: "send_signal", when: "$count(${list_vessels}) > 0", approval: undefined });
  expect(open).toEqual([]);
  const unmet = read("If there are rusty vessels then send the signal 'Clear'");
  expect(unmet.tasks.at(-1)).toEqual({ task: "send_signal", when: undefined, approval: "required" });
  expect(unmet.open).toContain("condition");
});
