import { type Executor, type PlannerTaskInput, TaskData, type TaskDataInput } from "@planloom/plan";
import {
  approve,
  defineTool,
  defineWorkflow,
  type Journal,
  memoryJournal,
  type Replan,
  type RunEvent,
  type RunOptions,
  type RunPowers,
  type RunResult,
  replay,
  resume,
  resumeDue,
  run,
  runPowers,
  ShutDown,
  SqliteJournal,
  signal,
  toolExecutor,
  verifyRun,
  workflowExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask } from "../../support/replans.ts";
import { group } from "../../support/run-plans.ts";

const start = Date.parse("2026-11-30T09:00:00Z");
const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Tools that note their calls: `ok` gives its input, `bad` fails as long as `isBroken`. */
function world(journal: Journal = memoryJournal(), rest: Omit<Partial<RunOptions>, "journal"> = {}) {
  const calls: string[] = [];
  const events: RunEvent[] = [];
  const tools = { isBroken: true };
  const note = (input: Record<string, unknown>) => {
    calls.push(String(input.as));
    return { as: input.as };
  };
  const bad = (input: Record<string, unknown>) => {
    note(input);
    if (tools.isBroken) throw new Error("no");
    return input;
  };
  const executors: Executor[] = [
    toolExecutor([
      defineTool({ id: "ok", description: "", readOnly: true, execute: note }),
      defineTool({ id: "bad", description: "", execute: bad }),
    ]),
    ...(rest.executors ?? []),
  ];
  const options = { ...rest, executors, journal, onEvent: (event: RunEvent) => void events.push(event) };
  return { calls, events, tools, options, journal };
}

const ok = (task_id: string, dependencies: string[] = [], more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "ok",
  arguments: { as: task_id },
  dependencies,
  ...more,
});
const bad = (task_id: string, dependencies: string[] = [], more: PlannerTaskInput = {}): PlannerTaskInput =>
  ok(task_id, dependencies, { tool_id: "bad", ...more });
const pause = (task_id: string, dependencies: string[] = []): PlannerTaskInput => ({
  task_id,
  wait: { for_ms: hour },
  dependencies,
});
const plan = (...planned_tasks: PlannerTaskInput[]): TaskDataInput => ({ planned_tasks });
const statuses = ({ results }: RunResult) => Object.fromEntries(results.map((each) => [each.task_id, each.status]));
const problems = async (journal: Journal) => (await verifyRun(journal, "r")).problems;

let hours = 0;
beforeEach(() => {
  hours = 0;
});
/** Wakes the run an hour later. */
async function nextHour(options: Parameters<typeof resumeDue>[0]): Promise<RunResult> {
  vi.setSystemTime(start + ++hours * hour);
  const [woken] = await resumeDue(options);
  if (woken === undefined || !("result" in woken)) throw new Error("The run was not woken.", { cause: woken });
  return woken.result;
}

describe.each([
  ["memory", async () => memoryJournal()],
  ["SQLite", () => SqliteJournal.open(":memory:")],
] as const)("in a journal: %s", (_, open) => {
  test("what failed and what was skipped stays as it ended, however often the run is woken", async () => {
    const { options, journal, calls, events } = world(await open());
    const given = plan(
      bad("a"),
      ok("b", ["a"]),
      ok("any", ["a", "ok"], { join: "any" }),
      ok("none", ["a", "w3"], { join: "none_failed" }),
      ok("ok"),
      ok("not", [], { when: { condition: "false" } }),
      pause("w1"),
      pause("w2", ["w1"]),
      pause("w3", ["w2"]),
      ok("last", ["w3"]),
    );
    const first = await run(given, { ...options, runId: "r" });
    expect(first.end_reason).toBe("waiting");
    const before = events.length;
    await nextHour(options);
    await nextHour(options);
    const last = await nextHour(options);
    expect(calls.toSorted()).toEqual(["a", "any", "last", "ok"]);
    expect(last.end_reason).toBe("failed");
    const ended = { a: "failed", b: "skipped", any: "completed", none: "skipped", ok: "completed", not: "skipped" };
    expect(statuses(last)).toEqual({ ...ended, w1: "completed", w2: "completed", w3: "completed", last: "completed" });
    const [a, b] = last.results;
    expect(a).toMatchObject({ recorded: true, error: { code: "TASK_FAILED", message: "no" } });
    expect(b).toMatchObject({ recorded: true, skipped_because: "a", error: first.results[1]!.error });
    const told = events.slice(before).filter(({ type }) => type === "task-error" || type === "task-skip");
    expect(told).toEqual([]);
    expect(await problems(journal)).toEqual([]);
    expect((await replay("r", { journal })).divergence).toBeUndefined();
  });

  test("a signal wakes a run as a time does", async () => {
    const { options, journal, calls } = world(await open());
    await run(plan(bad("a"), { task_id: "w", wait: { event: "go" } }, ok("c", ["w"])), { ...options, runId: "r" });
    await signal("r", "go", { journal });
    expect(await resumeDue(options)).toMatchObject([{ result: { end_reason: "failed" } }]);
    expect(calls).toEqual(["a", "c"]);
  });

  test("an answer that a person gives to one call makes no other again that failed", async () => {
    const { options, journal, calls } = world(await open());
    await run(plan(bad("a"), ok("b", [], { approval: "required" })), { ...options, runId: "r" });
    await approve("r", "b", { journal });
    const result = await resume("r", options);
    expect([result.end_reason, statuses(result)]).toEqual(["failed", { a: "failed", b: "completed" }]);
    expect(calls).toEqual(["a", "b"]);
    expect(await problems(journal)).toEqual([]);
  });

  test("who resumes a run that has ended has what failed tried again; of one that waits only who asks for it", async () => {
    const { options, journal, calls, tools } = world(await open());
    await run(plan(bad("a"), ok("b", ["a"]), pause("w")), { ...options, runId: "r" });
    await resume("r", options);
    expect(calls).toEqual(["a"]);
    await resume("r", { ...options, retryFailed: true });
    expect(calls).toEqual(["a", "a"]);
    expect((await nextHour(options)).end_reason).toBe("failed");
    expect(calls).toEqual(["a", "a"]);
    expect((await resume("r", { ...options, retryFailed: false })).end_reason).toBe("failed");
    expect(calls).toEqual(["a", "a"]);
    tools.isBroken = false;
    expect((await resume("r", options)).end_reason).toBe("completed");
    expect(calls).toEqual(["a", "a", "a", "b"]);
    expect(await problems(journal)).toEqual([]);
  });

  test("what is tried again is not taken for lost by who continues that session, wherever it was cut off", async () => {
    const { options, journal, calls, tools } = world(await open());
    await run(plan(bad("a"), bad("b"), ok("c", ["b"])), { ...options, runId: "r" });
    tools.isBroken = false;
    // It is stopped before anything of it begins.
    await resume("r", { ...options, signal: AbortSignal.abort(new Error("deploy")) });
    const result = await resume("r", { ...options, retryFailed: false });
    expect([result.end_reason, calls.toSorted()]).toEqual(["completed", ["a", "a", "b", "b", "c"]]);
    expect(await problems(journal)).toEqual([]);
  });

  test("a deadline that lets its task be skipped passes once", async () => {
    const { options, journal, calls } = world(await open());
    const given = plan(
      { task_id: "paid", wait: { event: "paid", timeout_ms: hour, on_deadline: "skip" } },
      { task_id: "late", wait: { event: "late", timeout_ms: hour } },
      ok("after", ["paid"]),
      pause("w1"),
      pause("w2", ["w1"]),
    );
    await run(given, { ...options, runId: "r" });
    expect(statuses(await nextHour(options))).toMatchObject({ paid: "skipped", late: "failed", after: "skipped" });
    expect((await nextHour(options)).end_reason).toBe("failed");
    expect(calls).toEqual([]);
    expect(await problems(journal)).toEqual([]);
  });

  test("what no budget was left for is not tried again by a wake, and what a failed call spent is spent once", async () => {
    const { options, journal, calls } = world(await open(), { budgets: { run: { calls: 2 } }, concurrency: 1 });
    const given = plan(bad("a"), ok("b"), ok("c"), pause("w1"), pause("w2", ["w1"]));
    await run(given, { ...options, runId: "r" });
    await nextHour(options);
    const last = await nextHour(options);
    expect([last.end_reason, calls]).toEqual(["budget", ["a", "b"]]);
    expect(last.results[2]).toMatchObject({ status: "skipped", error: { code: "TASK_BUDGET" } });
    const more = await resume("r", { ...options, budgets: { run: { calls: 4 } } });
    expect([statuses(more).c, calls]).toEqual(["completed", ["a", "b", "a", "c"]]);
    expect(await problems(journal)).toEqual([]);
  });
});

test("every attempt of a task is made in one session: the wait between two of them holds its process", async () => {
  const { options, calls } = world();
  const retry = { max_attempts: 2, initial_delay_ms: 30 };
  const first = await run(plan(bad("a", [], { retry }), pause("w")), { ...options, runId: "r" });
  expect([first.end_reason, calls]).toEqual(["waiting", ["a", "a"]]);
  await nextHour(options);
  expect(calls).toEqual(["a", "a"]);
});

test("a failure that a replanner could not help is not put to it again", async () => {
  let asked = 0;
  const replan = () => {
    asked++;
    return undefined;
  };
  const { options, calls } = world(memoryJournal(), { replan, replanPolicy: { on: ["failure"] } } as never);
  await run(plan(bad("a"), pause("w1"), pause("w2", ["w1"])), { ...options, runId: "r" });
  expect([asked, calls]).toEqual([1, ["a"]]);
  await nextHour(options);
  const last = await nextHour(options);
  expect([last.end_reason, asked, calls]).toEqual(["failed", 1, ["a"]]);
});

test("a run whose changes led nowhere before it waited ends as stalled after a wake", async () => {
  let asked = 0;
  const replan: Replan = async (region) => ask(region, () => ({ arguments: { as: `b${asked++}` } }));
  const policy = { replan, replanPolicy: { on: ["failure" as const], maxReplans: 9, maxStalls: 2 } };
  const { options, calls, journal } = world(memoryJournal(), policy);
  const waiting = plan(bad("a"), pause("w1"), pause("w2", ["w1"]));
  expect((await run(waiting, { ...options, runId: "r" })).end_reason).toBe("waiting");
  expect([asked, calls.splice(0)]).toEqual([2, ["a", "b0", "b1"]]);
  await nextHour(options);
  expect([(await nextHour(options)).end_reason, asked, calls]).toEqual(["stalled", 2, []]);
  expect(await problems(journal)).toEqual([]);
});

test("changes that led nowhere before a run waited count after the wake", async () => {
  let asked = 0;
  const replan: Replan = async (region) =>
    ask(region, () => ({ arguments: { as: `b${asked}` }, dependencies: asked++ === 0 ? [] : ["w"] }));
  const policy = { replan, replanPolicy: { on: ["failure" as const], maxReplans: 9, maxStalls: 2 } };
  const { options, calls, journal } = world(memoryJournal(), policy);
  expect((await run(plan(bad("a"), pause("w")), { ...options, runId: "r" })).end_reason).toBe("waiting");
  expect([asked, calls.splice(0)]).toEqual([2, ["a", "b0"]]);
  expect([(await nextHour(options)).end_reason, asked, calls]).toEqual(["stalled", 2, ["b1"]]);
  expect(await problems(journal)).toEqual([]);
});

test("a run whose changes were used up before it waited ends so after a wake, as it does without a wait", async () => {
  const replan: Replan = async (region) => ask(region, () => ({ arguments: { as: "b" } }));
  const policy = { replan, replanPolicy: { on: ["failure" as const], maxReplans: 1 } };
  const { options, calls, journal } = world(memoryJournal(), policy);
  const without = await run(plan(bad("a")), { ...options, runId: "without" });
  expect([without.end_reason, calls.splice(0)]).toEqual(["round_limit", ["a", "b"]]);
  const first = await run(plan(bad("a"), pause("w1"), pause("w2", ["w1"])), { ...options, runId: "r" });
  expect([first.end_reason, calls]).toEqual(["waiting", ["a", "b"]]);
  await nextHour(options);
  const last = await nextHour(options);
  expect([last.end_reason, calls]).toEqual(["round_limit", ["a", "b"]]);
  expect(await problems(journal)).toEqual([]);
});

test("a failure of a process that died before it could ask for a change is put to the replanner by who continues the run", async () => {
  const { options, journal, calls } = world();
  const stop = new AbortController();
  const given = plan(bad("a", [], { on_failure: "replan" }), ok("b", ["a"]), ok("stop"));
  const stopping = (event: RunEvent) => event.type === "task-error" && stop.abort(new ShutDown());
  // Its process knows no replanner.
  await run(given, { ...options, runId: "r", signal: stop.signal, onEvent: stopping });
  const asked: unknown[] = [];
  const replan = async ({
    marked,
    failures,
  }: {
    marked: readonly string[];
    failures: ReadonlyMap<string, unknown>;
  }) => {
    asked.push([marked, failures.get("a")]);
    return undefined;
  };
  const made = calls.filter((id) => id === "a").length;
  for (let session = 0; session < 2; session++)
    await resume("r", { ...options, retryFailed: false, replan: replan as never });
  expect(asked).toMatchObject([[["a"], { code: "TASK_FAILED" }]]);
  expect(calls.filter((id) => id === "a")).toHaveLength(made);
  expect(await problems(journal)).toEqual([]);
});

describe("within", () => {
  test("a deadline in a workflow passes once, in the process as after a wake", async () => {
    const inner = defineWorkflow({
      id: "inner",
      description: "",
      plan: plan(
        { task_id: "paid", wait: { event: "paid", timeout_ms: hour, on_deadline: "skip" } },
        ok("after", ["paid"]),
        pause("w1"),
        pause("w2", ["w1"]),
        ok("last", ["w2"]),
      ),
    });
    const { options, journal, calls } = world(memoryJournal(), { executors: [workflowExecutor([inner])] });
    const given = plan({ task_id: "each", execution_type: "dsl", parameters: { uid: "inner" } });
    await run(given, { ...options, runId: "r" });
    await nextHour(options);
    const last = await nextHour(options);
    expect([last.end_reason, calls]).toEqual(["completed", ["last"]]);
    expect(await problems(journal)).toEqual([]);
  });

  /** An agent that goes on when a call of its fails, and waits. */
  const worker = (work: (powers: RunPowers) => Promise<unknown>): Executor => ({
    kind: "agent",
    resources: () => [{ kind: "agent", id: "worker", description: "" }],
    delegates: () => true,
    execute: (_, context) => work(runPowers(context)),
  });
  const agent: PlannerTaskInput = { task_id: "work", execution_type: "agent", agent_id: "worker" };

  test("a step of an executor that failed is not made again when the executor continues after a wait", async () => {
    const executors = [
      worker(async (powers) => {
        const first = await powers.call("first", "bad", { as: "first" }).catch((error) => error.code);
        await powers.wait("w1", { for_ms: hour });
        await powers.wait("w2", { for_ms: hour });
        return first;
      }),
    ];
    const { options, journal, calls } = world(memoryJournal(), { executors });
    await run(plan(agent), { ...options, runId: "r" });
    await nextHour(options);
    const last = await nextHour(options);
    expect([last.output_data, calls]).toEqual([{ work: "TASK_FAILED" }, ["first"]]);
    expect(await problems(journal)).toEqual([]);
  });

  test("nor where the wait ends in the same process; another attempt of the task makes the step again", async () => {
    vi.useRealTimers();
    let attempts = 0;
    const executors = [
      worker(async (powers) => {
        const first = await powers.call("first", "bad", { as: "first" }).catch((error) => error.code);
        // Real time: the wait is over in this process.
        await powers.wait("w1", { for_ms: 20 });
        if (++attempts === 1) throw new Error("once more");
        return first;
      }),
    ];
    const { options, calls } = world(memoryJournal(), { executors });
    const retry = { max_attempts: 2, initial_delay_ms: 1 };
    const result = await run(plan({ ...agent, retry }), { ...options, runId: "r" });
    expect([result.output_data, calls]).toEqual([{ work: "TASK_FAILED" }, ["first", "first"]]);
  });

  test("a subgraph that is dispatched again repeats no failure of it, nor does a wake", async () => {
    const { options, journal, calls } = world();
    const given = TaskData.parse(
      plan(bad("a"), ok("b", ["a"]), pause("w1"), pause("w2", ["w1"]), ok("c", ["w2"]), bad("d", ["w1"])),
    );
    const subgraphs = group(given, { one: ["a", "b", "w1", "w2", "c"], two: ["d"] });
    await run(given, { ...options, runId: "r", semantics: "atomic", subgraphs });
    await nextHour(options);
    const last = await nextHour(options);
    const ended = { a: "failed", b: "skipped", w1: "completed", w2: "completed", c: "completed", d: "failed" };
    expect([last.end_reason, statuses(last)]).toEqual(["failed", ended]);
    expect(calls).toEqual(["a", "c", "d"]);
    expect(await problems(journal)).toEqual([]);
  });
});
