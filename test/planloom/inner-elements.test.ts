import { defineTool, Planloom, TaskData } from "planloom";
import type { PlannerTaskInput } from "planloom/plan";
import { approve, markTasks, replay, type TaskRecord, verifyRun, waitingFor } from "planloom/runtime";
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

describe("what is within an element is not replaced by itself", () => {
  test("of a run that has ended", async () => {
    const { planloom, run_id } = await ran();
    await using _ = planloom;
    const replanned = planloom.replan(run_id, { mark: ["out[0]/in[1]"] });
    await expect(replanned).rejects.toMatchObject({ message: expect.stringContaining('Mark "out[0]"') });
  });

  test("of a run that goes on", async () => {
    const journal = memoryJournal();
    const asked = Promise.withResolvers<void>();
    const slow = defineTool({
      id: "fetch",
      description: "",
      readOnly: true,
      async execute() {
        const marked = markTasks("live", ["out[0]/in[1]"], { journal });
        await expect(marked)
          .rejects.toMatchObject({ message: expect.stringContaining('Mark "out[0]"') })
          .then(asked.resolve, asked.reject);
        return { text: "" };
      },
    });
    await using planloom = new Planloom({
      tools: [tools[0]!, tools[1]!, tools[3]!, slow],
      journal,
      controller: scriptedController([]),
    });
    await planloom.run(plan, { runId: "live", replanPolicy: {} });
    await asked.promise;
  });
});
