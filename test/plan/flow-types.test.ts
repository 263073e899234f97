import { type JsonSchema, PlannerTask, type PlannerTaskInput, parseReference } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import {
  branchNames,
  elementOf,
  itemsReference,
  listOf,
  outputOfTask,
} from "../../packages/plan/src/validation/flow-types.ts";

const called: JsonSchema = { type: "object", properties: { id: { type: "integer" } } };
const root = { $defs: {} };
const output = (task: object, answer: JsonSchema = called) =>
  outputOfTask(PlannerTask.parse({ task_id: "t", ...task }), { schema: answer, root });

const list = { type: "array", items: called };
const anyList = { type: "array" };
const each = (rest: object = {}) => ({ for_each: { items: "${hits}", ...rest } });
const decision = (names: string[], more: Record<string, JsonSchema> = {}) => ({
  type: "object",
  properties: {
    chosen: { type: "string", enum: names },
    ...Object.fromEntries(names.map((name) => [name, { type: "boolean" }])),
    ...more,
  },
  required: ["chosen", ...names, ...Object.keys(more)],
  additionalProperties: false,
});
const byCondition = { name: "few", condition: "${list.total} < 3" };
const late = { timeout_ms: 1, on_deadline: { value: 1 } };
const waited = {
  type: "object",
  properties: { waited_until: { type: "string", format: "date-time" } },
  required: ["waited_until"],
  additionalProperties: false,
};
const signal: JsonSchema = { type: "object", properties: { id: { type: "string" } } };

describe("what a task gives", () => {
  test.for<[string, object, JsonSchema | undefined]>([
    ["a call", {}, called],
    ["a call for each element", each(), list],
    ["calls of which failed ones leave nothing", each({ on_failure: { first: 1 } }), list],
    ["calls of which failed ones leave null", each({ failed_as: "null" }), list],
    ["calls of which failed ones leave their errors", each({ failed_as: "error" }), anyList],
    ["calls whose failures are collected", each({ on_failure: "collect" }), anyList],
    ["calls of which a condition leaves some out", { ...each(), when: { condition: "${item} > 1" } }, anyList],
    ["calls of which a condition leaves all out or none", { ...each(), when: { condition: "${index_of} > 1" } }, list],
    [
      "waits that are skipped at their deadlines",
      { ...each(), wait: { event: "e", schema: signal, timeout_ms: 1, on_deadline: "skip" } },
      anyList,
    ],
    ["tasks of its own for each element", each({ tasks: [{ task_id: "i" }] }), anyList],
    ["a wait for each element", { ...each(), wait: { for_ms: 1 } }, { type: "array", items: waited }],
    ["a wait of unknown type for each element", { ...each(), wait: { event: "e" } }, anyList],
    ["a decision by conditions", { choose: { branches: [byCondition] } }, decision(["few"])],
    ["a decision with an else", { choose: { branches: [byCondition], else: "many" } }, decision(["few", "many"])],
    [
      "a decision of a resource",
      { choose: { branches: [{ name: "few" }, { name: "many" }] } },
      decision(["few", "many"], { answer: called }),
    ],
    ["a wait for a time", { wait: { until: "2026-12-01T09:00Z" } }, waited],
    ["a wait for a signal with a schema", { wait: { event: "e", schema: signal } }, signal],
    ["a wait for a signal without one", { wait: { event: "e" } }, undefined],
    ["a wait with a value of its own for the deadline", { wait: { event: "e", schema: signal, ...late } }, undefined],
    ["a wait that fails at its deadline", { wait: { event: "e", schema: signal, timeout_ms: 1 } }, signal],
    ["a call that is made until a condition holds", { retry_until: { condition: "output.done" } }, called],
    [
      "such a call with a value for the deadline",
      { retry_until: { condition: "output.done", timeout_ms: 1, on_deadline: { value: null } } },
      undefined,
    ],
  ])("%s", ([, task, schema]) => {
    expect(output(task)?.schema).toEqual(schema);
  });

  test("a call of unknown type gives what is unknown, a list of such calls a list, and a decision an answer of any type", () => {
    expect(outputOfTask(PlannerTask.parse({ task_id: "t" }), undefined)).toBeUndefined();
    expect(outputOfTask(PlannerTask.parse({ task_id: "t", ...each() }), undefined)?.schema).toEqual(anyList);
    const chosen = PlannerTask.parse({ task_id: "t", choose: { branches: [{ name: "a" }, { name: "b" }] } });
    expect(outputOfTask(chosen, undefined)).toEqual({ schema: decision(["a", "b"], { answer: {} }), root: true });
  });

  test("definitions stay those of the document that the schema is from", () => {
    const document = { $defs: { hit: called } };
    const hits = { schema: { $ref: "#/$defs/hit" }, root: document };
    const task = (rest: object) => PlannerTask.parse({ task_id: "t", ...rest });
    expect(outputOfTask(task(each()), hits)?.root).toBe(document);
    expect(outputOfTask(task({ choose: { branches: [{ name: "a" }, { name: "b" }] } }), hits)?.root).toBe(document);
    expect(output({ wait: { event: "e", schema: signal } })?.root).toEqual(signal);
  });
});

test("the names of the branches, that of the else last", () => {
  expect(branchNames({ branches: [{ name: "b" }, { name: "a" }] })).toEqual(["b", "a"]);
  expect(branchNames({ branches: [{ name: "b" }], else: "a" })).toEqual(["b", "a"]);
});

test("an element of a list has the type of its elements; of what is no list, or of unknown elements, nothing is known", () => {
  const elementSchema = (schema: JsonSchema) => elementOf({ schema, root })?.schema;
  expect(elementOf(listOf({ schema: called, root }))).toEqual({ schema: called, root });
  expect(elementSchema(anyList)).toBeUndefined();
  expect(elementSchema({ type: "string" })).toBeUndefined();
});

test.for<[string, unknown, string | undefined]>([
  ["a text that is one reference", "${list.hits}", "list.hits"],
  ["a text around a reference", "all ${list.hits}", undefined],
  ["a text without one", "hits", undefined],
  ["the object form", { $ref: "list.hits" }, "list.hits"],
  ["the object form of a malformed reference", { $ref: "list..hits" }, undefined],
  ["a list that is written out", [1, "${list.hits}"], undefined],
])("the reference of %s", ([, items, reference]) => {
  const for_each = { items } as PlannerTaskInput["for_each"];
  const task = { for_each } as Pick<PlannerTask, "for_each">;
  expect(itemsReference(task)).toEqual(reference && parseReference(reference));
});

test("a task without a list has no reference to one", () => {
  expect(itemsReference({ for_each: undefined })).toBeUndefined();
});
