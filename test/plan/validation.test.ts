import { type Resource, resourceCatalogue, validatePlan, validateValue } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { brief, check, tools, use } from "../support/checked-tools.ts";
import { plan as anyPlan, planOf, task } from "../support/plans.ts";
import { schemas } from "../support/random-schema.ts";

describe("structure", () => {
  test.for([
    { name: "a text", plan: "hello", message: "Expected a plan" },
    { name: "null", plan: null, message: "Expected a plan" },
    { name: "a wrong type in a task", plan: { planned_tasks: [{ task_id: 7 }] }, message: "planned_tasks[0].task_id" },
    { name: "a prototype name as id", plan: { planned_tasks: [{ task_id: "__proto__" }] }, message: "task_id" },
    { name: "an unknown status", plan: { planned_tasks: [{ status: "lost" }] }, message: 'one of "pending"' },
    { name: "tasks that are no list", plan: { planned_tasks: {} }, message: "planned_tasks" },
  ])("$name is a schema issue with its place", ({ plan, message }) => {
    const [issue, ...more] = validatePlan(plan);
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ code: "schema", severity: "error" });
    expect(issue!.message).toContain(message);
  });

  test("a plan without tasks is empty", () => {
    expect(validatePlan({}).map(brief)).toEqual([
      { code: "plan_empty", severity: "error", argument_path: "planned_tasks" },
    ]);
  });

  test("one malformed task does not hide what is wrong with the others, nor its name", () => {
    const broken = { ...task({ task_id: "broken" }), description: 5 };
    const issues = validatePlan({
      planned_tasks: [
        broken,
        task({ task_id: "a", dependencies: ["broken", "gone"], arguments: { x: "${broken.y}" } }),
      ],
    });
    expect(issues.map(({ code, task_id }) => [code, task_id])).toEqual([
      ["schema", "broken"],
      ["unknown_dependency", "a"],
    ]);
  });
});

describe("graph", () => {
  test.for([
    {
      name: "a duplicate",
      tasks: [task({ task_id: "a" }), task({ task_id: "a" })],
      issue: { code: "duplicate_task", task_id: "a" },
    },
    {
      name: "a duplicate, with the id that others wait for and none has",
      tasks: [
        task({ task_id: "a" }),
        task({ task_id: "a", dependencies: ["a"] }),
        task({ task_id: "c", dependencies: ["b"], arguments: { x: "${b.y}" } }),
      ],
      issue: { code: "duplicate_task", task_id: "a", repair: { operation: "replace", candidates: ["b"] } },
    },
    {
      name: "an unknown dependency, never with what waits for the task itself",
      tasks: [
        task({ task_id: "a" }),
        task({ task_id: "c", dependencies: ["cc"] }),
        task({ task_id: "cd", dependencies: ["c"] }),
        task({ task_id: "ce", arguments: { x: "${cd.y}" } }),
        task({ task_id: "cf" }),
      ],
      issue: { code: "unknown_dependency", repair: { operation: "replace", candidates: ["cf", "a"] } },
    },
    {
      name: "a result variable that is another task's id",
      tasks: [task({ task_id: "a" }), task({ task_id: "b", result_variable: "a" })],
      issue: { code: "name_collision", task_id: "a" },
    },
    {
      name: "a task named input",
      tasks: [task({ task_id: "input" })],
      issue: { code: "name_collision", task_id: "input" },
    },
    {
      name: "an unknown dependency",
      tasks: [task({ task_id: "fetch" }), task({ task_id: "b", dependencies: ["fetsh"] })],
      issue: {
        code: "unknown_dependency",
        task_id: "b",
        from_task_id: "fetsh",
        repair: { operation: "replace", candidates: ["fetch"] },
      },
    },
    {
      name: "a self-dependency",
      tasks: [task({ task_id: "a", dependencies: ["a"] })],
      issue: { code: "self_dependency", task_id: "a" },
    },
    {
      name: "a self-reference",
      tasks: [task({ task_id: "a", arguments: { x: "${a.y}" } })],
      issue: { code: "self_dependency", task_id: "a", argument_path: "x" },
    },
    {
      name: "a cycle, with its path",
      tasks: [
        task({ task_id: "a", dependencies: ["c"] }),
        task({ task_id: "b", arguments: { x: "${a.y}" } }),
        task({ task_id: "c", dependencies: ["b"] }),
      ],
      issue: { code: "cycle", actual: "a -> c -> b -> a" },
    },
    {
      name: "malformed reference text",
      tasks: [task({ task_id: "a", arguments: { x: "${" } })],
      issue: { code: "reference_syntax", task_id: "a", argument_path: "x" },
    },
    {
      name: "a reference to nothing",
      tasks: [task({ task_id: "rows" }), task({ task_id: "a", arguments: { x: ["${row.y[0]}"] } })],
      issue: { code: "unknown_reference", argument_path: "x[0]", from_task_id: "row", output_path: "y[0]" },
    },
    {
      name: "a reference to nothing in the parameters",
      tasks: [task({ task_id: "a", parameters: { x: "${row}" } })],
      issue: { code: "unknown_reference", argument_path: "parameters.x", from_task_id: "row" },
    },
  ])("$name", ({ tasks, issue }) => {
    const issues = validatePlan(planOf(tasks));
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({ severity: "error", ...issue });
  });

  test("plan variables and `input` are names too", () => {
    const plan = planOf([task({ task_id: "a", arguments: { x: "${city}", y: "${input.z}" } })], {
      variables: { city: "Berlin" },
    });
    expect(validatePlan(plan)).toEqual([]);
  });
});

describe("resources", () => {
  test.for([
    {
      name: "an unknown tool, with the likely one",
      tasks: [use("a", "freight/shipment_list")],
      issue: { code: "unknown_tool", resource_id: "freight/shipment_list", argument_path: "tool_id" },
      message: "did you mean",
    },
    {
      name: "an unknown agent that is a tool",
      tasks: [task({ task_id: "a", execution_type: "agent", agent_id: "post/mail" })],
      issue: { code: "unknown_agent", argument_path: "agent_id" },
      message: 'it is of kind "tool"',
    },
    {
      name: "an unknown llm",
      tasks: [task({ task_id: "a", execution_type: "llm", parameters: { uid: "gpt" } })],
      issue: { code: "unknown_llm", argument_path: "parameters.uid" },
      message: "no llm is known",
    },
    {
      name: "an unknown workflow",
      tasks: [task({ task_id: "a", execution_type: "dsl", parameters: { uid: "w" } })],
      issue: { code: "unknown_dsl" },
      message: "no dsl workflow is known",
    },
    {
      name: "no resource of the kind at all",
      tasks: [task({ task_id: "a", execution_type: "llm" })],
      issue: { code: "no_resource", expected: "llm" },
      message: "none is registered",
    },
  ])("$name", ({ tasks, issue, message }) => {
    const issues = check(tasks);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatchObject({ severity: "error", ...issue });
    expect(issues[0]!.message).toContain(message);
  });

  test("a task whose kind is open is a warning, unless its pin decides", () => {
    expect(check([task({ task_id: "a" })]).map(brief)).toEqual([
      { code: "no_resource", severity: "warning", task_id: "a", argument_path: "execution_type" },
    ]);
    expect(check([task({ task_id: "a", parameters: { uid: "analyst" } })])).toEqual([]);
    expect(check([task({ task_id: "a", execution_type: "agent" })])).toEqual([]);
  });

  test("without resources nothing is asked about them", () => {
    expect(validatePlan(planOf([use("a", "nowhere/nothing", { x: 1 })]))).toEqual([]);
  });

  test("a schema that cannot be read: one issue for the resource, one a task; a warning where unused", () => {
    const broken = { kind: "tool", id: "bad", description: "", input_schema: "{x" } as unknown as Resource;
    const missing = { kind: "tool", id: "hole", description: "", output_schema: { $ref: "#/$defs/none" } } as Resource;
    const issues = validatePlan(planOf([use("a", "bad"), use("b", "bad")]), [broken, missing]);
    expect(issues.map(({ severity, task_id, resource_id }) => [severity, task_id, resource_id])).toEqual([
      ["error", undefined, "bad"],
      ["warning", undefined, "hole"],
      ["error", "a", "bad"],
      ["error", "b", "bad"],
    ]);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(["resource_schema"]));
  });

  test("tools are found by bare name and by server__tool, where only one can be meant", () => {
    const catalogue = resourceCatalogue([
      ...tools,
      { kind: "tool", id: "x/search", description: "" },
      { kind: "tool", id: "y/search", description: "" },
    ]);
    expect(catalogue.find("tool", "mail")?.id).toBe("post/mail");
    expect(catalogue.find("tool", "post__mail")?.id).toBe("post/mail");
    expect(catalogue.find("tool", "search")).toBeUndefined();
    expect(catalogue.find("tool", "x__search")?.id).toBe("x/search");
    expect(catalogue.find("agent", "mail")).toBeUndefined();
    expect(catalogue.find("tool", "constructor")).toBeUndefined();
    expect(catalogue.kindsOf("analyst")).toEqual(["agent"]);
    expect(check([use("a", "post__mail", { to: "x" })])).toEqual([]);
  });
});

describe("laws", () => {
  test("random plans have no error, complete or with defaults to fill in", () => {
    fc.assert(
      fc.property(anyPlan(), (random) => {
        expect(validatePlan(random)).toEqual([]);
        const sparse = JSON.parse(JSON.stringify(random));
        for (const each of sparse.planned_tasks) delete each.creation_time;
        expect(validatePlan(sparse)).toEqual([]);
      }),
    );
  });

  test("no JSON makes it throw, and every issue is well-formed", () => {
    const fields = fc.constantFrom(
      "task_id",
      "dependencies",
      "arguments",
      "tool_id",
      "execution_type",
      "parameters",
      "estimate_data",
      "retry",
    );
    const junk = fc.jsonValue({ maxDepth: 3 });
    const broken = fc.array(fc.dictionary(fields, junk)).map((planned_tasks) => ({ planned_tasks }));
    const resources = fc.array(
      fc.record({
        kind: fc.constant("tool"),
        id: fc.string(),
        description: fc.string(),
        input_schema: junk,
        output_schema: junk,
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.oneof(junk, broken), resources, (plan, list) => {
        for (const issue of validatePlan(plan, list as unknown as Resource[])) {
          expect(issue.message).toMatch(/[.?]$/);
          expect(["error", "warning"]).toContain(issue.severity);
        }
      }),
      { numRuns: cases(300) },
    );
  });

  test("any mutation of one field gives the same verdict through the short cut and through the schema", () => {
    const whole = task({ task_id: "a", execution_type: "tool", title: "t" });
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(whole) as (keyof typeof whole)[])), fc.jsonValue(), (key, value) => {
        const mutated = { ...whole, [key]: value };
        // A second task without its times takes the road through the schema.
        const { creation_time: _time, ...sparse } = task({ task_id: "zz" });
        const short = validatePlan({ planned_tasks: [mutated] }).filter(({ code }) => code === "schema");
        const long = validatePlan({ planned_tasks: [mutated, sparse] }).filter(({ code }) => code === "schema");
        expect(short).toEqual(long);
      }),
      { numRuns: cases(300) },
    );
  });

  test("what is accepted without ajv is accepted by ajv", () => {
    // An extra keyword that the short cut does not know sends the value to ajv.
    fc.assert(
      fc.property(
        schemas,
        fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("a", "ab", "2025-10-12", "a@b.de")),
        (schema, value) => {
          const plain = validateValue(value, schema).length === 0;
          const through =
            typeof schema === "boolean" ? schema : validateValue(value, { ...schema, "x-own": 1 }).length === 0;
          expect(plain).toBe(through);
        },
      ),
      { numRuns: cases(400) },
    );
  });
});

describe("parameters of a task that says what it calls", () => {
  const fetcher: Resource = {
    kind: "tool",
    id: "fetch",
    description: "Fetches",
    input_schema: { type: "object", properties: { url: { type: "string" } } },
  };
  const writer: Resource = { kind: "llm", id: "writer", description: "Writes" };
  const planOfOne = (task: object) => ({ planned_tasks: [{ task_id: "a", ...task }] });
  const warnings = (task: object) =>
    validatePlan(planOfOne(task), [fetcher, writer]).map(({ code, severity, argument_path, repair }) => [
      code,
      severity,
      argument_path,
      repair?.candidates,
    ]);

  test("are warned of where nothing reads them", () => {
    expect(
      warnings({ execution_type: "tool", tool_id: "fetch", parameters: { url: "x", mode: "y", sub_type: "tool" } }),
    ).toEqual([
      ["unknown_field", "warning", "parameters.url", ["arguments.url"]],
      ["unknown_field", "warning", "parameters.mode", undefined],
    ]);
    expect(warnings({ execution_type: "llm", parameters: { uid: "writer", top_p: 1 } })).toEqual([
      ["unknown_field", "warning", "parameters.top_p", undefined],
    ]);
  });

  test("are not where they are read, or Stage 2 decides", () => {
    const read = { uid: "writer", model: "m", temperature: 0, max_tokens: 5, output_module: "x" };
    expect(warnings({ execution_type: "llm", parameters: read })).toEqual([]);
    expect(warnings({ execution_type: "tool", parameters: { url: "x" } })).toEqual([]);
  });
});
