import type { ModelReply } from "@planloom/controller";
import { openaiModel } from "@planloom/controller";
import { type ChatBehaviour, scriptedModel, startChatServer } from "@planloom/controller/testing";
import { approve, memoryJournal, resume, run } from "@planloom/runtime";
import { expect, test } from "vitest";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";

const signed = (...calls: readonly (readonly [string, unknown])[]): Partial<ModelReply> => {
  const { toolCalls = [] } = callsOf(...calls);
  return {
    text: "<think>Look first.</think>",
    toolCalls: toolCalls.map((call) => ({ ...call, providerData: { extra_content: { signature: `of ${call.id}` } } })),
    providerData: { reasoning_content: "Look first." },
  };
};
const back = {
  role: "assistant",
  content: "",
  providerData: { reasoning_content: "Look first." },
  toolCalls: [{ name: "send", providerData: { extra_content: { signature: "of c0" } } }],
};

test("an agent hands back what the provider wants, and its thoughts nowhere else", async () => {
  const model = scriptedModel([signed(["send", {}]), "Sent."]);
  const { executors } = agentWorld(model, { send: () => "ok" });
  const result = await run(agentPlan(), { executors });
  expect(result.output_data).toEqual({ work: { text: "Sent." } });
  expect(model.requests[1]?.messages.at(-2)).toMatchObject(back);
});

test("after a resumption too: it is in the journal", async () => {
  const journal = memoryJournal();
  const model = scriptedModel([signed(["send", { q: "to Ada" }]), "Sent."]);
  const { executors } = agentWorld(model, { send: () => "ok" });
  const given = { executors, journal, approval: { resources: ["send"] } };
  expect((await run(agentPlan(), { ...given, runId: "r" })).end_reason).toBe("waiting_approval");
  await approve("r", "work/call-0-0", { journal });
  expect((await resume("r", given)).end_reason).toBe("completed");
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.messages.at(-2)).toMatchObject(back);
});

const call = JSON.stringify({ name: "send", arguments: { q: "to Ada" } });
test.for([
  { form: "fenced", text: `\`\`\`json\n${call}\n\`\`\`` },
  { form: "tagged", text: `<think>I will send it.</think>\n<tool_call>\n${call}\n</tool_call>` },
  { form: "bare", text: call },
  { form: "Llama's", text: '<function=send>{"q": "to Ada"}</function>' },
  { form: "Mistral's", text: `[TOOL_CALLS][${call}]` },
])("a call that a model writes as text is made, and is not the answer: $form", async ({ text }) => {
  const model = scriptedModel([text, "Sent."]);
  const { calls, executors } = agentWorld(model, { send: () => "ok" });
  const result = await run(agentPlan(), { executors });
  expect(calls).toEqual([["send", { q: "to Ada" }]]);
  expect(result.output_data).toEqual({ work: { text: "Sent." } });
  expect(model.requests[1]?.messages.at(-2)).toMatchObject({ role: "assistant", toolCalls: [{ name: "send" }] });
});

test.for([
  { what: "of no known tool", text: '{"name": "destroy", "arguments": {}}' },
  { what: "that has other fields", text: '{"name": "send", "arguments": {}, "age": 3}' },
  { what: "without arguments", text: '{"name": "send"}' },
])("JSON that is no call is an answer: $what", async ({ text }) => {
  const { calls, executors } = agentWorld(scriptedModel([text]), { send: () => "ok" });
  expect((await run(agentPlan(), { executors })).output_data).toEqual({ work: { text } });
  expect(calls).toEqual([]);
});

test("a call within an answer is not made, since the answer may quote it; the model is asked what it means", async () => {
  const quoted = `The page says:\n<tool_call>${call}</tool_call>\nI did not do it.`;
  const model = scriptedModel([quoted, "The page asks to send something."]);
  const { calls, executors } = agentWorld(model, { send: () => "ok" });
  const result = await run(agentPlan(), { executors });
  expect(calls).toEqual([]);
  expect(result.output_data).toEqual({ work: { text: "The page asks to send something." } });
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/call of `send`.*as text.*was not made/s);
});

test("a thought alone is no answer of an agent", async () => {
  const model = scriptedModel(["<think>Done, I believe.</think>", "Done."]);
  const { executors } = agentWorld(model, {});
  expect((await run(agentPlan(), { executors })).output_data).toEqual({ work: { text: "Done." } });
});

test("a model that refuses is asked once, what that used is counted, and its words reach the user", async () => {
  const refusal = JSON.stringify({
    choices: [{ message: { content: null, refusal: "I can't help with that." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20 },
  });
  const step: ChatBehaviour = { status: 200, body: refusal };
  await using server = await startChatServer([step], { repeat: true });
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {} });
  const { executors } = agentWorld(model, {});
  const result = await run(agentPlan(), { executors, retry: { max_attempts: 3 } });
  expect(result.results[0]?.error).toMatchObject({
    message: expect.stringContaining("I can't help with that."),
    details: { error_code: "CONTROLLER_REFUSED" },
  });
  expect(server.requests).toHaveLength(1);
  expect(result.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
});

test("a reply that was to call a tool, without the call, is no answer: the model is asked for it once", async () => {
  const lost = { text: "I look it up.", finishReason: "tool_calls" } as const;
  const model = scriptedModel([lost, "Done.", lost, lost]);
  const { executors } = agentWorld(model, {});
  expect((await run(agentPlan(), { executors })).output_data).toEqual({ work: { text: "Done." } });
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/no call came/);
  expect((await run(agentPlan(), { executors })).output_data).toEqual({ work: { text: "I look it up." } });
});
