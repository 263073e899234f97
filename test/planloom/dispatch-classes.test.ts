import { defineTool, Planloom, TaskData } from "planloom";
import type { EnvironmentInput } from "planloom/optimizer";
import { type DispatchClass, type Dispatcher, inProcessDispatcher } from "planloom/runtime";
import { describe, expect, test } from "vitest";

const toolNames = ["fetch", "render", "print"];
const tools = toolNames.map((id) =>
  defineTool({ id, description: "", input: { type: "object" }, idempotent: true, execute: () => id }),
);
const has = (name: string, executors: number, ...ids: string[]): DispatchClass => ({
  name,
  executors,
  resources: ids.map((id) => ({ kind: "tool" as const, id })),
});
const called = (task_id: string, tool_id: string, ...dependencies: string[]) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  dependencies,
  estimate_data: { duration_ms: 5 },
});

/** A dispatch is dear, so that what may be in one subgraph is. @returns where each task was executed, and the grouping */
const runWith = async (
  planned_tasks: readonly object[],
  classes: readonly DispatchClass[] | undefined,
  environment?: EnvironmentInput,
) => {
  const taken: string[][] = [];
  const inner = inProcessDispatcher();
  const to: Dispatcher = {
    ...inner,
    name: "machines",
    prepare: async () => ({ overheadMs: 200, overheadP95Ms: 200, measured: 1, executors: 4, classes }) as never,
    dispatch(request, context) {
      const open = request.plan.planned_tasks.filter(({ status }) => status !== "completed");
      taken.push(open.map(({ task_id }) => task_id));
      return inner.dispatch(request, context);
    },
  };
  const plan = TaskData.parse({ planned_tasks });
  await using planloom = new Planloom({ tools, dispatch: { to, ...(environment && { environment }) } });
  const optimized = await planloom.optimize(plan);
  const result = await planloom.run(plan);
  expect(result.end_reason).toBe("completed");
  const toolOf = new Map(plan.planned_tasks.map((task) => [task.task_id, task.tool_id]));
  const mixes = taken.map((ids) => [...new Set(ids.map((id) => toolOf.get(id)))].sort());
  return { taken, mixes, optimized, result };
};

/** Chains that call both tools in turn. */
const chains = [0, 1, 2].flatMap((chain) =>
  Array.from({ length: 6 }, (_, at) =>
    called(`c${chain}_${at}`, at % 2 === 0 ? "fetch" : "render", ...(at === 0 ? [] : [`c${chain}_${at - 1}`])),
  ),
);

describe("executors that differ in their resources", () => {
  test("get only subgraphs that one of them can execute; where all have everything, tasks of both tools share one", async () => {
    const same = await runWith(chains, [has("all", 4, "fetch", "render")]);
    expect(same.mixes).toContainEqual(["fetch", "render"]);
    expect(same.optimized.environment.classes).toBeUndefined();
    const apart = await runWith(chains, [has("one", 1, "fetch"), has("two", 3, "render")]);
    expect(new Set(apart.mixes.flat())).toEqual(new Set(["fetch", "render"]));
    expect(apart.mixes.every((own) => own.length === 1)).toBe(true);
    // What is predicted is of these executors, and the proof of the grouping agrees.
    const { environment, predictedMs, lowerBoundMs } = apart.optimized;
    expect(environment.classes).toMatchObject([
      { name: "one", count: 1 },
      { name: "two", count: 3 },
    ]);
    expect(predictedMs).toBeGreaterThanOrEqual(lowerBoundMs);
    expect(apart.result.grouping?.predicted_ms).toBe(predictedMs);
    expect(apart.optimized.subgraphs.length).toBe(apart.taken.length);
  });

  test("with a resource that both have, it goes along with either", async () => {
    const plan = [called("f", "fetch"), called("p", "print", "f"), called("r", "render"), called("q", "print", "r")];
    const { mixes } = await runWith(plan, [has("one", 2, "fetch", "print"), has("two", 2, "render", "print")]);
    expect(mixes.sort()).toEqual([
      ["fetch", "print"],
      ["print", "render"],
    ]);
  });

  test("count the tools of a list's own tasks", async () => {
    const list = (task_id: string, tool: string, after: string) => ({
      task_id,
      dependencies: [after],
      for_each: { items: [1, 2], tasks: [called(`${task_id}_each`, tool)] },
    });
    const plan = [called("f", "fetch"), list("m", "render", "f"), list("n", "fetch", "f")];
    const { taken } = await runWith(plan, [has("one", 1, "fetch"), has("two", 1, "render")]);
    const together = (left: string, right: string) => taken.some((ids) => ids.includes(left) && ids.includes(right));
    expect(together("f", "m")).toBe(false);
    expect(together("m", "n")).toBe(false);
  });

  test("what nobody has yet shares a subgraph with nothing that somebody has", async () => {
    const plan = [called("f", "fetch"), called("p", "print", "f"), called("r", "render", "p")];
    const { taken } = await runWith(plan, [has("one", 1, "fetch"), has("two", 1, "render")]);
    expect(taken).toEqual([["f"], ["p"], ["r"]]);
  });

  test("share the executors that are asked for, each kind at least one; a described environment goes first", async () => {
    const given = [has("one", 2, "fetch"), has("two", 6, "render")];
    const fewer = await runWith(chains, given, { executors: 4 });
    expect(fewer.optimized.environment.classes).toMatchObject([{ count: 1 }, { count: 3 }]);
    const described = { classes: [{ name: "mine", count: 2, overheadMs: 200 }] };
    const own = await runWith(chains, given, described);
    expect(own.optimized.environment.classes).toEqual(described.classes);
  });

  test("a dispatcher that describes its executors wrongly is refused", async () => {
    for (const classes of ["one", [{ name: "one", executors: 0, resources: [] }], [{ name: "one", executors: 1 }]])
      await expect(runWith(chains, classes as never)).rejects.toMatchObject({ code: "PLANLOOM_OPTION" });
  });
});
