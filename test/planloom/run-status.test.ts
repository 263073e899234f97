import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test, vi } from "vitest";
import { group, planOf } from "../support/run-plans.ts";

function wired() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const tools = ["quick", "slow", "bad", "asked"].map((id) =>
    defineTool({
      id,
      description: "",
      readOnly: true,
      async execute() {
        if (id === "bad") throw new Error("no such customer");
        if (id === "slow") {
          begin();
          await released;
        }
        return id;
      },
    }),
  );
  return { tools, begun, release };
}

const plan = planOf(
  { quick: [], slow: ["quick"], after: ["slow"], bad: [], behind: ["bad"], asked: [] },
  { after: { tool_id: "quick" }, behind: { tool_id: "quick" }, asked: { approval: "required" } },
);

test.for([{ atomic: false }, { atomic: true }])(
  "the status of a run has every task once, while it goes on and after; subgraphs whole: $atomic",
  async ({ atomic }) => {
    const { tools, begun, release } = wired();
    const journal = memoryJournal();
    await using planloom = new Planloom({ tools, journal });
    const subgraphs = group(plan, { all: plan.planned_tasks.map(({ task_id }) => task_id) });
    const running = planloom.run(plan, {
      runId: "r",
      metadata: { order: 7 },
      ...(atomic && { semantics: "atomic" as const, subgraphs }),
    });
    await begun;
    // Tasks of a subgraph go one after the other.
    const settled = atomic ? 2 : 5;
    await vi.waitFor(async () => {
      const { counts } = await planloom.runStatus("r");
      const known = Object.entries(counts).reduce((sum, [status, n]) => sum + (status === "pending" ? 0 : n), 0);
      expect(known).toBeGreaterThanOrEqual(settled);
    });
    const now = await planloom.runStatus("r");
    expect(now).toMatchObject({ run_id: "r", status: "running", resumable: false, metadata: { order: 7 } });
    const byId = new Map(now.tasks.map((task) => [task.task_id, task]));
    expect([...byId.keys()]).toEqual(plan.planned_tasks.map(({ task_id }) => task_id));
    expect(byId.get("quick")).toMatchObject({ status: "completed", attempts: 1, uid: "quick" });
    expect(byId.get("slow")).toMatchObject({ status: "running", attempts: 1 });
    expect(byId.get("slow")?.started_at).toBeGreaterThan(Date.now() - 60_000);
    expect(byId.get("after")).toMatchObject({ status: "pending", attempts: 0, depends_on: ["slow"] });
    if (!atomic) {
      expect(byId.get("bad")).toMatchObject({ status: "failed", error: { message: "no such customer" } });
      expect(byId.get("behind")).toMatchObject({ status: "skipped", skipped_because: "bad" });
    }

    release();
    expect((await running).end_reason).toBe("waiting_approval");
    const ended = await planloom.runStatus("r");
    expect(ended.status).toBe("waiting_approval");
    expect(ended.waiting).toMatchObject([{ id: "asked", uid: "asked" }]);
    expect(ended.tasks.at(-1)).toMatchObject({ status: "waiting_approval", waiting_calls: ["asked"] });
    expect(ended.counts).toEqual({ completed: 3, failed: 1, skipped: 1, waiting_approval: 1 });
  },
);

test("a run that was drained says that it can be resumed, and which tasks are left", async () => {
  const { tools, begun, release } = wired();
  const journal = memoryJournal();
  const planloom = new Planloom({ tools, journal });
  const running = planloom.run(planOf({ slow: [], quick: ["slow"] }), { runId: "r" });
  await begun;
  const closing = planloom.close({ drainMs: 10_000 });
  release();
  await Promise.all([running, closing]);
  await using next = new Planloom({ tools, journal });
  expect(await next.runStatus("r")).toMatchObject({
    status: "drained",
    resumable: true,
    counts: { completed: 1, pending: 1 },
  });
});

test("an instance says what it runs with, and shows no secret", async () => {
  await using bare = new Planloom();
  expect(bare.describe()).toEqual({
    journal: { name: "memory", durable: false, events: false, max_ended_runs: 1_000 },
    controller: "embedded",
    resources: { tool: 0, agent: 0, llm: 0, dsl: 0 },
    limits: {},
    load: { calls: 0, queuedCalls: 0, runs: 0, queuedRuns: 0 },
    confirm: { goals: "writes", plans: "destructive", always: [], never: [] },
    on_unknown: "ask",
    optimizer: "portfolio",
    secrets: [],
  });
  const { tools } = wired();
  await using rich = new Planloom({
    tools,
    journal: memoryJournal({ events: true }),
    concurrency: 8,
    budgets: { total: { calls: 100 } },
    tenants: { acme: { concurrency: 2 } },
    confirm: () => true,
    approval: { resources: ["asked"], allow: ["quick"] },
    secrets: { TOKEN: "hunter22-hunter22" },
    onUnknown: "fail",
  });
  const described = rich.describe();
  expect(described).toMatchObject({
    journal: { name: "memory", durable: false, events: true },
    resources: { tool: 4 },
    limits: { concurrency: 8, budgets: { total: { calls: 100 } }, tenants: ["acme"] },
    confirm: { goals: "function", plans: "function", always: ["asked"], never: ["quick"] },
    on_unknown: "fail",
    secrets: ["TOKEN"],
  });
  expect(JSON.stringify(described)).not.toContain("hunter22");
});

test("a journal in memory warns when thousands of runs stay open, since it forgets none of them", async () => {
  const warnings: string[] = [];
  const warn = vi.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
  const { tools } = wired();
  await using planloom = new Planloom({ tools });
  const waiting = planOf({ asked: [] }, { asked: { approval: "required" } });
  for (let run = 0; run < 999; run++) await planloom.run(waiting);
  expect(warnings).toEqual([]);
  for (let run = 0; run < 10; run++) await planloom.run(waiting);
  warn.mockRestore();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("1000 runs that have not ended");
});

test("the status says which tasks a task waits for, also where it only refers to them", async () => {
  const { tools } = wired();
  await using planloom = new Planloom({ tools });
  const named = { list: [], quick: [], each: ["quick"] };
  const refers = { for_each: { items: "${list}" }, arguments: { n: "${item}", also: "${quick.x?}" } };
  const ids = Object.keys(named).map((id) => [id, { tool_id: "quick" }] as const);
  const plan = planOf(named, { ...Object.fromEntries(ids), each: { tool_id: "quick", ...refers } });
  await planloom.run(plan, { runId: "r" });
  const { tasks } = await planloom.runStatus("r");
  expect(tasks.map(({ depends_on }) => depends_on)).toEqual([[], [], ["list", "quick"]]);
});

test("what a plan has as completed is shown so in the run, and that it was not called", async () => {
  const journal = memoryJournal();
  const planned_tasks = [
    { task_id: "given", tool_id: "look", status: "completed" as const, output: { ok: true } },
    { task_id: "next", tool_id: "look", dependencies: ["given"] },
  ];
  const look = defineTool({ id: "look", description: "", execute: () => ({}) });
  const planloom = new Planloom({ tools: [look], journal });
  await planloom.run({ planned_tasks }, { runId: "r" });
  const { tasks, counts } = await planloom.runStatus("r");
  expect(counts).toEqual({ completed: 2 });
  expect(tasks).toMatchObject([
    { status: "completed", given: true, attempts: 0 },
    { status: "completed", attempts: 1 },
  ]);
  expect(tasks[1]).not.toHaveProperty("given");
});
