import {
  agentExecutor,
  defineAgent,
  defineLlm,
  defineTool,
  defineWorkflow,
  llmExecutor,
  PlanAndExecuteL2,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const seen: unknown[] = [];
const note = (kind: string) => (input: unknown) => {
  seen.push([kind, input]);
  return { from: kind };
};
const executors = [
  toolExecutor([
    defineTool({ id: "u1", description: "", execute: note("tool") }),
    defineTool({ id: "bad", description: "", execute: () => Promise.reject(new Error("kaput")) }),
  ]),
  agentExecutor([
    defineAgent({ id: "u1", description: "", send: (input) => ({ success: true, data: note("agent")(input) }) }),
  ]),
  llmExecutor([
    defineLlm({
      id: "u1",
      description: "",
      model: { name: "m", generate: async () => ({ text: "t", toolCalls: [] }) },
    }),
  ]),
  workflowExecutor([
    defineWorkflow({
      id: "u1",
      description: "",
      plan: {
        planned_tasks: [{ task_id: "x", execution_type: "tool", tool_id: "u1", arguments: { v: "${input.k}" } }],
      },
    }),
  ]),
];

describe("routing by sub_type", () => {
  test.for([
    ["agent", "agent", { from: "agent" }],
    ["tools", "tool", { from: "tool" }],
    ["tool", "tool", { from: "tool" }],
    ["llm", "llm", { text: "t" }],
    ["dsl", "dsl", { from: "tool" }],
  ] as const)("%s", async ([sub_type, kind, output]) => {
    const asked: unknown[] = [];
    const planner = {
      async createPlan(
        request: { input: Record<string, unknown> },
        options: { llmData?: Readonly<Record<string, unknown>> },
      ) {
        asked.push([request.input, options.llmData]);
        return { uid: "u1", input_data: { k: 1 }, plan: "why" };
      },
    };
    const module = new PlanAndExecuteL2({
      task: { execution_type: "l2_task", parameters: { sub_type }, arguments: { a: 2 } },
      executors,
      planners: { [kind]: planner },
      llmConfig: { model: "gpt" },
    });
    expect(await module.executeModule({ text: "T" })).toEqual({ output, plan: "why" });
    expect(asked[0]).toEqual([{ text: "T", a: 2 }, { model: "gpt" }]);
  });

  test("one that is not supported", () => {
    const make = (task: unknown) => () => new PlanAndExecuteL2({ task, executors });
    expect(make({ execution_type: "l2_task", parameters: { sub_type: "other" } })).toThrow(
      expect.objectContaining({
        code: "RUNTIME_UNSUPPORTED_SUB_TYPE",
        message: expect.stringContaining("unsupported sub_type"),
      }),
    );
    expect(make({})).toThrow(expect.objectContaining({ code: "RUNTIME_UNSUPPORTED_SUB_TYPE" }));
    expect(make("text")).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_PLAN" }));
  });
});

test("without a planner the pinned resource gets the input and the task's arguments", async () => {
  seen.length = 0;
  const module = new PlanAndExecuteL2({
    task: { execution_type: "tool", tool_id: "u1", arguments: { a: "${input.text}" } },
    executors,
  });
  expect(await module.executeModule({ text: "${not.a.reference}" })).toEqual({ output: { from: "tool" } });
  expect(seen).toEqual([["tool", { text: "${not.a.reference}", a: "${not.a.reference}" }]]);
});

test("a workflow's own tasks are not bound by the planner of the workflow", async () => {
  seen.length = 0;
  const asked: string[] = [];
  const createPlan = async ({ task }: { task: { execution_type: string } }) => {
    asked.push(task.execution_type);
    return { uid: "u1", input_data: { k: 1 } };
  };
  const module = new PlanAndExecuteL2({
    task: { execution_type: "l2_task", parameters: { sub_type: "dsl" } },
    executors,
    planners: { dsl: { createPlan } },
  });
  expect(await module.executeModule({})).toEqual({ output: { from: "tool" } });
  expect(asked).toEqual(["dsl"]);
  expect(seen).toEqual([["tool", { v: 1 }]]);
});

test("tells which tasks it is for", () => {
  expect(PlanAndExecuteL2.accepts({ execution_type: "l2_task" })).toBe(true);
  expect(PlanAndExecuteL2.accepts({ execution_type: "agent" })).toBe(true);
  expect(PlanAndExecuteL2.accepts({ execution_type: "tool_call" })).toBe(false);
});

test("a failure rejects with the task's error; an abort with its reason", async () => {
  const module = new PlanAndExecuteL2({ task: { execution_type: "tool", tool_id: "bad" }, executors });
  await expect(module.executeModule()).rejects.toMatchObject({
    code: "RUNTIME_TASK_FAILED",
    message: "kaput",
    details: { error: { code: "TASK_FAILED" } },
  });
  await expect(module.executeModule({}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
