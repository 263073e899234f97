import type { Variations } from "./variation.ts";

/** Other inputs for the adapters of mcp-cli's execution plans, by feature. What is expected follows from that system's documents. */
export const mcpCli: Variations = {
  "guard.execute": [
    {
      input: { guardSays: "Budget exhausted", guardsEnabled: true, tool: { returns: "ok" } },
      expected: {
        success: false,
        result: null,
        error: "Guard blocked: Budget exhausted",
        toolCalled: false,
        recorded: [],
      },
    },
    {
      input: { guardSays: "Runaway detected.", guardsEnabled: true, tool: { returns: "ok" } },
      expected: {
        success: false,
        result: null,
        error: "Guard blocked: Runaway detected.",
        toolCalled: false,
        recorded: [],
      },
    },
    {
      input: { guardSays: "allow", guardsEnabled: false, tool: { fails: "nope" } },
      expected: { success: false, result: null, error: "nope", toolCalled: true, recorded: [] },
    },
  ],
  "guard.namespace": [
    { input: { namespace: "db", tool: "query_all" }, expected: { calledAs: "db__query_all", reportedAs: "query_all" } },
  ],
  "guard.policy": [
    { input: { preset: "default" }, expected: { discovery: 5, execution: 12, total: 15, perToolCap: 0 } },
    { input: { parallelSteps: 6, remainingBudget: 3 }, expected: { callsAllowed: 3 } },
    { input: { parallelSteps: 2, remainingBudget: 5 }, expected: { callsAllowed: 2 } },
    { input: { entryPoints: ["plan_execute tool"] }, expected: { guardsEnabledByDefault: [false] } },
  ],
  "replan.policy": [
    { input: { enabled: false }, expected: { success: false, replanned: false, replanAttempted: false } },
    {
      input: { enabled: true, failed: "3", completed: ["1", "2"], remaining: ["4", "5"] },
      expected: {
        plannerReceives: [
          "all step results so far (200 chars each)",
          "failed step with its error",
          "steps neither completed nor failed",
          "tool names",
          "current variables (lossy form)",
        ],
        revisedPlanDependsOn: "0-based positions within the new plan",
      },
    },
    {
      input: { enabled: true, maxReplans: 1, revisedPlanFails: true },
      expected: { attempts: 1, success: false, replanned: true },
    },
  ],
  "plan.resume.none": [
    {
      input: { checkpoint: null, planId: "abc" },
      expected: { error: "No checkpoint found for plan abc. Use /plan run instead." },
    },
  ],
  "plan.resume.prefixId": [{ input: { idPrefix: "first 4 characters as shown by list" }, expected: { resumes: true } }],
  "plan.resume.values": [{ input: { resultChars: 12345 }, expected: { restoredChars: 12345 } }],
  "plan.concurrency": [
    { input: { independentSteps: 9, maxConcurrency: 3 }, expected: { maxObserved: 3 } },
    { input: { independentSteps: 2, maxConcurrency: 8 }, expected: { maxObserved: 2 } },
  ],
  "plan.barrier": [
    {
      input: { steps: "1(10ms), 2(120ms), 3(60ms) independent; 4 depends on 2 and 3" },
      expected: { documentedStartOf3: "after the whole batch", wantedStartOf3Ms: 120 },
    },
    {
      input: { steps: "1(20ms), 2(200ms) independent; 3 depends on 1 only" },
      expected: { documentedStartOf3: "when what it needs is done", wantedStartOf3Ms: 20 },
    },
  ],
  "plantools.call": [
    { input: { tool: "plan_execute", args: {} }, expected: { error: "Plan ID is required." } },
    { input: { tool: "plan_execute", args: { plan_id: "" } }, expected: { error: "Plan ID is required." } },
    {
      input: {
        tool: "plan_create",
        args: { goal: "g" },
        plannerReturns: {
          title: "W",
          steps: [
            { title: "Look", tool: "geo", args: { q: "x" } },
            { title: "Read", tool: "wx", args: {}, depends_on: [0] },
          ],
        },
      },
      expected: {
        success: true,
        title: "W",
        step_count: 2,
        steps: [
          { index: "1", title: "Look", tool: "geo", depends_on: [] },
          { index: "2", title: "Read", tool: "wx", depends_on: ["1"] },
        ],
      },
    },
    {
      input: {
        tool: "plan_create_and_execute",
        args: { goal: "g" },
        plannerReturns: { title: "W", steps: [{ title: "Look", tool: "geo", args: { q: "x" }, result_variable: "a" }] },
      },
      expected: { success: true, title: "W", steps_completed: 1, steps_total: 1 },
    },
    {
      input: { tool: "plan_create_and_execute", args: { goal: "g" }, plannerRaises: "no model" },
      expected: { error: "Plan creation failed: no model" },
    },
  ],
  "plantools.checkpoint": [{ input: { tool: "plan_execute" }, expected: { checkpointWritten: true } }],
  "store.behaviour": [
    { input: { load: "full id" }, expected: { found: true } },
    { input: { load: "unknown id" }, expected: { found: false } },
    { input: { list: true, files: ["b.json", "a.json", "b_state.json"] }, expected: { ids: ["a", "b"] } },
    { input: { list: true, files: [] }, expected: { ids: [] } },
    { input: { delete: "zeta" }, expected: { removes: ["zeta.json"] } },
  ],
  "command.parse": [
    { input: { args: "" }, expected: { action: "list" } },
    { input: { args: "list" }, expected: { action: "list" } },
    { input: { args: "show" }, expected: { error: "Plan ID required. Usage: /plan show <id>" } },
    {
      input: { args: "create read it, then write it", tools: ["read"] },
      expected: { action: "create", description: "read it, then write it" },
    },
    { input: { args: "run abc" }, expected: { action: "run", planId: "abc" } },
    { input: { args: "run xyz --simulate" }, expected: { planId: "xyz", dryRun: true } },
    { input: { args: "delete gone" }, expected: { error: "Plan not found: gone" } },
    { input: { args: "run gone" }, expected: { planId: "gone" } },
    {
      input: { args: "resume gone" },
      expected: { error: "No checkpoint found for plan gone. Use /plan run instead." },
    },
  ],
  "result.errorText": [
    { input: { raw: "250 y characters" }, expected: { text: "first 200 characters + '...'" } },
    {
      input: { raw: "150 y characters" },
      expected: {
        text: "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
      },
    },
    { input: { raw: "disk full" }, expected: { text: "disk full" } },
    {
      input: {
        raw: {
          isError: true,
          content: [
            { type: "text", text: "x1" },
            { type: "text", text: "x2" },
          ],
        },
      },
      expected: { text: "x1\nx2" },
    },
  ],
  "checkpoint.serialize": [
    {
      input: { variables: { q: ["a", { b: null }], z: false } },
      expected: { saved: { q: ["a", { b: null }], z: false } },
    },
    { input: { variables: { t: "<str of 300 JSON chars>" } }, expected: { savedLengths: { t: 300 } } },
  ],
  "llm.toolCall": [
    {
      input: {
        response: { choices: [{ message: { tool_calls: [{ function: { name: "b", arguments: '{"y":2}' } }] } }] },
      },
      expected: { call: { name: "b", args: { y: 2 } } },
    },
    {
      input: { response: { tool_calls: [{ function: { name: "b", arguments: { y: 2 } } }] } },
      expected: { call: { name: "b", args: { y: 2 } } },
    },
    { input: { response: { choices: [] } }, expected: { call: null } },
  ],
  "step.validate": [{ input: { step: { tool: "b", title: "B" }, tools: ["a", "b"] }, expected: { ok: true } }],
  "step.agentic": [
    {
      input: {
        step: { index: "7", title: "Do", tool: "a", args: { k: 1 }, result_variable: "w" },
        model: [{ text: "no tool needed" }],
        tools: { a: { returns: "data" } },
        maxStepRetries: 2,
      },
      expected: { success: true, turns: 1, tool: "a", result: "data", calls: [["a", { k: 1 }]] },
    },
    {
      input: {
        step: { index: "7", title: "Do", tool: "a", args: {}, result_variable: "w" },
        model: [{ call: "a", args: { z: 1 } }, { text: "ok" }],
        tools: { a: { returns: { k: 3 } } },
        maxStepRetries: 0,
      },
      expected: {
        success: true,
        tool: "a",
        result: { k: 3 },
        variables: { w: { k: 3 } },
        calls: [["a", { z: 1 }]],
        turns: 1,
      },
    },
  ],
  "plan.run": [
    {
      input: {
        plan: {
          id: "q",
          title: "T",
          variables: { who: "ada", n: 3 },
          steps: [
            { index: "1", title: "One", tool: "one", args: { to: "Hi ${who}", n: "${n}" }, result_variable: "a" },
            { index: "2", title: "Two", tool: "two", args: { all: "${a}", x: "${a.list}" }, depends_on: ["1"] },
          ],
        },
        tools: { one: { returns: { list: [1, 2] } } },
      },
      expected: {
        success: true,
        error: null,
        calls: [
          ["one", { to: "Hi ada", n: 3 }],
          ["two", { all: { list: [1, 2] }, x: [1, 2] }],
        ],
        variables: { who: "ada", n: 3, a: { list: [1, 2] } },
      },
    },
    {
      input: {
        plan: {
          id: "q",
          title: "T",
          steps: [
            { index: "1", title: "One", tool: "one" },
            { index: "2", title: "Two", tool: "two" },
          ],
        },
        tools: { one: { fails: "e1" } },
      },
      expected: {
        success: false,
        error: "Batch 1 had failures: step 1: e1",
        calls: [
          ["one", {}],
          ["two", {}],
        ],
        steps: [
          { index: "1", success: false },
          { index: "2", success: true },
        ],
      },
    },
    {
      input: {
        plan: {
          id: "q",
          title: "T",
          steps: [
            { index: "1", title: "One", tool: "same", args: { n: 1 } },
            { index: "2", title: "Two", tool: "same", args: { n: 2 }, depends_on: ["1"] },
          ],
        },
        tools: {},
      },
      expected: {
        success: true,
        calls: [
          ["same", { n: 1 }],
          ["same", { n: 2 }],
        ],
        onStart: [
          ["1", "One", "same"],
          ["2", "Two", "same"],
        ],
        onComplete: [
          ["1", true],
          ["2", true],
        ],
      },
    },
    {
      input: {
        plan: {
          id: "d",
          title: "T",
          variables: { p: "x" },
          steps: [{ index: "1", title: "One", tool: "one", args: { a: "${p}" }, result_variable: "r" }],
        },
        tools: {},
        options: { dry_run: true, variables: { p: "y" } },
      },
      expected: {
        success: true,
        calls: [],
        checkpoint: null,
        variables: { p: "y", r: "<one result>" },
        steps: [{ index: "1", tool: "one", success: true, result: "[dry-run: not executed]", error: null }],
      },
    },
    {
      input: { plan: { id: "e", title: "Empty", steps: [] }, tools: {} },
      expected: { success: true, error: null, steps: [], calls: [] },
    },
  ],
  "plan.resume": [
    {
      input: {
        plan: {
          id: "z",
          title: "T",
          steps: [
            { index: "1", title: "S1", tool: "p", args: {}, result_variable: "x" },
            { index: "2", title: "S2", tool: "q", args: { v: "${x}" }, depends_on: ["1"], result_variable: "y" },
          ],
        },
        firstRunFails: "q",
      },
      expected: {
        checkpointAfterFailure: { plan_id: "z", status: "failed", completed_steps: ["1"], variables: { x: "r:p" } },
        resumedCalls: ["q"],
        success: true,
        variablesAvailable: ["x", "y"],
      },
    },
  ],
  "batches.compute": [
    {
      input: { steps: [{ index: "3", depends_on: ["1"] }, { index: "1" }, { index: "2" }] },
      expected: { batches: [["1", "2"], ["3"]] },
    },
    {
      input: { steps: [{ index: "a" }, { index: "b", depends_on: ["a"] }, { index: "c", depends_on: ["a", "b"] }] },
      expected: { batches: [["a"], ["b"], ["c"]] },
    },
  ],
  "variables.resolve": [
    {
      input: {
        value: { u: "https://${api.host}:${api.port}/v", n: "${api.port}", deep: ["${api}", { x: "${none}" }] },
        variables: { api: { host: "h", port: 81 } },
      },
      expected: { value: { u: "https://h:81/v", n: 81, deep: [{ host: "h", port: 81 }, { x: "${none}" }] } },
    },
  ],
  "variables.precedence": [
    {
      input: { planVariables: { a: 1, b: 2 }, runVariables: { b: 3, c: 4 } },
      expected: { effective: { a: 1, b: 3, c: 4 } },
    },
  ],
  "store.dependencies": [
    { input: { depends_on: [[], [], [1], [2, 0]] }, expected: { stored: [[], [], ["2"], ["3", "1"]] } },
  ],
  "result.extract": [
    {
      input: {
        raw: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      expected: { value: "a\nb" },
    },
    { input: { raw: { isError: false, content: [{ type: "text", text: "[1, 2]" }] } }, expected: { value: [1, 2] } },
  ],
  "result.isError": [{ input: { raw: { isError: true, content: [] } }, expected: { isError: true } }],
  "dag.render": [
    {
      input: {
        plan: {
          steps: [
            { index: "1", title: "Go", tool: "go" },
            { index: "2", title: "Come", tool: "come", depends_on: ["1"] },
          ],
        },
      },
      expected: {
        text: "  ○ 1. Go                                  [go]\n\n  ○ 2. Come                                [come]  ← after: 1",
      },
    },
  ],
};
