import { type PlannerTaskInput, type TaskDataInput, validatePlan } from "@planloom/plan";
import { expect, test } from "vitest";

const secret = { $secret: "TOKEN" };
const issues = (task: PlannerTaskInput, options = {}, plan: TaskDataInput = {}) =>
  validatePlan({ planned_tasks: [{ task_id: "t", ...task }], ...plan }, undefined, options);
const issue = (code: string, path: string, says: string, more: object = {}) => ({
  code,
  severity: "error",
  message: `Task "t": argument "${path}" ${says}.`,
  task_id: "t",
  argument_path: path,
  actual: "TOKEN",
  ...more,
});
const name = 'a name has letters, digits, "_", "-" and "." and begins with a letter';

test.for<[string, PlannerTaskInput, object[]]>([
  ["a tool's", { tool_id: "send", arguments: { token: secret, list: [secret] } }, []],
  ["those of a task whose kind is open", { arguments: { token: secret } }, []],
  [
    "an agent's",
    { execution_type: "agent", arguments: { headers: { token: secret } } },
    [issue("misplaced_secret", "headers.token", "is a secret, which only tools are given; this task is for an agent")],
  ],
  [
    "a model's",
    { execution_type: "llm", arguments: { list: ["x", secret] } },
    [issue("misplaced_secret", "list[1]", "is a secret, which only tools are given; this task is for a model")],
  ],
  [
    "a tool's, by a malformed name",
    { tool_id: "send", arguments: { token: { $secret: "9 lives" } } },
    [issue("unknown_secret", "token", `names the secret "9 lives"; ${name}`, { actual: "9 lives" })],
  ],
  [
    "parameters",
    { tool_id: "send", parameters: { sub_type: secret as never } },
    [
      issue(
        "misplaced_secret",
        "parameters.sub_type",
        "is a secret in `parameters`, where secrets are not filled in; write it in `arguments`",
      ),
    ],
  ],
  [
    "a list to go through",
    { tool_id: "send", for_each: { items: [{ token: secret }] } },
    [
      issue(
        "misplaced_secret",
        "for_each.items[0].token",
        "is a secret in `for_each.items`, where secrets are not filled in; write it in `arguments` of the task that needs it",
      ),
    ],
  ],
])("a secret in %s", ([, task, expected]) => {
  expect(issues(task)).toEqual(expected);
});

test("where the secrets of a run are known, another name is unknown, and the likest are offered", () => {
  const task = { tool_id: "send", arguments: { token: secret } };
  const says = 'names the secret "TOKEN", which is not among those of this run';
  expect(issues(task, { secrets: ["OTHER", "TOKEN"] })).toEqual([]);
  expect(issues(task, { secrets: ["OTHER", "TOKENS"] })).toEqual([
    issue("unknown_secret", "token", says, {
      repair: { operation: "replace", candidates: [{ $secret: "TOKENS" }, { $secret: "OTHER" }] },
    }),
  ]);
  expect(issues(task, { secrets: [] })).toEqual([issue("unknown_secret", "token", says)]);
});

test("a plan variable is none", () => {
  expect(issues({ tool_id: "send" }, {}, { variables: { login: { token: secret }, plain: "x" } })).toEqual([
    {
      code: "misplaced_secret",
      severity: "error",
      message:
        'The plan variable "login.token" is the secret "TOKEN"; write it in the arguments of the tasks that need it; secrets are filled in only there.',
      argument_path: "variables.login.token",
      actual: "TOKEN",
    },
  ]);
});
