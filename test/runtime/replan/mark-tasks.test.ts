import {
  markTasks,
  memoryJournal,
  type Replan,
  type ReplanRegion,
  type RunOptions,
  resume,
  run,
  ShutDown,
  verifyRun,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { ask, echo, tools } from "../../support/replans.ts";
import { planOf, recorder } from "../../support/run-plans.ts";

const plan = planOf(
  { a: [], b: ["a"], c: ["b"], slow: [], last: ["slow"] },
  { b: { arguments: { x: "${a.got}" } }, c: { arguments: { x: "${b.got}" } } },
);

test.for([
  { name: "one that has not begun", when: "slow", ids: ["last"], after: ["a", "b", "c", "slow", "last_2"], count: 0 },
  {
    name: "one that is completed, with what consumed it",
    when: "c",
    ids: ["a"],
    after: ["a_2", "b_2", "c_2", "slow", "last"],
    count: 2,
  },
  { name: "one that runs", when: "slow", ids: ["slow"], after: ["a", "b", "c", "slow_2", "last"], count: 0 },
])("$name is replaced while the run goes on", async ({ when, ids, after, count }) => {
  const journal = memoryJournal();
  const asked: ReplanRegion[] = [];
  const replan: Replan = async (region) => {
    asked.push(region);
    return ask(region, () => ({ tool_id: "spare", arguments: { n: 1 } }));
  };
  const { onEvent, events } = recorder();
  const started: string[] = [];
  let marked: Promise<unknown> | undefined;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const listen: RunOptions["onEvent"] = (event) => {
    onEvent(event);
    if (event.type === "task-start") started.push(event.taskId);
    const due = when === "slow" ? event.type === "task-start" : event.type === "task-end";
    if (due && "taskId" in event && event.taskId === when) {
      marked ??= markTasks("run", ids, { journal, note: "cheaper" });
      // What runs while it is marked ends once the answer has been taken up, or could not be before its end.
      if (ids.includes("slow")) void marked.then(() => setImmediate(release));
    }
    if (event.type === "patch-apply") release();
  };
  const result = await run(plan, {
    executors: tools({ a: echo, b: echo, c: echo, slow: () => released.then(() => ({})), last: echo, spare: echo }),
    journal,
    runId: "run",
    replan,
    replanPolicy: { on: ["marked"] },
    onEvent: listen,
  });
  expect(await marked).toEqual({ run_id: "run" });
  expect(result).toMatchObject({ end_reason: "completed", replanned: true });
  expect(result.plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(after);
  expect(asked).toMatchObject([{ marked: ids, causes: [{ task_id: ids[0], cause: "person", message: "cheaper" }] }]);
  const applied = events.find((event) => event.type === "patch-apply");
  expect(applied).toMatchObject({ renewed: { length: count } });
  // What is listed as renewed is listed before it starts.
  for (const { new_task_id } of applied?.type === "patch-apply" ? applied.renewed : []) {
    const start = events.findIndex((event) => event.type === "task-start" && event.taskId === new_task_id);
    expect(start).toBeGreaterThan(events.indexOf(applied!));
  }
  expect(started.filter((id) => id === "slow")).toEqual(["slow"]);
  expect(await verifyRun(journal, "run")).toMatchObject({ ok: true, problems: [] });
});

test("an element is replaced without its list", async () => {
  const journal = memoryJournal();
  const causes: unknown[] = [];
  const replan: Replan = async (region) => {
    causes.push(...region.causes);
    return undefined;
  };
  const lists = planOf({ slow: [], each: ["slow"] }, { each: { for_each: { items: [1, 2] } } });
  let marked: Promise<unknown> | undefined;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await run(lists, {
    executors: tools({ slow: () => released.then(() => ({})), each: echo }),
    journal,
    runId: "run",
    replan,
    replanPolicy: { on: ["marked"] },
    onEvent: (event) => {
      if (event.type === "task-start") marked ??= markTasks("run", ["each[1]"], { journal, note: "cheaper" });
      if (event.type === "patch-refuse") release();
    },
  });
  await marked;
  expect(causes).toEqual([{ task_id: "each_1", cause: "person", message: "cheaper" }]);
});

const inElements = {
  "a plain list": { tool_id: "work", arguments: { n: "${item}" }, for_each: { items: [1, 2, 3] } },
  "a list that tolerates failures": {
    tool_id: "work",
    arguments: { n: "${item}" },
    for_each: { items: [1, 2, 3], on_failure: "collect" as const },
  },
  "a list of several tasks": {
    tool_id: null,
    for_each: {
      items: [1, 2, 3],
      tasks: [
        { task_id: "one", execution_type: "tool" as const, tool_id: "work", arguments: { n: "${item}" } },
        { task_id: "two", execution_type: "tool" as const, tool_id: "work", arguments: { n: "${one.n}" } },
      ],
    },
  },
};

describe.each(Object.entries(inElements))("what an element of %s gave stays", (_, each) => {
  test.each([
    { when: "the list is executed", answer: "none" },
    { when: "the list is completed", answer: "none" },
    { when: "the list is completed", answer: "wrong" },
  ])("where it is marked while $when, and what comes back is $answer", async ({ when, answer }) => {
    const journal = memoryJournal();
    const made: unknown[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let marked: Promise<unknown> | undefined;
    const mark = () => {
      marked ??= markTasks("run", ["each[0]"], { journal });
      void marked.then(() => setImmediate(release));
    };
    const work = async ({ n }: Record<string, unknown>) => {
      made.push(n);
      if (n === 2 && when === "the list is executed") mark();
      return { n, time: made.length };
    };
    const refusals: unknown[] = [];
    const replan: Replan = async (region) =>
      answer === "none" ? undefined : { ...ask(region, () => ({ tool_id: "spare" })), replacements: [] };
    const result = await run(
      planOf(
        { each: [], slow: ["each"] },
        { each: { ...each, for_each: { ...each.for_each, concurrency: 1 } }, slow: { arguments: { all: "${each}" } } },
      ),
      {
        executors: tools({ work, slow: (input) => released.then(() => input), spare: echo }),
        journal,
        runId: "run",
        replan,
        replanPolicy: { on: ["marked"] },
        onEvent: (event) => {
          if (event.type === "task-start" && event.taskId === "slow") mark();
          if (event.type === "patch-refuse") refusals.push(event);
        },
      },
    );
    await marked;
    const times = "tasks" in each.for_each ? 2 : 1;
    expect(made).toEqual([1, 2, 3].flatMap((n) => Array<number>(times).fill(n)));
    expect(result).toMatchObject({ end_reason: "completed" });
    expect(Object.values(result.output_data)).toContainEqual({
      all: [1, 2, 3].map((n) => ({ n, time: n * times })),
    });
    expect(refusals).toHaveLength(1);
    expect(await verifyRun(journal, "run")).toMatchObject({ ok: true, problems: [] });
    // What stays is in the journal as well: a run that is resumed does not call it.
    const resumed = await resume("run", { executors: tools({ slow: echo }), journal, replan });
    expect(resumed).toMatchObject({ end_reason: "completed", output_data: result.output_data });
  });
});

test("what cannot be marked is said", async () => {
  const journal = memoryJournal();
  const said: Promise<unknown>[] = [];
  const executors = tools({ a: () => Promise.all(said).then(() => ({})) });
  const one = planOf({ a: [] });
  const mark = (...ids: string[]) => said.push(markTasks("r1", ids, { journal }).catch((error: unknown) => error));
  const onEvent: RunOptions["onEvent"] = ({ type }) => {
    if (type === "task-start") mark("ghost");
  };
  const replan: Replan = async () => undefined;
  await run(one, { executors, journal, runId: "r1", onEvent, replan, replanPolicy: { on: ["marked"] } });
  mark("a");
  mark();
  await run(one, {
    executors,
    journal,
    runId: "r2",
    onEvent: ({ type }) =>
      void (type === "task-start" && said.push(markTasks("r2", ["a"], { journal }).catch((error: unknown) => error))),
  });
  expect(await Promise.all(said)).toMatchObject([
    { code: "RUNTIME_TASK_NOT_FOUND", details: { task_id: "ghost" } },
    { code: "RUNTIME_NOT_RUNNING" },
    { code: "RUNTIME_INVALID_OPTION" },
    { code: "RUNTIME_NOT_RUNNING" },
  ]);
  await expect(markTasks("nobody", ["a"], { journal })).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
});

test("a mark in a run that stays in its process only to wait says so", async () => {
  const journal = memoryJournal();
  const stop = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const ended = run(planOf({ w: [] }, { w: { wait: { for_ms: 4_000 } } }), {
    executors: tools({}),
    journal,
    runId: "r",
    signal: stop.signal,
    replan: async () => undefined,
    replanPolicy: { on: ["marked"] },
    onEvent: ({ type }) => void (type === "task-wait" && setImmediate(waiting.resolve)),
  });
  await waiting.promise;
  await expect(markTasks("r", ["w"], { journal })).rejects.toMatchObject({
    code: "RUNTIME_NOT_RUNNING",
    message: expect.stringContaining("only waits now"),
  });
  stop.abort();
  await ended;
});

describe("what is marked in a session that ends before anything came of it", () => {
  const listed = planOf(
    { slow: [], last: ["slow"], each: [], after: ["each"] },
    { each: { for_each: { items: [1, 2, 3] }, arguments: { n: "${item}" } }, after: { arguments: { x: "${each}" } } },
  );
  const spare: Replan = async (region) => ask(region, () => ({ tool_id: "spare", arguments: {} }));

  test.each([
    { mark: "last", at: "mark", gone: ["last"], calls: ["slow", "spare"] },
    { mark: "after", at: "mark", gone: ["after"], calls: ["slow", "last", "spare"] },
    { mark: "each[1]", at: "mark", gone: ["each", "after"], calls: ["slow", "last", "spare", "after"] },
    { mark: "each[1]", at: "question", gone: ["each", "after"], calls: ["slow", "last", "spare", "after"] },
  ])("$mark is replaced in the next, where that ended at the $at", async ({ mark, at, gone, calls }) => {
    const journal = memoryJournal();
    const stop = new AbortController();
    let made: string[] = [];
    const noted = (id: string) => (input: Record<string, unknown>) => {
      made.push(id);
      return { got: input };
    };
    const slow = (_: unknown, { signal }: { signal: AbortSignal }) =>
      stop.signal.aborted
        ? noted("slow")({})
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const executors = tools({
      slow,
      last: noted("last"),
      each: noted("each"),
      after: noted("after"),
      spare: noted("spare"),
    });
    const dies: Replan = () => {
      stop.abort(new ShutDown());
      return new Promise(() => {});
    };
    const options = { executors, journal, replanPolicy: { on: ["marked" as const] }, onUnknown: "retry" as const };
    const first = await run(listed, {
      ...options,
      runId: "run",
      signal: stop.signal,
      abortGraceMs: 1,
      replan: dies,
      onEvent: async (event) => {
        if (event.type !== "task-end" || event.taskId !== "after") return;
        await markTasks("run", [mark], { journal, note: "cheaper" });
        if (at === "mark") stop.abort(new ShutDown());
      },
    });
    expect(first.end_reason).toBe("shut_down");
    made = [];
    const asked: ReplanRegion[] = [];
    const result = await resume("run", {
      ...options,
      replan: async (region, context) => {
        asked.push(region);
        return spare(region, context);
      },
    });
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
    expect(asked).toMatchObject([{ causes: [{ cause: "person", message: "cheaper" }] }]);
    expect(made.toSorted()).toEqual(calls.toSorted());
    const ids = result.plan.planned_tasks.map(({ task_id }) => task_id);
    expect(ids).not.toEqual(expect.arrayContaining(gone));
    expect(await verifyRun(journal, "run")).toMatchObject({ ok: true, problems: [] });
    // It is decided: nothing is asked again.
    expect(await resume("run", { ...options, replan: async () => expect.unreachable() })).toMatchObject({
      end_reason: "completed",
    });
  });

  test("one that is refused stays refused", async () => {
    const journal = memoryJournal();
    const marked = Promise.withResolvers<unknown>();
    const replanPolicy = { on: ["marked" as const] };
    const options = { executors: tools({ a: () => marked.promise, b: echo }), journal, replanPolicy };
    let asked = 0;
    const replan: Replan = async () => {
      asked++;
      return undefined;
    };
    const onEvent: RunOptions["onEvent"] = ({ type, ...event }) => {
      if (type === "task-start" && "taskId" in event && event.taskId === "a")
        marked.resolve(markTasks("run", ["b"], { journal }));
    };
    await run(planOf({ a: [], b: ["a"] }), { ...options, runId: "run", replan, onEvent });
    await resume("run", { ...options, replan });
    expect(asked).toBe(1);
  });
});
