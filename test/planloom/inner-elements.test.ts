import { defineTool, Planloom, TaskData } from "planloom";
import type { PlannerTaskInput } from "planloom/plan";
import { approve, replay, type TaskRecord, verifyRun, waitingFor } from "planloom/runtime";
import { memoryJournal, scriptedController } from "planloom/testing";
import { describe, expect, test } from "vitest";

const calls: string[] = [];
const noted = (id: string, give: (input: Record<string, unknown>) => unknown, args = "") =>
  defineTool({
    id,
    description: "",
    readOnly: true,
    execute(input: Record<string, unknown>) {
      calls.push(args === "" ? id : `${id} ${String(input[args])}`);
      return give(input);
    },
  });
const groups = [
  { name: "a", pages: [1, 2, 3] },
  { name: "b", pages: [4, 5] },
];
const tools = [
  noted("list", () => ({ groups })),
  noted("title", ({ name }) => String(name).toUpperCase(), "name"),
  noted("fetch", ({ page }) => ({ text: `p${String(page)}` }), "page"),
  noted("join", ({ texts }) => texts),
];
const inner: PlannerTaskInput[] = [
  { task_id: "title", tool_id: "title", arguments: { name: "${group.name}" } },
  {
    task_id: "in",
    tool_id: "fetch",
    arguments: { page: "${page}" },
    for_each: { items: "${group.pages}", as: "page" },
  },
  { task_id: "sum", tool_id: "join", arguments: { texts: "${in.*.text}", title: "${title}" } },
];
const planWith = (tasks: PlannerTaskInput[]) =>
  TaskData.parse({
    task_id: "plan",
    planned_tasks: [
      { task_id: "list", tool_id: "list" },
      { task_id: "out", for_each: { items: "${list.groups}", as: "group", result: "sum", tasks } },
      { task_id: "all", tool_id: "join", arguments: { texts: "${out}" } },
    ] satisfies PlannerTaskInput[],
  });
const plan = planWith(inner);
const changed = (number: number, change: PlannerTaskInput) =>
  planWith(inner.map((task, place) => (place === number ? { ...task, ...change } : task)));

async function ran() {
  const journal = memoryJournal();
  const planloom = new Planloom({ tools, journal, controller: scriptedController([]) });
  const { run_id } = await planloom.run(plan);
  calls.length = 0;
  return { journal, planloom, run_id };
}

describe("a fork from what is within an element", () => {
  test.each([
    ["out[0]/in[1]", ["fetch 2", "join", "join"]],
    ["out[0]/in", ["fetch 1", "fetch 2", "fetch 3", "join", "join"]],
    ["out[1]/title", ["title b", "join", "join"]],
    ["out[1]/sum", ["join", "join"]],
    ["out[1]", ["title b", "fetch 4", "fetch 5", "join", "join"]],
  ])("from %s: this and what depends on it is done again, and nothing else", async (address, expected) => {
    const { journal, planloom, run_id } = await ran();
    await using _ = planloom;
    const forked = await planloom.fork(run_id, address);
    expect(forked).toMatchObject({
      end_reason: "completed",
      output_data: {
        all: [
          ["p1", "p2", "p3"],
          ["p4", "p5"],
        ],
      },
    });
    expect(calls.toSorted()).toEqual(expected.toSorted());
    expect(await verifyRun(journal, forked.run_id)).toMatchObject({ ok: true });
    expect((await replay(forked.run_id, { journal })).divergence).toBeUndefined();
  });

  test.each([
    ["out[0]/in[3]", 'the list of task "in" has 3'],
    ["out[2]/in[0]", 'the list of task "out" has 2'],
    ["out[0]/none", 'an element of "out" has no task "none"'],
    ["out[0]/in[0]/x", "it is one call"],
    ["out/in", 'as "out[0]/in"'],
    ["list[0]", 'task "list" has no list'],
    ["list/x", 'Fork from "list"'],
  ])("from %s, which is not there, is refused with what is wrong", async (address, why) => {
    const { planloom, run_id } = await ran();
    await using _ = planloom;
    await expect(planloom.fork(run_id, address)).rejects.toMatchObject({
      code: "RUNTIME_TASK_NOT_FOUND",
      message: expect.stringContaining(why),
    });
    expect(calls).toEqual([]);
  });

  test("takes no arguments, which all elements have in common", async () => {
    const { planloom, run_id } = await ran();
    await using _ = planloom;
    const forked = planloom.fork(run_id, "out[0]/in", { arguments: { page: 9 } });
    await expect(forked).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
  });
});

describe("a replay of what is within elements", () => {
  test.each([
    [0, { when: { condition: "${group.name} = 'b'" } }, { task_id: "out[0]/title", what: "outcome" }],
    [1, { arguments: { page: "${page}", more: true } }, { task_id: "out[0]/in[0]", what: "input", path: "more" }],
    [2, { arguments: { texts: "${in.*.text}", title: "${group.name}" } }, { task_id: "out[0]/sum", path: "title" }],
  ] as const)("finds the first difference by its address (%#)", async (number, change, expected) => {
    const { journal, planloom, run_id } = await ran();
    await using _ = planloom;
    expect((await replay(run_id, { journal })).divergence).toBeUndefined();
    const other = changed(number, change as PlannerTaskInput);
    expect((await replay(run_id, { journal, plan: other })).divergence).toMatchObject(expected);
  });
});

describe("verifyRun compares what is within elements", () => {
  test.each([
    ["in[1]", "in", "out[1]/in"],
    ["sum", "out[1]", "out[1]"],
    ["in", "out[1]", "out[1]/in"],
  ])("with a record of %s that says something else", async (id, within, expected) => {
    const { journal, planloom, run_id } = await ran();
    await using _ = planloom;
    const nested = await journal.getNestedTasks(run_id);
    const place = nested.find(({ path, record }) => {
      return path[1] === "out[1]" && path.at(-1) === within && record.task_id === id;
    })!;
    const record: TaskRecord = { ...place.record, output: [{ text: "forged" }, { text: "p5" }] };
    const getNestedTasks = async () => nested.map((each) => (each === place ? { ...each, record } : each));
    const { problems } = await verifyRun({ ...journal, getNestedTasks }, run_id);
    expect(problems).toMatchObject([{ code: "element_wrong", task_id: expected }]);
  });
});

test("what waits within elements is answered by its address", async () => {
  calls.length = 0;
  const journal = memoryJournal();
  await using planloom = new Planloom({ tools, journal });
  const { run_id, end_reason } = await planloom.run(changed(1, { approval: "required" } as PlannerTaskInput));
  expect(end_reason).toBe("waiting_approval");
  const waiting = await waitingFor(run_id, { journal });
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(
    [0, 1, 2].map((n) => `out[0]/in[${n}]`).concat("out[1]/in[0]", "out[1]/in[1]"),
  );
  await approve(run_id, "out[0]/in[1]", { journal, by: "ada" });
  await planloom.resume(run_id);
  expect(calls.filter((call) => call.startsWith("fetch"))).toEqual(["fetch 2"]);
});

/** The controller puts this task in the place of whatever is marked. */
const gives = (task: PlannerTaskInput) =>
  scriptedController([{ phase1: { success: true, data: { tasks: [{ execution_type: "tool", ...task }] } } }]);
const mirror = noted("mirror", ({ page }) => ({ text: `m${String(page)}` }), "page");
const first = { task_id: "again", tool_id: "mirror", arguments: { page: "${group.pages[0]}" } };

describe("what is within an element is replaced by itself", () => {
  test.each([
    [
      "out[0]/in[1]",
      first,
      ["mirror 1", "join", "join"],
      [
        ["p1", "m1", "p3"],
        ["p4", "p5"],
      ],
    ],
    [
      "out[1]/in[0]",
      first,
      ["mirror 4", "join", "join"],
      [
        ["p1", "p2", "p3"],
        ["m4", "p5"],
      ],
    ],
    [
      "out[1]/in",
      { ...first, arguments: { page: "${page}" }, for_each: { items: "${group.pages}", as: "page" } },
      ["mirror 4", "mirror 5", "join", "join"],
      [
        ["p1", "p2", "p3"],
        ["m4", "m5"],
      ],
    ],
    [
      "out[1]/title",
      { task_id: "again", tool_id: "fetch", arguments: { page: "${group.pages[0]}" } },
      ["fetch 4", "join", "join"],
      [
        ["p1", "p2", "p3"],
        ["p4", "p5"],
      ],
    ],
    [
      "out[0]/sum",
      { task_id: "again", tool_id: "join", arguments: { texts: "${title}" } },
      ["join", "join"],
      ["A", ["p4", "p5"]],
    ],
  ])(
    "%s of a run that has ended: this and what reads it is done, and nothing else",
    async (mark, task, expected, all) => {
      const { journal, run_id } = await ran();
      const controller = gives(task as PlannerTaskInput);
      await using planloom = new Planloom({ tools: [...tools, mirror], journal, controller });
      const replanned = await planloom.replan(run_id, { mark: [mark] });
      expect(replanned.patch.replacements).toHaveLength(1);
      const result = await planloom.resume(run_id);
      expect(result).toMatchObject({ end_reason: "completed", output_data: { all_2: all } });
      expect(calls).toEqual(expected);
      expect(await verifyRun(journal, run_id)).toMatchObject({ ok: true, problems: [] });
      expect((await replay(run_id, { journal })).divergence).toBeUndefined();
    },
  );

  test("twice, and of another element: each time what was done is kept", async () => {
    const { journal, run_id } = await ran();
    let list = "out";
    let only = "";
    for (const [mark, expected] of [
      [() => `${list}[0]/in[1]`, ["mirror 1", "join", "join"]],
      [() => `${only}[0]/again`, ["mirror 1", "join", "join"]],
      [() => `${list}[1]/in[1]`, ["mirror 4", "join", "join"]],
    ] as const) {
      await using planloom = new Planloom({ tools: [...tools, mirror], journal, controller: gives(first) });
      const { plan: after, split } = await planloom.replan(run_id, { mark: [mark()] });
      expect(split === undefined).toBe(mark().endsWith("again"));
      calls.length = 0;
      expect(await planloom.resume(run_id)).toMatchObject({ end_reason: "completed" });
      expect(calls).toEqual(expected);
      expect(await verifyRun(journal, run_id)).toMatchObject({ ok: true, problems: [] });
      const lists = after.planned_tasks.filter(({ for_each }) => for_each !== undefined);
      list = lists.find(({ for_each }) => typeof for_each!.items === "string")!.task_id;
      only = lists.find(({ for_each }) => typeof for_each!.items !== "string")!.task_id;
    }
  });

  test("of a run that failed there: its failure is shown, and other elements are not repeated", async () => {
    calls.length = 0;
    const journal = memoryJournal();
    const fetch = defineTool({
      id: "fetch",
      description: "",
      readOnly: true,
      execute({ page }: Record<string, unknown>) {
        calls.push(`fetch ${String(page)}`);
        if (page === 2) throw new Error("no page 2");
        return { text: `p${String(page)}` };
      },
    });
    const failing = [fetch, tools[0]!, tools[1]!, tools[3]!, mirror];
    const controller = gives(first);
    await using planloom = new Planloom({ tools: failing, journal, controller, concurrency: 1 });
    const once = { retry: { max_attempts: 1 }, for_each: { items: "${group.pages}", as: "page" } };
    const { run_id, end_reason } = await planloom.run(changed(1, once as PlannerTaskInput));
    expect(end_reason).toBe("failed");
    expect(calls).toEqual(["list", "title a", "fetch 1", "fetch 2"]);
    calls.length = 0;
    for (const [mark, why] of [
      ["out[0]/in[3]", 'the list of task "in" has 3'],
      ["out[2]", 'the list of task "out" has 2'],
    ] as const)
      await expect(planloom.replan(run_id, { mark: [mark] })).rejects.toThrow(why);
    await planloom.replan(run_id, { mark: ["out[0]/in[1]"] });
    const [asked] = controller.requests;
    expect(asked?.phase === 1 && asked.request.replan?.tasks).toMatchObject([
      { task: { tool_id: "fetch", arguments: { page: "${group.pages[1]}" } }, failure: { message: "no page 2" } },
    ]);
    const result = await planloom.resume(run_id);
    expect(result.results.at(-1)?.output).toEqual([
      ["p1", "m1", "p3"],
      ["p4", "p5"],
    ]);
    expect(calls).toEqual(["mirror 1", "fetch 3", "join", "title b", "fetch 4", "fetch 5", "join", "join"]);
  });

  test("of a plan that nothing has executed, at any depth", async () => {
    const deep = (depth: number): PlannerTaskInput =>
      depth === 0
        ? { task_id: "leaf", tool_id: "fetch", arguments: { page: "${i1}" } }
        : { task_id: `l${depth}`, for_each: { items: [1, 2], as: `i${depth}`, tasks: [deep(depth - 1)] } };
    const nested = TaskData.parse({ task_id: "deep", planned_tasks: [deep(3)] });
    const controller = gives({ task_id: "leaf", tool_id: "mirror", arguments: { page: "${i1}" } });
    await using planloom = new Planloom({ tools: [...tools, mirror], journal: memoryJournal(), controller });
    const { plan: after } = await planloom.replan(nested, { mark: ["l3[1]/l2[0]/l1[1]/leaf"] });
    expect((await planloom.run(after)).results.at(-1)?.output).toEqual([
      [["p1", "p2"].map((text) => ({ text })), ["p1", "p2"].map((text) => ({ text }))],
      [[{ text: "p1" }, { text: "m2" }], ["p1", "p2"].map((text) => ({ text }))],
    ]);
  });

  test("the names of an element's outputs stay, and outputs that read as references are what they were", async () => {
    const odd = noted("odd", ({ page }) => ({ $ref: "list", text: "${title}", page }), "page");
    const journal = memoryJournal();
    const two = planWith([
      { task_id: "title", tool_id: "title", arguments: { name: "${group.name}" } },
      {
        task_id: "in",
        tool_id: "odd",
        arguments: { page: "${page}" },
        for_each: { items: "${group.pages}", as: "page" },
      },
    ]);
    delete two.planned_tasks[1]!.for_each!.result;
    const controller = gives({ task_id: "again", tool_id: "mirror", arguments: { page: 9 } });
    await using planloom = new Planloom({ tools: [...tools, odd, mirror], journal, controller });
    const { run_id } = await planloom.run(two);
    await planloom.replan(run_id, { mark: ["out[1]/in[0]"] });
    const odds = (page: number) => ({ $ref: "list", text: "${title}", page });
    expect((await planloom.resume(run_id)).output_data.all_2).toEqual([
      { title: "A", in: [1, 2, 3].map(odds) },
      { title: "B", in: [{ text: "m9" }, odds(5)] },
    ]);
  });

  test.each([
    [["out[0]/in[1]", "list"], "mark list in another"],
    [["out[0]/in[7]"], 'the list of task "in" has 3'],
    [["out[5]/in[0]"], 'the list of task "out" has 2'],
    [["out[0]/none"], "out[0]/none"],
  ])("not with marks %j", async (mark, why) => {
    const { planloom, run_id } = await ran();
    await using _ = planloom;
    const replanned = planloom.replan(run_id, { mark });
    await expect(replanned).rejects.toMatchObject({
      code: "PLANNER_REPLAN_INPUT",
      message: expect.stringContaining(why),
    });
  });

  test("a controller that has nothing for it is reported in the words of who asked", async () => {
    const { journal, run_id } = await ran();
    const controller = scriptedController([{ phase1: { success: true, data: { tasks: [] } } }]);
    await using planloom = new Planloom({ tools, journal, controller, planner: { maxAttempts: 1 } });
    const message = /^Within the element "out\[0\]": .*for in_1 after.* The task "in_1" is the element "in\[1\]"\.$/s;
    await expect(planloom.replan(run_id, { mark: ["out[0]/in[1]"] })).rejects.toMatchObject({
      code: "PLANNER_NO_VALID_REPLAN",
      message: expect.stringMatching(message),
      details: { attempts: [{ attempt: 1 }] },
    });
  });
});
