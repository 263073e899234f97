import { setTimeout as wait } from "node:timers/promises";
import { openaiModel } from "@planloom/controller";
import { chatBehaviours, scriptedModel, startChatServer } from "@planloom/controller/testing";
import { PlannerTask } from "@planloom/plan";
import { approve, deny, memoryJournal, resume, run, waitingFor } from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";
import { cases } from "../../support/cases.ts";
import { fakeTime } from "../../support/fake-time.ts";

test("a call that needs approval suspends the agent; the answer lets it go on where it was", async () => {
  const journal = memoryJournal();
  const model = scriptedModel([callsOf(["search", {}], ["send", { q: "to Ada" }]), "Sent."]);
  const { calls, executors } = agentWorld(model, { search: () => 1, send: () => "ok" });
  const given = { executors, journal, approval: { resources: ["send"] } };
  const first = await run(agentPlan(), { ...given, runId: "r" });
  expect(first.end_reason).toBe("waiting_approval");
  expect(first.results[0]?.error?.details?.waiting).toMatchObject([
    { id: "work/call-0-1", content_hash: expect.any(String), uid: "send", input: { q: "to Ada" } },
  ]);
  expect(calls).toEqual([["search", {}]]);

  await approve("r", "work/call-0-1", { journal });
  const second = await resume("r", given);
  expect(second.output_data).toEqual({ work: { text: "Sent." } });
  expect(calls).toEqual([
    ["search", {}],
    ["send", { q: "to Ada" }],
  ]);
  model.assertDone();
});

test("an answer that comes while the run goes on: nothing is asked or called twice", async () => {
  const journal = memoryJournal();
  const ended = Promise.withResolvers<void>();
  const model = scriptedModel([callsOf(["search", {}], ["broken", {}]), callsOf(["send", {}]), "Sent."]);
  const { calls, executors } = agentWorld(model, {
    search: () => 1,
    broken: () => {
      throw new Error("always");
    },
    send: () => "ok",
    other: () => ended.promise,
  });
  const both = agentPlan();
  const other = PlannerTask.parse({ task_id: "other", execution_type: "tool", tool_id: "other" });
  const plan = { ...both, planned_tasks: [...both.planned_tasks, other] };
  const running = run(plan, {
    executors,
    journal,
    runId: "r",
    approval: { resources: ["send"] },
    onEvent(event) {
      if (event.type === "task-end" && event.taskId === "work") ended.resolve();
    },
  });
  let waiting = await waitingFor("r", { journal });
  for (; waiting.length === 0; waiting = await waitingFor("r", { journal })) await wait(5);
  await approve("r", waiting[0]!.id, { journal });
  const result = await running;
  expect(result.end_reason).toBe("completed");
  expect(calls.map(([id]) => id).sort()).toEqual(["broken", "other", "search", "send"]);
  model.assertDone();
});

test("a no is reported to the model, and the same call is not asked for again", async () => {
  const journal = memoryJournal();
  const send = callsOf(["send", { q: "x" }]);
  const model = scriptedModel([send, send, "Then not."]);
  const { calls, executors } = agentWorld(model, { send: () => "ok" });
  const given = { executors, journal, approval: { resources: ["send"] } };
  await run(agentPlan(), { ...given, runId: "r" });
  await deny("r", "work", { journal });
  const second = await resume("r", given);
  expect(second.output_data).toEqual({ work: { text: "Then not." } });
  expect(calls).toEqual([]);
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain("A person said no");
});

test("an approval is for one call: other arguments are asked for anew", async () => {
  const journal = memoryJournal();
  const model = scriptedModel([callsOf(["send", { q: "x" }]), callsOf(["send", { q: "y" }]), "done"]);
  const { calls, executors } = agentWorld(model, { send: () => "ok" });
  const given = { executors, journal, approval: { resources: ["send"] } };
  await run(agentPlan(), { ...given, runId: "r" });
  await approve("r", "work", { journal });
  expect((await resume("r", given)).end_reason).toBe("waiting_approval");
  expect(calls).toEqual([["send", { q: "x" }]]);
  await approve("r", "work", { journal });
  expect((await resume("r", given)).end_reason).toBe("completed");
  expect(calls).toEqual([
    ["send", { q: "x" }],
    ["send", { q: "y" }],
  ]);
});

test("an abort in the middle of a cycle stops model and tools; a resumed run does nothing twice", async () => {
  const journal = memoryJournal();
  const abort = new AbortController();
  const model = scriptedModel([
    callsOf(["search", {}], ["broken", {}]),
    callsOf(["slow", {}], ["search", { q: "2" }]),
    "done",
  ]);
  const stopped: string[] = [];
  let first = true;
  const { calls, executors } = agentWorld(model, {
    search: () => 1,
    broken: () => {
      throw new Error("always");
    },
    slow: (_, signal) => {
      if (!first) return "now";
      first = false;
      setTimeout(() => abort.abort(), 5);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped.push("slow");
          reject(signal.reason as Error);
        });
      });
    },
  });
  const given = { executors, journal };
  expect((await run(agentPlan(), { ...given, runId: "r", signal: abort.signal })).end_reason).toBe("cancelled");
  expect(stopped).toEqual(["slow"]);
  const before = calls.length;
  // Nobody knows what the tool did that was stopped.
  const asked = await resume("r", given);
  expect(asked.end_reason).toBe("waiting_approval");
  const [waiting] = await waitingFor("r", { journal });
  expect(waiting).toMatchObject({ uid: "slow", begun_at: expect.any(String) });
  expect(calls.slice(before)).toEqual([]);
  await approve("r", waiting!.id, { journal });
  const second = await resume("r", given);
  expect(second.output_data).toEqual({ work: { text: "done" } });
  expect(calls.slice(before)).toEqual([["slow", {}]]);
  model.assertDone();
});

test("a drain lets the model answer and calls nothing after it", async () => {
  const journal = memoryJournal();
  const drain = new AbortController();
  const model = scriptedModel([
    () => {
      drain.abort();
      return callsOf(["search", {}]);
    },
    "done",
  ]);
  const { calls, executors } = agentWorld(model, { search: () => 1 });
  const first = await run(agentPlan(), { executors, journal, runId: "r", drain: drain.signal });
  expect(first.end_reason).toBe("drained");
  expect(calls).toEqual([]);
  const nested = await journal.getNestedTasks("r");
  expect(nested.map(({ record }) => [record.uid, record.status])).toEqual([["scripted", "completed"]]);
  expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
  model.assertDone();
});

test("budgets and guards hold for the calls of an agent", async () => {
  const usage = { inputTokens: 60, outputTokens: 0 };
  const search = { ...callsOf(["search", {}]), usage };
  const model = scriptedModel([search, { ...callsOf(["search", { q: "2" }]), usage }, "never"]);
  const { calls, executors } = agentWorld(model, { search: () => 1 });
  const spent = await run(agentPlan(), { executors, budgets: { run: { tokens: 100 } } });
  expect(spent.end_reason).toBe("budget");
  expect(calls).toHaveLength(2);
  expect(spent.usage.input_tokens).toBe(120);

  const guarded = scriptedModel([callsOf(["search", {}], ["search", { q: "2" }]), "ok"]);
  const world = agentWorld(guarded, { search: () => 1 });
  const result = await run(agentPlan(), { executors: world.executors, guards: { tools: { search: 1 } } });
  expect(result.end_reason).toBe("completed");
  expect(world.calls).toHaveLength(1);
  expect(guarded.requests[1]?.messages.at(-1)?.content).toContain("Guard blocked");
});

test("a model server that misbehaves: refused rates, dropped connections and nonsense are tried again", async () => {
  const call = { toolCalls: [{ name: "search", arguments: '{"q": "x"}' }] };
  await using server = await startChatServer([
    chatBehaviours.rateLimited("0"),
    chatBehaviours.drops("no", "middle"),
    call,
    chatBehaviours.noJson(),
    { toolCalls: [{ name: "search", arguments: '{"q": "y"' }], finishReason: "length" },
    chatBehaviours.answers("Found it."),
  ]);
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m", maxRetries: 0 });
  const { calls, executors } = agentWorld(model, { search: () => "x is 5" });
  const retry = { max_attempts: 4, initial_delay_ms: 1 };
  const { output_data, end_reason } = await run(agentPlan(), {
    executors,
    retryOn: { server: retry, other: retry, rate_limit: retry, network: retry },
  });
  expect([end_reason, output_data]).toEqual(["completed", { work: { text: "Found it." } }]);
  expect(calls[0]).toEqual(["search", { q: "x" }]);
  expect(server.left).toBe(0);
});

test("a refused key fails the task at once", async () => {
  await using server = await startChatServer([chatBehaviours.fails(401)], { repeat: true });
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m" });
  const { results } = await run(agentPlan(), { executors: agentWorld(model, {}).executors });
  expect(results[0]).toMatchObject({ status: "failed", error: { message: expect.stringContaining("gave no answer") } });
  expect(server.requests).toHaveLength(1);
});

test("a model that is silent is given up by its own time limit, not by that of tools", async () => {
  await using server = await startChatServer([chatBehaviours.silent()], { repeat: true });
  const model = openaiModel({ baseURL: server.baseURL, apiKey: "k", model: "m", maxRetries: 0 });
  const { executors } = agentWorld(model, {}, { modelTimeoutMs: 30 });
  const { results } = await run(agentPlan(), { executors, retry: { max_attempts: 1 } });
  expect(results[0]?.error?.message).toContain("longer than 30 ms");
});

test("an agent may take longer than one of its calls may; a limit of its task's own is for all of it", async () => {
  using _time = fakeTime();
  const wait = () => new Promise((resolve) => setTimeout(resolve, 60));
  const search = (q: number) => callsOf(["search", { q: String(q) }]);
  const world = () => agentWorld(scriptedModel([search(1), search(2), search(3), "done"]), { search: wait });
  const long = await run(agentPlan(), { executors: world().executors, taskTimeoutMs: 150 });
  expect(long.end_reason).toBe("completed");
  const plan = agentPlan();
  const limited = { ...plan, planned_tasks: plan.planned_tasks.map((task) => ({ ...task, timeout_ms: 100 })) };
  const { results } = await run(limited, { executors: world().executors });
  expect(results[0]?.error?.code).toBe("TASK_TIMEOUT");
});

test("whatever a model replies, the run ends with a result", async () => {
  const name = fc.oneof(fc.constantFrom("search", "__proto__", "constructor", ""), fc.string());
  const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom("{", '{"q":', "${x}", '{"$ref":"input"}', "null"));
  const call = fc.record({ id: fc.oneof(fc.constant(""), fc.string()), name, arguments: text });
  const reply = fc.record({ text: fc.string(), toolCalls: fc.array(call, { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 5 }), async (replies) => {
      let turn = 0;
      const model = { name: "m", generate: async () => replies[turn++ % replies.length]! };
      const { executors } = agentWorld(model, { search: (input) => input }, { maxCycles: 5 });
      const { end_reason } = await run(agentPlan(), { executors });
      expect(["completed", "failed"]).toContain(end_reason);
    }),
    { numRuns: cases(150) },
  );
});
