import { defineTool, memoryJournal, Planloom, type PlanloomOptions, TaskData } from "planloom";
import type { GuardPolicy } from "planloom/runtime";
import { expect, test } from "vitest";

let calls: string[] = [];
const tools = ["look", "send"].map((id) =>
  defineTool({
    id,
    description: `The tool ${id}`,
    execute: async (_, { task }) => {
      calls.push(task.task_id);
      return id;
    },
  }),
);
const task = (task_id: string, tool_id: string, more: Record<string, unknown> = {}) => ({
  task_id,
  execution_type: "tool",
  tool_id,
  ...more,
});
const planOf = (...planned_tasks: unknown[]) => TaskData.parse({ planned_tasks });
const wired = (options: ConstructorParameters<typeof Planloom>[0]) => {
  calls = [];
  return new Planloom({ tools, ...options });
};

test("budgets, guards, gates and the result cache can be set once for all runs", async () => {
  const plan = planOf(task("a", "look"), task("b", "look", { arguments: { n: 2 } }));
  await using budgeted = wired({ budgets: { run: { calls: 1 } } });
  expect((await budgeted.run(plan)).end_reason).toBe("budget");
  // A run can narrow what the instance allows each run, and not widen it.
  expect((await budgeted.run(plan, { budgets: { run: { calls: 2 } } })).end_reason).toBe("budget");
  await using wider = wired({ budgets: { run: { calls: 2 } } });
  expect((await wider.run(plan)).end_reason).toBe("completed");
  expect((await wider.run(plan, { budgets: { run: { calls: 1 } } })).end_reason).toBe("budget");

  await using guarded = wired({ guards: { total: 1 } });
  expect((await guarded.run(plan)).results.map(({ status }) => status)).toEqual(["completed", "failed"]);

  await using gated = wired({ approval: { resources: ["send"] } });
  const asking = planOf(task("a", "look"), task("s", "send"));
  expect(gated.dryRun(asking).steps.map(({ needs_approval }) => needs_approval)).toEqual([undefined, true]);
  expect((await gated.run(asking)).end_reason).toBe("waiting_approval");
  expect(calls).toEqual(["a"]);

  await using cached = wired({ cache: { resources: ["look"] } });
  await cached.run(plan);
  expect((await cached.run(plan)).results.map((result) => result.cached)).toEqual([true, true]);
  expect(calls).toEqual(["a", "b"]);
});

test("a resumed run is given again what a journal cannot keep, and nothing else", async () => {
  const journal = memoryJournal();
  let open = false;
  const guards: GuardPolicy = { precondition: () => (open ? undefined : "closed") };
  await using planloom = wired({ journal, guards, abortGraceMs: 1, concurrency: 1 });
  const plan = planOf(task("a", "look"), task("b", "look", { arguments: { n: 2 } }));
  const { run_id, end_reason } = await planloom.run(plan, { budgets: { run: { calls: 1 } }, concurrency: 2 });
  expect(end_reason).toBe("failed");
  await planloom.resume(run_id);
  expect(calls).toEqual([]);
  open = true;
  // The run's own budget holds; the Planloom has none.
  expect((await planloom.resume(run_id)).end_reason).toBe("budget");
  expect(calls).toHaveLength(1);
});

test("a run whose subgraphs went whole is resumed so", async () => {
  await using planloom = wired({});
  const plan = planOf(task("a", "look"), task("b", "send", { dependencies: ["a"] }));
  const { subgraphs } = await planloom.optimize(plan);
  const atomic = { subgraphs, semantics: "atomic" as const };
  const first = await planloom.run(plan, { ...atomic, signal: AbortSignal.abort() });
  expect(first.end_reason).toBe("cancelled");
  const second = await planloom.resume(first.run_id, atomic);
  expect(second.results.map(({ status, subgraph_id }) => [status, subgraph_id])).toEqual(
    plan.planned_tasks.map(() => ["completed", subgraphs[0]?.subgraph_id]),
  );
});

test("options that there are none of are refused, with what was probably meant", () => {
  const refused = (options: object) => () => new Planloom(options as PlanloomOptions);
  expect(refused({ concurency: 2 })).toThrow(
    expect.objectContaining({
      code: "PLANLOOM_OPTION",
      details: { option: "concurency", candidates: ["concurrency"] },
    }),
  );
  expect(refused({ mcpServers: {} })).toThrow("connectMcpServers");
  expect(refused({ model: undefined, cache: undefined })).not.toThrow();
});
