import type { PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import {
  approve,
  defineTool,
  deny,
  fork,
  type Journal,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  type RunResult,
  replay,
  resume,
  run,
  runStatus,
  SqliteJournal,
  toolExecutor,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

interface World {
  readonly calls: string[];
  readonly options: RunOptions & { readonly journal: Journal };
  most: number;
  /** Elements whose call fails. */
  readonly bad: Set<unknown>;
}

/** `read` gives what it is asked for, `work` notes its calls, `pay` is one that changes something. */
function world(journal: Journal = memoryJournal(), rest: Omit<Partial<RunOptions>, "journal"> = {}): World {
  const calls: string[] = [];
  let running = 0;
  const bad = new Set<unknown>();
  const work = async (input: Record<string, unknown>) => {
    calls.push(JSON.stringify(input));
    made.most = Math.max(made.most, ++running);
    await Promise.resolve();
    await new Promise((done) => setImmediate(done));
    running--;
    if (bad.has(input.x)) throw new Error(`no ${input.x}`);
    return { y: input.x };
  };
  const tools = [
    defineTool({ id: "read", description: "", readOnly: true, execute: ({ list }) => list ?? null }),
    defineTool({ id: "work", description: "", readOnly: true, execute: work }),
    defineTool({ id: "pay", description: "", execute: work }),
  ];
  const made: World = {
    calls,
    bad,
    most: 0,
    options: { executors: [toolExecutor(tools)], journal, retry: { max_attempts: 1 }, ...rest },
  };
  return made;
}

const plan = (...planned_tasks: PlannerTaskInput[]): TaskDataInput => ({ planned_tasks });
const listTask = (list: unknown): PlannerTaskInput => ({ task_id: "list", tool_id: "read", arguments: { list } });
const each = (rest: Partial<PlannerTaskInput> = {}): PlannerTaskInput => ({
  task_id: "fetch",
  tool_id: "work",
  arguments: { x: "${item}", at: "${index}" },
  for_each: { items: "${list}" },
  ...rest,
});
const outputOf = ({ results }: RunResult, id: string) => results.find(({ task_id }) => task_id === id)?.output;
const errorOf = ({ results }: RunResult, id: string) => results.find(({ task_id }) => task_id === id)?.error;
const xs = (output: unknown) => (output as { y: unknown }[]).map((one) => one?.y ?? one);

test("a task is executed for each element, and its output is the list of theirs in order", async () => {
  const { options, calls } = world();
  const result = await run(plan(listTask(["a", "b", "c"]), each()), options);
  expect(outputOf(result, "fetch")).toEqual([{ y: "a" }, { y: "b" }, { y: "c" }]);
  expect(calls.toSorted()).toEqual(['{"x":"a","at":0}', '{"x":"b","at":1}', '{"x":"c","at":2}']);
  expect(result.results[1]?.elements).toEqual({ total: 3, completed: 3, failed: 0, skipped: 0 });
  expect(result.usage.attempts).toBe(4);
  expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
  expect((await replay(result.run_id, { journal: options.journal })).divergence).toBeUndefined();
});

test.for([
  { name: "an empty list gives an empty list", for_each: { items: "${list}" }, list: [], want: [] },
  { name: "the list may be written out", for_each: { items: ["p", "${list[0]}"] }, list: ["q"], want: ["p", "q"] },
  { name: "the object form of a reference", for_each: { items: { $ref: "list" } }, list: [7], want: [7] },
  {
    name: "values that look like references stay values",
    for_each: { items: "${list}" },
    list: ["$${input}", "$$$${a}"],
    want: ["${input}", "$${a}"],
  },
  {
    name: "equal elements are no runaway repetition",
    for_each: { items: "${list}" },
    list: new Array(40).fill("same"),
    want: new Array(40).fill("same"),
  },
])("$name", async ({ for_each, list, want }) => {
  const result = await run(plan(listTask(list), each({ for_each })), world().options);
  expect(result.end_reason).toBe("completed");
  expect(xs(outputOf(result, "fetch"))).toEqual(want);
});

test("its own concurrency holds under the limits of the run", async () => {
  const list = Array.from({ length: 30 }, (_, index) => index);
  for (const [concurrency, own, most] of [
    [8, 3, 3],
    [2, 5, 2],
    [4, undefined, 4],
  ] as const) {
    const { options, ...seen } = world(memoryJournal(), { concurrency });
    const counted = world(memoryJournal(), { concurrency });
    const for_each = { items: "${list}", ...(own !== undefined && { concurrency: own }) };
    await run(plan(listTask(list), each({ for_each })), counted.options);
    expect(counted.most).toBe(most);
    expect(seen.calls).toEqual([]);
  }
});

test.for([
  { on_failure: "all", status: "failed", started: 3, want: undefined },
  { on_failure: "collect", status: "completed", started: 10, want: [0, 1, null, 3, null, 5, null, 7, 8, 9] },
  { on_failure: { first: 2 }, status: "failed", started: 5, want: undefined },
  { on_failure: { first: 4 }, status: "completed", started: 10, want: [0, 1, null, 3, null, 5, null, 7, 8, 9] },
] as const)("elements that fail: $on_failure", async ({ on_failure, status, started, want }) => {
  const { options, calls, bad } = world();
  for (const x of [2, 4, 6]) bad.add(x);
  const list = Array.from({ length: 10 }, (_, index) => index);
  const task = each({ for_each: { items: "${list}", on_failure, concurrency: 1 } });
  const result = await run(plan(listTask(list), task), options);
  expect(result.results[1]?.status).toBe(status);
  expect(calls).toHaveLength(started);
  if (want !== undefined) expect(xs(outputOf(result, "fetch"))).toEqual(want);
  else
    expect(errorOf(result, "fetch")).toMatchObject({
      code: "TASK_ELEMENT",
      details: { element: "fetch[2]", total: 10 },
    });
  expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
});

test("an error stands in the place of a failed element where that is asked for", async () => {
  const { options, bad } = world();
  bad.add("b");
  const for_each = { items: "${list}", on_failure: "collect", failed_as: "error" } as const;
  const result = await run(plan(listTask(["a", "b"]), each({ for_each })), options);
  expect(outputOf(result, "fetch")).toEqual([{ y: "a" }, { error: { code: "TASK_FAILED", message: "no b" } }]);
});

test.for([
  { name: "a number", list: 7, text: "Expected `for_each.items` to give a list, got 7 (number) (${list})." },
  { name: "a text", list: "abc", text: 'to give a list, got "abc"' },
  { name: "an object", list: { a: 1 }, text: 'to give a list, got {"a":1}' },
  { name: "nothing", list: null, text: "to give a list, got null" },
  {
    name: "too many",
    list: new Array(11).fill(0),
    max_items: 10,
    text: "a list of at most 10 elements, got 11. Raise `for_each.max_items`",
  },
])("a list that is none: $name", async ({ list, max_items, text }) => {
  const { options, calls } = world();
  const for_each = { items: "${list}", ...(max_items !== undefined && { max_items }) };
  const result = await run(plan(listTask(list), each({ for_each })), options);
  expect(errorOf(result, "fetch")).toMatchObject({ code: "TASK_ITEMS", message: expect.stringContaining(text) });
  expect(calls).toEqual([]);
  expect((await replay(result.run_id, { journal: options.journal })).divergence).toBeUndefined();
});

test("ten million elements are refused with the limit, before any of them exists", async () => {
  const { options } = world();
  const items = new Array(10_000_000);
  const result = await run(
    { ...plan(each({ for_each: { items: "${many}" } })), variables: { many: items } },
    { ...options, journal: undefined },
  );
  expect(errorOf(result, "fetch")?.message).toContain("at most 100000 elements, got 10000000");
});

test("a reference that has no value fails the task, and one in an element that element alone", async () => {
  const { options } = world();
  const missing = await run(plan(listTask([]), each({ for_each: { items: "${list.hits}" } })), options);
  expect(errorOf(missing, "fetch")?.code).toBe("TASK_REFERENCE");
  const task = each({ arguments: { x: "${item.id}" }, for_each: { items: "${list}", on_failure: "collect" } });
  const some = await run(plan(listTask([{ id: 1 }, {}, { id: 3 }]), task), world().options);
  expect(xs(outputOf(some, "fetch"))).toEqual([1, null, 3]);
});

test.for(["memory", "sqlite"] as const)(
  "resumed in the middle, no completed element is repeated (%s)",
  async (store) => {
    const journal = store === "memory" ? memoryJournal() : await SqliteJournal.open(":memory:");
    const first = world(journal);
    const list = Array.from({ length: 50 }, (_, index) => index);
    const stopped = new AbortController();
    first.bad.add(-1);
    const onEvent = () => {
      if (first.calls.length >= 20) stopped.abort(new Error("enough"));
    };
    const tools = first.options.executors;
    const cut = await run(plan(listTask(list), each()), {
      ...first.options,
      executors: tools,
      onEvent,
      signal: stopped.signal,
      runId: "r",
    }).catch((error) => error);
    // Progress is reported ten times a second at most, so the run may also have ended.
    const second = world(journal);
    const result = cut.end_reason === "completed" ? cut : await resume("r", second.options);
    expect(xs(outputOf(result, "fetch"))).toEqual(list);
    const recorded = (await journal.getNestedTasks("r")).map(({ record }) => record.task_id);
    expect(new Set(recorded).size).toBe(50);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    await journal.close();
  },
);

test("failed elements are executed again by a resumption, completed ones are not", async () => {
  const journal = memoryJournal();
  const first = world(journal);
  for (const x of [3, 4]) first.bad.add(x);
  const list = [0, 1, 2, 3, 4, 5];
  const task = each({ for_each: { items: "${list}", on_failure: { first: 2 } } });
  const failed = await run(plan(listTask(list), task), { ...first.options, concurrency: 1, runId: "r" });
  expect(failed.end_reason).toBe("failed");
  const second = world(journal);
  const result = await resume("r", second.options);
  expect(second.calls).toEqual(['{"x":3,"at":3}', '{"x":4,"at":4}', '{"x":5,"at":5}']);
  expect(xs(outputOf(result, "fetch"))).toEqual(list);
  expect(result.results[1]?.elements).toEqual({ total: 6, completed: 6, failed: 0, skipped: 0 });
});

test("each element has its own attempts, gate and cached output", async () => {
  const journal = memoryJournal();
  const { options, calls, bad } = world(journal, { cache: { resources: ["work"] } });
  bad.add("b");
  const retried = each({
    retry: { max_attempts: 3, initial_delay_ms: 0 },
    for_each: { items: "${list}", on_failure: "collect" },
  });
  await run(plan(listTask(["a", "b", "c"]), retried), { ...options, runId: "one" });
  expect(calls.filter((call) => call.includes('"b"'))).toHaveLength(3);
  bad.clear();
  calls.length = 0;
  await run(plan(listTask(["a", "b", "c"]), retried), { ...options, runId: "two" });
  expect(calls).toEqual(['{"x":"b","at":1}']);
});

test("a person is asked about each element, by its address; what was answered is what runs", async () => {
  const journal = memoryJournal();
  const { options, calls } = world(journal);
  const task = each({ tool_id: "pay", approval: "required", for_each: { items: "${list}", on_failure: "collect" } });
  const asked = await run(plan(listTask(["a", "b", "c"]), task), { ...options, runId: "r" });
  expect(asked.end_reason).toBe("waiting_approval");
  const waiting = await waitingFor("r", { journal });
  expect(waiting.map(({ id, input }) => [id, input])).toEqual([
    ["fetch[0]", { x: "a", at: 0 }],
    ["fetch[1]", { x: "b", at: 1 }],
    ["fetch[2]", { x: "c", at: 2 }],
  ]);
  await approve("r", "fetch[0]", { journal });
  await deny("r", "fetch[1]", { journal });
  const half = await resume("r", options);
  expect([half.end_reason, calls]).toEqual(["waiting_approval", ['{"x":"a","at":0}']]);
  await approve("r", "fetch[2]", { journal });
  const result = await resume("r", options);
  expect(calls).toEqual(['{"x":"a","at":0}', '{"x":"c","at":2}']);
  expect(xs(outputOf(result, "fetch"))).toEqual(["a", null, "c"]);
});

test("a fork from one element keeps the others", async () => {
  const journal = memoryJournal();
  const { options } = world(journal);
  const done = await run(
    plan(listTask([5, 6, 7]), each(), { task_id: "after", tool_id: "work", arguments: { x: "${fetch.*.y}" } }),
    options,
  );
  const again = world(journal);
  const forked = await fork(done.run_id, "fetch[1]", again.options);
  expect(again.calls).toEqual(['{"x":6,"at":1}', '{"x":[5,6,7]}']);
  expect(forked.output_data.after).toEqual({ y: [5, 6, 7] });
  await expect(fork(done.run_id, "fetch[1]", { ...again.options, arguments: {} })).rejects.toThrow("no `arguments`");
  await expect(fork(done.run_id, "list[1]", again.options)).rejects.toThrow('got "list[1]"');
  await expect(fork(done.run_id, "fetch[3]", again.options)).rejects.toMatchObject({
    code: "RUNTIME_TASK_NOT_FOUND",
    message: expect.stringContaining('the list of task "fetch" has 3'),
  });
  expect(await journal.listRuns()).toHaveLength(2);
});

const authors: PlannerTaskInput = {
  task_id: "authors",
  for_each: {
    items: "${list}",
    as: "author",
    result: "sum",
    tasks: [
      { task_id: "books", tool_id: "read", arguments: { list: "${author.books}" } },
      {
        task_id: "book",
        tool_id: "work",
        arguments: { x: "${author.name} ${one} ${prefix}" },
        for_each: { items: "${books}", as: "one" },
      },
      { task_id: "sum", tool_id: "work", arguments: { x: "${book.*.y}", at: "${index}" } },
    ],
  },
};
const library = [
  { name: "A", books: [1, 2] },
  { name: "B", books: [] },
  { name: "C", books: [3] },
];

test("several tasks for each element, with a list in each of them", async () => {
  const journal = memoryJournal();
  const { options } = world(journal);
  const nested = { ...plan(listTask(library), authors), variables: { prefix: "!" } };
  const result = await run(nested, { ...options, runId: "r" });
  expect(xs(outputOf(result, "authors"))).toEqual([["A 1 !", "A 2 !"], [], ["C 3 !"]]);
  expect((await verifyRun(journal, "r")).problems).toEqual([]);
  const again = world(journal);
  const forked = await fork("r", "authors[0]", again.options);
  expect(again.calls).toEqual(['{"x":"A 1 !"}', '{"x":"A 2 !"}', '{"x":["A 1 !","A 2 !"],"at":0}']);
  expect(forked.output_data).toEqual(result.output_data);
});

test("equal calls within elements are no runaway repetition: the plan has them", async () => {
  const { options, calls } = world();
  const tasks = [
    { task_id: "one", tool_id: "work" },
    { task_id: "each", tool_id: "work", for_each: { items: [1, 2], as: "n" } },
  ];
  const list = Array.from({ length: 20 }, (_, index) => index);
  const result = await run(plan({ task_id: "group", for_each: { items: list, tasks } }), options);
  expect([result.end_reason, calls.length]).toEqual(["completed", 60]);
});

test("a secret that tasks of an element name, and the run is not given, is missed before anything runs", async () => {
  const { options, calls } = world();
  const tasks = [{ task_id: "one", tool_id: "work", arguments: { x: { $secret: "KEY" } } }];
  const given = plan(listTask([1, 2]), { task_id: "group", for_each: { items: "${list}", tasks } });
  await expect(run(given, options)).rejects.toThrow('KEY, which task "one" names at `x`');
  expect(calls).toEqual([]);
  const secrets = { KEY: "s3cret" };
  const result = await run(given, { ...options, secrets });
  expect(result.end_reason).toBe("completed");
  expect(calls).toEqual(['{"x":"s3cret"}', '{"x":"s3cret"}']);
});

test("a list within a list is resumed where it was", async () => {
  const journal = memoryJournal();
  const first = world(journal);
  first.bad.add("C 3 !");
  const nested = { ...plan(listTask(library), authors), variables: { prefix: "!" } };
  const failed = await run(nested, { ...first.options, runId: "r" });
  expect(errorOf(failed, "authors")).toMatchObject({ code: "TASK_ELEMENT", details: { element: "authors[2]" } });
  const second = world(journal);
  const result = await resume("r", second.options);
  expect(second.calls).toEqual(['{"x":"C 3 !"}', '{"x":["C 3 !"],"at":2}']);
  expect(result.end_reason).toBe("completed");
});

test("what the tasks of elements have to write goes in few transactions, and does not depend on the rest of the list", async () => {
  const journal = memoryJournal();
  let writes = 0;
  const counting: Journal = {
    ...journal,
    recordNested: (...given) => {
      writes++;
      return journal.recordNested(...given);
    },
  };
  const { options } = world(counting);
  const tasks = [
    { task_id: "one", tool_id: "read", arguments: { list: "${item}" } },
    { task_id: "two", tool_id: "read", dependencies: ["one"] },
  ];
  const scopes = async (runId: string, length: number) => {
    const list = Array.from({ length }, (_, at) => at);
    const task = { task_id: "each", for_each: { items: "${list}", tasks } };
    await run({ ...plan(listTask(list), task) }, { ...options, concurrency: 50, runId });
    const nested = (await journal.getNestedTasks(runId)).filter(({ path }) => path.at(-1) === "each[0]");
    return nested.map(({ scope, record }) => [scope, record.task_id]);
  };
  const few = await scopes("few", 1);
  writes = 0;
  expect(await scopes("many", 200)).toEqual(few);
  expect(few.map(([, id]) => id)).toEqual(["one", "two"]);
  // 600 records: two tasks and an element each.
  expect(writes).toBeLessThan(60);
});

test.for([
  {
    name: "a cycle among the tasks of an element",
    tasks: [
      { task_id: "a", tool_id: "work", dependencies: ["b"] },
      { task_id: "b", tool_id: "work", dependencies: ["a"] },
    ],
    text: "cycle",
  },
  {
    name: "a result that is none of them",
    tasks: [{ task_id: "a", tool_id: "work" }],
    result: "z",
    text: '`for_each.result` of task "fetch" to name one of its tasks, got "z"',
  },
  { name: "a name of the plan around it", tasks: [{ task_id: "list", tool_id: "work" }], text: '"list" means' },
])("refused before anything runs: $name", async ({ tasks, result, text }) => {
  const { options, calls } = world();
  const task = { task_id: "fetch", for_each: { items: "${list}", tasks, ...(result !== undefined && { result }) } };
  await expect(run(plan(listTask([1]), task), options)).rejects.toThrow(text);
  expect(calls).toEqual([]);
});

test("nesting has a depth", async () => {
  let inner: PlannerTaskInput = { task_id: "t10", tool_id: "work" };
  for (let depth = 9; depth > 0; depth--)
    inner = { task_id: `t${depth}`, for_each: { items: [1], as: `i${depth}`, tasks: [inner] } };
  await expect(run(plan(inner), world().options)).rejects.toThrow("at most 8 deep");
});

test("a budget counts elements, and refuses those that it has nothing left for", async () => {
  const { options, calls } = world(memoryJournal(), { budgets: { run: { calls: 4 } } });
  const result = await run(plan(listTask([1, 2, 3, 4, 5, 6]), each()), options);
  expect([result.end_reason, calls.length]).toEqual(["budget", 3]);
});

test("progress is folded, however long the list is", async () => {
  const events: RunEvent[] = [];
  const { options } = world();
  const list = Array.from({ length: 500 }, (_, index) => index);
  await run(plan(listTask(list), each()), { ...options, concurrency: 50, onEvent: (event) => void events.push(event) });
  const reported = events.flatMap((event) => (event.type === "task-progress" ? [event.progress] : []));
  expect(reported.at(-1)).toEqual({ elements: { total: 500, completed: 500, failed: 0, skipped: 0 } });
  expect(events.length).toBeLessThan(100);
});

test("where a run stands says how many elements have ended", async () => {
  const journal = memoryJournal();
  const { options, bad } = world(journal);
  bad.add(1);
  const task = each({ for_each: { items: "${list}", on_failure: "collect" } });
  const { run_id } = await run(plan(listTask([0, 1, 2]), task), options);
  const { tasks } = await runStatus(run_id, { journal });
  expect(tasks[1]?.elements).toEqual({ total: 3, completed: 2, failed: 1, skipped: 0 });
});

test("subgraphs that go whole have lists in them too", async () => {
  const { options } = world();
  const given = plan(listTask([1, 2, 3]), each());
  const { TaskData } = await import("@planloom/plan");
  const parsed = TaskData.parse(given);
  const [list, fetch] = parsed.planned_tasks;
  const subgraphs = [
    { subgraph_id: "one", tasks: [list!], dependencies: [] },
    { subgraph_id: "two", tasks: [fetch!], dependencies: ["one"] },
  ];
  const result = await run(parsed, { ...options, semantics: "atomic", subgraphs });
  expect(xs(outputOf(result, "fetch"))).toEqual([1, 2, 3]);
  expect((await verifyRun(options.journal, result.run_id)).problems).toEqual([]);
});
