import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const record = (properties: object): JsonSchema => ({ type: "object", properties });
const tool = (id: string, description: string, input: object, output: JsonSchema, more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties: input, required: Object.keys(input) },
  output_schema: output,
  ...more,
});
const kiln_id = { ...text, description: "Id such as K-12" };
const stages = { type: "string", enum: ["cold", "firing", "cracked"] };
const pottery: Resource[] = [
  tool("get_kiln", "Get one kiln.", { kiln_id }, record({ kiln_id: text, stage: stages, owner: text }), {
    read_only: true,
  }),
  tool("scrap_kiln", "Scrap a kiln for good.", { kiln_id }, record({ scrapped: { type: "boolean" } }), {
    destructive: true,
    read_only: false,
  }),
  tool("open_vent", "Open the vent of a kiln.", { kiln_id }, record({ opened: { type: "boolean" } }), {
    read_only: false,
  }),
];
const read = (goal: string, resources = pottery) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  expect(validatePlan(plan, resources).filter(({ severity }) => severity === "error")).toEqual([]);
  return {
    tasks: plan.planned_tasks.map(({ task_id, when, approval }) => [task_id, when?.condition, approval]),
    open: unresolved.map(({ reason }) => reason),
  };
};
const looked = ["get_kiln", undefined, undefined];
const cracked = '${get_kiln.stage} = "cracked"';
const notCracked = `$not(${cracked})`;

test.for([
  "Is K-12 cracked? If so, scrap it",
  "Is K-12 cracked? Then scrap it",
  "Check whether K-12 is cracked and if so scrap it",
  "Check whether K-12 is cracked and scrap it if so",
  "Check if K-12 is cracked; if it is, scrap it",
  "See if K-12 is cracked. If that's the case, scrap it",
  "Find out whether K-12 is cracked. In that case, scrap it",
  "If K-12 is cracked scrap it",
  "In case K-12 is cracked, scrap it",
  "Should K-12 be cracked, scrap it",
  "Scrap K-12 only when it is cracked",
  "When K-12 is cracked, scrap it",
  "Scrap K-12 as long as it is cracked",
])("what a change depends on is looked up, by the id that the change takes: %s", (goal) => {
  expect(read(goal)).toEqual({ tasks: [looked, ["scrap_kiln", cracked, undefined]], open: [] });
});

test.for([
  "Is K-12 cracked? If not, open its vent",
  "Check whether K-12 is cracked, and if it isn't, open its vent",
  "See if K-12 is cracked. If no, open its vent",
  "Unless K-12 is cracked, open its vent",
])("what is not so opens the other way: %s", (goal) => {
  expect(read(goal)).toEqual({ tasks: [looked, ["open_vent", notCracked, undefined]], open: [] });
});

test.for([
  "If K-12 is cracked, scrap it, otherwise open its vent",
  "If K-12 is cracked then scrap it. Otherwise open its vent",
  "If K-12 is cracked scrap it, else open its vent",
  "Is K-12 cracked? If yes, scrap it. If no, open its vent.",
])("one of two things is done: %s", (goal) => {
  const { tasks, open } = read(goal);
  expect(new Set(tasks)).toEqual(
    new Set([looked, ["scrap_kiln", cracked, undefined], ["open_vent", notCracked, undefined]]),
  );
  expect(open).toEqual([]);
});

test.for([
  "Is K-12 haunted? If so, scrap it",
  "Check whether K-12 is haunted and scrap it if so",
  "When K-12 is haunted, scrap it",
  "In case of fire scrap K-12",
  "If that is the case, scrap K-12",
])("what no field decides waits for an approval: %s", (goal) => {
  const { tasks, open } = read(goal);
  expect(tasks).toEqual([["scrap_kiln", undefined, "required"]]);
  expect(open).toContain("condition");
});

test.for([
  "Scrap K-12 if possible",
  "Get kiln K-12, then open its vent",
  "Open the vent of K-12 and when that is done get the kiln",
])("nothing depends on these: %s", (goal) => {
  const { tasks, open } = read(goal);
  expect(tasks.map(([, when]) => when).filter((when) => when !== undefined)).toEqual([]);
  expect(open).not.toContain("condition");
});

test("two tools that could look it up leave it to a person", () => {
  const twice = [...pottery, { ...pottery[0]!, id: "inspect_kiln" }];
  expect(read("Is K-12 cracked? If so, scrap it", twice)).toEqual({
    tasks: [["scrap_kiln", undefined, "required"]],
    open: ["condition"],
  });
});
