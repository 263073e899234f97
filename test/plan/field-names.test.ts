import { describe, expect, test } from "vitest";
import {
  meantPlanField,
  meantTaskField,
  type ProtectiveKind,
  protectiveKind,
} from "../../packages/plan/src/validation/field-names.ts";

const fields = ["task_id", "tool_id", "arguments", "dependencies", "approval", "timeout_ms", "retry", "creation_time"];

describe("the field of a task that is meant", () => {
  test.for<[string, string | undefined]>([
    ["id", "task_id"],
    ["toolName", "tool_id"],
    ["tool-name", "tool_id"],
    ["ARGS", "arguments"],
    ["input", "arguments"],
    ["type", "execution_type"],
    ["dependsOn", "dependencies"],
    ["Depends On", "dependencies"],
    ["needs", "dependencies"],
    ["timeoutSeconds", "timeout_ms"],
    ["maxRetries", "retry"],
    ["max_attempts", "retry"],
    ["needsApproval", "approval"],
    ["withItems", "for_each"],
    ["runIf", "when"],
    ["branches", "choose"],
    ["triggerRule", "join"],
    // By likeness.
    ["argumnets", "arguments"],
    ["aproval", "approval"],
    ["rationale", undefined],
    ["colour", undefined],
    ["", undefined],
  ])("%s: %s", ([name, meant]) => {
    expect(meantTaskField(name, fields, "tool")).toBe(meant);
  });

  test.for<[unknown, string]>([
    ["tool", "tool_id"],
    ["tool_call", "tool_id"],
    ["agent", "agent_id"],
    ["agent_call", "agent_id"],
    ["llm", "parameters.uid"],
    [undefined, "parameters.uid"],
    [7, "parameters.uid"],
  ])("uid of a task of kind %j: %s", ([kind, meant]) => {
    expect([meantTaskField("uid", fields, kind), meantTaskField("UID", fields, kind)]).toEqual([meant, meant]);
  });
});

test("the field of a plan that is meant", () => {
  const ofPlan = ["planned_tasks", "variables"];
  expect(["tasks", "variable", "plannedTasks", "colour"].map((name) => meantPlanField(name, ofPlan))).toEqual([
    "planned_tasks",
    "variables",
    "planned_tasks",
    undefined,
  ]);
});

describe("what a field would have protected", () => {
  const words: Record<ProtectiveKind, string[]> = {
    gate: [
      "requiresApproval aproved confirmation gate guards review_by permission permitted human_in_the_loop hitl",
      "interruptBefore consent authorized authorisation if when unless onlyOnMonday conditions preconditions",
    ].flatMap((line) => line.split(" ")),
    limit: [
      "limit rateLimits maxCost maximum timeout deadline expires ttl budget retry retries attempt quota cap caps rate",
      "concurrency throttle",
    ].flatMap((line) => line.split(" ")),
    dependency: [
      "dependsOn dep deps need needs after require requires prerequisites upstream predecessor parent waitFor follows",
      "children downstreamTasks successors edges",
    ].flatMap((line) => line.split(" ")),
    // By the field that is meant alone: `wehn`, `argumnts`.
    condition: [],
    input: [],
  };
  test.for(Object.entries(words).flatMap(([kind, names]) => names.map((name): [string, string] => [name, kind])))(
    "%s: a %s",
    ([name, kind]) => {
      expect(protectiveKind(name, undefined)).toBe(kind);
    },
  );

  test.for([
    "colour",
    "shift",
    "swhen",
    "capital",
    "rated",
    "hereafter",
    "notes",
    "previewed",
    "parenthesis",
    "x".repeat(101),
  ])("%s: nothing", (name) => {
    expect(protectiveKind(name, undefined)).toBeUndefined();
  });

  test.for<[string, ProtectiveKind | undefined]>([
    ["approval", "gate"],
    ["retry", "limit"],
    ["timeout_ms", "limit"],
    ["on_failure", "limit"],
    ["dependencies", "dependency"],
    ["when", "condition"],
    ["choose", "condition"],
    ["wait", "condition"],
    ["for_each", "condition"],
    ["arguments", "input"],
    ["description", undefined],
  ])("what is meant for %s: %s", ([meant, kind]) => {
    expect(protectiveKind("colour", meant)).toBe(kind);
  });

  test("a word of the name says more than the field that is meant", () => {
    expect(protectiveKind("needs_review", "dependencies")).toBe("gate");
  });

  test("a hundred characters of a name are looked at", () => {
    expect(protectiveKind(`${"x".repeat(90)}_approval`, undefined)).toBe("gate");
    expect(protectiveKind(`${"x".repeat(100)}_approval`, undefined)).toBeUndefined();
  });
});
