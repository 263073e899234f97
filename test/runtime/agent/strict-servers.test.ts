import { openaiModel } from "@planloom/controller";
import { type ChatRequest, type ChatStep, startChatServer } from "@planloom/controller/testing";
import { run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { agentPlan, agentWorld } from "../../support/agents.ts";

/** As vLLM's chat templates and Anthropic's endpoint do, which read the arguments of earlier calls. */
function readsArguments(step: ChatStep): ChatStep {
  return (request: ChatRequest) => {
    const items = (request.body?.messages ?? request.body?.input) as Record<string, unknown>[];
    const calls = items.flatMap((item) =>
      item.type === "function_call"
        ? [item]
        : ((item.tool_calls ?? []) as { function: object }[]).map((call) => call.function),
    ) as { arguments: string }[];
    try {
      for (const call of calls) JSON.parse(call.arguments);
    } catch {
      return { status: 400, body: JSON.stringify({ error: { message: "Expecting value: line 1 column 1 (char 0)" } }) };
    }
    return typeof step === "function" ? step(request) : step;
  };
}

test.each(["chat", "responses"] as const)(
  "arguments that are no JSON are not sent back as they are: %s",
  async (api) => {
    const call = (written: string): ChatStep => ({ toolCalls: [{ name: "search", arguments: written }] });
    await using server = await startChatServer(
      [call(""), call('{"q": "x'), call('{"q": "y"}'), { text: "Done." }].map(readsArguments),
    );
    const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, api });
    const { calls, executors } = agentWorld(model, { search: () => 1 });
    const { output_data } = await run(agentPlan(), { executors });
    expect(output_data).toEqual({ work: { text: "Done." } });
    expect(calls).toEqual([
      ["search", {}],
      ["search", { q: "y" }],
    ]);
  },
);
