import type { Variations } from "./variation.ts";

/** Other inputs for the adapters of plan-execute-replan, by feature. What is expected follows from that system's documents. */
export const planExecute: Variations = {
  "cancel.immediate": [
    {
      input: { executorModelDelayMs: 2000, cancelRecursiveAfterMs: 30 },
      expected: { cancelErrorEvent: true, finishesWithinMs: 1500, replannerCalls: 0 },
    },
    {
      input: { executorModelDelayMs: 10, cancelRecursiveAfterMs: 3000 },
      expected: { cancelErrorEvent: false, finishesWithinMs: 2500, replannerCalls: 1 },
    },
  ],
  "cancel.safePoint": [
    {
      input: { mode: "after chat model", executorModelDelayMs: 20 },
      expected: { cancelErrorMode: "CancelAfterChatModel", interruptContextsNonEmpty: true },
    },
    {
      input: { mode: "after tool calls", executorModelDelayMs: 20 },
      expected: { cancelErrorMode: "CancelAfterToolCalls", interruptContextsNonEmpty: true },
    },
    { input: { mode: "immediate", executorModelDelayMs: 3000 }, expected: { cancelErrorMode: "CancelImmediate" } },
  ],
  "maxIterations.resolve": [
    { input: { configured: -1 }, expected: { effective: 10 } },
    { input: { configured: -7 }, expected: { effective: 10 } },
    { input: { configured: 1 }, expected: { effective: 1 } },
  ],
  "executor.limit": [
    {
      input: { modelCallsWithToolUse: 25 },
      expected: { error: { contains: "exceeds max iterations" }, modelCallsCompleted: 20 },
    },
    { input: { modelCallsWithToolUse: 3 }, expected: { error: null, modelCallsCompleted: 4 } },
    { input: { modelCallsWithToolUse: 19 }, expected: { error: null, modelCallsCompleted: 20 } },
  ],
  "loop.run": [
    {
      input: {
        planner: ["P", "Q"],
        executor: ["rP", "rQ"],
        replanner: [{ plan: ["Q"] }, { error: "model away" }],
        maxIterations: 5,
      },
      expected: { error: "model away", executorCalls: 2, replannerCalls: 2 },
    },
    {
      input: { planner: ["A", "B"], executor: ["r"], replanner: [{ respond: "z" }] },
      expected: {
        iterations: 1,
        answer: "z",
        executedSteps: [{ step: "A", result: "r" }],
        finalPlan: ["A", "B"],
        breakLoop: { from: "replanner", done: true, currentIterations: 0 },
        events: ["planner:plan", "executor:r", "replanner:respond", "replanner:breakLoop"],
      },
    },
    {
      input: {
        planner: ["X"],
        executor: ["x1"],
        replanner: [{ plan: ["Y"] }, { plan: ["Z"] }, { respond: "done" }],
        maxIterations: 3,
      },
      expected: { iterations: 3, answer: "done", executorCalls: 3 },
    },
    {
      input: { planner: ["A"], executor: ["r"], replanner: [{ action: "exit" }] },
      expected: { replannerCalls: 1, iterations: 1, executorCalls: 1 },
    },
  ],
  "interrupt.resume": [
    {
      input: {
        planner: ["Only"],
        executorTool: "interrupts until approved",
        resume: { target: "root-cause interrupt id", data: "approved" },
      },
      expected: {
        firstRun: { interrupted: true, contextsNonEmpty: true, rootCauseIdPresent: true },
        secondRun: { plannerCalls: 0, toolMessageContains: "Approved action executed", breakLoopDone: true, errors: 0 },
      },
    },
    {
      input: {
        planner: ["One", "Two", "Three"],
        executorTool: "interrupts until approved",
        resume: { target: "root-cause interrupt id", data: "approved" },
      },
      expected: {
        firstRun: { interrupted: true, contextsNonEmpty: true, rootCauseIdPresent: true },
        secondRun: { plannerCalls: 0, toolMessageContains: "Approved action executed", breakLoopDone: true, errors: 0 },
      },
    },
    {
      input: {
        planner: ["One", "Two"],
        executorTool: "interrupts until approved",
        resume: { target: "root-cause interrupt id", data: "denied" },
      },
      expected: {
        firstRun: { interrupted: true },
        secondRun: {
          plannerCalls: 0,
          toolMessageExcludes: ["Approved action executed"],
          breakLoopDone: true,
          errors: 0,
        },
      },
    },
  ],
  "interrupt.state": [
    { input: { interruptedIn: "executor, first round" }, expected: { saved: { loopIterations: 0, subAgentIndex: 0 } } },
    { input: { interruptedIn: "executor, third round" }, expected: { saved: { loopIterations: 2, subAgentIndex: 0 } } },
  ],
  "checkpoint.types": [{ input: { customPlanType: false }, expected: { requires: "nothing" } }],
  "planner.config": [
    { input: { formattedModel: true, toolModel: false }, expected: { uses: "formattedModel" } },
    {
      input: { formattedModel: false, toolModel: true, toolInfo: { name: "make_plan" } },
      expected: { uses: "toolModel", boundTools: ["make_plan"] },
    },
  ],
  "replanner.config": [
    { input: { planTool: "make_plan", respondTool: null }, expected: { boundTools: ["make_plan", "respond"] } },
    {
      input: { planTool: { name: "p2" }, respondTool: { name: "answer" } },
      expected: { boundTools: ["p2", "answer"] },
    },
  ],
  "prompt.variables": [
    {
      input: { agent: "executor" },
      expected: { system: true, user: true, placeholders: ["input", "plan", "executed_steps", "step"] },
    },
  ],
  "prompt.executor": [
    {
      input: {
        userInput: ["Fly", "cheaply"],
        plan: { steps: ["Pick", "Pay"] },
        executedSteps: [{ step: "Look", result: "3 found" }],
      },
      expected: {
        userMessageContains: ["Fly\ncheaply\n", '{"steps":["Pick","Pay"]}', "Step: Look\nResult: 3 found\n\n"],
        stepIs: "Pick",
      },
    },
  ],
  "prompt.replanner": [
    {
      input: {
        plan: { steps: ["K"] },
        executedSteps: [{ step: "K", result: "rk" }],
        planTool: "weiter",
        respondTool: "fertig",
      },
      expected: {
        systemContains: ["'fertig'", "'weiter'"],
        userContains: ['{"steps":["K"]}', "Step: K\nResult: rk\n\n"],
      },
    },
  ],
  "planner.run": [
    {
      input: {
        mode: "tool calling",
        userInput: ["u"],
        model: { toolCalls: [{ name: "plan", arguments: '{"steps":["Only one"]}' }] },
      },
      expected: {
        events: [{ agent: "planner", content: '{"steps":["Only one"]}' }],
        session: { Plan: ["Only one"], UserInput: ["u"] },
        toolChoice: "forced",
      },
    },
    {
      input: { mode: "tool calling", model: { toolCalls: [{ name: "plan", arguments: "{oops" }] } },
      expected: { error: { contains: "unmarshal plan error" }, events: [] },
    },
  ],
  "replanner.run": [
    {
      input: {
        session: { Plan: ["S", "T"], ExecutedStep: "rs", UserInput: ["u"] },
        model: { toolCalls: [{ name: "plan", arguments: '{"steps":["T"]}' }] },
      },
      expected: {
        events: [{ agent: "replanner", content: '{"steps":["T"]}' }],
        session: { Plan: ["T"], ExecutedSteps: [{ step: "S", result: "rs" }] },
      },
    },
  ],
  "loop.wanted": [
    { input: { plan: ["A", "B", "C"], independent: false }, expected: { parallel: false } },
    { input: { maxIterationsReached: false }, expected: { terminationReason: "responded" } },
  ],
  "executor.output": [
    {
      input: { plan: ["Q"], finalAssistantText: "fertig" },
      expected: { session: { ExecutedStep: "fertig", Plan: ["Q"] } },
    },
  ],
};
