import { planGoal } from "@planloom/embedded";
import { type JsonSchema, type PlannerTaskInput, type Resource, validateValue } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { number, text, tool } from "../support/tool-records.ts";

const clock = { now: "2025-10-12T06:00:00Z", timeZone: "UTC" };

/** A glass works: functions that share neither verb nor noun. */
const glassworks: readonly Resource[] = [
  tool(
    "melt_sand",
    "Melt sand in the furnace.",
    { sand: text("Kind of sand."), degrees: number("Temperature in degrees.") },
    { melt_id: text("Id of the melt.") },
  ),
  tool(
    "blow_vase",
    "Blow a vase from a melt.",
    { melt_id: text("Id of the melt."), height: number("Height of the vase in centimeters.") },
    { vase_id: text("Id of the vase.") },
  ),
  tool(
    "engrave_vase",
    "Engrave words on a vase.",
    { vase_id: text("Id of the vase."), words: text("What to engrave.") },
    { engraving: text() },
  ),
  tool(
    "polish_lens",
    "Polish a lens.",
    { lens: text("Name of the lens."), minutes: number("How many minutes.") },
    { gloss: number() },
  ),
  tool(
    "ship_crate",
    "Ship a crate to a city.",
    { city: text("City to ship to."), crates: number("How many crates.") },
    { tracking: text() },
  ),
];

const requests = [
  (a: number, b: number, name: string) =>
    `melt the sand '${name}' at ${a} degrees and blow a vase with a height of ${b} cm`,
  (a: number, _b: number, name: string) => `polish the lens '${name}' for ${a} minutes`,
  (a: number, _b: number, name: string) => `ship ${a} crates to ${name}`,
];
const goals = fc
  .tuple(
    fc.shuffledSubarray(requests, { minLength: 1 }),
    fc.integer({ min: 2, max: 900 }),
    fc.integer({ min: 2, max: 900 }),
    fc.constantFrom("Lowther", "Kentmere", "Ambleside", "Bowness"),
    fc.constantFrom(". ", ", then ", ". After that, "),
  )
  .map(([chosen, a, b, name, joint]) => `Please ${chosen.map((request) => request(a, b, name)).join(joint)}.`);

/** The shape of a plan: resources by what they are called in `names`, references by the position of their task. */
function shapeOf(tasks: readonly PlannerTaskInput[], names: ReadonlyMap<string, string>): unknown {
  const at = new Map(tasks.map((task, index) => [task.task_id ?? "", index]));
  const steps = tasks.map((task) => ({
    tool: names.get(task.tool_id ?? "") ?? task.tool_id,
    arguments: JSON.stringify(task.arguments).replace(/\$\{(\w+)/g, (_, id: string) => `\${${at.get(id)}`),
    after: (task.dependencies ?? []).map((id) => at.get(id)),
  }));
  return steps;
}
const same = new Map(glassworks.map(({ id }) => [id, id]));
const tasksOf = (goal: string, resources: readonly Resource[]) => planGoal(goal, resources, clock).plan.planned_tasks;

describe("plans of functions", () => {
  test("say something in the first place", () => {
    const shape = shapeOf(
      tasksOf("Please melt the sand 'Lowther' at 1200 degrees and blow a vase with a height of 30 cm.", glassworks),
      same,
    );
    expect(shape).toEqual([
      { tool: "melt_sand", arguments: '{"sand":"Lowther","degrees":1200}', after: [] },
      { tool: "blow_vase", arguments: '{"melt_id":"${0.melt_id}","height":30}', after: [0] },
    ]);
  });

  test("are equal for equal goals, whatever was planned between", () => {
    fc.assert(
      fc.property(goals, goals, (goal, other) => {
        const first = planGoal(goal, glassworks, clock);
        planGoal(other, glassworks, clock);
        expect(planGoal(goal, structuredClone(glassworks) as Resource[], clock)).toEqual(first);
      }),
      { numRuns: cases(40) },
    );
  });

  test("do not depend on the order of the tools", () => {
    fc.assert(
      fc.property(goals, fc.shuffledSubarray([...glassworks], { minLength: glassworks.length }), (goal, shuffled) => {
        expect(tasksOf(goal, shuffled)).toEqual(tasksOf(goal, glassworks));
      }),
      { numRuns: cases(40) },
    );
  });

  test.for([
    { name: "camel case", rename: (id: string) => id.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) },
    { name: "kebab case", rename: (id: string) => id.replaceAll("_", "-") },
    { name: "a server's prefix", rename: (id: string) => `glass__${id}` },
  ])("do not depend on how names are spelled: $name", ({ rename }) => {
    const renamed = glassworks.map((each) => ({ ...each, id: rename(each.id) }));
    const names = new Map(glassworks.map(({ id }) => [rename(id), id]));
    fc.assert(
      fc.property(goals, (goal) => {
        expect(shapeOf(tasksOf(goal, renamed), names)).toEqual(shapeOf(tasksOf(goal, glassworks), same));
      }),
      { numRuns: cases(40) },
    );
  });

  test("do not change with tools that nothing speaks for", () => {
    const others = [
      tool("tune_piano", "Tune a piano.", { piano: text("Make of the piano.") }, { pitch: text() }),
      tool("groom_horse", "Groom a horse.", { horse: text("Call of the horse.") }, { shine: text() }),
      tool("prune_hedge", "Prune a hedge.", { hedge: text("Where it grows.") }, { cuttings: text() }),
    ];
    fc.assert(
      fc.property(goals, fc.subarray(others, { minLength: 1 }), (goal, more) => {
        expect(tasksOf(goal, [...more, ...glassworks])).toEqual(tasksOf(goal, glassworks));
      }),
      { numRuns: cases(40) },
    );
  });
});

test("no argument is one that its schema forbids", () => {
  const schema: fc.Arbitrary<JsonSchema> = fc.oneof(
    fc.record({ type: fc.constant("string"), maxLength: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ type: fc.constant("string"), pattern: fc.constantFrom("^[a-z]+$", "^\\d+$", "^V-") }),
    fc.record({ type: fc.constant("string"), format: fc.constantFrom("email", "date", "date-time", "uri", "uuid") }),
    fc.record({ type: fc.constant("string"), enum: fc.constant(["red", "amber"]) }),
    fc.record({
      type: fc.constantFrom("integer", "number"),
      minimum: fc.constant(3),
      exclusiveMaximum: fc.constant(40),
    }),
    fc.record({ type: fc.constant("integer"), multipleOf: fc.constant(5) }),
    fc.record({
      type: fc.constant("array"),
      items: fc.constantFrom({ type: "string" }, { type: "integer" }),
      maxItems: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ type: fc.constantFrom("boolean", "object", "null", "string") }),
  ) as fc.Arbitrary<JsonSchema>;
  const names = ["colour", "email", "date", "count", "id", "kind", "places", "active"];
  const properties = fc.dictionary(fc.constantFrom(...names), schema, { minKeys: 1, maxKeys: 5 });
  const catalogue = fc
    .array(properties, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((own, at) => tool(`stain_glass_${"abcd"[at]}`, "Stain the glass of a window.", own, {})));
  const goal = fc
    .array(
      fc.constantFrom(
        "stain the glass",
        "of kind 'opal'",
        "red",
        "crimson",
        "12",
        "7 panes",
        "count 35",
        "email ann@example.org",
        "on May 5 2025",
        "in Lowther and Kentmere",
        "id V-12",
        "active",
        "without email",
        "and then",
        ",",
        "http://example.org/a",
        "colour amber",
      ),
      { minLength: 2, maxLength: 10 },
    )
    .map((words) => words.join(" "));
  fc.assert(
    fc.property(goal, catalogue, (said, resources) => {
      for (const task of tasksOf(said, resources)) {
        const own = resources.find(({ id }) => id === task.tool_id)?.input_schema as {
          properties: Record<string, JsonSchema>;
        };
        for (const [name, value] of Object.entries(task.arguments ?? {})) {
          if (JSON.stringify(value).includes("${")) continue;
          expect(own.properties).toHaveProperty(name);
          expect(validateValue(value, own.properties[name] as JsonSchema)).toEqual([]);
        }
      }
    }),
    { numRuns: cases(250) },
  );
});
