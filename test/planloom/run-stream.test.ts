import { defineTool, Planloom, TaskData } from "planloom";
import type { StreamEvent } from "planloom/events";
import { scriptedController } from "planloom/testing";
import { expect, test } from "vitest";
import { turns } from "../support/fake-time.ts";

let started = 0;
const tick = defineTool({
  id: "tick",
  description: "Counts",
  execute: async (_, { onProgress }) => {
    started += 1;
    for (let n = 0; n < 5; n += 1) onProgress({ n });
    await turns(1);
    return started;
  },
});
const chain = (n: number) =>
  TaskData.parse({
    planned_tasks: Array.from({ length: n }, (_, i) => ({
      task_id: `t${i}`,
      execution_type: "tool",
      tool_id: "tick",
      dependencies: i === 0 ? [] : [`t${i - 1}`],
    })),
  });
const wired = () => new Planloom({ tools: [tick] });
const typesOf = (events: readonly StreamEvent[]) => events.map(({ type }) => type);

test("gives every event in order and ends with the run", async () => {
  await using planloom = wired();
  const stream = planloom.stream(chain(3));
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(typesOf(events)[0]).toBe("run-start");
  expect(typesOf(events).at(-1)).toBe("run-end");
  expect(events.flatMap((event) => ("seq" in event ? [event.seq] : []))).toEqual(events.map((_, at) => at));
  expect((await stream.result).end_reason).toBe("completed");
});

test("planning is heard too, when a goal is run", async () => {
  const data = [{ task_id: "a", execution_type: "tool", tool_id: "tick" }];
  const controller = scriptedController([{ phase1: { success: true, data } }]);
  await using planloom = new Planloom({ controller, tools: [tick] });
  const events: StreamEvent[] = [];
  for await (const event of planloom.stream("count")) events.push(event);
  expect(typesOf(events).slice(0, 3)).toEqual(["plan-start", "plan-attempt", "plan-end"]);
  expect(typesOf(events).at(-1)).toBe("run-end");
});

test("a consumer that never comes costs no more than the buffer, and the run is as ever", async () => {
  await using planloom = wired();
  const stream = planloom.stream(chain(30), { bufferSize: 8 });
  expect((await stream.result).end_reason).toBe("completed");
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(events.filter(({ type }) => type !== "stream-gap")).toHaveLength(8);
  // All that was: run-start, 30 × (start, 5 × progress, end), run-end.
  const dropped = events.reduce((sum, event) => sum + (event.type === "stream-gap" ? event.dropped : 0), 0);
  expect(dropped + 8).toBe(2 + 30 * 7);
  expect(typesOf(events).at(-1)).toBe("run-end");
});

test("with whenFull: wait nothing starts until the consumer has caught up, and nothing is lost", async () => {
  await using planloom = wired();
  started = 0;
  const stream = planloom.stream(chain(20), { bufferSize: 8, whenFull: "wait" });
  await turns(100);
  const before = started;
  expect(before).toBeLessThanOrEqual(2);
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(events).toHaveLength(2 + 20 * 7);
  expect(started).toBe(20);
});

test("a consumer that throws leaves the run alone, also one that the run waits for", async () => {
  await using planloom = wired();
  for (const whenFull of ["drop", "wait"] as const) {
    const stream = planloom.stream(chain(20), { bufferSize: 2, whenFull });
    const consume = async () => {
      for await (const event of stream) if (event.type === "task-end") throw new Error("mine");
    };
    await expect(consume()).rejects.toThrow("mine");
    expect((await stream.result).end_reason).toBe("completed");
  }
});

test("aborting a run that waits for its consumer ends it at once", async () => {
  await using planloom = wired();
  const stop = new AbortController();
  const stream = planloom.stream(chain(20), { bufferSize: 1, whenFull: "wait", signal: stop.signal });
  await turns(100);
  stop.abort();
  expect((await stream.result).end_reason).toBe("cancelled");
});

test("what the run throws, iterating throws", async () => {
  await using planloom = wired();
  const wrong = TaskData.parse({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "none" }] });
  const stream = planloom.stream(wrong);
  const consume = async () => {
    for await (const _ of stream);
  };
  await expect(consume()).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
  await expect(stream.result).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
});

test.for([{ bufferSize: 0 }, { bufferSize: 1.5 }, { whenFull: "never" as "drop" }])("%o is refused", (options) => {
  expect(() => wired().stream(chain(1), options)).toThrow(expect.objectContaining({ code: "PLANLOOM_OPTION" }));
});
