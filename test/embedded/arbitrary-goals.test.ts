import { EmbeddedController, planGoal } from "@planloom/embedded";
import type { PlannerTaskInput, Resource } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { cpuTimer } from "../support/cpu-time.ts";
import { freightResources } from "../support/freight-resources.ts";
import { shopResources } from "../support/shop-resources.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };

/** Words that a planner reacts to, names that break naive maps, and noise. */
const word = fc.oneof(
  fc.constantFrom(
    ..."get show list then and their the in from to of for each with without last week today Berlin shipments facilities inspections contaminants rejected high-risk 42 1500kg create delete between over first using based on them these , . ; ? \n 1. - ' \" ( ) ${x} $${ ${facilities_list.*.id} __proto__ constructor toString hasOwnProperty May 5:30 10/12 2025-10-01 id F-12 a@b.c http://x.y/z".split(
      " ",
    ),
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const goal = fc.oneof(
  fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")),
  fc.string({ maxLength: 200 }),
);

/** Words of the catalogues in any order: legible nouns, verbs, values and links, and no sense. */
const statement = fc
  .array(
    fc.constantFrom(
      ..."get show list then and their the in from to of for each with without last week today Berlin customers orders products reviews email weather customer order product C7 B1 shipments facilities contaminants rejected open 42 20% create cancel send compare summarise between over first using them these those it , . ; : which how many highest rates sorted by total under named 'x' Ada Lovelace".split(
        " ",
      ),
    ),
    { maxLength: 25 },
  )
  .map((words) => words.join(" "));

const schema: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(true, false, null, 3, "x", {}, { $ref: "#/nowhere" }, { $ref: "#" }),
    fc.record(
      {
        type: fc.constantFrom(
          "string",
          "integer",
          "number",
          "boolean",
          "array",
          "object",
          "null",
          ["string", "null"],
          7,
        ),
        description: fc.string({ maxLength: 30 }),
        enum: fc.array(fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.constant(null)), { maxLength: 4 }),
        format: fc.constantFrom("date", "date-time", "email", "uri", "odd"),
        default: fc.anything({ maxDepth: 1 }),
        items: tie("node"),
        anyOf: fc.array(tie("node"), { maxLength: 3 }),
        properties: fc.dictionary(
          fc.oneof(
            fc.constantFrom(
              "id",
              "shipment_ids",
              "date_from",
              "location",
              "__proto__",
              "constructor",
              "limit",
              "status",
            ),
            fc.string({ maxLength: 10 }),
          ),
          tie("node"),
          { maxKeys: 5 },
        ),
        required: fc.array(fc.constantFrom("id", "shipment_ids", "location", "constructor"), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  ),
})).node;

const resource: fc.Arbitrary<Resource> = fc.record(
  {
    kind: fc.constantFrom("tool" as const, "agent" as const, "llm" as const, "dsl" as const),
    id: fc.oneof(
      fc.constantFrom(
        "shipments_list",
        "constructor",
        "__proto__",
        "get",
        "GET /a/{b}",
        "srv/tool",
        "a__b",
        "input",
        "1",
      ),
      fc.string({ minLength: 1, maxLength: 15 }),
    ),
    description: fc.oneof(goal, fc.string({ maxLength: 40 })),
    input_schema: schema as fc.Arbitrary<Record<string, unknown>>,
    output_schema: schema as fc.Arbitrary<Record<string, unknown>>,
    tags: fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
  },
  { requiredKeys: ["kind", "id", "description"] },
) as fc.Arbitrary<Resource>;

/** Every reference and dependency names a task that stands before; ids are distinct and legal. */
function expectSound(tasks: readonly PlannerTaskInput[]): void {
  const earlier = new Set<string>();
  for (const task of tasks) {
    const id = task.task_id ?? "";
    expect(id).toMatch(/^[A-Za-z_]\w{0,127}$/);
    expect(id in Object.prototype).toBe(false);
    expect(earlier.has(id)).toBe(false);
    for (const dependency of task.dependencies ?? []) expect(earlier).toContain(dependency);
    const unescaped = JSON.stringify([task.arguments ?? {}, task.for_each?.items ?? ""]).replaceAll("$${", "");
    for (const [, name] of unescaped.matchAll(/\$\{([A-Za-z_]\w*)?/g)) {
      if (name === "item" && task.for_each !== undefined) continue;
      expect(earlier).toContain(name);
      expect(task.dependencies).toContain(name);
    }
    earlier.add(id);
  }
}

describe("any goal and any resources", () => {
  test("give a sound plan or none, never an error", () => {
    fc.assert(
      fc.property(goal, fc.array(resource, { maxLength: 6 }), (text, resources) => {
        const { plan, unresolved } = planGoal(text, resources, clock);
        expectSound(plan.planned_tasks);
        for (const each of unresolved) expect(each.message).not.toBe("");
      }),
      { numRuns: cases(400) },
    );
  });

  test("give sound plans over real catalogues", () => {
    const catalogue = fc.constantFrom(freightResources, shopResources);
    fc.assert(
      fc.property(fc.oneof(goal, statement), catalogue, (text, resources) => {
        expectSound(planGoal(text, resources, clock).plan.planned_tasks);
      }),
      { numRuns: cases(1_500), examples: [["orders to customers with order", shopResources]] },
    );
  });

  test("give a reply: a plan, or a failure that says why", async () => {
    const controller = new EmbeddedController(clock);
    await fc.assert(
      fc.asyncProperty(goal, fc.array(resource, { maxLength: 4 }), async (text, resources) => {
        const request = {
          search_id: "s",
          phase_1_data: { task_input_data: text, n_history_samples: 0, llm_data: {} },
          resources,
        };
        const reply = await controller.processPhase1(request);
        expect(await controller.processPhase1(request)).toEqual(reply);
        if (!reply.success) expect(reply.message).not.toBe("");
        const bound = await controller.processPhase2({ search_id: "s", phase_2_data: request.phase_1_data, resources });
        if (!bound.success) expect(bound.message).not.toBe("");
      }),
      { numRuns: cases(150) },
    );
  });
});

test("text of the goal never becomes a reference", () => {
  const { plan } = planGoal('Get facilities in "${secret.key}"', freightResources, clock);
  expect(plan.planned_tasks[0]?.arguments).toEqual({ location: "$${secret.key}" });
});

describe("size", () => {
  const many = Array.from({ length: 1_000 }, (_, at): Resource => {
    const noun = `thing${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + (Math.floor(at / 26) % 26))}${at}`;
    return {
      ...freightResources[at % freightResources.length]!,
      id: `${noun}_list`,
      description: `List ${noun}.`,
    };
  });

  test.for([
    {
      name: "a long goal",
      text: "Get facilities in Berlin, then their shipments, then check for contaminants. ".repeat(130),
      resources: freightResources,
    },
    {
      name: "a thousand resources",
      text: "Get facilities in Berlin, then their shipments",
      resources: [...freightResources, ...many],
    },
    {
      name: "both",
      text: "Get facilities in Berlin, then their shipments, then check for contaminants. ".repeat(130),
      resources: [...many, ...freightResources],
    },
    { name: "one endless word", text: "a".repeat(10_000), resources: freightResources },
    { name: "only commas", text: ",".repeat(10_000), resources: freightResources },
    { name: "only quotes", text: `"'`.repeat(5_000), resources: freightResources },
    { name: "only names", text: "Berlin and ".repeat(900), resources: freightResources },
    { name: "only dates", text: "May 5 2025 to ".repeat(700), resources: freightResources },
    { name: "underscores", text: "a_".repeat(5_000), resources: freightResources },
    { name: "a row of underscores", text: `send 日本${"_".repeat(10_000)}`, resources: freightResources },
    { name: "numbers", text: "1 and 2,".repeat(1_200), resources: freightResources },
    { name: "only question marks", text: "?".repeat(20_000), resources: freightResources },
    { name: "quotations that never end", text: "“".repeat(20_000), resources: freightResources },
  ])("$name is planned in bounded time", ({ text, resources }) => {
    planGoal("Get facilities", resources, clock);
    const cpuMs = cpuTimer();
    const { plan } = planGoal(text, resources, clock);
    const elapsed = cpuMs();
    expect(plan.planned_tasks.length).toBeLessThanOrEqual(200);
    expect(elapsed).toBeLessThan(1_500);
    if (process.env.PLANLOOM_TIMES !== undefined) console.log(elapsed.toFixed(0), "ms");
  });
});
