import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Model, memoryJournal, Planloom, type PlanloomEvent } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";

type Task = Record<string, unknown>;

type Piece = string | number | (() => Promise<unknown>);

/** Writes the list of tasks piece by piece: a text is written, a number is a pause in milliseconds, a function is awaited. */
function writingModel(...attempts: (readonly Piece[])[]): Model {
  return {
    name: "slow",
    async generate(_, { onDelta, signal } = {}) {
      const pieces = attempts.shift() ?? [];
      let text = "";
      for (const piece of pieces) {
        if (typeof piece === "number") await sleep(piece, undefined, signal && { signal });
        else if (typeof piece === "function") await piece();
        else {
          text += piece;
          onDelta?.(piece);
        }
      }
      return { text, toolCalls: [], finishReason: "stop" };
    },
  };
}

const log: string[] = [];
const tool = (id: string, readOnly: boolean, ms: number) =>
  defineTool({
    id,
    description: `The tool ${id}`,
    input: z.object({ of: z.string().optional() }),
    output: z.object({ value: z.string() }),
    readOnly,
    execute: async ({ of = "" }) => {
      log.push(`start ${id}(${of})`);
      await sleep(ms);
      log.push(`end ${id}(${of})`);
      return { value: `${id}(${of})` };
    },
  });
const tools = [tool("read", true, 20), tool("slow_read", true, 150), tool("write", false, 1)];
const task = (task_id: string, tool_id: string, more: Task = {}) =>
  JSON.stringify({ task_id, description: task_id, execution_type: "tool", tool_id, ...more });
const wired = (model: Model, more = {}) => {
  log.length = 0;
  return new Planloom({ model, tools, confirm: "never", ...more });
};

test("a task and its descendants start while the rest is being written; tools that write wait", async () => {
  const { promise: untilReadTwice, resolve: readTwice } = Promise.withResolvers<void>();
  const pieces = [
    "[",
    task("a", "read", { arguments: { of: "x" } }),
    ",",
    task("w", "write", { arguments: { of: "${a.value}" } }),
    ",",
    task("b", "read", { arguments: { of: "${a.value}" } }),
    () => untilReadTwice,
    ",",
    task("c", "read", { arguments: { of: "${b.value}" } }),
    "]",
  ];
  const journal = memoryJournal();
  await using planloom = wired(writingModel(pieces), { journal });
  const events: PlanloomEvent[] = [];
  for (const type of ["early-start", "early-end", "plan-end"] as const)
    planloom.on(type, (event) => events.push(event));
  planloom.on("early-end", ({ taskId }) => {
    if (taskId === "b") readTwice();
  });
  const result = await planloom.run(planloom.planStream("Read and write"));
  expect(result.end_reason).toBe("completed");
  const reported = events.map((event) => ("taskId" in event ? `${event.type} ${event.taskId}` : event.type));
  expect(reported.slice(0, 5)).toEqual([
    "early-start a",
    "early-end a",
    "early-start b",
    "early-end b",
    "early-start c",
  ]);
  expect(reported.slice(5).toSorted()).toEqual(["early-end c", "plan-end"]);
  // Each once, and each result where it belongs.
  expect(log.filter((line) => line.startsWith("start"))).toHaveLength(4);
  expect(log.indexOf("start write(read(x))")).toBeGreaterThan(log.indexOf("end read(read(x))"));
  expect(result.results.map(({ output }) => output)).toEqual(
    ["read(x)", "write(read(x))", "read(read(x))", "read(read(read(x)))"].map((value) => ({ value })),
  );
  const stored = await journal.getRun(result.run_id);
  expect(stored.options.metadata).toEqual({ started_early: ["a", "b", "c"] });
  expect((await journal.getTasks(result.run_id)).map(({ status }) => status)).toEqual(Array(4).fill("completed"));
});

test("what still runs when the plan is whole is waited for by its dependants alone", async () => {
  const pieces = ["[", task("s", "slow_read"), ",", 20, task("w", "write"), "]"];
  await using planloom = wired(writingModel(pieces));
  const { end_reason } = await planloom.run(planloom.planStream("Read and write"));
  expect(end_reason).toBe("completed");
  expect(log).toEqual(["start slow_read()", "start write()", "end write()", "end slow_read()"]);
});

test("never more at once than the concurrency, early tasks counted", async () => {
  const many = Array.from({ length: 6 }, (_, n) => task(`r${n}`, "slow_read", { arguments: { of: `${n}` } }));
  const writes = Array.from({ length: 6 }, (_, n) => task(`w${n}`, "write", { arguments: { of: `${n}` } }));
  await using planloom = wired(writingModel(["[", many.join(","), 30, ",", writes.join(","), "]"]), { concurrency: 2 });
  const { end_reason } = await planloom.run(planloom.planStream("Read and write"));
  expect(end_reason).toBe("completed");
  let running = 0;
  let most = 0;
  for (const line of log) {
    running += line.startsWith("start") ? 1 : -1;
    most = Math.max(most, running);
  }
  expect(most).toBe(2);
  expect(log).toHaveLength(24);
});

test("an invalid whole ends failed and says what ran", async () => {
  const cut = ["[", task("a", "read"), ",", 60, task("b", "no_such_tool"), "]"];
  const journal = memoryJournal();
  await using planloom = wired(writingModel(cut, cut, cut), { journal });
  const result = await planloom.run(planloom.planStream("Read and more"));
  expect(result.end_reason).toBe("failed");
  expect(result.results).toMatchObject([
    { task_id: "a", status: "completed", output: { value: "read()" } },
    { task_id: "planning", status: "failed", error: { message: expect.stringContaining("no_such_tool") } },
  ]);
  expect(log).toEqual(["start read()", "end read()"]);
  const stored = await journal.getRun(result.run_id);
  expect(stored).toMatchObject({ status: "failed", options: { metadata: { started_early: ["a"] } } });
});

test("an invalid plan of which nothing ran rejects as ever", async () => {
  const cut = ["[", task("b", "no_such_tool"), "]"];
  await using planloom = wired(writingModel(cut, cut, cut));
  const running = planloom.run(planloom.planStream("Read"));
  await expect(running).rejects.toMatchObject({ code: "PLANNER_NO_VALID_PLAN" });
});

test("a task that the plan in the end has with another input is executed again", async () => {
  const first = ["[", task("a", "read", { arguments: { of: "draft" } }), ",", 60, task("b", "no_such_tool"), "]"];
  const second = ["[", task("a", "read", { arguments: { of: "final" } }), "]"];
  await using planloom = wired(writingModel(first, second));
  const { results } = await planloom.run(planloom.planStream("Read"));
  expect(results.map(({ output }) => output)).toEqual([{ value: "read(final)" }]);
});

test("an abort stops planning and what was started", async () => {
  await using planloom = wired(writingModel(["[", task("s", "slow_read"), ",", 5_000, task("b", "read"), "]"]));
  const signal = AbortSignal.timeout(50);
  const running = planloom.run(planloom.planStream("Read", { signal }), { signal });
  await expect(running).rejects.toMatchObject({ name: expect.stringMatching(/TimeoutError|AbortError/) });
  expect(log).toEqual(["start slow_read()", "end slow_read()"]);
});

test("with a budget everything waits for the whole plan", async () => {
  await using planloom = wired(writingModel(["[", task("a", "read"), 50, "]"]));
  const result = await planloom.run(planloom.planStream("Read"), { budgets: { run: { calls: 1 } } });
  expect(result.results[0]?.started_ms).toBeGreaterThanOrEqual(0);
  expect((await (await planloom.journal()).getRun(result.run_id)).options.metadata).toBeUndefined();
});

test("tasks are given one by one, and the whole in the end", async () => {
  await using planloom = wired(writingModel(["[", task("a", "read"), 20, ",", task("b", "read"), "]"]));
  const stream = planloom.planStream("Read");
  const seen: string[] = [];
  for await (const { task, attempt } of stream) seen.push(`${task.task_id} ${attempt}`);
  expect(seen).toEqual(["a 1", "b 1"]);
  expect((await stream.plan).planned_tasks).toHaveLength(2);
});

test("a gate holds for an early task however its resource is spelt", async () => {
  const served = defineTool({ id: "fs/read", description: "", readOnly: true, execute: () => log.push("read") });
  const pieces = ["[", JSON.stringify({ task_id: "a", execution_type: "tool", tool_id: "fs/read" }), 60, "]"];
  await using planloom = wired(writingModel(pieces), { tools: [served], approval: { resources: ["fs__read"] } });
  const { end_reason } = await planloom.run(planloom.planStream("Read"));
  expect(end_reason).toBe("waiting_approval");
  expect(log).toEqual([]);
});
