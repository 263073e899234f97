import type { Bind, PlannerTaskInput } from "@planloom/plan";
import {
  defineTool,
  fork,
  type Journal,
  memoryJournal,
  type NestedRecord,
  resume,
  run,
  runStatus,
  type StoredSignal,
  signal,
  type TaskRecord,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";

const echo = defineTool({ id: "echo", description: "", execute: ({ value }) => value ?? null });
const odd = defineTool({
  id: "odd",
  description: "",
  execute: ({ value }) => {
    if (Number(value) % 2 === 0) throw new Error("even");
    return value;
  },
});
const executors = [toolExecutor([echo, odd])];
const of = (tool_id: string, value: unknown, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  execution_type: "tool",
  tool_id,
  arguments: { value },
  ...more,
});

/** Every kind of control flow once; a signal is sent where one is waited for. */
async function recorded(): Promise<Journal> {
  const journal = memoryJournal();
  const plan = {
    planned_tasks: [
      { task_id: "numbers", ...of("echo", [1, 2, 3]) },
      { task_id: "each", ...of("echo", "${item}"), for_each: { items: "${numbers}" } },
      {
        task_id: "some",
        ...of("odd", "${item}"),
        for_each: { items: "${numbers}", on_failure: "collect" as const, failed_as: "error" as const },
      },
      { task_id: "many", ...of("echo", 1), when: { condition: "$count(${numbers}) > 2" } },
      { task_id: "few", ...of("echo", 1), when: { condition: "$count(${numbers}) < 3" } },
      {
        task_id: "route",
        choose: { branches: [{ name: "left", condition: "${numbers[0]} = 1" }], else: "right" },
      },
      { task_id: "left", ...of("echo", 2), when: { condition: "${route.left}" } },
      { task_id: "right", ...of("echo", 3), when: { condition: "${route.right}" } },
      { task_id: "pause", wait: { for_ms: 20 } },
      { task_id: "again", wait: { for_ms: 20 }, dependencies: ["pause"] },
      { task_id: "past", wait: { until: "2026-01-01T00:00:00Z" } },
      { task_id: "paid", wait: { event: "paid" } },
      { task_id: "late", wait: { event: "late", timeout_ms: 1, on_deadline: { value: null } } },
    ],
  };
  const options = { executors, journal, runId: "r" };
  await run(plan, { ...options, waitHereMs: 1_000 });
  await signal("r", "paid", { journal, data: { by: "Ada" }, id: "s1" });
  const result = await resume("r", options);
  expect(result.end_reason).toBe("completed");
  return journal;
}

interface Forgery {
  readonly task?: (record: TaskRecord) => TaskRecord;
  readonly element?: (record: NestedRecord) => NestedRecord | undefined;
  readonly signal?: (signal: StoredSignal) => StoredSignal[];
}

/** The same journal with other words in it. */
function forged(journal: Journal, { task, element, signal: sent }: Forgery): Journal {
  return {
    ...journal,
    getTasks: async (id) => (await journal.getTasks(id)).map((record) => task?.(record) ?? record),
    getNestedTasks: async (id) =>
      (await journal.getNestedTasks(id)).flatMap((record) =>
        element === undefined ? record : (element(record) ?? []),
      ),
    getSignals: async (id) => (await journal.getSignals!(id)).flatMap((each) => sent?.(each) ?? each),
  };
}

const output =
  (task_id: string, change: (output: never) => unknown) =>
  (record: TaskRecord): TaskRecord =>
    record.task_id === task_id ? { ...record, output: change(record.output as never) } : record;
const elementOf =
  (task_id: string, change: (record: TaskRecord) => TaskRecord | undefined) =>
  (nested: NestedRecord): NestedRecord | undefined => {
    if (nested.record.task_id !== task_id) return nested;
    const record = change(nested.record);
    return record && { ...nested, record };
  };

/** The second wait ends so many milliseconds after the first; it was to last for 20. */
const againAfter = (ms: number) => {
  let first = 0;
  return (record: TaskRecord): TaskRecord => {
    const { waited_until } = (record.output ?? {}) as { waited_until?: string };
    if (record.task_id === "pause") first = Date.parse(waited_until!);
    return record.task_id === "again"
      ? { ...record, output: { waited_until: new Date(first + ms).toISOString() } }
      : record;
  };
};

describe("a list under limits", () => {
  test.each([
    ["by kind", of("echo", "${item}"), { kinds: { tool: 1 } }],
    ["by resource", of("echo", "${item}"), { resources: { echo: 1 } }],
    ["by both", of("echo", "${item}"), { kinds: { tool: 2 }, resources: { echo: 1 } }],
    ["of a resource that Stage 2 chooses", { ...of("echo", "${item}"), tool_id: null }, { resources: { echo: 1 } }],
  ])(
    "%s counts with the work of all of its elements, in the certificate and where it is checked",
    async (_, task, limits) => {
      const journal = memoryJournal();
      const plan = {
        planned_tasks: [
          { task_id: "each", ...task, for_each: { items: [1, 2, 3, 4] } },
          { task_id: "one", ...of("echo", 5) },
        ],
      };
      const bind: Bind = async ({ input }) => ({ uid: "echo", input_data: input });
      const { end_reason } = await run(plan, { executors, journal, runId: "r", limits, bind });
      expect(end_reason).toBe("completed");
      expect((await verifyRun(journal, "r")).problems).toEqual([]);
    },
  );
});

test("a fork keeps what became of each element of a list that it keeps", async () => {
  const journal = memoryJournal();
  const inner = { task_id: "in", ...of("odd", "${item}"), for_each: { items: [1, 2], on_failure: "collect" as const } };
  const plan = {
    planned_tasks: [
      { task_id: "some", ...of("odd", "${item}"), for_each: { items: [1, 2, 3], on_failure: "collect" as const } },
      { task_id: "several", for_each: { items: [1], tasks: [inner] } },
      { task_id: "last", ...of("echo", "${some}") },
    ],
  };
  await run(plan, { executors, journal, runId: "r" });
  const forked = await fork("r", "last", { executors, journal });
  expect(forked.output_data.last).toEqual([1, null, 3]);
  expect((await verifyRun(journal, forked.run_id)).problems).toEqual([]);
  const { tasks } = await runStatus(forked.run_id, { journal });
  expect(tasks[0]).toMatchObject({ task_id: "some", elements: { completed: 2, failed: 1 } });
});

describe("control flow that a journal records", () => {
  test("is what the plan asks for", async () => {
    expect((await verifyRun(await recorded(), "r")).problems).toEqual([]);
  });

  test.for<[string, Forgery, string, string]>([
    [
      "a list that says something else of an element",
      { task: output("each", () => [1, 2, 4]) },
      "element_wrong",
      "each",
    ],
    ["a list that is shorter than its items", { task: output("each", () => [1, 2]) }, "element_wrong", "each"],
    ["a list in another order", { task: output("each", () => [2, 1, 3]) }, "element_wrong", "each"],
    [
      "an element that gave something else",
      { element: elementOf("each[1]", (record) => ({ ...record, output: 5 })) },
      "element_wrong",
      "each",
    ],
    ["an element without a record", { element: elementOf("each[2]", () => undefined) }, "element_wrong", "each"],
    [
      "a value in the place of a failed element",
      { task: output("some", (given: unknown[]) => given.with(1, 2)) },
      "element_wrong",
      "some",
    ],
    [
      "a failed element that is said to be completed",
      { element: elementOf("some[1]", ({ error: _, ...record }) => ({ ...record, status: "completed", output: 2 })) },
      "element_wrong",
      "some",
    ],
    [
      "a task that ran though its condition is false",
      {
        task: (record) => {
          if (record.task_id !== "few") return record;
          const { error: _, ...rest } = record;
          return { ...rest, status: "completed", output: 1 };
        },
      },
      "branch_wrong",
      "few",
    ],
    [
      "a task that was skipped though its condition is true",
      {
        task: ({ timing, ...record }) =>
          record.task_id === "many"
            ? { ...record, status: "skipped", error: { code: "TASK_NOT_MET", message: "Its condition is false." } }
            : { ...record, ...(timing && { timing }) },
      },
      "branch_wrong",
      "many",
    ],
    [
      "a branch that was not chosen and ran",
      {
        task: (record) => {
          if (record.task_id !== "right") return record;
          const { error: _, ...rest } = record;
          return { ...rest, status: "completed", output: 3 };
        },
      },
      "branch_wrong",
      "right",
    ],
    [
      "a decision for another branch than the outputs choose",
      { task: output("route", () => ({ chosen: "right", left: false, right: true })) },
      "branch_wrong",
      "route",
    ],
    [
      "a wait that was cut short",
      { task: output("pause", () => ({ waited_until: "2026-01-01T00:00:00.000Z" })) },
      "wait_wrong",
      "pause",
    ],
    ["a wait that began before the wait that it comes after was over", { task: againAfter(5) }, "wait_wrong", "again"],
    [
      "a wait until another time",
      { task: output("past", () => ({ waited_until: "2026-01-01T00:00:01.000Z" })) },
      "wait_wrong",
      "past",
    ],
    [
      "a wait that was to last longer than its run",
      { task: output("again", () => ({ waited_until: "2999-01-01T00:00:00.000Z" })) },
      "wait_wrong",
      "again",
    ],
    ["a wait that does not say until when", { task: output("pause", () => 1) }, "wait_wrong", "pause"],
    [
      "a signal that says something else",
      { signal: (each) => [{ ...each, data: { by: "Eve" } }] },
      "signal_wrong",
      "paid",
    ],
    ["a signal that nobody took", { signal: ({ taken_by: _, ...each }) => [each] }, "signal_wrong", "paid"],
    ["a second signal for one wait", { signal: (each) => [each, { ...each, id: "s2" }] }, "signal_wrong", "paid"],
    ["a signal of another event", { signal: (each) => [{ ...each, event: "unpaid" }] }, "signal_wrong", "paid"],
  ])("%s is found", async ([, forgery, code, task_id]) => {
    const journal = await recorded();
    const { ok, problems } = await verifyRun(forged(journal, forgery), "r");
    expect(ok).toBe(false);
    expect(problems.filter((each) => each.code === code && each.task_id === task_id)).toHaveLength(1);
  });
});
