import { TaskState } from "@a2a-js/sdk";
import { connectAgents } from "@planloom/a2a";
import { approve, Planloom, SqliteJournal } from "planloom";
import { waitingFor } from "planloom/runtime";
import { expect, test, vi } from "vitest";
import { RemoteAgent } from "../../packages/a2a/src/client/remote-agent.ts";
import { data, type TestAgentOptions, testAgent, text } from "./support.ts";

const plan = (task: object = {}) => ({
  planned_tasks: [
    {
      task_id: "ask",
      execution_type: "agent" as const,
      agent_id: "helper",
      arguments: { city: "Oslo" },
      instructions: "Look the city up",
      ...task,
    },
  ],
});

/** A Planloom with one agent, named `helper`. */
async function world(options: TestAgentOptions, agentOptions: object = {}) {
  const agent = await testAgent(options);
  const connection = await connectAgents(
    { helper: { url: agent.url, ...agentOptions } },
    { pollMs: 20, reconnectMs: 2_000 },
  );
  const journal = await SqliteJournal.open(":memory:");
  const planloom = new Planloom({ executors: [connection.executor], journal });
  return {
    agent,
    connection,
    journal,
    planloom,
    async [Symbol.asyncDispose]() {
      await planloom.close();
      await connection.close();
      await agent[Symbol.asyncDispose]();
    },
  };
}

test("an agent is a resource by its card, gets words and data, and its artifact is the output", async () => {
  await using here = await world({
    onTurn(turn) {
      turn.task();
      turn.status(TaskState.TASK_STATE_WORKING, [text("Looking")]);
      turn.artifact([data({ population: 700_000 })]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  expect(here.connection.resources).toMatchObject([
    { kind: "agent", id: "helper", name: "Test agent", protocol_type: "a2a", version: "1", skills: ["Work: Works"] },
  ]);
  const progress: unknown[] = [];
  const result = await here.planloom.run(plan(), {
    onEvent: (event) => event.type === "task-progress" && progress.push(event.progress),
  });
  expect(result.results).toMatchObject([{ status: "completed", output: { population: 700_000 } }]);
  expect(here.agent.messages).toMatchObject([
    { parts: [{ content: { value: "Look the city up" } }, { content: { value: { city: "Oslo" } } }] },
  ]);
  expect(progress).toContainEqual(expect.objectContaining({ state: "working", text: "Looking" }));
});

test("an agent that streams nothing is looked at until it has ended", async () => {
  const looked = Promise.withResolvers<void>();
  await using here = await world({
    card: { capabilities: {} },
    before(_request, _response, body) {
      if (body.includes('"GetTask"')) looked.resolve();
      return false;
    },
    async onTurn(turn) {
      turn.task();
      await looked.promise;
      turn.artifact([text("one")]);
      turn.artifact([text("two")], { id: "second" });
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  const result = await here.planloom.run(plan());
  expect(result.results[0]).toMatchObject({ status: "completed", output: "one\ntwo" });
  expect(here.agent.calls.filter((method) => method === "GetTask").length).toBeGreaterThan(0);
});

test("what an agent asks for is asked of a person, and the answer goes back to the same task", async () => {
  await using here = await world({
    onTurn(turn) {
      turn.task();
      if (!turn.isFollowUp) return turn.status(TaskState.TASK_STATE_INPUT_REQUIRED, [text("Which Oslo?")]);
      turn.artifact([data({ chosen: turn.words })]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  const runId = "asked";
  expect((await here.planloom.run(plan(), { runId })).end_reason).toBe("waiting_approval");
  const [question] = await waitingFor(runId, { journal: here.journal });
  expect(question).toMatchObject({ input: { question: "Which Oslo?", about: { agent: "helper" } } });
  const input = { ...question!.input, answer: "Norway" };
  await approve(runId, question!.id, { journal: here.journal, input });
  const result = await here.planloom.resume(runId);
  expect(result.results[0]).toMatchObject({ status: "completed", output: { chosen: "Norway" } });
  expect(here.agent.messages.map(({ taskId }) => taskId !== "")).toEqual([true, true]);
  expect(new Set(here.agent.messages.map(({ contextId }) => contextId)).size).toBe(1);
});

test("where connecting is aborted, agents that are connected by then are closed before it says so", async () => {
  const asked = Promise.withResolvers<void>();
  await using here = await testAgent({ onTurn: () => {} });
  await using slow = await testAgent({
    onTurn: () => {},
    before: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const closed: string[] = [];
  const close = vi.spyOn(RemoteAgent.prototype, "close").mockImplementation(function (this: RemoteAgent) {
    closed.push(this.name);
  });
  const connect = vi.spyOn(RemoteAgent, "connect");
  const stop = new AbortController();
  const connecting = connectAgents({ here: { url: here.url }, slow: { url: slow.url } }, { signal: stop.signal });
  await asked.promise;
  await connect.mock.results[0]!.value;
  stop.abort(new Error("enough"));
  await expect(connecting).rejects.toThrow("enough");
  expect(closed).toEqual(["here"]);
  close.mockRestore();
  connect.mockRestore();
});
