import { PlannerTask, planView } from "@planloom/plan";
import { defineTool, memoryJournal, run, toolExecutor } from "@planloom/runtime";
import { expect, test, vi } from "vitest";
import { Limits } from "../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../packages/runtime/src/core/run-state.ts";
import { NestedWriter } from "../../packages/runtime/src/hosts/nested-writer.ts";
import { JournalWriter } from "../../packages/runtime/src/task-execution/journal-writer.ts";
import { Reporter } from "../../packages/runtime/src/task-execution/reporter.ts";
import { createTaskTable } from "../../packages/runtime/src/task-execution/task-table.ts";

test("a record that cannot be made ends the run, and its task is not completed", () => {
  const tasks = [PlannerTask.parse({ task_id: "a" })];
  const state = createRunState(planView(tasks), { limits: new Limits({ concurrency: 1 }) });
  const table = createTaskTable(tasks);
  // What no text can be made of.
  table.prepared[0] = { step: { uid: "x", input_data: { id: 10n } } } as never;
  const giveUp = vi.fn();
  const committed = vi.fn();
  const refused = vi.fn();
  const events = { active: false } as never;
  const writer = new JournalWriter(async () => {}, giveUp);
  const reporter = new Reporter({ state, table, events, startedAt: 0 }, writer, giveUp);
  reporter.completed(0, 1, committed, refused);
  expect(giveUp).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: "PlanError" }));
  expect(refused).toHaveBeenCalledOnce();
  reporter.failed(0, { code: "TASK_FAILED", message: "" });
  expect(giveUp).toHaveBeenCalledTimes(2);
  expect(committed).not.toHaveBeenCalled();
});

test("nobody waits for a record of a nested plan that could not be made", async () => {
  const all = new JournalWriter(
    async () => {},
    () => {},
  );
  const failing = () => {
    throw new RangeError("Invalid string length");
  };
  const writer = new NestedWriter(all as never, failing, () => {});
  expect(() =>
    writer.add(
      {} as never,
      () => {},
      () => {},
    ),
  ).toThrow(RangeError);
  await writer.flush();
});

test("what `bind` does to its input changes no output of another task, and no record", async () => {
  const seen: unknown[] = [];
  const execute = (input: object) => {
    seen.push(input);
    return { rows: [1] };
  };
  const tool = defineTool({ id: "t", description: "", execute });
  const rows = { rows: "${a.rows}" };
  const planned_tasks = [
    { task_id: "a", tool_id: "t" },
    { task_id: "b", tool_id: "t", arguments: rows },
    { task_id: "c", tool_id: "t", arguments: rows, dependencies: ["b"] },
  ];
  const bind = async ({ input }: { readonly input: unknown }) => {
    const given = input as { rows?: unknown[]; id?: unknown };
    const input_data = structuredClone(given);
    given.rows?.push("spoiled");
    given.id = 10n;
    return { uid: "t", input_data };
  };
  const { results, end_reason } = await run(
    { planned_tasks },
    { executors: [toolExecutor([tool])], bind, journal: memoryJournal() },
  );
  expect(end_reason).toBe("completed");
  expect(results[0]!.output).toEqual({ rows: [1] });
  expect(seen).toEqual([{}, { rows: [1] }, { rows: [1] }]);
});

test("what a listener does to its event changes no error of the run, and no record", async () => {
  const failing = defineTool({
    id: "t",
    description: "",
    execute: () => {
      throw Object.assign(new Error("no"), { details: { code: 7 } });
    },
  });
  const onEvent = (event: object) => {
    if ("error" in event) Object.assign(event.error as object, { message: "changed", id: 10n });
  };
  const planned_tasks = [
    { task_id: "a", tool_id: "t" },
    { task_id: "b", tool_id: "t", dependencies: ["a"] },
  ];
  const retry = { max_attempts: 2, initial_delay_ms: 0 };
  const executors = [toolExecutor([failing])];
  const { results } = await run({ planned_tasks }, { executors, journal: memoryJournal(), onEvent, retry });
  expect(results.map(({ error }) => error?.message)).toEqual(["no", 'It depends on task "a", which failed.']);
});
