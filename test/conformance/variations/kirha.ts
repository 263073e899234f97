import type { Variations } from "./variation.ts";

/** Other inputs for the adapters of the kirha planner, by feature. What is expected follows from that system's documents. */
export const kirha: Variations = {
  "plan.execute.eager": [
    {
      input: {
        steps: [
          { stepId: "1", toolName: "fast", arguments: {} },
          { stepId: "2", toolName: "slow", arguments: {} },
          { stepId: "3", toolName: "after", arguments: { i: { $fromStep: "1", $outputKey: "k" } } },
        ],
        tools: { fast: { delayMs: 100 }, slow: { delayMs: 400 }, after: { delayMs: 50 } },
      },
      expected: { documented: { afterStartsAtMs: 100, totalMs: 400 } },
    },
  ],
  "planner.response": [
    { input: { choices: [{ content: null }] }, expected: { throws: { message: "No plan generated" } } },
    { input: { choices: [{ content: "" }] }, expected: { throws: { message: "No plan generated" } } },
    {
      input: { choices: [{ content: "<plan>[{toolName:'a',arguments:{x:1}}]</plan>" }] },
      expected: { plan: { steps: [{ toolName: "a", arguments: { x: 1 }, status: "pending" }] } },
    },
  ],
  "planner.request": [
    {
      input: { query: "Why?", options: { instructions: "Short", temperature: 0, maxTokens: 77 }, model: "x/y" },
      expected: { model: "x/y", temperature: 0, maxTokens: 77, systemContains: "# Instructions\nShort", user: "Why?" },
    },
  ],
  "plan.execute": [
    {
      input: {
        steps: [
          {
            stepId: "a",
            toolName: "f",
            arguments: {
              t: {
                $fromTemplateString: "n={0}, {1}",
                $values: [
                  { $fromStep: "b", $outputKey: "v" },
                  { $fromStep: "b", $outputKey: "w.0" },
                ],
              },
            },
          },
          { stepId: "b", toolName: "g", arguments: {} },
        ],
        tools: { f: { echo: true }, g: { returns: { v: 4, w: [{ q: 1 }] } } },
      },
      expected: {
        results: [
          { stepId: "a", arguments: { t: 'n=4, {"q":1}' }, output: { got: { t: 'n=4, {"q":1}' } } },
          { stepId: "b", output: { v: 4, w: [{ q: 1 }] } },
        ],
        callOrder: ["g", "f"],
      },
    },
  ],
  "template.parse": [
    {
      input: { template: "a {1.x.y} b {0}", stepIds: { "0": "p", "1": "q" } },
      expected: {
        value: {
          $fromTemplateString: "a {0} b {1}",
          $values: [
            { $fromStep: "q", $outputKey: "x.y" },
            { $fromStep: "p", $outputKey: "" },
          ],
        },
      },
    },
  ],
  "path.get": [{ input: { value: { a: [{ b: 7 }] }, segments: ["a", 0, "b"] }, expected: { value: 7 } }],
  "plan.parse": [
    {
      input: { text: "Sure <x> [{tool:'a',args:{n:1}}, {toolName:'b',params:{v:{fromStep:0,outputKey:'k'}},},]" },
      expected: {
        steps: [
          { stepId: "@0", toolName: "a", arguments: { n: 1 }, status: "pending" },
          { stepId: "@1", toolName: "b", arguments: { v: { $fromStep: "@0", $outputKey: "k" } }, status: "pending" },
        ],
      },
    },
  ],
  "model.parse": [
    {
      input: { text: "<think>why</think><plan>[{toolName:'z',arguments:{}}]</plan>" },
      expected: { think: "why", steps: [{ toolName: "z", arguments: {}, status: "pending" }] },
    },
  ],
  "plan.validate": [
    {
      input: { steps: [{ stepId: "1", toolName: "nope", arguments: {} }], tools: [] },
      expected: { valid: false, errors: [{ code: "tool_not_found", stepId: "1", toolName: "nope" }] },
    },
  ],
};
