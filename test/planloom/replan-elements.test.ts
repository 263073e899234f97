import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, Planloom, SqliteJournal, TaskData } from "planloom";
import type { PlannerTaskInput } from "planloom/plan";
import { markTasks, recordedPlan, replay, runStatus, verifyRun } from "planloom/runtime";
import { memoryJournal, scriptedController } from "planloom/testing";
import { describe, expect, test, vi } from "vitest";

const calls: string[] = [];
let bad: ReadonlySet<unknown> = new Set();
const count = (name: string) => (input: Record<string, unknown>) => {
  calls.push(`${name} ${JSON.stringify(input)}`);
  if (name !== "mirror" && bad.has(input.page)) throw new Error(`no page ${String(input.page)}`);
  return { text: `${name} ${String(input.page)}` };
};
const input = { type: "object", properties: { page: { type: "number" }, at: { type: "number" } } };
const output = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [
  defineTool({
    id: "list",
    description: "",
    readOnly: true,
    execute: () => ({ pages: [{ n: 10 }, { n: 11 }, { n: 12 }, { n: 13 }] }),
  }),
  defineTool({ id: "fetch", description: "", readOnly: true, input, output, execute: count("fetch") }),
  defineTool({ id: "mirror", description: "", readOnly: true, input, output, execute: count("mirror") }),
  defineTool({
    id: "join",
    description: "",
    readOnly: true,
    execute: ({ texts }) => {
      calls.push("join");
      return texts;
    },
  }),
];
const list: PlannerTaskInput = { task_id: "list", tool_id: "list" };
const each: PlannerTaskInput = {
  task_id: "fetch",
  tool_id: "fetch",
  arguments: { page: "${item.n}", at: "${index}" },
  for_each: { items: "${list.pages}" },
  retry: { max_attempts: 1 },
};
const after: PlannerTaskInput = { task_id: "join", tool_id: "join", arguments: { texts: "${fetch.*.text}" } };
const planOf = (...planned_tasks: PlannerTaskInput[]) => TaskData.parse({ task_id: "plan", planned_tasks });

/** The controller puts `mirror` in the place of whatever is marked. */
const mirrors = (args: Record<string, unknown>, more: Partial<PlannerTaskInput> = {}) =>
  scriptedController([
    {
      phase1: {
        success: true,
        data: { tasks: [{ task_id: "again", execution_type: "tool", tool_id: "mirror", arguments: args, ...more }] },
      },
    },
  ]);

async function withFile<Value>(use: (file: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "planloom-elements-"));
  try {
    return await use(join(folder, "runs.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function begin(failing: readonly number[]): void {
  calls.length = 0;
  bad = new Set(failing);
}

describe("one element of a list is replaced", () => {
  test("of a list that failed: the others are not repeated, nor in another process", () =>
    withFile(async (file) => {
      begin([12]);
      const runId = await (async () => {
        await using planloom = new Planloom({ tools, journal: await SqliteJournal.open(file), concurrency: 1 });
        const first = await planloom.run(planOf(list, each, after));
        expect(first).toMatchObject({ end_reason: "failed" });
        return first.run_id;
      })();
      expect(calls).toEqual(['fetch {"page":10,"at":0}', 'fetch {"page":11,"at":1}', 'fetch {"page":12,"at":2}']);
      calls.length = 0;
      const controller = mirrors({ page: "${list.pages[2].n}" });
      await (async () => {
        await using planloom = new Planloom({ tools, journal: await SqliteJournal.open(file), controller });
        const { plan, patch, split, diff } = await planloom.replan(runId, { mark: ["fetch[2]"] });
        expect(split?.replacements).toMatchObject([{ task_id: "fetch", replaced_by: ["fetch_2", "fetch_3"] }]);
        expect(patch.replacements).toMatchObject([{ task_id: "fetch_2", replaced_by: ["again"] }]);
        expect(plan.planned_tasks.map(({ task_id }) => task_id)).toEqual(["list", "again", "fetch_3", "join"]);
        expect(plan.planned_tasks[2]?.for_each).toMatchObject({ given: { 2: "${again}" }, continues: ["fetch"] });
        expect(diff.added.length).toBeGreaterThan(0);
      })();
      const [asked] = controller.requests;
      expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
        {
          task: { task_id: "fetch_2", tool_id: "fetch", arguments: { page: "${list.pages[2].n}", at: 2 } },
          failure: { message: "no page 12" },
        },
      ]);
      const journal = await SqliteJournal.open(file);
      await using planloom = new Planloom({ tools, journal });
      const before = await runStatus(runId, { journal });
      expect(before.tasks.find(({ task_id }) => task_id === "fetch_3")?.elements).toMatchObject({ completed: 2 });
      const result = await planloom.resume(runId);
      expect(result).toMatchObject({ end_reason: "completed" });
      expect(result.output_data.join).toEqual(["fetch 10", "fetch 11", "mirror 12", "fetch 13"]);
      expect(calls).toEqual(['mirror {"page":12}', 'fetch {"page":13,"at":3}', "join"]);
      expect(await verifyRun(journal, runId)).toMatchObject({ ok: true, problems: [] });
    }));

  test("of a list that is completed: what has read it is done again, and nothing else", async () => {
    begin([]);
    const journal = memoryJournal();
    await using planloom = new Planloom({ tools, journal, controller: mirrors({ page: 99 }) });
    const { run_id } = await planloom.run(planOf(list, each, after));
    calls.length = 0;
    const write = vi.spyOn(journal, "addRevisions");
    await planloom.replan(run_id, { mark: ["fetch[1]"] });
    // In one write: a process that dies leaves the plan as it was, or with both.
    expect(write.mock.calls.map(([, revisions]) => revisions.length)).toEqual([2]);
    expect(await runStatus(run_id, { journal })).toMatchObject({ status: "completed", resumable: true });
    const result = await planloom.resume(run_id);
    expect(await runStatus(run_id, { journal })).toMatchObject({ status: "completed", resumable: false });
    expect(calls).toEqual(['mirror {"page":99}', "join"]);
    expect(result.results.at(-1)?.output).toEqual(["fetch 10", "mirror 99", "fetch 12", "fetch 13"]);
    expect(await verifyRun(journal, run_id)).toMatchObject({ ok: true, problems: [] });
    expect(await replay(run_id, { journal })).not.toHaveProperty("divergence");
  });

  test.each([
    {
      name: "that tolerates failures",
      change: { for_each: { items: "${list.pages}", on_failure: "collect" as const } },
    },
    {
      name: "with a condition about its elements",
      change: {
        when: { condition: "${item.n} > 10" },
        for_each: { items: "${list.pages}", on_failure: "collect" as const },
      },
    },
    {
      name: "of several tasks",
      change: {
        tool_id: null,
        arguments: {},
        for_each: {
          items: "${list.pages}",
          tasks: [{ task_id: "one", tool_id: "fetch", arguments: { page: "${item.n}", at: "${index}" } }],
        },
      },
    },
  ])("of a list $name, which becomes a list of one", async ({ change }) => {
    begin([]);
    const journal = memoryJournal();
    const answer = { for_each: { items: ["${list.pages[2]}"] } };
    const controller = mirrors({ page: "${item.n}" }, answer);
    await using planloom = new Planloom({ tools, journal, controller });
    const { run_id, end_reason } = await planloom.run(planOf(list, { ...each, ...change }));
    expect(end_reason).toBe("completed");
    calls.length = 0;
    await planloom.replan(run_id, { mark: ["fetch[2]"] });
    const result = await planloom.resume(run_id);
    expect(result).toMatchObject({ end_reason: "completed" });
    // What was skipped by its condition is asked again, which costs no call.
    expect(calls).toEqual(['mirror {"page":12}']);
    expect(result.results.at(-1)?.output).toMatchObject([
      ...("when" in change ? [null] : [{ text: "fetch 10" }]),
      { text: "fetch 11" },
      { text: "mirror 12" },
      { text: "fetch 13" },
    ]);
    expect(await verifyRun(journal, run_id)).toMatchObject({ ok: true, problems: [] });
  });

  test("one after the other: what two changes before have completed stays", async () => {
    begin([]);
    const journal = memoryJournal();
    const answer = (page: number) => ({
      phase1: {
        success: true as const,
        data: { tasks: [{ execution_type: "tool", tool_id: "mirror", arguments: { page } }] },
      },
    });
    await using planloom = new Planloom({
      tools,
      journal,
      controller: scriptedController([answer(20), answer(21), answer(22)]),
    });
    const { run_id } = await planloom.run(planOf(list, each));
    const listId = async () => (await recordedPlan(run_id, { journal })).plan.planned_tasks.at(-1)!.task_id;
    for (const index of [0, 3]) {
      calls.length = 0;
      await planloom.replan(run_id, { mark: [`${await listId()}[${index}]`] });
      await planloom.resume(run_id);
      expect(calls).toHaveLength(1);
    }
    calls.length = 0;
    // An element that is a task of its own already is replaced as that.
    const third = await planloom.replan(run_id, { mark: [`${await listId()}[0]`] });
    expect(third.split).toBeUndefined();
    const result = await planloom.resume(run_id);
    expect(calls).toEqual(['mirror {"page":22}']);
    expect(result.results.at(-1)?.output).toMatchObject(
      ["mirror 22", "fetch 11", "fetch 12", "mirror 21"].map((text) => ({ text })),
    );
    const { tasks } = await runStatus(run_id, { journal });
    expect(tasks.at(-1)?.elements).toMatchObject({ failed: 0, total: 4 });
  });

  test("a fork from an element of a list that was changed before repeats that element alone", async () => {
    begin([]);
    const journal = memoryJournal();
    await using planloom = new Planloom({ tools, journal, controller: mirrors({ page: 99 }) });
    const { run_id } = await planloom.run(planOf(list, each));
    await planloom.replan(run_id, { mark: ["fetch[1]"] });
    await planloom.resume(run_id);
    const { plan } = await recordedPlan(run_id, { journal });
    const id = plan.planned_tasks.at(-1)!.task_id;
    calls.length = 0;
    const forked = await planloom.fork(run_id, `${id}[3]`);
    expect(calls).toEqual(['fetch {"page":13,"at":3}']);
    expect(forked.output_data[id]).toHaveLength(4);
    await expect(planloom.fork(run_id, `${id}[1]`)).rejects.toThrow('given by task "again". Fork from there.');
    calls.length = 0;
    await planloom.fork(run_id, id);
    expect(calls.filter((call) => call.startsWith("fetch"))).toHaveLength(3);
  });

  test("where the list itself is another now, nothing is kept", async () => {
    begin([]);
    const journal = memoryJournal();
    await using planloom = new Planloom({ tools, journal, controller: mirrors({ page: 99 }) });
    const { run_id } = await planloom.run(planOf(list, each));
    calls.length = 0;
    const { plan } = await planloom.replan(run_id, { mark: ["fetch[1]"] });
    // The same plan with other arguments, as one who edits it may write it.
    const edited = {
      ...plan,
      task_id: "other",
      planned_tasks: plan.planned_tasks.map((task) => ({
        ...task,
        status: "pending" as const,
        output: {},
        ...(task.for_each && { arguments: { page: "${item.n}" } }),
      })),
    };
    await planloom.run(edited);
    expect(calls).toHaveLength(4);
  });

  test("while the run goes on", async () => {
    begin([]);
    const journal = memoryJournal();
    const controller = mirrors({ page: 99 });
    const hold = Promise.withResolvers<void>();
    const slow = defineTool({ id: "slow", description: "", readOnly: true, execute: () => hold.promise.then(() => 1) });
    await using planloom = new Planloom({ tools: [...tools, slow], journal, controller });
    let marked: Promise<unknown> | undefined;
    planloom.on("task-end", ({ runId, taskId }) => {
      if (taskId === "fetch") marked ??= markTasks(runId, ["fetch[1]"], { journal });
    });
    let changes = 0;
    planloom.on("patch-apply", () => {
      if (++changes === 2) hold.resolve();
    });
    planloom.on("patch-refuse", () => hold.resolve());
    const result = await planloom.run(planOf(list, each, after, { task_id: "slow", tool_id: "slow" }), {
      replanPolicy: { on: ["marked"] },
    });
    await marked;
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
    expect(calls.filter((call) => call.startsWith("fetch"))).toHaveLength(4);
    expect(calls.filter((call) => call.startsWith("mirror"))).toEqual(['mirror {"page":99}']);
    const joined = result.results.find(({ task_id }) => task_id.startsWith("join"));
    expect(joined?.output).toEqual(["fetch 10", "mirror 99", "fetch 12", "fetch 13"]);
    expect(await verifyRun(journal, result.run_id)).toMatchObject({ ok: true, problems: [] });
  });
});

test("an element that fails for good is replaced during the run, and what the others did stays", async () => {
  begin([12]);
  const journal = memoryJournal();
  const controller = mirrors({ page: "${list.pages[2].n}" });
  await using planloom = new Planloom({ tools, journal, controller, concurrency: 1 });
  const result = await planloom.run(planOf(list, each, after), { replanPolicy: { on: ["failure"] } });
  expect(result).toMatchObject({ end_reason: "completed", replanned: true });
  const [asked] = controller.requests;
  expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
    { task: { task_id: "fetch_2", arguments: { at: 2 } }, failure: { message: "no page 12" } },
  ]);
  expect(calls).toEqual([
    'fetch {"page":10,"at":0}',
    'fetch {"page":11,"at":1}',
    'fetch {"page":12,"at":2}',
    'mirror {"page":12}',
    'fetch {"page":13,"at":3}',
    "join",
  ]);
  expect(await verifyRun(journal, result.run_id)).toMatchObject({ ok: true, problems: [] });
});

test.for([
  { name: "a call", element: each },
  {
    name: "several tasks",
    element: {
      task_id: "fetch",
      for_each: { items: "${list.pages}", tasks: [{ ...each, task_id: "in", for_each: undefined }] },
    },
  },
])("an element of $name for which nothing else is found is not executed again", async ({ element }) => {
  begin([12]);
  const journal = memoryJournal();
  const none = { phase1: { success: false, message: "There is no other." } };
  const controller = scriptedController([none, none, none]);
  await using planloom = new Planloom({ tools, journal, controller, concurrency: 1 });
  const result = await planloom.run(planOf(list, element as PlannerTaskInput, after), {
    replanPolicy: { on: ["failure"] },
  });
  expect(calls.map((call) => call.slice(0, 16))).toEqual(['fetch {"page":10', 'fetch {"page":11', 'fetch {"page":12']);
  expect(result.end_reason).toBe("failed");
  const lost = result.results.find(({ task_id }) => task_id === "fetch_2");
  expect(lost).toMatchObject({
    status: "failed",
    attempts: 0,
    error: { message: expect.stringContaining("no page 12") },
  });
  expect(await verifyRun(journal, result.run_id)).toMatchObject({ problems: [] });
  // Whoever wants it tried again says so.
  bad = new Set();
  expect((await planloom.resume(result.run_id)).end_reason).toBe("completed");
  expect(calls.filter((call) => call.includes('"page":10'))).toHaveLength(1);
});

test("also where the core rests after each event, as it does on a busy machine", async () => {
  begin([12]);
  let elapsed = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (elapsed += 11));
  try {
    await using planloom = new Planloom({ tools, controller: mirrors({ page: "${list.pages[2].n}" }), concurrency: 1 });
    const result = await planloom.run(planOf(list, each, after), { replanPolicy: { on: ["failure"] } });
    expect(result).toMatchObject({ end_reason: "completed", replanned: true });
    expect(result.output_data.join).toEqual(["fetch 10", "fetch 11", "mirror 12", "fetch 13"]);
  } finally {
    clock.mockRestore();
  }
});

test("what replaces a task of a branch is of that branch", async () => {
  begin([]);
  const journal = memoryJournal();
  await using planloom = new Planloom({ tools, journal, controller: mirrors({ page: 7 }) });
  const { run_id } = await planloom.run(
    planOf(
      list,
      {
        task_id: "route",
        choose: { branches: [{ name: "few", condition: "$count(${list.pages}) < 3" }], else: "many" },
      },
      { task_id: "a", tool_id: "fetch", arguments: { page: 1 }, when: { condition: "${route.few}" } },
      { task_id: "b", tool_id: "fetch", arguments: { page: 2 }, when: { condition: "${route.many}" } },
      { task_id: "end", tool_id: "join", arguments: { texts: ["${a.text?}", "${b.text?}"] }, join: "none_failed" },
    ),
  );
  expect(calls).toEqual(['fetch {"page":2}', "join"]);
  calls.length = 0;
  const { plan } = await planloom.replan(run_id, { mark: ["a"] });
  expect(plan.planned_tasks.find(({ tool_id }) => tool_id === "mirror")).toMatchObject({
    when: { condition: "${route.few}" },
  });
  // The branch was not taken, and the other one is left alone.
  const result = await planloom.resume(run_id);
  expect(result).toMatchObject({ end_reason: "completed" });
  expect(calls.filter((call) => call !== "join")).toEqual([]);
});

test("a list whose every element fails is replaced as a whole, and stays a list", async () => {
  begin([10, 11, 12, 13]);
  const twin = (id: string) =>
    defineTool({
      id,
      description: "Fetches a page of the catalogue",
      readOnly: true,
      input,
      output,
      execute: count(id === "other_fetch" ? "mirror" : "fetch"),
    });
  await using planloom = new Planloom({ tools: [tools[0]!, tools[3]!, twin("fetch"), twin("other_fetch")] });
  const result = await planloom.run(planOf(list, { ...each, description: "Fetch a page of the catalogue" }, after), {
    replanPolicy: { on: ["failure"] },
  });
  expect(result).toMatchObject({ end_reason: "completed", replanned: true });
  expect(result.results.at(-1)?.output).toEqual([10, 11, 12, 13].map((page) => `mirror ${page}`));
});

test("a list, a condition, a decision and a wait follow what they refer to when that is replaced during a run", async () => {
  begin([]);
  const controller = scriptedController([
    { phase1: { success: true, data: { tasks: [{ task_id: "other", execution_type: "tool", tool_id: "list" }] } } },
  ]);
  const broken = defineTool({
    id: "broken",
    description: "",
    readOnly: true,
    execute: () => {
      throw new Error("gone");
    },
  });
  await using planloom = new Planloom({ tools: [...tools, broken], journal: memoryJournal(), controller });
  const result = await planloom.run(
    planOf(
      { task_id: "list", tool_id: "broken", retry: { max_attempts: 1 } },
      each,
      { ...after, when: { condition: "$count(${list.pages}) > 1" } },
      {
        task_id: "route",
        choose: { branches: [{ name: "many", condition: "$count(${list.pages}) > 3" }], else: "few" },
      },
      { task_id: "pause", wait: { for_ms: "${list.pages[0].n}" } },
      {
        task_id: "poll",
        tool_id: "mirror",
        arguments: { page: 1 },
        retry_until: { condition: "${list.pages[0].n} = 10", interval_ms: 1 },
      },
    ),
    { replanPolicy: { on: ["failure"] } },
  );
  expect(result.results.map(({ task_id, status, error }) => [task_id, status, error?.message])).toEqual(
    ["other", "fetch", "join", "route", "pause", "poll"].map((id) => [id, "completed", undefined]),
  );
  expect(result.output_data.route).toMatchObject({ chosen: "many" });
});

test.each([
  ["fetch[9]", /the list of task "fetch" has 4/],
  ["list[0]", /got list\[0\]/],
  ["nobody[0]", /got nobody\[0\]/],
])("%s is no element", async (id, message) => {
  begin([]);
  await using planloom = new Planloom({ tools, journal: memoryJournal(), controller: mirrors({}) });
  const { run_id } = await planloom.run(planOf(list, each));
  await expect(planloom.replan(run_id, { mark: [id] })).rejects.toThrow(message);
});
