import {
  collectSecrets,
  dialects,
  planHashes,
  planSecrets,
  type Resource,
  validatePlan,
  validateStep,
} from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";

const secret = { $secret: "TOKEN" };
const resources: Resource[] = [
  {
    kind: "tool",
    id: "send",
    description: "",
    input_schema: {
      type: "object",
      properties: {
        token: { type: "string", minLength: 40, pattern: "^sk-" },
        kind: { enum: ["a", "b"] },
        n: { type: "integer" },
        headers: { type: "object", properties: { authorization: { type: "string", format: "email" } } },
        list: { type: "array", items: { type: "string", maxLength: 1 } },
        body: {},
      },
      required: ["token"],
      additionalProperties: false,
    },
  },
];
const send = (args: Record<string, unknown>, more = {}) =>
  task({ task_id: "a", execution_type: "tool", tool_id: "send", arguments: args, ...more });
const check = (args: Record<string, unknown>, options = {}) => validatePlan(planOf([send(args)]), resources, options);

describe("validation", () => {
  test("a secret is a text of which nothing more is known", () => {
    const fits = { token: secret, kind: secret, headers: { authorization: secret }, list: [secret, "x"] };
    expect(check(fits)).toEqual([]);
    expect(check({ ...fits, body: "${a.x}" })).toMatchObject([{ code: "self_dependency" }]);
    expect(check({ token: secret, n: secret })).toMatchObject([
      { code: "invalid_argument", argument_path: "n", expected: "integer", actual: "string" },
    ]);
    expect(check({ token: { $secret: "TOKEN", more: 1 } })).toMatchObject([{ argument_path: "token" }]);
    expect(check({ token: secret, list: [secret, "too long"] })).toMatchObject([{ argument_path: "list[1]" }]);
  });

  test("beside references too", () => {
    const first = task({ task_id: "f", execution_type: "tool", tool_id: "send", arguments: { token: secret } });
    const plan = planOf([first, send({ token: secret, list: [secret, "${f.x}"] })]);
    expect(validatePlan(plan, resources)).toEqual([]);
  });

  test("names are checked where they are known", () => {
    expect(check({ token: secret }, { secrets: ["TOKEN"] })).toEqual([]);
    expect(check({ token: secret }, { secrets: ["TOKENS", "OTHER"] })).toMatchObject([
      {
        code: "unknown_secret",
        severity: "error",
        task_id: "a",
        argument_path: "token",
        repair: { operation: "replace", candidates: [{ $secret: "TOKENS" }, { $secret: "OTHER" }] },
      },
    ]);
    for (const name of ["", "a b", "9", "${x.y}", "a".repeat(200)]) {
      expect(check({ token: { $secret: name } }).map(({ code }) => code)).toContain("unknown_secret");
    }
  });

  test.for([
    {
      name: "an agent's arguments",
      plan: planOf([task({ task_id: "a", execution_type: "agent", arguments: { x: [secret] } })]),
    },
    { name: "a model's", plan: planOf([task({ task_id: "a", execution_type: "llm", arguments: { x: secret } })]) },
    { name: "a workflow's", plan: planOf([task({ task_id: "a", execution_type: "dsl", arguments: { x: secret } })]) },
    { name: "parameters", plan: planOf([send({ token: "x" }, { parameters: { x: secret } })]) },
    { name: "variables", plan: planOf([send({ token: "x" })], { variables: { x: secret } }) },
  ])("in $name there is none", ({ plan }) => {
    const issues = validatePlan(plan).filter(({ code }) => code === "misplaced_secret");
    expect(issues).toMatchObject([{ severity: "error" }]);
  });
});

test("a step that was filled in is checked as it is", () => {
  const step = { uid: "send", input_data: { token: secret } };
  expect(validateStep(step, resources[0]!)).toEqual([]);
  expect(validateStep(step, resources[0]!, { secrets: [] })).toMatchObject([{ argument_path: "token" }]);
});

test("a plan says which secrets it needs, and where", () => {
  const plan = planOf([send({ token: secret, list: ["x", { $secret: "OTHER" }] }), task({ task_id: "b" })]);
  expect(planSecrets(plan)).toEqual([
    { name: "TOKEN", task_id: "a", argument_path: "token" },
    { name: "OTHER", task_id: "a", argument_path: "list[1]" },
  ]);
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  expect(collectSecrets(cyclic)).toEqual([]);
});

test("another secret is another task", () => {
  const hash = (name: string) => planHashes(planOf([send({ token: { $secret: name } })])).get("a")!.definition_hash;
  expect(hash("TOKEN")).not.toBe(hash("OTHER"));
});

test.for(["kirha", "planner-agent", "mcp-cli"] as const)("%s cannot say it", (name) => {
  const dialect = Object.values(dialects).find((each) => each.name === name)!;
  expect(() => dialect.write(planOf([send({ token: secret })]))).toThrow(/\$secret/);
});
