import { kirha } from "@planloom/compat";
import { effectiveDependencies, resolveReferences, type TaskData } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const dialectError = (part: string) =>
  expect.objectContaining({ code: "PLAN_DIALECT", message: expect.stringContaining(part) });
const tasksOf = (plan: TaskData) =>
  plan.planned_tasks.map(({ task_id, tool_id, arguments: values, dependencies }) => [
    task_id,
    tool_id,
    values,
    dependencies,
  ]);

describe("kirha", () => {
  const ids =
    (...known: number[]) =>
    (index: number) =>
      known.includes(index) ? `id${index}` : undefined;
  test.for<[string, unknown]>([
    ["no reference", "no reference"],
    ["{1}", { $fromTemplateString: "{0}", $values: [{ $fromStep: "id1", $outputKey: "" }] }],
    [
      "to {0.geo.town} by {1[2].x}",
      {
        $fromTemplateString: "to {0} by {1}",
        $values: [
          { $fromStep: "id0", $outputKey: "geo.town" },
          { $fromStep: "id1", $outputKey: "[2].x" },
        ],
      },
    ],
    ["{0.rows[1]['k']}", { $fromTemplateString: "{0}", $values: [{ $fromStep: "id0", $outputKey: "rows[1].k" }] }],
    [
      "{0.a} {7.b} {1.c}",
      {
        $fromTemplateString: "{0} {7.b} {1}",
        $values: [
          { $fromStep: "id0", $outputKey: "a" },
          { $fromStep: "id1", $outputKey: "c" },
        ],
      },
    ],
    ['{"n":{0.n}}', { $fromTemplateString: '{"n":{0}}', $values: [{ $fromStep: "id0", $outputKey: "n" }] }],
    ["{0.} { 0 } {-1} {00} {x}", "{0.} { 0 } {-1} {00} {x}"],
  ])("template %s", ([text, expected]) => {
    expect(kirha.parseTemplate(text, ids(0, 1))).toEqual(expected);
  });

  test.for<[string, (string | number)[], string]>([
    ["", [], ""],
    ["list[3].name", ["list", 3, "name"], "list[3].name"],
    ["list.3.name", ["list", "3", "name"], "list.3.name"],
    ["..a..b.", ["a", "b"], "a.b"],
    ['m["big key"]', ["m", "big key"], "m.big key"],
    ["m['p.q'][0][1]", ["m", "p.q", 0, 1], 'm["p.q"][0][1]'],
    ["a[k]", ["a", "k"], "a.k"],
    ["a[0", ["a", "[0"], 'a["[0"]'],
  ])("path %s", ([text, path, formatted]) => {
    expect(kirha.parsePath(text)).toEqual(path);
    expect(kirha.formatPath(path)).toBe(formatted);
    expect(kirha.parsePath(formatted)).toEqual(path);
  });

  test("reads own values only", () => {
    const value = { rows: ["x", { n: null }], text: "abc" };
    expect(kirha.readPath(value, ["rows", "0"])).toBe("x");
    expect(kirha.readPath(value, ["rows", 1, "n"])).toBeNull();
    for (const path of [["rows", 5], ["rows", "length"], ["text", 0], ["constructor"], ["rows", 1, "n", "x"]]) {
      expect(kirha.readPath(value, path)).toBeUndefined();
    }
  });

  test("reads a reply: think, JSON5, aliases, prose", () => {
    const reply = kirha.parseReply(
      "<think> first the town </think>\nPlan: <plan>Steps:\n[ // two\n {tool: 'town', args: {q: 'x'},},\n {toolName: \"map\", parameters: {at: '{0.geo}', of: {fromStep: \"0\", outputKey: 5}}, thought: 'draw'}] see [1]</plan>",
    );
    expect(reply.think).toBe("first the town");
    expect(reply.steps).toEqual([
      { stepId: "step-0", status: "pending", toolName: "town", arguments: { q: "x" } },
      {
        stepId: "step-1",
        status: "pending",
        toolName: "map",
        arguments: {
          at: { $fromTemplateString: "{0}", $values: [{ $fromStep: "step-0", $outputKey: "geo" }] },
          of: { $fromStep: "step-0", $outputKey: "5" },
        },
        thought: "draw",
      },
    ]);
    expect(kirha.parseReply("<think>no")).toEqual({});
    expect(kirha.parseReply("<plan>\n</plan>")).toEqual({});
    expect(kirha.parseReply("<think>cut <plan>[]</plan>")).toEqual({ steps: [] });
  });

  test.for<[string, string]>([
    ["words only", "invalid json parsing: no JSON object or array found"],
    ["{never: yes}", "invalid json parsing: JSON5: invalid character 'y' at 1:9"],
    ['{"tool":"t"}', "invalid json parsing: ["],
    ['[{"args":{}}]', "invalid json parsing: ["],
    ['[{"tool":"t","args":5}]', "invalid json parsing: ["],
    ['[{"tool":"t","args":{"x":{"fromStep":3,"outputKey":"y"}}}]', "Invalid dependency reference: step 3 not found"],
    [`[{"tool":"t","args":{"x":${"[".repeat(3000)}${"]".repeat(3000)}}}]`, "nested at most"],
  ])("refuses %.40s", ([text, message]) => {
    expect(() => kirha.parseSteps(text)).toThrow(dialectError(message));
  });

  test("tells its three forms of references apart, and finds them", () => {
    const dependency = { $fromStep: "s", $outputKey: "k" };
    const template = { $fromTemplateString: "{0}", $values: [dependency, { $fromStep: "t", $outputKey: "" }] };
    expect(kirha.referenceKind(dependency)).toEqual({ dependency: true, template: false, raw: false });
    expect(kirha.referenceKind(template)).toEqual({ dependency: false, template: true, raw: false });
    expect(kirha.referenceKind({ fromStep: 0, outputKey: "" })).toEqual({
      dependency: false,
      template: false,
      raw: true,
    });
    for (const none of [
      null,
      [],
      [dependency],
      { $fromStep: "s" },
      { fromStep: 0 },
      { $fromTemplateString: "", $values: {} },
    ]) {
      expect(kirha.referenceKind(none)).toEqual({ dependency: false, template: false, raw: false });
    }
    expect(kirha.traverseReferences({ a: [dependency], b: { c: template }, d: "x" })).toEqual({
      dependencyPaths: [["a", 0]],
      templatePaths: [["b", "c"]],
      stepIds: ["s", "t"],
    });
  });

  test("resolves in one pass, keeping types of references and giving text for templates", () => {
    const outputs = new Map<string, unknown>([
      ["a", { n: 5, o: { k: 1 }, tricky: "{1} $&", no: false }],
      ["b", null],
    ]);
    const resolve = (value: unknown) => kirha.resolveValue(value, (id) => outputs.get(id));
    const at = ($outputKey: string) => ({ $fromStep: "a", $outputKey });
    expect(resolve({ x: at("n"), y: [at("no")], z: at("") })).toEqual({ x: 5, y: [false], z: outputs.get("a") });
    expect(resolve({ $fromTemplateString: "{0}|{1}|{9}", $values: [at("tricky"), at("o")] })).toBe(
      '{1} $&|{"k":1}|{9}',
    );
    expect(resolve({ $fromTemplateString: "{0}", $values: [at("n")] })).toBe("5");
    expect(() => resolve(at("gone"))).toThrow(dialectError('no output at "gone"'));
    expect(() => resolve({ $fromStep: "zz", $outputKey: "" })).toThrow(dialectError("Step zz output not found"));
  });

  test("a plan of its own, in our grammar and back", () => {
    const steps = [
      { toolName: "chain", arguments: { name: "Base", cost: "$${x} ${y}" } },
      {
        thought: "who",
        toolName: "holder",
        arguments: { id: { fromStep: 0, outputKey: "rows.0.id" }, note: "of {0.name}!", all: "{0}" },
      },
    ];
    const plan = kirha.read(steps);
    expect(tasksOf(plan)).toEqual([
      ["step-0", "chain", { name: "Base", cost: "$$$${x} $${y}" }, []],
      ["step-1", "holder", { id: "${step-0.rows.0.id}", note: "of ${step-0.name}!", all: { $text: "${step-0}" } }, []],
    ]);
    expect(plan.planned_tasks[1]).toMatchObject({ thought: "who", main_task_id: plan.task_id });
    expect(effectiveDependencies(plan)).toEqual([[], ["step-0"]]);
    expect(kirha.write(plan)).toEqual(steps);
    expect(resolveReferences(plan.planned_tasks[0]?.arguments, () => ({ found: false }))).toEqual(steps[0]?.arguments);
  });

  test("reads steps in the parsed form, with their ids", () => {
    const plan = kirha.read([
      { stepId: "1", toolName: "a", arguments: {} },
      {
        stepId: "2",
        toolName: "b",
        arguments: {
          x: { $fromStep: "1", $outputKey: "r" },
          y: { $fromTemplateString: "{0}{5}", $values: [{ $fromStep: "gone", $outputKey: "" }] },
        },
      },
    ]);
    expect(plan.planned_tasks[1]?.arguments).toEqual({ x: "${1.r}", y: "${gone}{5}" });
  });
});

test("its tools are taken by defineTool, and one that cannot be called or read is refused by name", () => {
  const handler = (input: Record<string, unknown>) => input;
  const [tool] = kirha.tools([{ name: "t", inputSchema: '{"type":"object"}', handler }]);
  expect(tool).toMatchObject({ id: "t", description: "", input: { type: "object" } });
  expect(tool?.execute({ a: 1 })).toEqual({ a: 1 });
  expect(() => kirha.tools([{ name: "t" }])).toThrow('Expected the tool "t" to have a handler, got none.');
  expect(() => kirha.tools([{ name: "t", outputSchema: "{", handler }])).toThrow('outputSchema of the tool "t"');
});
