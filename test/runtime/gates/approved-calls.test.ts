import { type Executor, PlannerTask, TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  defineWorkflow,
  deny,
  fork,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  replay,
  resume,
  run,
  toolExecutor,
  verifyRun,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { journals, payment, paymentTools, tool } from "../../support/payments.ts";

type Bind = NonNullable<RunOptions["bind"]>;

/** A Stage 2 that gives another step each time it is asked, as a model may. */
function fickleBind(steps: readonly { uid: string; input_data: Record<string, unknown> }[]): Bind & { asked: number } {
  const bind = async ({ task, input }: Parameters<Bind>[0]) => {
    if (task.task_id !== "pay") return { uid: String(task.tool_id), input_data: input };
    const step = steps[Math.min(counted.asked++, steps.length - 1)]!;
    return structuredClone(step);
  };
  const counted = Object.assign(bind, { asked: 0 });
  return counted;
}

test("a gate shows the input that convertor_code makes, and executes that", async () => {
  for (const { journal, close } of await journals()) {
    const { calls, executors } = paymentTools();
    const events: RunEvent[] = [];
    const code = '{"to": "mallory", "amount": 99999}';
    const onEvent = (event: RunEvent) => void events.push(event);
    const first = await run(payment({ convertor_code: code }), { executors, journal, runId: "r", onEvent });
    const input = { to: "mallory", amount: 99_999 };
    expect(first.results[1]).toMatchObject({ status: "waiting_approval", uid: "pay", input });
    const [asked] = await waitingFor("r", { journal });
    expect(asked).toMatchObject({ id: "pay", kind: "tool", uid: "pay", input, convertor_code: code });
    const reported = events.find(({ type }) => type === "task-waiting");
    expect(reported).toMatchObject({ uid: "pay", input, convertorCode: code, contentHash: asked?.content_hash });
    expect((await replay("r", { journal })).divergence).toBeUndefined();
    await approve("r", "pay", { journal });
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(calls).toEqual([{ tool: "pay", input }]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    await close();
  }
});

const other = [
  { uid: "pay", input_data: { to: "alice", amount: 1 } },
  { uid: "wipe", input_data: { to: "mallory", amount: 77_777 } },
];

test("Stage 2 is asked before the person, and not again after the yes: after a restart", async () => {
  for (const { journal, close } of await journals()) {
    const { calls, executors } = paymentTools();
    const bind = fickleBind(other);
    const plan = payment({ tool_id: null, arguments: {} });
    await run(plan, { executors, journal, runId: "r", bind });
    expect(await waitingFor("r", { journal })).toMatchObject([{ uid: "pay", input: other[0]!.input_data }]);
    // Still nobody has answered: the question stays the same.
    expect((await resume("r", { executors, journal, bind })).end_reason).toBe("waiting_approval");
    await approve("r", "pay", { journal });
    expect((await resume("r", { executors, journal, bind })).end_reason).toBe("completed");
    expect(calls).toEqual([{ tool: "pay", input: other[0]!.input_data }]);
    expect(bind.asked).toBe(1);
    await close();
  }
});

test("Stage 2 is not asked again after the yes: while the run goes on, and where an attempt is repeated", async () => {
  const journal = memoryJournal();
  const { calls } = paymentTools();
  let attempts = 0;
  const flaky = toolExecutor([
    defineTool({ id: "quote", description: "", execute: () => ({ amount: 1 }) }),
    defineTool({
      id: "pay",
      description: "",
      execute: (input) => {
        calls.push({ tool: "pay", input });
        if (++attempts < 2) throw Object.assign(new Error("busy"), { status: 503 });
        return "paid";
      },
    }),
    defineTool({ id: "wipe", description: "", execute: () => calls.push({ tool: "wipe", input: {} }) }),
  ]);
  const bind = fickleBind(other);
  const retry = { max_attempts: 3, initial_delay_ms: 1 };
  // The run goes on until the answer is there.
  const { promise: answered, resolve: goOn } = Promise.withResolvers<void>();
  const clerk: Executor = {
    kind: "agent",
    resources: () => [{ kind: "agent", id: "clerk", description: "" }],
    execute: () => answered,
  };
  const plan = payment({ tool_id: null, arguments: {}, retry });
  plan.planned_tasks.push(PlannerTask.parse({ task_id: "c", execution_type: "agent", agent_id: "clerk" }));
  const choose: Bind = async (request, options) =>
    request.task.task_id === "c" ? { uid: "clerk", input_data: {} } : bind(request, options);
  const result = await run(plan, {
    executors: [flaky, clerk],
    journal,
    runId: "r",
    bind: choose,
    onEvent: (event) => {
      if (event.type === "task-waiting") void approve("r", event.taskId, { journal }).finally(goOn);
    },
  });
  expect(result.end_reason).toBe("completed");
  expect(calls).toEqual([
    { tool: "pay", input: other[0]!.input_data },
    { tool: "pay", input: other[0]!.input_data },
  ]);
  expect(bind.asked).toBe(1);
});

test("without a journal an answer holds for the input it was given for, whatever changed it", async () => {
  const { calls, state, executors } = paymentTools();
  const first = await run(payment(), { executors });
  expect(first.results[1]).toMatchObject({ input: { amount: 100 }, question: { kind: "tool" } });
  const answers = [{ task_id: "pay", content_hash: first.results[1]!.content_hash!, answer: "approve" as const }];
  state.amount = 1_000_000;
  const dearer = await run(payment(), { executors, approval: { answers } });
  expect(dearer.end_reason).toBe("waiting_approval");
  expect(dearer.results[1]).toMatchObject({ input: { amount: 1_000_000 } });
  state.amount = 100;
  expect((await run(payment(), { executors, approval: { answers } })).end_reason).toBe("completed");
  expect(calls).toEqual([{ tool: "pay", input: { to: "alice", amount: 100 } }]);
});

test.for([
  { name: "a variable", variables: { amount: 10 }, later: { variables: { amount: 424_242 } }, reference: "amount" },
  { name: "the run's input", variables: {}, later: { input: { amount: 424_242 } }, reference: "input.amount" },
])("another value of $name is another question", async ({ variables, later, reference }) => {
  const { calls, executors } = paymentTools();
  const task = tool({
    task_id: "pay",
    tool_id: "pay",
    arguments: { to: "alice", amount: `\${${reference}}` },
    approval: "required",
  });
  const plan = TaskData.parse({ variables, planned_tasks: [task] });
  const first = await run(plan, { executors, input: { amount: 10 } });
  const content_hash = first.results[0]!.content_hash!;
  const approval = { answers: [{ task_id: "pay", content_hash, answer: "approve" as const }] };
  expect((await run(plan, { executors, approval, ...later })).end_reason).toBe("waiting_approval");
  expect(calls).toEqual([]);
  expect((await run(plan, { executors, approval, input: { amount: 10 } })).end_reason).toBe("completed");
});

test("parameters that the executor gets are part of the question", async () => {
  const seen: unknown[] = [];
  const agent: Executor = {
    kind: "agent",
    resources: () => [{ kind: "agent", id: "clerk", description: "" }],
    execute: async (_, { task }) => void seen.push(task.parameters),
  };
  const plan = (limit: number) =>
    TaskData.parse({
      variables: { limit },
      planned_tasks: [
        {
          task_id: "c",
          execution_type: "agent",
          agent_id: "clerk",
          parameters: { limit: `\${limit}` },
          approval: "required",
        },
      ],
    });
  const first = await run(plan(1), { executors: [agent] });
  expect(first.results[0]?.question).toMatchObject({ parameters: { limit: 1 } });
  const content_hash = first.results[0]!.content_hash!;
  const approval = { answers: [{ task_id: "c", content_hash, answer: "approve" as const }] };
  expect((await run(plan(9), { executors: [agent], approval })).end_reason).toBe("waiting_approval");
  expect((await run(plan(1), { executors: [agent], approval })).end_reason).toBe("completed");
  expect(seen).toEqual([{ limit: 1 }]);
});

test("an answer before the input exists is refused, and says when there is one", async () => {
  const journal = memoryJournal();
  const { calls } = paymentTools();
  const { promise: quoted, resolve: quote } = Promise.withResolvers<{ amount: number }>();
  const slow = toolExecutor([
    defineTool({ id: "quote", description: "", execute: () => quoted }),
    defineTool({ id: "pay", description: "", execute: (input) => void calls.push({ tool: "pay", input }) }),
  ]);
  const running = run(payment(), { executors: [slow], journal, runId: "r" });
  for (const say of [approve, deny]) {
    await expect(say("r", "pay", { journal })).rejects.toMatchObject({
      code: "RUNTIME_NOT_YET_ASKED",
      details: { waits_for: ["q"] },
      message: expect.stringContaining("once q completed"),
    });
  }
  quote({ amount: 1_000_000 });
  expect((await running).end_reason).toBe("waiting_approval");
  expect(calls).toEqual([]);
  await expect(approve("r", "q", { journal })).rejects.toMatchObject({ code: "RUNTIME_NOT_WAITING" });
});

test("a no is final: before the run goes on, and after it ended denied", async () => {
  for (const { journal, close } of await journals()) {
    const { calls, executors } = paymentTools();
    await run(payment(), { executors, journal, runId: "r" });
    await deny("r", "pay", { journal, by: "Grace", note: "too much" });
    const refusal = { code: "RUNTIME_ALREADY_DENIED", details: { by: "Grace" } };
    await expect(approve("r", "pay", { journal })).rejects.toMatchObject(refusal);
    // Another process may have stored a yes at the same time.
    const [no] = await journal.getAnswers("r");
    await journal.addAnswer("r", { ...no!, answer: "approve", answered_at: new Date().toISOString() });
    const denied = await resume("r", { executors, journal });
    expect(denied.end_reason).toBe("denied");
    expect(denied.results[1]?.error).toMatchObject({ details: { by: "Grace", note: "too much" } });
    await expect(approve("r", "pay", { journal })).rejects.toMatchObject(refusal);
    expect((await resume("r", { executors, journal })).end_reason).toBe("denied");
    expect(calls).toEqual([]);
    await close();
  }
});

test("a no after a yes holds while nothing was executed", async () => {
  const journal = memoryJournal();
  const { calls, executors } = paymentTools();
  await run(payment(), { executors, journal, runId: "r" });
  await approve("r", "pay", { journal });
  await deny("r", "pay", { journal });
  expect((await resume("r", { executors, journal })).end_reason).toBe("denied");
  expect(calls).toEqual([]);
});

test("who answered, when and why is kept and shown", async () => {
  const journal = memoryJournal();
  const { executors } = paymentTools();
  const events: RunEvent[] = [];
  await run(payment(), { executors, journal, runId: "r" });
  await approve("r", "pay", { journal, by: "Ada", note: "as agreed" });
  expect(await journal.getAnswers("r")).toMatchObject([
    { task_id: "pay", uid: "pay", by: "Ada", note: "as agreed", answered_at: expect.stringMatching(/^20/) },
  ]);
  await resume("r", { executors, journal, onEvent: (event) => void events.push(event) });
  const reported = events.find(({ type }) => type === "task-approve");
  expect(reported).toMatchObject({ taskId: "pay", answer: "approve", by: "Ada", note: "as agreed" });
});

test("a yes expires where the run says so; then it is asked again", async () => {
  const journal = memoryJournal();
  const { calls, executors } = paymentTools();
  const approval = { expiresAfterMs: 60_000 };
  await run(payment(), { executors, journal, runId: "r", approval });
  const given = await approve("r", "pay", { journal });
  const old = memoryJournal();
  await run(payment(), { executors, journal: old, runId: "r", approval });
  await old.addAnswer("r", { ...given, answered_at: new Date(Date.now() - 61_000).toISOString() });
  expect((await resume("r", { executors, journal: old })).end_reason).toBe("waiting_approval");
  expect(calls).toEqual([]);
  await approve("r", "pay", { journal: old });
  expect((await resume("r", { executors, journal: old })).end_reason).toBe("completed");
  expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
  expect(calls).toHaveLength(2);
});

test("an edited input is a question of its own, answered with a yes, and is what is executed", async () => {
  for (const { journal, close } of await journals()) {
    const { calls, executors } = paymentTools();
    const events: RunEvent[] = [];
    await run(payment(), { executors, journal, runId: "r" });
    const misfit = approve("r", "pay", { journal, input: { to: "alice", amount: "all" } });
    await expect(misfit).rejects.toMatchObject({ code: "RUNTIME_INVALID_ANSWER", details: { task_id: "pay" } });
    const secret = approve("r", "pay", { journal, input: { to: { $secret: "KEY" }, amount: 1 } });
    await expect(secret).rejects.toMatchObject({ code: "RUNTIME_INVALID_ANSWER" });
    const [asked] = await waitingFor("r", { journal });
    const input = { to: "alice", amount: 40 };
    const given = await approve("r", "pay", { journal, input, by: "Ada" });
    expect(given).toMatchObject({ edited_from: asked?.content_hash, input, by: "Ada" });
    expect(given.content_hash).not.toBe(asked?.content_hash);
    const result = await resume("r", { executors, journal, onEvent: (event) => void events.push(event) });
    expect(result.end_reason).toBe("completed");
    expect(result.results[1]).toMatchObject({ input });
    expect(calls).toEqual([{ tool: "pay", input }]);
    expect((await replay("r", { journal })).divergence).toBeUndefined();
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    await close();
  }
});

test("an answer whose hash is not that of its edited input executes nothing", async () => {
  const { calls, executors } = paymentTools();
  const first = await run(payment(), { executors });
  const edited_from = first.results[1]!.content_hash!;
  const input = { to: "mallory", amount: 1 };
  const answer = { task_id: "pay", content_hash: "0".repeat(64), edited_from, input, answer: "approve" as const };
  const result = await run(payment(), { executors, approval: { answers: [answer] } });
  expect(result.results[1]).toMatchObject({ status: "failed", error: { code: "TASK_INVALID_INPUT" } });
  expect(calls).toEqual([]);
});

test("a fork asks anew about what it does again", async () => {
  const journal = memoryJournal();
  const { calls, state, executors } = paymentTools();
  await run(payment(), { executors, journal, runId: "r" });
  await approve("r", "pay", { journal });
  await resume("r", { executors, journal });
  state.amount = 5_000_000;
  const forked = await fork("r", "q", { executors, journal, runId: "f" });
  expect(forked.end_reason).toBe("waiting_approval");
  expect(await waitingFor("f", { journal })).toMatchObject([{ input: { amount: 5_000_000 } }]);
  expect((await fork("r", "pay", { executors, journal, runId: "g" })).end_reason).toBe("waiting_approval");
  expect(calls).toHaveLength(1);
});

test.for([
  { name: "a reference without a value", over: { arguments: { to: "a", amount: `\${q.nothing}` } } },
  { name: "input that does not fit", over: { arguments: { to: "a", amount: "much" } } },
  { name: "a tool that is not there", over: { tool_id: "gone" } },
])("nobody is asked about a task that cannot run: $name", async ({ over }) => {
  const journal = memoryJournal();
  const { executors } = paymentTools();
  const result = await run(payment(over), { executors, journal, runId: "r" });
  expect(result.end_reason).toBe("failed");
  expect(await waitingFor("r", { journal })).toEqual([]);
  expect((await replay("r", { journal })).divergence).toBeUndefined();
});

test("a gate within a workflow shows and executes what Stage 2 made of it then", async () => {
  for (const { journal, close } of await journals()) {
    const { calls, executors } = paymentTools();
    const inner = tool({ task_id: "pay", approval: "required" });
    const workflow = defineWorkflow({ id: "flow", description: "", plan: { planned_tasks: [inner] } });
    const all = [...executors, workflowExecutor([workflow])];
    const steps = fickleBind(other);
    const bind: Bind = async (request, options) =>
      request.task.execution_type === "dsl" ? { uid: "flow", input_data: {} } : steps(request, options);
    const plan = TaskData.parse({
      planned_tasks: [{ task_id: "w", execution_type: "dsl", parameters: { uid: "flow" } }],
    });
    await run(plan, { executors: all, journal, runId: "r", bind });
    expect(await waitingFor("r", { journal })).toMatchObject([
      { id: "w/pay", kind: "tool", uid: "pay", input: other[0]!.input_data },
    ]);
    const edited = { to: "alice", amount: 2 };
    await approve("r", "w/pay", { journal, input: edited });
    expect((await resume("r", { executors: all, journal, bind })).end_reason).toBe("completed");
    expect(calls).toEqual([{ tool: "pay", input: edited }]);
    expect(steps.asked).toBe(1);
    await close();
  }
});

test("a large input is shown whole", async () => {
  const journal = memoryJournal();
  const { executors } = paymentTools();
  const to = "x".repeat(200_000);
  await run(payment({ arguments: { to, amount: 1 } }), { executors, journal, runId: "r" });
  const [asked] = await waitingFor("r", { journal });
  expect(asked?.input).toEqual({ to, amount: 1 });
});
