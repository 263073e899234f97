import { defineAgent, defineExecutor, defineLlm, defineTool, registry, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { planOf } from "../../support/run-plans.ts";

const callWith = async (tool: ReturnType<typeof defineTool>, input: Record<string, unknown>) => {
  const { results } = await run(planOf({ [tool.resource.id]: [] }, { [tool.resource.id]: { arguments: input } }), {
    executors: [toolExecutor([tool])],
  });
  return results[0];
};

describe("schemas of tools", () => {
  test("zod: JSON Schema for planners, typed and parsed input for the function", async () => {
    const tool = defineTool({
      id: "t",
      description: "",
      input: z.object({ n: z.number().default(5), when: z.string().transform((text) => text.length) }),
      output: z.object({ sum: z.number() }),
      readOnly: true,
      idempotent: true,
      tags: ["x"],
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ n: number; when: number }>();
        return { sum: input.n + input.when };
      },
    });
    expect(tool.resource).toMatchObject({
      kind: "tool",
      id: "t",
      read_only: true,
      idempotent: true,
      tags: ["x"],
      input_schema: {
        type: "object",
        properties: { n: { type: "number" }, when: { type: "string" } },
        required: ["when"],
      },
      output_schema: { type: "object", properties: { sum: { type: "number" } } },
    });
    expect(JSON.parse(JSON.stringify(tool.resource))).toEqual(tool.resource);
    expect(await callWith(tool, { when: "abc" })).toMatchObject({ status: "completed", output: { sum: 8 } });
  });

  test("JSON Schema", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const tool = defineTool({
      id: "t",
      description: "",
      input: schema,
      output: { type: "integer" },
      execute: ({ n }) => n,
    });
    expect(tool.resource.input_schema).toEqual(schema);
    expect(await callWith(tool, { n: 3 })).toMatchObject({ output: 3 });
    expect(await callWith(tool, {})).toMatchObject({ error: { code: "TASK_INVALID_INPUT" } });
  });

  test("any Standard Schema: no JSON Schema where it has none, but checked all the same", async () => {
    const even = {
      "~standard": {
        version: 1 as const,
        vendor: "own",
        validate: (value: unknown) =>
          (value as { n: number }).n % 2 === 0
            ? { value: value as { n: number } }
            : { issues: [{ message: "odd", path: ["n"] }] },
      },
    };
    const tool = defineTool({ id: "t", description: "", input: even, execute: ({ n }) => n });
    expect(tool.resource).not.toHaveProperty("input_schema");
    expect(await callWith(tool, { n: 2 })).toMatchObject({ output: 2 });
    expect(await callWith(tool, { n: 3 })).toMatchObject({
      error: { code: "TASK_INVALID_INPUT", message: expect.stringContaining("n: odd") },
    });
  });
});

test.for([
  ["a tool without an id", () => defineTool({ id: "", description: "", execute: () => 1 })],
  ["a tool without a function", () => defineTool({ id: "t", description: "" } as never)],
  ["a tool without a description", () => defineTool({ id: "t", execute: () => 1 } as never)],
  ["a schema that is none", () => defineTool({ id: "t", description: "", input: "text" as never, execute: () => 1 })],
  ["an agent without send", () => defineAgent({ id: "a", description: "" } as never)],
  ["an llm without an id", () => defineLlm({ description: "" } as never)],
  [
    "an executor of no kind",
    () => defineExecutor({ kind: "robot", resources: () => [], execute: async () => 1 } as never),
  ],
  ["an executor without execute", () => defineExecutor({ kind: "tool", resources: () => [] } as never)],
  [
    "an executor that offers another kind",
    () =>
      registry([
        { kind: "tool", resources: () => [{ kind: "llm", id: "m", description: "" }], execute: async () => 1 },
      ]),
  ],
] as const)("%s is refused", ([, define]) => {
  expect(define).toThrow(expect.objectContaining({ name: "RuntimeError", code: "RUNTIME_INVALID_DEFINITION" }));
});

test.for<[string, unknown, string, string]>([
  [
    "an unknown type",
    { type: "object", properties: { n: { type: "strng" } } },
    "/properties/n",
    "expected `type` to be one of string,",
  ],
  ["what is no schema", { type: "object", properties: { n: "number" } }, "/properties/n", "expected a schema"],
  ["properties alone", { n: { type: "number" } }, "", 'expected { type: "object", properties: { n } }'],
  ["a misspelt keyword", { type: "object", propertes: {} }, "", "expected `properties`"],
  [
    "a pattern that is none",
    { properties: { n: { pattern: "(" } } },
    "/properties/n",
    "expected `pattern` to be a regular expression",
  ],
  [
    "a limit that is a text",
    { properties: { n: { minimum: "3" } } },
    "/properties/n",
    "expected `minimum` to be a finite number",
  ],
  [
    "nothing to choose from",
    { properties: { n: { enum: [] } } },
    "/properties/n",
    "expected `enum` to be a list of at least one",
  ],
  ["a reference to nothing", { properties: { n: { $ref: "#/x" } } }, "/properties/n", "points at nothing"],
  ["a reference to elsewhere", { $ref: "https://example.com/x" }, "", "since nothing is fetched"],
  ["a schema within that is none", { properties: { n: { not: 3 } } }, "/properties/n/not", "expected a schema"],
  ["an input without names", { type: "string" }, "", 'expected `type` to be "object"'],
])("a schema with %s is refused, and where", ([, schema, path, says]) => {
  const input = schema as { type: "object" };
  const code = "RUNTIME_INVALID_DEFINITION";
  const refused = { code, message: expect.stringContaining(says), details: { id: "t", option: "input", path } };
  expect(() => defineTool({ id: "t", description: "", input, execute: () => 1 })).toThrow(
    expect.objectContaining(refused),
  );
  const made = () =>
    defineAgent({ id: "t", description: "", schema: input, send: async () => ({ success: true, data: 1 }) } as never);
  expect(made).toThrow(expect.objectContaining(refused));
});

test("a schema with words of one's own, of OpenAPI and of older drafts is taken", () => {
  const input = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    "x-order": 1,
    properties: {
      a: { type: "string", example: "x", nullable: true },
      b: { $ref: "#/definitions/b" },
      c: { items: [{ type: "number" }], additionalItems: false },
    },
    definitions: { b: { type: ["number", "null"], exclusiveMinimum: 0 } },
    required: ["b"],
  } as const;
  expect(defineTool({ id: "t", description: "", input, execute: () => 1 }).resource.input_schema).toBe(input);
});

test("a registry finds by kind and id, tools by their bare name too where unique", () => {
  const executor = (kind: "tool" | "agent", ...ids: string[]) =>
    defineExecutor({ kind, resources: () => ids.map((id) => ({ kind, id, description: "" })), execute: async () => 1 });
  const known = registry([executor("tool", "s/list", "s/get", "r/get"), executor("agent", "s/list")]);
  expect(known.resources).toHaveLength(4);
  expect(known.find("tool", "s/list")?.resource.kind).toBe("tool");
  expect(known.find("agent", "s/list")?.resource.kind).toBe("agent");
  expect(known.find("tool", "list")?.resource.id).toBe("s/list");
  expect(known.find("tool", "r__get")?.resource.id).toBe("r/get");
  expect(known.find("tool", "get")).toBeUndefined();
  expect(known.find("llm", "s/list")).toBeUndefined();
  expect(known.find("tool", "constructor")).toBeUndefined();
});

test("an agent says what makes it one", () => {
  const make = () => defineAgent({ id: "clerk", description: "", tools: ["a"] } as never);
  expect(make).toThrow(
    /agent "clerk" to have `model` \(one, or undefined for that of Planloom\) or `send`, got neither/,
  );
});
