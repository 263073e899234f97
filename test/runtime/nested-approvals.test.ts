import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  approve,
  defineTool,
  defineWorkflow,
  deny,
  type Journal,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  verifyRun,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { turns } from "../support/fake-time.ts";
import { dsl, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

/** `flow` reads, sends when a person has approved, and tells; `deep` runs `flow`. */
function world(flow = { send: { tool_id: "send", approval: "required" as const, arguments: { to: "${read}" } } }) {
  const calls: string[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      execute(input: Record<string, unknown>) {
        const text = `${id}(${Object.values(input).join()})`;
        calls.push(text);
        return text;
      },
    });
  const inner = planOf(
    { read: [], send: ["read"], tell: ["send"], side: ["read"] },
    {
      read: { tool_id: "read", arguments: { name: "${input.name}" } },
      tell: { tool_id: "tell", arguments: { what: "${send}" } },
      side: { tool_id: "side" },
      ...flow,
    },
  );
  const executors = [
    toolExecutor(["read", "send", "tell", "side", "other", "after"].map(make)),
    workflowExecutor([
      defineWorkflow({ id: "flow", description: "", plan: inner, output: "outputs.tell" }),
      defineWorkflow({
        id: "deep",
        description: "",
        plan: planOf({ w: [] }, { w: dsl("flow", { name: "${input.name}" }) }),
      }),
    ]),
  ];
  return { calls, executors };
}
const plan = planOf(
  { a: [], other: [], after: ["a"] },
  { a: dsl("flow", { name: "ada" }), after: { arguments: { what: "${a}" } } },
);

test("a gate within a workflow suspends that branch alone, and says what it is about", async () => {
  const { calls, executors } = world();
  const { events, onEvent } = recorder();
  const result = await run(plan, { executors, onEvent });
  expect(result.end_reason).toBe("waiting_approval");
  expect(statuses(result)).toEqual({ a: "waiting_approval", other: "completed", after: "pending" });
  expect(calls.sort()).toEqual(["other()", "read(ada)", "side()"]);
  const [a] = result.results;
  const waiting = [{ id: "a/send", uid: "send", input: { to: "read(ada)" } }];
  expect(a).toMatchObject({ attempts: 0, error: { code: "TASK_WAITING", details: { waiting } } });
  expect(events.find((event) => event.type === "task-waiting")).toMatchObject({ taskId: "a" });
});

test.for([
  { name: "memory", open: async () => memoryJournal() },
  { name: "SQLite, opened anew", open: undefined },
])("an answer lets a resumed run go on inside, and repeats nothing: $name", async ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const memory = await open?.();
  const journal = async (): Promise<Journal> => memory ?? (await SqliteJournal.open(join(folder, "j.sqlite")));
  const close = async (given: Journal) => void (memory ?? (await given.close()));
  const { calls, executors } = world();
  const two = planOf({ a: [], c: [] }, { a: dsl("flow", { name: "ada" }), c: dsl("deep", { name: "ada" }) });

  const first = await journal();
  await run(two, { executors, journal: first, runId: "r" });
  await close(first);

  const second = await journal();
  const waiting = await waitingFor("r", { journal: second });
  expect(waiting.map(({ id }) => id).sort()).toEqual(["a/send", "c/w/send"]);
  expect(waiting[0]).toMatchObject({ uid: "send" });
  const given = await approve("r", "a/send", { journal: second, note: "fine" });
  expect(given).toMatchObject({ task_id: "a/send", answer: "approve" });
  calls.length = 0;
  const half = await resume("r", { executors, journal: second });
  expect(half.end_reason).toBe("waiting_approval");
  // The other one is asked on its own, though workflow and input are the same.
  expect(statuses(half)).toEqual({ a: "completed", c: "waiting_approval" });
  expect(calls).toEqual(["send(read(ada))", "tell(send(read(ada)))"]);
  expect((await verifyRun(second, "r")).problems).toEqual([]);

  await approve("r", "c/w/send", { journal: second });
  await expect(approve("r", "a/send", { journal: second })).rejects.toMatchObject({ code: "RUNTIME_TASK_NOT_FOUND" });
  calls.length = 0;
  const whole = await resume("r", { executors, journal: second });
  expect(whole.end_reason).toBe("completed");
  expect(calls).toEqual(["send(read(ada))", "tell(send(read(ada)))"]);
  expect(whole.results.map(({ output }) => output)).toEqual(Array(2).fill("tell(send(read(ada)))"));
  expect(await waitingFor("r", { journal: second })).toEqual([]);
  await close(second);
  rmSync(folder, { recursive: true });
});

test("a no within a workflow denies the task that runs it, and what depends on it", async () => {
  const { calls, executors } = world();
  const journal = memoryJournal();
  await run(plan, { executors, journal, runId: "r" });
  await deny("r", "a/send", { journal });
  const result = await resume("r", { executors, journal });
  expect(result.end_reason).toBe("denied");
  expect(result.results[0]).toMatchObject({ status: "skipped", error: { code: "TASK_DENIED" } });
  expect(result.results[2]).toMatchObject({ status: "skipped", skipped_because: "a" });
  expect(calls.some((call) => call.startsWith("send"))).toBe(false);
});

test("without a journal what the result says can be answered", async () => {
  const { calls, executors } = world();
  const { results } = await run(plan, { executors });
  const { waiting } = (results[0]?.error?.details ?? {}) as { waiting: { id: string; content_hash: string }[] };
  const answers = waiting.map(({ id, content_hash }) => ({ task_id: id, content_hash, answer: "approve" as const }));
  calls.length = 0;
  expect((await run(plan, { executors, approval: { answers } })).end_reason).toBe("completed");
  expect(calls).toContain("tell(send(read(ada)))");
});

test("a running run hears the answer, with and without a journal to come back to", async () => {
  for (const waitFor of ["the nested run goes on", "the task is suspended"]) {
    const { calls, executors } = world();
    const { promise: sent, resolve: send } = Promise.withResolvers<void>();
    const slow = defineTool({ id: "slow", description: "", execute: () => sent });
    const [tools, flows] = executors;
    const journal = memoryJournal();
    const options: RunOptions = { executors: [tools!, flows!], journal, runId: "r" };
    const within = planOf(
      { read: [], send: ["read"], slow: ["read"] },
      { send: { tool_id: "send", approval: "required" }, slow: { tool_id: "slow" } },
    );
    const both = [
      toolExecutor([
        slow,
        defineTool({ id: "read", description: "", execute: () => void calls.push("read") }),
        defineTool({
          id: "send",
          description: "",
          execute: () => {
            calls.push("send");
            send();
          },
        }),
      ]),
      workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: within })]),
    ];
    const answer = async () => {
      while ((await waitingFor("r", { journal })).length === 0) await turns(1);
      await approve("r", "a/send", { journal });
    };
    const keepsGoing = planOf({ a: [], slow: [] }, { a: dsl("flow"), slow: { tool_id: "slow" } });
    let asked = 0;
    const suspended = waitFor === "the task is suspended";
    const result = await run(keepsGoing, {
      ...options,
      executors: suspended
        ? [
            both[0]!,
            workflowExecutor([
              defineWorkflow({
                id: "flow",
                description: "",
                plan: planOf({ read: [], send: ["read"] }, { send: { tool_id: "send", approval: "required" } }),
              }),
            ]),
          ]
        : both,
      onEvent(event) {
        const nested =
          event.type === "task-progress" ? (event.progress as { nested?: { type: string } }).nested : event;
        if (nested?.type !== "task-waiting" || (suspended && event.type !== "task-waiting")) return;
        asked++;
        void answer();
      },
    });
    expect(result.end_reason).toBe("completed");
    expect(asked).toBe(1);
    expect(calls).toEqual(["read", "send"]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  }
});

test("a workflow that waits counts once for budgets, guards and attempts, however often it is taken up", async () => {
  const gate = { approval: "required" as const };
  const inner = planOf(
    { x: [], y: ["x"], z: ["y"] },
    { x: { tool_id: "t", ...gate }, y: { tool_id: "t", ...gate }, z: { tool_id: "t" } },
  );
  let made = 0;
  const executors = [
    toolExecutor([defineTool({ id: "t", description: "", execute: () => ++made })]),
    workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: inner })]),
  ];
  const journal = memoryJournal();
  const options = { executors, journal, guards: { tools: { flow: 1 } }, budgets: { run: { calls: 4 } } };
  await run(planOf({ a: [] }, { a: dsl("flow") }), { ...options, runId: "r" });
  await approve("r", "a/x", { journal });
  expect((await resume("r", options)).end_reason).toBe("waiting_approval");
  await approve("r", "a/y", { journal });
  const result = await resume("r", options);
  expect(result.end_reason).toBe("completed");
  expect(made).toBe(3);
  expect(result.results[0]).toMatchObject({ attempts: 1 });
});

test("what fails within the workflow fails it though a gate waits: whatever the answer, nothing would come of it", async () => {
  const inner = planOf({ bad: [], send: [] }, { send: { tool_id: "send", approval: "required" } });
  const bad = defineTool({ id: "bad", description: "", execute: () => Promise.reject(new Error("no")) });
  const send = defineTool({ id: "send", description: "", execute: () => 1 });
  const executors = [
    toolExecutor([bad, send]),
    workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: inner })]),
  ];
  const result = await run(planOf({ a: [] }, { a: dsl("flow") }), { executors });
  expect(result.end_reason).toBe("failed");
  expect(result.results[0]?.error).toMatchObject({ code: "TASK_NESTED", details: { path: ["bad"] } });
});

test("cancelling ends a run whose workflow waits", async () => {
  const { executors } = world();
  const controller = new AbortController();
  const slow = planOf({ a: [], other: [] }, { a: dsl("flow", { name: "ada" }) });
  const wait = defineTool({ id: "other", description: "", execute: (_, { signal }) => sleep(10_000, signal) });
  const tools = ["read", "send", "tell", "side"].map((id) => defineTool({ id, description: "", execute: () => id }));
  const result = await run(slow, {
    executors: [toolExecutor([...tools, wait]), executors[1]!],
    signal: controller.signal,
    onEvent: (event) => event.type === "task-waiting" && controller.abort(),
  });
  expect(result.end_reason).toBe("cancelled");
  expect(statuses(result)).toEqual({ a: "cancelled", other: "cancelled" });
});
