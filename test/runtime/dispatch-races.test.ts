import type { PlannerTaskInput, SubGraph, TaskData } from "@planloom/plan";
import {
  type DispatchContext,
  type Dispatcher,
  defineTool,
  memoryJournal,
  type RunOptions,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { WorkerLink } from "../../packages/runtime/src/dispatch/worker-link.ts";
import type { ToParent } from "../../packages/runtime/src/dispatch/worker-messages.ts";
import { turns } from "../support/fake-time.ts";
import { planOf, recorder, statuses } from "../support/run-plans.ts";

const clock = defineTool({ id: "clock", description: "", execute: async () => ({}) });
const task: PlannerTaskInput = { tool_id: "clock" };
const alone = (plan: TaskData): SubGraph[] =>
  plan.planned_tasks.map((one) => ({ subgraph_id: `of ${one.task_id}`, tasks: [one], dependencies: [] }));
const options = (plan: TaskData, dispatcher: Dispatcher, more: Partial<RunOptions> = {}): RunOptions => ({
  executors: [toolExecutor([clock])],
  semantics: "atomic",
  subgraphs: alone(plan),
  dispatcher,
  ...more,
});
const completed = (task_id: string) => ({
  result: { task_id, status: "completed" as const, attempts: 1, started_ms: 0, duration_ms: 0, output: { task_id } },
});
const nothingUsed = { calls: 1, tokens: 0, cost: 0, seconds: 0 };
const reply = { results: [], usage: { attempts: 1, input_tokens: 0, output_tokens: 0 } };

test("a subgraph that ends while it waits for a slot takes none", async () => {
  const plan = planOf({ a: [], b: [], c: [] }, { a: task, b: task, c: task });
  const [resource] = toolExecutor([clock]).resources();
  const ask = (task_id: string, { calls, signal }: DispatchContext) =>
    calls.ask(
      {
        task_id,
        path: [],
        outer_task_id: task_id,
        nested: false,
        kind: "tool",
        resource: resource!,
        input: {},
        attempt: 1,
      },
      signal,
    );
  let died = () => {};
  const dead = new Promise<void>((resolve) => {
    died = resolve;
  });
  const dispatcher: Dispatcher = {
    name: "mortal",
    governed: true,
    async dispatch({ subgraph_id }, context) {
      const id = subgraph_id.slice(-1);
      if (id === "b") {
        ask(id, context).catch(() => {});
        throw new Error("It died.");
      }
      const answer = await ask(id, context);
      if (answer.type !== "go") throw new Error(answer.error.message);
      // The slot of a becomes free only when b is gone.
      if (id === "a") await dead;
      answer.permit.settle(nothingUsed);
      await context.report(completed(id));
      return reply;
    },
  };
  const onEvent: RunOptions["onEvent"] = (event) => {
    if (event.type === "task-error") died();
  };
  const limited = options(plan, dispatcher, { concurrency: 3, limits: { resources: { clock: 1 } }, onEvent });
  const result = await run(plan, limited);
  expect(statuses(result)).toEqual({ a: "completed", b: "failed", c: "completed" });
});

test("a completion on its way into the journal is not overtaken by the death of who reported it", async () => {
  const plan = planOf({ a: [], b: ["a"] }, { a: task, b: task });
  const journal = memoryJournal();
  const record = journal.record.bind(journal);
  journal.record = async (...given) => {
    await turns(20);
    await record(...given);
  };
  const dispatcher: Dispatcher = {
    name: "mortal",
    governed: true,
    async dispatch({ subgraph_id }, context) {
      const id = subgraph_id.slice(-1);
      const kept = context.report(completed(id));
      if (id === "a") throw new Error("It died.");
      await kept;
      return reply;
    },
  };
  const { events, onEvent } = recorder();
  const result = await run(plan, options(plan, dispatcher, { journal, runId: "r", onEvent }));
  expect(statuses(result)).toEqual({ a: "completed", b: "completed" });
  expect(events.filter(({ type }) => type === "task-error")).toEqual([]);
  expect((await journal.getTasks("r")).map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("a worker gives back the right to a call that it does not wait for any more", async () => {
  const reported: ToParent[] = [];
  const link = new WorkerLink((message) => void reported.push(message));
  const stop = new AbortController();
  const call = { task_id: "a", path: [], outer_task_id: "a", nested: false, input: {}, attempt: 1 };
  const asked = link.calls.ask(
    { ...call, kind: "tool", resource: { kind: "tool", id: "x", description: "" } },
    stop.signal,
  );
  stop.abort(new Error("Too late."));
  await expect(asked).rejects.toThrow("Too late.");
  link.hear({ type: "permit", id: 1, given: "go" });
  expect(reported.at(-1)).toEqual({ type: "withdraw", id: 1, used: { calls: 0, tokens: 0, cost: 0, seconds: 0 } });
});

test("completions that are reported together are written together, each after those that it depends on", async () => {
  const plan = planOf({ a: [], d: [], b: ["a"], c: ["b"] }, { a: task, b: task, c: task, d: task });
  const journal = memoryJournal();
  const written: string[][] = [];
  const watched: typeof journal = Object.assign(Object.create(journal), {
    // A journal on another machine: what comes in while it writes goes with its next statement.
    recordNow: undefined,
    record: async (...[runId, owner, records]: Parameters<typeof journal.record>) => {
      written.push(records.map(({ task_id }) => task_id));
      await turns(3);
      return journal.record(runId, owner, records);
    },
  });
  const { events, onEvent } = recorder();
  const dispatcher: Dispatcher = {
    name: "batching",
    async dispatch({ plan: sent }, { report }) {
      await Promise.all(sent.planned_tasks.map(({ task_id }) => report(completed(task_id))));
      return reply;
    },
  };
  const subgraphs = [{ subgraph_id: "S", tasks: plan.planned_tasks, dependencies: [] }];
  const result = await run(plan, options(plan, dispatcher, { journal: watched, subgraphs, onEvent }));
  expect(statuses(result)).toEqual({ a: "completed", b: "completed", c: "completed", d: "completed" });
  expect(written).toEqual([["a", "d", "b", "c"]]);
  const ends = events.flatMap((event) => (event.type === "task-end" ? [event.taskId] : []));
  expect(ends).toEqual(["a", "d", "b", "c"]);
});

test("a completion that cannot be written takes those that depend on it along", async () => {
  const plan = planOf({ a: [], b: ["a"] }, { a: task, b: task });
  const journal = memoryJournal();
  const failing: typeof journal = Object.assign(Object.create(journal), {
    recordNow: undefined,
    record: () => Promise.reject(new Error("The disk is full.")),
  });
  const refused: string[] = [];
  const dispatcher: Dispatcher = {
    name: "batching",
    async dispatch({ plan: sent }, { report }) {
      const reports = sent.planned_tasks.map(({ task_id }) =>
        report(completed(task_id)).catch(() => void refused.push(task_id)),
      );
      await Promise.all(reports);
      return reply;
    },
  };
  const subgraphs = [{ subgraph_id: "S", tasks: plan.planned_tasks, dependencies: [] }];
  await expect(run(plan, options(plan, dispatcher, { journal: failing, subgraphs }))).rejects.toThrow("disk is full");
  expect(refused.sort()).toEqual(["a", "b"]);
});
