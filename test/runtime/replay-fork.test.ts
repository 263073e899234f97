import { TaskData } from "@planloom/plan";
import {
  defineTool,
  fork,
  type Journal,
  memoryJournal,
  replay,
  resume,
  run,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { beforeEach, describe, expect, test } from "vitest";

let calls: string[] = [];
let broken = "";
const call = (id: string) => {
  calls.push(id);
  if (id === broken) throw new Error(`${id} is broken`);
};
const executors = [
  toolExecutor([
    defineTool({
      id: "count",
      description: "",
      execute: (input: unknown) => ({ of: input, calls: calls.push("count") }),
    }),
    defineTool({
      id: "try",
      description: "",
      execute: (input) => {
        call(String((input as { id: string }).id));
        return { rows: [1, 2] };
      },
    }),
  ]),
];
const task = (task_id: string, input: Record<string, unknown>, more = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: "try",
  arguments: { id: task_id, ...input },
  ...more,
});
const plan = TaskData.parse({
  planned_tasks: [
    task("a", {}),
    task("b", { rows: "${a.rows}", who: "${who}" }),
    task("c", { first: "${b.rows[0]}" }, { convertor_code: '{ "id": id, "n": first + 1 }' }),
    task("d", {}),
    task("e", { both: ["${c}", "${d}"] }),
  ],
  variables: { who: "me" },
});
let journal: Journal;
beforeEach(() => {
  calls = [];
  broken = "";
  journal = memoryJournal();
});
const recorded = () => run(plan, { executors, journal, runId: "r", retry: { max_attempts: 1 } });

describe("replay", () => {
  test("comes to the same without calling anything", async () => {
    const { output_data } = await recorded();
    calls = [];
    expect(await replay("r", { journal })).toEqual({ run_id: "r", replayed: 5, unfinished: [], output_data });
    expect(calls).toEqual([]);
  });

  test("a failure and what it skipped come again", async () => {
    broken = "b";
    await recorded();
    expect(await replay("r", { journal })).toMatchObject({ replayed: 5, unfinished: [] });
    expect(await replay("r", { journal })).not.toHaveProperty("divergence");
  });

  test("a run that was put right afterwards", async () => {
    broken = "b";
    await recorded();
    broken = "";
    await resume("r", { executors, journal });
    const again = await replay("r", { journal });
    expect(again).toMatchObject({ replayed: 5, unfinished: [], output_data: { e: { rows: [1, 2] } } });
    expect(again).not.toHaveProperty("divergence");
  });

  test("another plan over the same outcomes: the first input that differs, where, and both values", async () => {
    await recorded();
    const other = {
      ...plan,
      planned_tasks: plan.planned_tasks.map((t) =>
        t.task_id === "b" ? { ...t, arguments: { ...t.arguments, rows: "${a.rows[1]}" } } : t,
      ),
    };
    expect((await replay("r", { journal, plan: other })).divergence).toEqual({
      task_id: "b",
      what: "input",
      path: "rows",
      expected: [1, 2],
      actual: 2,
    });
  });

  test.for([
    {
      change: { arguments: { id: "c", first: "${b.none}" } },
      task_id: "c",
      what: "outcome",
      actual: { code: "TASK_REFERENCE" },
    },
    { change: { convertor_code: "first" }, task_id: "c", what: "outcome", actual: { code: "TASK_CONVERTOR" } },
    { change: { convertor_code: '{ "id": id, "n": first }' }, task_id: "c", what: "input", actual: 1 },
  ])("$what of $task_id: $change", async ({ change, task_id, what, actual }) => {
    await recorded();
    const other = {
      ...plan,
      planned_tasks: plan.planned_tasks.map((t) => (t.task_id === "c" ? { ...t, ...change } : t)),
    };
    expect((await replay("r", { journal, plan: other })).divergence).toMatchObject({ task_id, what, actual });
  });

  test("a result that the replay does not come to", async () => {
    await recorded();
    const forged: Journal = {
      ...journal,
      getTasks: async (id) =>
        (await journal.getTasks(id)).map((r) => (r.task_id === "a" ? { ...r, status: "failed" as const } : r)),
    };
    expect((await replay("r", { journal: forged })).divergence).toMatchObject({
      task_id: "b",
      what: "reached",
      expected: { status: "completed" },
      actual: 'skipped because of "a"',
    });
  });

  test("what Stage 2 was given is compared, not what it made of it", async () => {
    const bind = async ({ task: bound }: { task: { task_id: string } }) => ({
      uid: "try",
      input_data: { id: bound.task_id, made: "up" },
    });
    await run(plan, { executors, journal, runId: "bound", bind });
    expect(await replay("bound", { journal })).toMatchObject({ replayed: 5, unfinished: [] });
    expect(await replay("bound", { journal })).not.toHaveProperty("divergence");
    // Variables that another plan has are part of what it does; those it leaves out are the run's.
    const other = { ...plan, variables: { who: "you" } };
    expect(await replay("bound", { journal, plan: other })).toMatchObject({
      divergence: { task_id: "b", what: "input", actual: { input: { who: "you" } } },
    });
    const { variables: _, ...without } = plan;
    expect(await replay("bound", { journal, plan: without })).not.toHaveProperty("divergence");
  });

  test("what Stage 2 left as it was is compared field by field", async () => {
    const bind = async ({
      task: bound,
      input,
    }: {
      task: { tool_id?: string | null };
      input: Record<string, unknown>;
    }) => ({
      uid: bound.tool_id ?? "",
      input_data: input,
    });
    await run(plan, { executors, journal, runId: "left", bind });
    const other = { ...plan, variables: { who: "you" } };
    expect(await replay("left", { journal, plan: other })).toMatchObject({
      divergence: { task_id: "b", what: "input", path: "who", actual: "you" },
    });
  });

  test("a run that was cut off", async () => {
    const stop = new AbortController();
    const onEvent = (event: { type: string; taskId?: string }) => {
      if (event.type === "task-end" && event.taskId === "b") stop.abort();
    };
    await run(plan, {
      executors,
      journal,
      runId: "cut",
      signal: stop.signal,
      onEvent: onEvent as never,
      concurrency: 1,
    });
    const { unfinished, ...rest } = await replay("cut", { journal });
    expect(unfinished).toContain("e");
    expect(rest).not.toHaveProperty("divergence");
  });
});

describe("fork", () => {
  test("keeps all that does not descend from the task, and leaves the old run alone", async () => {
    await recorded();
    calls = [];
    const before = await journal.getTasks("r");
    const result = await fork("r", "b", { executors, journal, runId: "r2" });
    expect(calls.sort()).toEqual(["b", "c", "e"]);
    expect(result.results.filter(({ recorded: kept }) => kept).map(({ task_id }) => task_id)).toEqual(["a", "d"]);
    expect(result.end_reason).toBe("completed");
    expect(await journal.getTasks("r")).toEqual(before);
    expect((await journal.getRun("r2")).options.metadata).toEqual({ forked_from: { run_id: "r", task_id: "b" } });
    expect(await verifyRun(journal, "r2")).toMatchObject({ ok: true, checked: 3 });
    expect(await replay("r2", { journal })).toMatchObject({ replayed: 5, unfinished: [] });
  });

  test("with other arguments for the task; failed tasks elsewhere run again too", async () => {
    broken = "d";
    await recorded();
    broken = "";
    calls = [];
    const result = await fork("r", "b", { executors, journal, arguments: { id: "bb" } });
    expect(calls.sort()).toEqual(["bb", "c", "d", "e"]);
    expect(result.results[1]?.input).toEqual({ id: "bb" });
    expect(result.run_id).not.toBe("r");
  });

  test("a task that is not there", async () => {
    await recorded();
    await expect(fork("r", "nope", { executors, journal })).rejects.toMatchObject({ code: "RUNTIME_TASK_NOT_FOUND" });
    expect(await journal.listRuns()).toHaveLength(1);
  });
});

test("a task that waits for approval, and whose reference has no value, is no divergence: it was never called", async () => {
  const tasks = [task("a", {}), task("b", { lost: "${a.nowhere}" }, { approval: "required" })];
  await run({ planned_tasks: tasks }, { executors, journal, runId: "r" });
  const records = await journal.getTasks("r");
  const asked = records.map((record) =>
    // As journals have it of versions that asked before they looked.
    record.task_id === "b"
      ? { ...record, status: "waiting_approval" as const, input_hash: "", error: undefined }
      : record,
  );
  const earlier: Journal = { ...journal, getTasks: async () => asked as typeof records };
  expect((await replay("r", { journal: earlier })).divergence).toBeUndefined();
});
