import type { ModelRequest } from "@planloom/controller";
import { agentExecutor, defineAgent, defineTool, run, toolExecutor } from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf } from "../../support/run-plans.ts";

async function asked(descriptions: readonly string[], prompt: string, maxPromptCharacters?: number, instructions = "") {
  const requests: ModelRequest[] = [];
  const model = {
    name: "m",
    async generate(request: ModelRequest) {
      requests.push(request);
      return { text: "done", toolCalls: [] };
    },
  };
  const tools = descriptions.map((description, at) => defineTool({ id: `t${at}`, description, execute: () => 1 }));
  const limit = maxPromptCharacters === undefined ? {} : { maxPromptCharacters };
  const executors = [
    toolExecutor(tools),
    agentExecutor([defineAgent({ id: "g", description: "", model, instructions, ...limit })]),
  ];
  const task = { execution_type: "agent" as const, tool_id: null, agent_id: "g", arguments: { prompt } };
  const { results } = await run(planOf({ a: [] }, { a: task }), { executors });
  const sent = requests.map(({ messages, tools: offered = [] }) => ({
    characters:
      messages.reduce((sum, { content }) => sum + content.length, 0) +
      offered.reduce((sum, { name, description, parameters }) => {
        return sum + name.length + description.length + JSON.stringify(parameters).length;
      }, 0),
    descriptions: offered.map(({ description }) => description),
  }));
  return { sent, error: results[0]?.error };
}

test.for([
  { name: "one of 5 MB", descriptions: ["D".repeat(5_000_000), "short"] },
  { name: "1,000 of a kilobyte", descriptions: Array.from({ length: 1_000 }, () => "does things ".repeat(85)) },
])("descriptions of tools count in a request, and are cut: $name", async ({ descriptions }) => {
  const { sent } = await asked(descriptions, "Do it.");
  expect(sent).toHaveLength(1);
  expect(sent[0]?.characters).toBeLessThanOrEqual(100_000);
  // Not more than needed, and for all alike: what is short stays whole.
  expect(sent[0]?.characters).toBeGreaterThan(40_000);
  if (descriptions[1] === "short") expect(sent[0]?.descriptions[1]).toBe("short");
});

test("descriptions that fit are sent as they are", async () => {
  const descriptions = ["Looks", "Pays"];
  expect((await asked(descriptions, "Do it.")).sent[0]?.descriptions).toEqual(descriptions);
});

test.for([
  { name: "names and schemas of tools", tools: 5_000, prompt: "Do it.", instructions: "", limit: undefined },
  { name: "the instructions beside them", tools: 1, prompt: "Do it.", instructions: "x".repeat(5_000), limit: 4_000 },
])(
  "what cannot be cut fails the task before the model is asked: $name",
  async ({ tools, prompt, instructions, limit }) => {
    const { sent, error } = await asked(
      Array.from({ length: tools }, () => "d"),
      prompt,
      limit,
      instructions,
    );
    expect(sent).toEqual([]);
    expect(error).toMatchObject({
      code: "TASK_INVALID_INPUT",
      message: expect.stringContaining("`maxPromptCharacters` is"),
    });
  },
);
