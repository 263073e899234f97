import type { PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import { draftPatch, TaskData } from "@planloom/plan";
import {
  approve,
  childProcessDispatcher,
  defineTool,
  dryRun,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { executors as workerExecutors } from "../../support/gate-worker.ts";

function world() {
  const calls: string[] = [];
  const note = (id: string) => (input: Record<string, unknown>) => {
    calls.push(id);
    if (input.fails === true) throw new Error("no");
    return { id };
  };
  const tools = [
    defineTool({ id: "look", description: "", readOnly: true, execute: note("look") }),
    defineTool({ id: "pay", description: "", execute: note("pay") }),
    defineTool({ id: "drop", description: "", destructive: true, execute: note("drop") }),
  ];
  return { calls, executors: [toolExecutor(tools)], journal: memoryJournal() };
}
const listOf = (tasks: PlannerTaskInput[], more: PlannerTaskInput = {}): TaskDataInput => ({
  planned_tasks: [{ task_id: "list", for_each: { items: [1], tasks }, ...more }],
});
const call = (tool_id: string, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id: tool_id,
  tool_id,
  ...more,
});
const deeper = (tasks: PlannerTaskInput[]): PlannerTaskInput => ({ task_id: "in", for_each: { items: [1], tasks } });

test.for<{ name: string; plan: TaskDataInput; options?: Partial<RunOptions>; asks: string }>([
  { name: "its own gate", plan: listOf([call("pay", { approval: "required" })]), asks: "list[0]/pay" },
  { name: "the list's gate", plan: listOf([call("pay")], { approval: "required" }), asks: "list[0]" },
  { name: "confirm: writes", plan: listOf([call("pay")]), options: { confirm: "writes" }, asks: "list[0]/pay" },
  {
    name: "confirm: destructive, in a list within a list",
    plan: listOf([deeper([call("drop")])]),
    options: { confirm: "destructive" },
    asks: "list[0]/in[0]/drop",
  },
  {
    name: "a resource's gate",
    plan: listOf([call("pay")]),
    options: { approval: { resources: ["pay"] } },
    asks: "list[0]/pay",
  },
])(
  "a person is asked about a call within a list before it is made, and a dry run says so: $name",
  async ({ plan, options, asks }) => {
    const { calls, executors, journal } = world();
    const result = await run(plan, { executors, journal, ...options });
    expect([result.end_reason, calls]).toEqual(["waiting_approval", []]);
    expect((await waitingFor(result.run_id, { journal })).map(({ id }) => id)).toEqual([asks]);
    const { confirm, approval } = options ?? {};
    const predicted = dryRun(plan, { executors, ...(confirm && { confirm }), ...(approval && { approval }) });
    expect(predicted.steps[0]?.needs_approval).toBe(true);
  },
);

const paid = call("pay", { approval: "required", status: "completed", output: { paid: true } });
test.for([
  { where: "in the plan", plan: { planned_tasks: [paid] }, output: { pay: { paid: true } } },
  { where: "within a list", plan: listOf([paid]), output: { list: [{ paid: true }] } },
  { where: "in a list within a list", plan: listOf([deeper([paid])]), output: { list: [[{ paid: true }]] } },
])(
  "what a plan has as completed has its output and is neither called nor asked about: $where",
  async ({ plan, output }) => {
    const { calls, executors, journal } = world();
    const result = await run(plan, { executors, journal });
    expect([result.end_reason, calls]).toEqual(["completed", []]);
    expect(result.plan.output_data).toEqual(output);
    expect(dryRun(plan, { executors }).steps.filter((step) => step.needs_approval)).toEqual([]);
  },
);

test("a dry run counts no calls of what a plan has as completed, within lists and in given elements", () => {
  const { executors } = world();
  const look = { task_id: "look", tool_id: "look", for_each: { items: [1, 2, 3], given: { "1": {} } } };
  const done = deeper([call("pay", { task_id: "again", approval: "required" })]);
  const plan = {
    planned_tasks: [look, ...listOf([paid, { ...done, status: "completed", output: [] }, call("drop")]).planned_tasks!],
  };
  const { calls, steps } = dryRun(plan, { executors });
  expect(calls).toEqual({ "tool:look": 2, "tool:drop": 1 });
  expect(steps.filter(({ needs_approval }) => needs_approval)).toEqual([]);
});

test("who is asked about an element sees what is not called in it, and which output it has", async () => {
  const { executors, journal } = world();
  await run(listOf([paid, call("drop")], { approval: "required" }), { executors, journal, runId: "r" });
  const [asked] = await waitingFor("r", { journal });
  expect(asked!.parameters!.calls).toEqual([
    'pay: not called, the plan has its output: {"paid":true}',
    "drop: tool drop {}",
  ]);
});

test("nobody is asked about calls within a list that only read", () => {
  const { executors } = world();
  expect(dryRun(listOf([call("look")]), { executors, confirm: "writes" }).steps[0]).not.toHaveProperty(
    "needs_approval",
  );
});

test("a call within a list has the run's attempts once, not for each attempt of its element again", async () => {
  const { calls, executors, journal } = world();
  const plan = listOf([call("pay", { arguments: { fails: true } })]);
  await run(plan, { executors, journal, retry: { max_attempts: 3, initial_delay_ms: 0 } });
  expect(calls).toHaveLength(3);
});

test("in a worker process a call within a list waits for a yes that holds for this plan", async () => {
  await using dispatcher = childProcessDispatcher({ module: new URL("../../support/gate-worker.ts", import.meta.url) });
  const pay = call("pay", { approval: "required", arguments: { amount: "${item}" } });
  const plan = TaskData.parse(listOf([pay]));
  const journal = memoryJournal();
  const subgraphs = [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }];
  const given = { executors: workerExecutors, dispatcher, journal };
  const first = await run(plan, { ...given, runId: "r", semantics: "atomic", subgraphs });
  expect(first.end_reason).toBe("waiting_approval");
  const [asked] = await waitingFor("r", { journal });
  expect(asked).toMatchObject({ id: "list[0]/pay", uid: "pay", input: { amount: 1 } });
  // The question means this plan: it is the one that a run without workers asks.
  const here = memoryJournal();
  await run(plan, { executors: workerExecutors, journal: here, runId: "r" });
  expect(asked?.content_hash).toBe((await waitingFor("r", { journal: here }))[0]?.content_hash);
  await approve("r", asked!.id, { journal });
  const second = await resume("r", given);
  expect(second.results[0]).toMatchObject({ status: "completed", output: [{ paid: 1 }] });
});

test("in a worker process what a plan has as completed is neither called nor asked about, within a list and beside it", async () => {
  await using dispatcher = childProcessDispatcher({ module: new URL("../../support/gate-worker.ts", import.meta.url) });
  const next = call("pay", { task_id: "next", approval: "required", dependencies: ["pay"] });
  const plan = TaskData.parse({
    planned_tasks: [...listOf([paid, next]).planned_tasks!, { ...paid, task_id: "before" }],
  });
  const journal = memoryJournal();
  const subgraphs = [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }];
  const given = { executors: workerExecutors, dispatcher, journal };
  const first = await run(plan, { ...given, runId: "r", semantics: "atomic", subgraphs });
  expect(first.end_reason).toBe("waiting_approval");
  const asked = await waitingFor("r", { journal });
  expect(asked.map(({ id }) => id)).toEqual(["list[0]/next"]);
  await approve("r", asked[0]!.id, { journal });
  expect((await resume("r", given)).end_reason).toBe("completed");
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
});

test("in a worker process calls within a list get secrets one by one, and nothing that they give shows them", async () => {
  const { executors } = await import("../../support/dispatch-worker.ts");
  await using dispatcher = childProcessDispatcher({
    module: new URL("../../support/dispatch-worker.ts", import.meta.url),
  });
  const echo = (task_id: string, name: string) => call("echo", { task_id, arguments: { token: { $secret: name } } });
  const plan = TaskData.parse({
    planned_tasks: [
      { task_id: "list", for_each: { items: [1], tasks: [deeper([echo("a", "TOKEN")])] } },
      { task_id: "other", for_each: { items: [1], tasks: [echo("b", "OTHER")] } },
    ],
  });
  const journal = memoryJournal();
  const { results } = await run(plan, {
    executors: await executors(),
    dispatcher,
    journal,
    runId: "r",
    semantics: "atomic",
    subgraphs: [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }],
    secrets: { TOKEN: "sk-live-4711", OTHER: { value: "other-secret", resources: ["work"] } },
  });
  expect(results[0]).toMatchObject({ output: [[{ input: { token: "[redacted]" }, lengths: { token: 12 } }]] });
  expect(JSON.stringify(results[1]?.error)).toContain("TASK_SECRET");
  const kept = JSON.stringify([results, await journal.getTasks("r"), await journal.getNestedTasks("r")]);
  expect(kept).not.toMatch(/sk-live|other-secret/);
});

test("a dispatcher that asks before no call is refused for a plan with a gate within a list", async () => {
  const { calls, executors, journal } = world();
  const plan = TaskData.parse(listOf([deeper([call("pay", { approval: "required" })])]));
  const dispatcher = { name: "own", dispatch: () => Promise.reject(new Error("not called")) };
  const subgraphs = [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }];
  const running = run(plan, { executors, journal, dispatcher, semantics: "atomic", subgraphs });
  await expect(running).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
    message: expect.stringContaining("governed"),
  });
  expect(calls).toEqual([]);
});

test.for(["writes the call as it is", "hides the call in a list"])(
  "where people approve new tasks, they are asked about each call of an answer that %s",
  async (way) => {
    const { calls, executors, journal } = world();
    const fails = TaskData.parse({ planned_tasks: [call("look", { arguments: { fails: true } })] });
    const pay = { execution_type: "tool" as const, tool_id: "pay", arguments: { amount: 7 } };
    const hidden = { for_each: { items: [1], tasks: [{ ...pay, task_id: "hidden" }] } };
    const answer = { task_id: "new", replaces: ["look"], ...(way.startsWith("hides") ? hidden : pay) };
    const result = await run(fails, {
      executors,
      journal,
      retry: { max_attempts: 1 },
      replan: async ({ plan }) => draftPatch(plan, { tasks: [answer] }).patch,
      replanPolicy: { on: ["failure"], approval: "required" },
    });
    expect([result.end_reason, calls]).toEqual(["waiting_approval", ["look"]]);
    expect(await waitingFor(result.run_id, { journal })).toMatchObject([{ uid: "pay", input: { amount: 7 } }]);
  },
);

test("a question about an element shows the calls that a yes lets through, at any depth", async () => {
  const { calls, executors, journal } = world();
  const to = { arguments: { to: "${item}", key: { $secret: "TOKEN" }, of: { $ref: "look.id" } } };
  const inner = [call("look"), deeper([call("pay", { execution_type: "tool", ...to })])];
  const result = await run(listOf(inner, { approval: "required" }), {
    executors,
    journal,
    secrets: { TOKEN: "sk-live-4711" },
  });
  const [asked] = await waitingFor(result.run_id, { journal });
  expect(asked).toMatchObject({ id: "list[0]", input: { item: 1, index: 0 } });
  expect(asked?.parameters?.calls).toEqual([
    expect.stringMatching(/^look: .*look \{\}$/),
    "in: for each of [1]",
    `pay: tool pay ${JSON.stringify(to.arguments)}`,
  ]);
  await approve(result.run_id, "list[0]", { journal });
  const resumed = await resume(result.run_id, { executors, journal, secrets: { TOKEN: "sk-live-4711" } });
  expect([resumed.end_reason, calls]).toEqual(["completed", ["look", "pay"]]);
});

test("a limit by resource holds for the calls of lists in several worker processes together", async () => {
  const { executors } = await import("../../support/dispatch-worker.ts");
  await using dispatcher = childProcessDispatcher({
    module: new URL("../../support/dispatch-worker.ts", import.meta.url),
  });
  const clock = call("clock", { arguments: { ms: 15 } });
  const lists = ["a", "b"].map((task_id) => ({ task_id, for_each: { items: [1, 2], tasks: [clock] } }));
  const plan = TaskData.parse({ planned_tasks: lists });
  const { results } = await run(plan, {
    executors: await executors(),
    dispatcher,
    journal: memoryJournal(),
    semantics: "atomic",
    subgraphs: plan.planned_tasks.map((task) => ({ subgraph_id: task.task_id, tasks: [task], dependencies: [] })),
    limits: { resources: { clock: 1 } },
  });
  const spans = results.flatMap(({ output }) => output as { began: number; ended: number; pid: number }[]);
  expect(new Set(spans.map(({ pid }) => pid)).size).toBe(2);
  const ordered = spans.toSorted((a, b) => a.began - b.began);
  expect(ordered).toHaveLength(4);
  // All on one machine's clock; a millisecond is its grain.
  for (const [at, { began }] of ordered.entries())
    if (at > 0) expect(began).toBeGreaterThanOrEqual(ordered[at - 1]!.ended - 1);
});

test("a function that confirms is asked about the calls of an element, and not about the element", async () => {
  const { executors, journal } = world();
  const asked: string[] = [];
  const confirm = ({ task, uid }: { task: { task_id: string }; uid: string }) => {
    asked.push(`${task.task_id}: ${uid}`);
    return false;
  };
  const result = await run(listOf([call("look"), call("pay", { dependencies: ["look"] })]), {
    executors,
    journal,
    confirm,
  });
  expect(result.end_reason).toBe("completed");
  expect([...new Set(asked)]).toEqual(["look: look", "pay: pay"]);
});

test("what is asked about elements is listed by element, whichever were begun or asked first", async () => {
  const { executors, journal } = world();
  const items = Array.from({ length: 12 }, (_, index) => index);
  const pay = call("pay", { arguments: { amount: "${item}" }, approval: "required" });
  const plan = {
    planned_tasks: [
      { ...call("drop", { approval: "required" }), task_id: "z" },
      { ...pay, task_id: "list", for_each: { items, concurrency: 4 } },
      { task_id: "nested", for_each: { items, tasks: [pay], concurrency: 3 } },
    ],
  };
  const asked = async () => (await waitingFor("r", { journal })).map(({ id }) => id);
  const options = { executors, journal };
  const inList = (...elements: number[]) => elements.map((index) => `list[${index}]`);
  const inNested = (...elements: number[]) => elements.map((index) => `nested[${index}]/pay`);
  await run(plan, { ...options, runId: "r" });
  expect(await asked()).toEqual(["z", ...inList(0, 1, 2, 3), ...inNested(0, 1, 2)]);
  for (const id of [...inList(0, 2), ...inNested(0, 1)]) await approve("r", id, { journal });
  const second = await resume("r", options);
  expect(await asked()).toEqual(["z", ...inList(1, 3, 4, 5), ...inNested(2, 3, 4)]);
  expect(second.results[1]?.error?.message).toContain("pay (list[1]), pay (list[3]), pay (list[4]), pay (list[5])");
  for (const id of inList(1, 3, 4, 5)) await approve("r", id, { journal });
  await resume("r", options);
  for (const id of inList(6, 8)) await approve("r", id, { journal });
  await resume("r", options);
  expect((await asked()).slice(1, 5)).toEqual(inList(7, 9, 10, 11));
});
