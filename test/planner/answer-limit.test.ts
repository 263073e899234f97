import type { BehaviorController, CallOptions } from "@planloom/controller";
import { type Resource, TaskData } from "@planloom/plan";
import { bindWith, Planner, SubGraphRePlanner, ToolsPlanner } from "@planloom/planner";
import { afterEach, describe, expect, test, vi } from "vitest";

const resources: readonly Resource[] = ["one", "two"].map((id) => ({ kind: "tool", id, description: id }));
const task = TaskData.parse({ planned_tasks: [{ task_id: "a", execution_type: "tool", mark_replan: true }] });
const [planned] = task.planned_tasks;

/** Never answers, or answers after so many milliseconds. */
function silent(afterMs?: number) {
  const signals: (AbortSignal | undefined)[] = [];
  const answer = (_: unknown, options?: CallOptions) => {
    signals.push(options?.signal);
    return new Promise<{ success: false }>((resolve) => {
      if (afterMs !== undefined) setTimeout(resolve, afterMs, { success: false });
    });
  };
  const controller: BehaviorController = { name: "silent", processPhase1: answer, processPhase2: answer };
  return { controller, signals };
}

const asks: readonly [string, (controller: BehaviorController, timeoutMs?: number) => Promise<unknown>][] = [
  ["Planner", (controller, timeoutMs) => new Planner({ controller, resources, ...limit(timeoutMs) }).createPlan("g")],
  [
    "SubGraphRePlanner",
    (controller, timeoutMs) =>
      new SubGraphRePlanner({ controller, resources, ...limit(timeoutMs) }).replaceReplanTasks({
        subgraph_id: "s",
        tasks: [planned!],
        dependencies: [],
      }),
  ],
  [
    "ToolsPlanner",
    (controller, timeoutMs) => {
      const planner = new ToolsPlanner({ controller, ...limit(timeoutMs) });
      planner.prepareTools(resources);
      return planner.createPlan({ task: planned! });
    },
  ],
  [
    "bindWith",
    (controller, timeoutMs) =>
      bindWith({ controller, resources, ...limit(timeoutMs) })(
        { task: planned!, input: {} },
        { signal: new AbortController().signal },
      ),
  ],
];
afterEach(() => void vi.useRealTimers());

const limit = (timeoutMs: number | undefined) => (timeoutMs === undefined ? {} : { timeoutMs });

describe.each(asks)("%s", (_, ask) => {
  test("gives up a controller that does not answer, tells it so, and asks it no second time", async () => {
    vi.useFakeTimers();
    const { controller, signals } = silent();
    const asked = expect(ask(controller, 30)).rejects.toMatchObject({
      code: "PLANNER_TIMEOUT",
      message: expect.stringContaining("30 ms"),
      details: { timeout_ms: 30, attempts: [] },
    });
    await vi.advanceTimersByTimeAsync(2_000);
    await asked;
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  test("waits ten minutes by default, for each answer anew", async () => {
    vi.useFakeTimers();
    const { controller, signals } = silent(599_000);
    const asked = ask(controller).catch((error: { code: string }) => error.code);
    await vi.advanceTimersByTimeAsync(3 * 599_000);
    expect(await asked).toMatch(/PLANNER_NO_VALID_(PLAN|STEP|REPLAN)/);
    expect(signals).toHaveLength(3);
    const given = ask(silent().controller).catch((error: { code: string }) => error.code);
    await vi.advanceTimersByTimeAsync(602_000);
    expect(await given).toBe("PLANNER_TIMEOUT");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("refuses a limit that is none", async () => {
    const refused = async () => ask(silent().controller, 0);
    await expect(refused()).rejects.toMatchObject({ code: "PLANNER_CONFIG", details: { option: "timeoutMs" } });
  });
});
