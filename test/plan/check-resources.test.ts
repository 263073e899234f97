import { type PlannerTaskInput, type Resource, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const resources: Resource[] = [
  { kind: "tool", id: "shop/find", description: "" },
  {
    kind: "tool",
    id: "shop/pay",
    description: "",
    input_schema: { type: "object", properties: { amount: {} } },
  },
  { kind: "agent", id: "crm", description: "" },
];
const bad = { kind: "tool", id: "bad", description: "", input_schema: "{" } as unknown as Resource;
const hole = { kind: "tool", id: "hole", description: "", output_schema: { $ref: "#/x" } } as Resource;
const issues = (task: PlannerTaskInput, more: readonly Resource[] = []) =>
  validatePlan({ planned_tasks: [{ task_id: "t", ...task }] }, [...resources, ...more]);

const unavailable = (
  code: string,
  label: string,
  field: string,
  id: string,
  hint: string,
  ...candidates: string[]
) => ({
  code,
  severity: "error",
  message: `${label} not available: ${/^[\w/]+$/.test(id) ? id : JSON.stringify(id)} (task "t")${hint}`,
  task_id: "t",
  argument_path: field,
  resource_id: id,
  actual: id,
  ...(candidates.length > 0 && { repair: { operation: "replace", candidates } }),
});
const parameter = (name: string, says: string, more: object = {}) => ({
  code: "unknown_field",
  severity: "warning",
  message: `Parameter "${name}" of task "t" is not given to tool "shop/pay", which is called with \`arguments\`. ${says}.`,
  task_id: "t",
  argument_path: `parameters.${name}`,
  ...more,
});
const read = "Parameters that are read here: uid, sub_type, output_module";

test.for<[string, PlannerTaskInput, object[]]>([
  ["a tool that there is", { tool_id: "shop/find" }, []],
  [
    "a tool with a slip",
    { tool_id: "shop/fnd" },
    [
      unavailable(
        "unknown_tool",
        "Tool",
        "tool_id",
        "shop/fnd",
        '; did you mean "shop/find"?',
        "shop/find",
        "shop/pay",
      ),
    ],
  ],
  [
    "a tool that is an agent",
    { tool_id: "crm" },
    [unavailable("unknown_tool", "Tool", "tool_id", "crm", '; it is of kind "agent".', "shop/find", "shop/pay")],
  ],
  [
    "an agent like none",
    { execution_type: "agent", agent_id: "zzzzz" },
    [unavailable("unknown_agent", "Agent", "agent_id", "zzzzz", "; known are crm.", "crm")],
  ],
  [
    "a model where there is none, by a name in words",
    { execution_type: "llm", parameters: { uid: "g p t" } },
    [unavailable("unknown_llm", "LLM", "parameters.uid", "g p t", "; no llm is known.")],
  ],
  [
    "a kind of which there is none",
    { execution_type: "dsl" },
    [
      {
        code: "no_resource",
        severity: "error",
        message: 'Task "t" needs a resource of kind "dsl", but none is registered.',
        task_id: "t",
        argument_path: "execution_type",
        expected: "dsl",
      },
    ],
  ],
  ["a kind of which there are some", { execution_type: "agent" }, []],
  [
    "no kind",
    {},
    [
      {
        code: "no_resource",
        severity: "warning",
        message: 'Task "t" does not say who executes it: `execution_type` and `parameters.sub_type` are both open.',
        task_id: "t",
        argument_path: "execution_type",
        repair: { operation: "replace", candidates: ["agent", "tool", "llm", "dsl"] },
      },
    ],
  ],
  ["no kind, by an id that one alone has", { parameters: { uid: "crm" } }, []],
  [
    "parameters that a tool is not given",
    { tool_id: "shop/pay", parameters: { amount: 1, mode: 2, sub_type: "tool" } },
    [
      parameter("amount", "It takes an argument of that name: move it there", {
        repair: { operation: "rename", candidates: ["arguments.amount"] },
      }),
      parameter("mode", read),
    ],
  ],
])("%s", ([, task, expected]) => {
  expect(issues(task)).toEqual(expected);
});

test("parameters of what is not known, or whose input is not, are those that are read here or none", () => {
  const of = (task: PlannerTaskInput) => issues(task).map(({ code, argument_path }) => [code, argument_path]);
  const parameters = { mode: 1 };
  expect(of({ tool_id: "shop/find", parameters })).toEqual([["unknown_field", "parameters.mode"]]);
  expect(of({ tool_id: "gone", parameters })).toEqual([
    ["unknown_tool", "tool_id"],
    ["unknown_field", "parameters.mode"],
  ]);
  expect(of({ execution_type: "tool", parameters })).toEqual([]);
});

test("ten parameters are named", () => {
  const parameters = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, 1]));
  expect(issues({ tool_id: "shop/pay", parameters })).toEqual(
    Array.from({ length: 10 }, (_, at) => parameter(`p${at}`, read)),
  );
});

test("a schema that cannot be read is an error of what uses it, and else a warning", () => {
  const broken = 'input_schema: expected a JSON Schema (an object or a boolean), got the text "{"';
  const ofCatalogue = (severity: string, id: string, why: string) => ({
    code: "resource_schema",
    severity,
    message: `The schema of tool "${id}" cannot be read: ${why}.`,
    resource_id: id,
  });
  const noTarget = ofCatalogue("warning", "hole", 'output_schema: `$ref` "#/x" points at nothing at "/"');
  expect(issues({ tool_id: "bad" }, [bad, hole])).toEqual([
    ofCatalogue("error", "bad", broken),
    noTarget,
    {
      code: "resource_schema",
      severity: "error",
      message: `Task "t" uses tool "bad", whose schema cannot be read: ${broken}.`,
      task_id: "t",
      resource_id: "bad",
    },
  ]);
  expect(issues({ tool_id: "shop/find" }, [bad, hole])).toEqual([ofCatalogue("warning", "bad", broken), noTarget]);
});
