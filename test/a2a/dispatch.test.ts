import { TaskState } from "@a2a-js/sdk";
import { a2aDispatcher, connectAgents, serveAgent } from "@planloom/a2a";
import { defineTool, memoryJournal, Planloom, type RunEvent } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";
import { data, testAgent, text } from "./support.ts";

/** A Planloom with tools that add, served as an agent. */
async function adder(name: string, options: { readonly fails?: boolean; readonly hangs?: boolean } = {}) {
  const calls: number[] = [];
  const add = defineTool({
    id: `${name}_add`,
    description: `Add two numbers at ${name}`,
    readOnly: true,
    input: z.object({ a: z.number(), b: z.number() }),
    async execute({ a, b }, { signal }) {
      calls.push(a);
      if (options.hangs)
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      if (options.fails && a === 2) throw new Error("two is too many");
      return a + b;
    },
  });
  const planloom = new Planloom({ tools: [add], journal: memoryJournal() });
  const server = await serveAgent(planloom);
  const close = async () => {
    await server.close();
    await planloom.close();
  };
  return { calls, url: server.url, planloom, [Symbol.asyncDispose]: close };
}

const chain = (agent: string) => [
  { task_id: `${agent}1`, tool_id: `${agent}_add`, arguments: { a: 1, b: 1 } },
  { task_id: `${agent}2`, tool_id: `${agent}_add`, arguments: { a: `\${${agent}1}`, b: 10 } },
];
const plan = {
  planned_tasks: [
    ...chain("north"),
    ...chain("south"),
    { task_id: "sum", tool_id: "north_add", arguments: { a: "${north2}", b: "${south2}" } },
  ],
};

test("subgraphs go to the agents that execute them, and each task is reported while they run", async () => {
  await using north = await adder("north");
  await using south = await adder("south");
  await using connection = await connectAgents({ n: { url: north.url }, s: { url: south.url } });
  const dispatcher = a2aDispatcher(connection);
  const events: RunEvent[] = [];
  await using planloom = new Planloom({ executors: dispatcher.executors, dispatch: { to: dispatcher } });
  const result = await planloom.run(plan, { onEvent: (event) => events.push(event) });
  expect(result.output_data).toEqual({ sum: 24 });
  expect([north.calls, south.calls]).toEqual([
    [1, 2, 12],
    [1, 2],
  ]);
  expect(result.grouping?.dispatches).toBeLessThan(plan.planned_tasks.length);
  expect(events.filter(({ type }) => type === "task-end")).toHaveLength(5);
  const { measured, overheadMs } = await dispatcher.prepare(2);
  expect(measured).toBe(8);
  expect(overheadMs).toBeGreaterThan(0);
});

test("without a dispatch each call goes to the agent that executes it", async () => {
  await using north = await adder("north");
  await using connection = await connectAgents({ n: { url: north.url } });
  const { executors } = a2aDispatcher(connection);
  await using planloom = new Planloom({ executors });
  const result = await planloom.run({ planned_tasks: chain("north") });
  expect(result.output_data).toEqual({ north2: 12 });
});

test("a task that fails at the agent fails here with its error, and what was completed stays", async () => {
  await using north = await adder("north", { fails: true });
  await using connection = await connectAgents({ n: { url: north.url } });
  const dispatcher = a2aDispatcher(connection);
  await using planloom = new Planloom({ executors: dispatcher.executors, dispatch: { to: dispatcher } });
  const result = await planloom.run({ planned_tasks: chain("north") });
  expect(result.end_reason).toBe("failed");
  expect(result.results).toMatchObject([
    { status: "completed", output: 2 },
    { status: "failed", error: { message: expect.stringContaining("two is too many") } },
  ]);
});

test("cancelling the run stops the work at the agent", async () => {
  await using north = await adder("north", { hangs: true });
  await using connection = await connectAgents({ n: { url: north.url } });
  const dispatcher = a2aDispatcher(connection);
  await using planloom = new Planloom({ executors: dispatcher.executors, dispatch: { to: dispatcher } });
  const stop = new AbortController();
  const running = planloom.run({ planned_tasks: chain("north") }, { signal: stop.signal });
  await expect.poll(() => north.calls.length).toBe(1);
  stop.abort();
  expect((await running).end_reason).toBe("cancelled");
  const journal = await north.planloom.journal();
  await expect.poll(async () => (await journal.listRuns()).map(({ status }) => status)).toEqual(["cancelled"]);
});

test("an agent that is no Planloom gets the tasks as data and gives one result", async () => {
  const got: unknown[] = [];
  await using agent = await testAgent({
    onTurn(turn) {
      turn.task();
      got.push(turn.words, turn.data);
      const { plan: sent } = (turn.data as { subgraph: { plan: { planned_tasks: { task_id: string }[] } } }).subgraph;
      turn.artifact([data(Object.fromEntries(sent.planned_tasks.map(({ task_id }) => [task_id, `did ${task_id}`])))]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  await using connection = await connectAgents({ crew: { url: agent.url } });
  const dispatcher = a2aDispatcher(connection);
  await using planloom = new Planloom({
    executors: [connection.executor],
    dispatch: { to: dispatcher, optimizer: { strategy: "single" } },
  });
  const task = (task_id: string, more = {}) => ({
    task_id,
    execution_type: "agent" as const,
    agent_id: "crew",
    instructions: `Do ${task_id}`,
    ...more,
  });
  const result = await planloom.run({ planned_tasks: [task("one"), task("two", { dependencies: ["one"] })] });
  expect(result.output_data).toEqual({ two: "did two" });
  expect(got[0]).toBe("1. Do one\n2. Do two");
});

test("an agent that answers something else, or asks, fails its tasks and says why", async () => {
  let asks = false;
  await using agent = await testAgent({
    onTurn(turn) {
      turn.task();
      if (asks) return turn.status(TaskState.TASK_STATE_INPUT_REQUIRED, [text("Which one?")]);
      turn.artifact([data([1])]);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    },
  });
  await using connection = await connectAgents({ crew: { url: agent.url } });
  const dispatcher = a2aDispatcher(connection);
  await using planloom = new Planloom({
    executors: [connection.executor],
    dispatch: { to: dispatcher, optimizer: { strategy: "single" } },
  });
  const task = (task_id: string) => ({ task_id, execution_type: "agent" as const, agent_id: "crew" });
  const odd = await planloom.run({ planned_tasks: [task("one"), task("two")] });
  expect(odd.results.map(({ error }) => error?.message)).toEqual(
    Array(2).fill(expect.stringContaining("the output of each task, one, two")),
  );
  asks = true;
  const asked = await planloom.run({ planned_tasks: [task("one"), task("two")] });
  expect(asked.results.map(({ error }) => error?.message)).toEqual(
    Array(2).fill(expect.stringContaining("Which one?")),
  );
});

test("a run with budgets or gates refuses agents whose calls it cannot see", async () => {
  await using north = await adder("north");
  await using connection = await connectAgents({ n: { url: north.url } });
  const dispatcher = a2aDispatcher(connection);
  await using planloom = new Planloom({ executors: dispatcher.executors, dispatch: { to: dispatcher } });
  await expect(
    planloom.run({ planned_tasks: chain("north") }, { budgets: { run: { calls: 1 } } }),
  ).rejects.toMatchObject({
    message:
      'Expected `dispatcher` to be one that is `governed` (asks before each call), since the run has budgets (`budgets`); without them, they are for where the calls are made, got "a2a" (string).',
  });
  // A person is asked by default before a call of a tool that is declared destructive, which nobody could be there.
  const wipe = defineTool({ id: "wipe", description: "", destructive: true, execute: () => 1 });
  await using careful = new Planloom({ executors: dispatcher.executors, tools: [wipe], dispatch: { to: dispatcher } });
  await expect(careful.run({ planned_tasks: chain("north") })).rejects.toMatchObject({
    message: expect.stringContaining(
      'calls that a person confirms (`confirm: "destructive"`, which asks about "wipe")',
    ),
  });
  expect((await careful.run({ planned_tasks: chain("north") }, { confirm: "never" })).end_reason).toBe("completed");
  expect(() => a2aDispatcher({} as never)).toThrow(expect.objectContaining({ code: "A2A_OPTION" }));
  expect(() => a2aDispatcher(connection, { perAgnt: 1 } as never)).toThrow(
    expect.objectContaining({ code: "A2A_OPTION" }),
  );
});
