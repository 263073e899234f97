import { type PlannerTaskInput, planView, type TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  defineWorkflow,
  deny,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  verifyRun,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { group, notingTools, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

const ids = ["a", "send", "after", "free", "end", "far"];
const gate: PlannerTaskInput = { approval: "required", arguments: { to: "${a.id}" } };
const gated = planOf(
  { a: [], send: ["a"], after: ["send"], free: ["a"], end: ["free"], far: ["after"] },
  { send: gate },
);
const parts = { one: ["a"], two: ["send", "after", "free"], three: ["end"], four: ["far"] };
const atomic = (plan: TaskData, more: Partial<RunOptions> & Pick<RunOptions, "executors">): RunOptions => ({
  semantics: "atomic",
  subgraphs: group(plan, parts),
  ...more,
});

test("a gate suspends its subgraph: the rest of it and all that is independent go on", async () => {
  const { calls, executors } = notingTools(ids);
  const journal = memoryJournal();
  const { events, onEvent } = recorder();
  const result = await run(gated, atomic(gated, { executors, journal, onEvent, runId: "r" }));
  expect(result.end_reason).toBe("waiting_approval");
  expect(statuses(result)).toEqual({
    a: "completed",
    send: "waiting_approval",
    after: "pending",
    free: "completed",
    // Its subgraph waits until all of the one before has ended.
    end: "pending",
    far: "pending",
  });
  expect(calls).toEqual(["a", "free"]);
  expect(events.find((event) => event.type === "task-waiting")).toMatchObject({ taskId: "send", input: { to: "a" } });
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "send", uid: "send" }]);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);

  // Nothing of the dispatch has to be said again.
  expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
  await approve("r", "send", { journal });
  calls.length = 0;
  const second = await resume("r", { executors, journal });
  expect(second.end_reason).toBe("completed");
  expect(calls).toEqual(["send", "after", "end", "far"]);
  expect(second.results.map(({ subgraph_id }) => subgraph_id)).toEqual(["one", "two", "two", "two", "three", "four"]);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test.for(["while the subgraph runs", "when it is suspended"])("a running run hears the answer: %s", async (when) => {
  const { calls, executors } = notingTools(ids, 20);
  const journal = memoryJournal();
  const plan = planOf({ a: [], send: ["a"], after: ["send"], free: ["a"], end: ["a"], far: ["end"] }, { send: gate });
  const long = { one: ["a"], two: ["send", "after", "free"], three: ["end"], four: ["far"] };
  const options = atomic(plan, { executors, journal, runId: "r", subgraphs: group(plan, long), concurrency: 2 });
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  let waits = 0;
  const running = run(plan, {
    ...options,
    pace:
      when === "when it is suspended" ? () => (waits > 0 && calls.includes("end") ? answered : undefined) : undefined,
    onEvent(event) {
      if (event.type !== "task-waiting") return;
      waits++;
      const say = () => approve("r", "send", { journal }).finally(resolve);
      setTimeout(() => void say(), when === "when it is suspended" ? 60 : 5);
    },
  });
  const result = await running;
  expect(result.end_reason).toBe("completed");
  expect(calls.filter((id) => id === "free")).toHaveLength(1);
  expect(calls).toContain("after");
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("a no skips what depends on it, in whatever subgraph", async () => {
  const { calls, executors } = notingTools(ids);
  const journal = memoryJournal();
  await run(gated, atomic(gated, { executors, journal, runId: "r" }));
  await deny("r", "send", { journal });
  const result = await resume("r", { executors, journal });
  expect(result.end_reason).toBe("denied");
  expect(statuses(result)).toMatchObject({ send: "skipped", after: "skipped", end: "completed", far: "skipped" });
  expect(calls).not.toContain("send");
});

test("a gate within a workflow suspends the subgraph of its task", async () => {
  const { calls, executors } = notingTools(ids);
  const inner = planOf({ a: [], send: ["a"] }, { send: { approval: "required" } });
  const flow = workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: inner })]);
  const plan = planOf(
    { w: [], end: ["w"] },
    { w: { execution_type: "dsl", tool_id: null, parameters: { uid: "flow" } } },
  );
  const journal = memoryJournal();
  const given = { executors: [...executors, flow], journal };
  const subgraphs = group(plan, { one: ["w"], two: ["end"] });
  const first = await run(plan, { ...given, semantics: "atomic", subgraphs, runId: "r" });
  expect(statuses(first)).toEqual({ w: "waiting_approval", end: "pending" });
  await approve("r", "w/send", { journal });
  expect((await resume("r", given)).end_reason).toBe("completed");
  expect(calls).toEqual(["a", "send", "end"]);
});

test("with an order of dispatch, what is suspended holds nothing up that does not need it", async () => {
  const { calls, executors } = notingTools(ids);
  const plan = planOf({ send: [], after: ["send"], a: [], end: ["a"] }, { send: { approval: "required" } });
  const subgraphs = group(plan, { one: ["send"], two: ["after"], three: ["a"], four: ["end"] });
  const journal = memoryJournal();
  const dispatchOrder = ["one", "two", "three", "four"];
  const first = await run(plan, {
    executors,
    semantics: "atomic",
    subgraphs,
    dispatchOrder,
    journal,
    runId: "r",
    concurrency: 1,
  });
  expect(first.end_reason).toBe("waiting_approval");
  expect(calls).toEqual(["a", "end"]);
  await approve("r", "send", { journal });
  expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
  expect(calls).toEqual(["a", "end", "send", "after"]);
});

test("each completion is in the journal before what depends on it starts, also within a subgraph", async () => {
  const journal = memoryJournal();
  const seen: Record<string, string[]> = {};
  const tools = ["a", "b", "c"].map((id) =>
    defineTool({
      id,
      description: "",
      async execute() {
        seen[id] = (await journal.getTasks("r")).map(({ task_id }) => task_id);
        return id;
      },
    }),
  );
  const plan = planOf({ a: [], b: ["a"], c: ["b"] });
  const subgraphs = group(plan, { one: ["a", "b", "c"] });
  const result = await run(plan, {
    executors: [toolExecutor(tools)],
    semantics: "atomic",
    subgraphs,
    journal,
    runId: "r",
  });
  expect(result.end_reason).toBe("completed");
  expect(seen).toEqual({ a: [], b: ["a"], c: ["a", "b"] });
  expect(planView(plan).n).toBe(3);
});

test("halt keeps what runs in other subgraphs from starting anything more", async () => {
  const calls: string[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      async execute() {
        calls.push(id);
        await sleep(id === "bad" ? 10 : 40);
        if (id === "bad") throw new Error("no");
        return id;
      },
    });
  const plan = planOf({ bad: [], x: [], y: ["x"], z: [] });
  const subgraphs = group(plan, { one: ["bad"], two: ["x", "y", "z"] });
  const executors = [toolExecutor(["bad", "x", "y", "z"].map(make))];
  const result = await run(plan, { executors, semantics: "atomic", subgraphs, onFailure: "halt" });
  expect(result.end_reason).toBe("failed");
  expect(statuses(result)).toEqual({ bad: "failed", x: "completed", y: "skipped", z: "skipped" });
  expect(calls.sort()).toEqual(["bad", "x"]);
  expect(result.results.slice(2).map(({ error }) => error?.code)).toEqual(["TASK_HALTED", "TASK_HALTED"]);
});

test("what a resumption needs again is said", async () => {
  const { executors } = notingTools(ids);
  const journal = memoryJournal();
  const dispatcher = { name: "elsewhere", dispatch: () => Promise.reject(new Error("lost")) };
  const plan = planOf({ a: [], end: ["a"] });
  const subgraphs = group(plan, { one: ["a"], two: ["end"] });
  await run(plan, { executors, semantics: "atomic", subgraphs, dispatcher, journal, runId: "r" });
  await expect(resume("r", { executors, journal })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    message: expect.stringContaining("elsewhere"),
  });
  expect((await resume("r", { executors, journal, semantics: "streaming" })).end_reason).toBe("completed");
});
