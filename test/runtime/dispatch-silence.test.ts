import { TaskData } from "@planloom/plan";
import {
  type DispatchContext,
  type Dispatcher,
  type DispatchRequest,
  type RunOptions,
  type RunResult,
  run,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { subgraphLimitMs } from "../../packages/runtime/src/dispatch/subgraph-limit.ts";
import { readSettings } from "../../packages/runtime/src/run-settings.ts";
import { group, notingTools, planOf, sleep, statuses } from "../support/run-plans.ts";

const plan = planOf({ a: [], b: ["a"], c: [] });
const never = () => new Promise<never>(() => {});
const completed = (task_id: string) => ({
  task_id,
  status: "completed" as const,
  output: task_id,
  attempts: 1,
  started_ms: 0,
  duration_ms: 0,
});
const usage = { attempts: 1, input_tokens: 0, output_tokens: 0 };
const start = (work: Dispatcher["dispatch"], more: Partial<RunOptions> = {}) =>
  run(plan, {
    executors: notingTools(["a", "b", "c"]).executors,
    semantics: "atomic",
    subgraphs: group(plan, { one: ["a", "b"], two: ["c"] }),
    dispatcher: { name: "mine", dispatch: work },
    dispatchTimeoutMs: 60,
    abortGraceMs: 20,
    ...more,
  });

/** Lets the time of the run go by until it has ended. */
async function dispatch(...given: Parameters<typeof start>): Promise<RunResult> {
  let ended = false;
  const running = start(...given).finally(() => {
    ended = true;
  });
  while (!ended) await vi.advanceTimersByTimeAsync(1);
  return running;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("a dispatcher that gives no sign", () => {
  test("fails what is left of its subgraph, and no other; what was reported stays", async () => {
    const signals: AbortSignal[] = [];
    const result = await dispatch(async ({ subgraph_id }: DispatchRequest, { report, signal }: DispatchContext) => {
      if (subgraph_id === "two") return { results: [completed("c")], usage };
      signals.push(signal);
      await report({ result: completed("a") });
      return never();
    });
    expect(statuses(result)).toEqual({ a: "completed", b: "failed", c: "completed" });
    expect(signals[0]?.aborted).toBe(true);
    const error = result.results.find(({ task_id }) => task_id === "b")?.error;
    expect(error).toMatchObject({ code: "TASK_DISPATCH", details: { subgraph_id: "one", timeout_ms: 60 } });
    expect(error?.message).toContain("dispatchTimeoutMs");
  });

  test("is not listened to any more, not even while it stops", async () => {
    const result = await dispatch(async ({ subgraph_id }, { signal }) => {
      if (subgraph_id === "one") await sleep(10_000, signal).catch(() => {});
      return { results: ["a", "b", "c"].map(completed), usage };
    });
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped", c: "completed" });
  });

  test.for<[string, (context: DispatchContext) => unknown]>([
    ["an event", ({ onEvent }) => onEvent({ type: "task-progress", taskId: "a", progress: 1 } as never)],
    ["a question for a call", ({ calls }) => calls.learn(1)],
    ["nested reports", ({ reportNested }) => reportNested([])],
  ])("may take as long as it likes while it gives signs: %s", async ([, sign]) => {
    const result = await dispatch(async (request, context) => {
      for (let turn = 0; turn < 8; turn++) {
        await sleep(25, context.signal);
        await sign(context);
      }
      const open = request.plan.planned_tasks.filter(({ status }) => status === "pending");
      return { results: open.map(({ task_id }) => completed(task_id)), usage };
    });
    expect(result.end_reason).toBe("completed");
  });

  test("is not silent while it waits for this process", async () => {
    let slept = 0;
    const result = await dispatch((_, { runHere }) => runHere(), {
      bind: async ({ task, input }) => {
        await sleep(150);
        slept++;
        return { uid: task.tool_id ?? "", input_data: input };
      },
    });
    expect([result.end_reason, slept]).toEqual(["completed", 3]);
  });

  test("may be as silent as its tasks may take, by default", async () => {
    const running = start(never, { dispatchTimeoutMs: undefined, taskTimeoutMs: 1_000, bindTimeoutMs: 500 });
    let ended = false;
    void running.then(() => {
      ended = true;
    });
    // Two tasks: Stage 2, three attempts with their grace, two waits of 30 s; and the grace of the whole.
    await vi.advanceTimersByTimeAsync(2 * (500 + 3 * 1_020 + 2 * 30_000) - 50);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(statuses(await running)).toEqual({ a: "failed", b: "skipped", c: "failed" });
  });
});

describe("the limit of a subgraph", () => {
  const base = {
    executors: [],
    taskTimeoutMs: 100,
    bindTimeoutMs: 1_000,
    abortGraceMs: 10,
    retry: { max_attempts: 1 },
  };
  const tasks = (...given: object[]) =>
    TaskData.parse({ planned_tasks: given.map((task, at) => ({ task_id: `t${at}`, execution_type: "tool", ...task })) })
      .planned_tasks;
  test.for<[string, object, Partial<RunOptions>, number]>([
    ["one attempt", {}, {}, 10 + 1_000 + 110],
    ["a limit of its own", { timeout_ms: 500 }, {}, 10 + 1_000 + 510],
    ["capped by maxTaskTimeoutMs", { timeout_ms: 500 }, { maxTaskTimeoutMs: 200 }, 10 + 1_000 + 210],
    ["its own retries", { retry: { max_attempts: 2, max_delay_ms: 5 } }, {}, 10 + 1_000 + 2 * 110 + 5],
    ["capped by maxAttempts", { retry: { max_attempts: 9, max_delay_ms: 5 } }, { maxAttempts: 2 }, 10 + 1_000 + 225],
    ["capped by totalTimeoutMs", { retry: { max_attempts: 9 } }, { totalTimeoutMs: 300 }, 10 + 1_000 + 300],
    ["a plan within it", { execution_type: "dsl" }, { maxTaskTimeoutMs: 7_000 }, 10 + 1_000 + 110 + 7_000],
    ["no limit", {}, { taskTimeoutMs: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY],
  ])("%s", ([, task, more, expected]) => {
    expect(subgraphLimitMs(tasks(task), readSettings({ ...base, ...more }))).toBe(expected);
  });

  test("adds up", () => {
    expect(subgraphLimitMs(tasks({}, {}, {}), readSettings(base))).toBe(10 + 3 * 1_110);
  });
});

test.each([0, -1, Number.NaN, "60"])("a limit of %s is refused", async (dispatchTimeoutMs) => {
  const given = { dispatchTimeoutMs: dispatchTimeoutMs as number };
  await expect(start(never, given)).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
});
