import type { PageData } from "@planloom/page";
import { expect, test } from "vitest";
import { criticalPath } from "../../packages/page/app/model/critical-path.ts";
import { historyOf, RunHistory } from "../../packages/page/app/model/history.ts";
import { statuses } from "../../packages/page/app/model/status.ts";
import { pageDataOf } from "../support/page-data.ts";

type Event = NonNullable<PageData["run"]>["events"][number];

const at = (history: RunHistory, time: number): string[] => {
  const numbers = new Uint8Array(history.count);
  history.statusesAt(time, numbers);
  return Array.from(numbers, (number) => statuses[number]!);
};

const common = (seq: number, timestamp: number) => ({ runId: "r", seq, at: timestamp, timestamp });

test("shows each moment of a run as its events tell it", () => {
  const history = new RunHistory(["a", "b"]);
  const events: Event[] = [
    { ...common(0, 100), type: "run-start", planId: "p", tasks: 2, recorded: 0 },
    { ...common(1, 110), type: "task-start", taskId: "a", attempt: 1 },
    {
      ...common(2, 130),
      type: "task-retry",
      taskId: "a",
      attempt: 1,
      delayMs: 20,
      error: { code: "TASK_FAILED", message: "busy" },
    },
    { ...common(3, 150), type: "task-start", taskId: "a", attempt: 2 },
    { ...common(4, 180), type: "task-end", taskId: "a", attempts: 2, durationMs: 50 },
    { ...common(5, 181), type: "task-waiting", taskId: "b", contentHash: "h" },
    { ...common(6, 190), type: "task-approve", taskId: "b", answer: "approve" },
    { ...common(7, 191), type: "task-start", taskId: "b", attempt: 1 },
  ];
  for (const event of events) history.read(event);
  expect([105, 120, 140, 160, 180, 185, 190, 195].map((time) => at(history, time))).toEqual([
    ["pending", "pending"],
    ["running", "pending"],
    ["delayed", "pending"],
    ["running", "pending"],
    ["completed", "pending"],
    ["completed", "asked"],
    ["completed", "pending"],
    ["completed", "running"],
  ]);
  expect(history.attempts).toMatchObject([
    { task: 0, from: 110, to: 130 },
    { task: 0, from: 150, to: 180 },
    { task: 1, from: 191 },
  ]);
  expect(history.lastSeq).toBe(7);
  expect(history.pauses).toMatchObject([{ task: 1, from: 181, to: 190 }]);
});

test("a task that waits does so over the end of a session, and until the run has ended", () => {
  const history = new RunHistory(["a", "b"]);
  const wait = { event: "payment", begun_at: "2026-11-23T10:00:00.000Z" };
  const events: Event[] = [
    { ...common(0, 100), type: "run-start", planId: "p", tasks: 2, recorded: 0 },
    { ...common(1, 110), type: "task-wait", taskId: "a", callId: "a", wait } as unknown as Event,
    { ...common(2, 120), type: "task-waiting", taskId: "b", contentHash: "h" },
    { ...common(3, 130), type: "run-end", endReason: "waiting", achievedMs: 30 },
  ];
  for (const event of events) history.read(event);
  expect(history.pauses.map(({ to }) => to)).toEqual([undefined, undefined]);
  history.read({ ...common(4, 500), type: "task-end", taskId: "a", attempts: 0, durationMs: 0 });
  history.read({ ...common(5, 700), type: "run-end", endReason: "cancelled", achievedMs: 30 });
  expect(history.pauses).toMatchObject([
    { task: 0, from: 110, to: 500 },
    { task: 1, from: 120, to: 700 },
  ]);
});

test("without events the records of tasks say when they ran", () => {
  const data = pageDataOf(20);
  const history = historyOf(
    data.plan.tasks.map(({ task_id }) => task_id),
    data.run!,
  );
  const began = Date.parse(data.run!.created_at);
  expect(at(history, began - 1).every((status) => status === "pending")).toBe(true);
  expect(at(history, began + 5).slice(0, 7)).toEqual([...Array<string>(6).fill("running"), "pending"]);
  expect(at(history, Number.POSITIVE_INFINITY).filter((status) => status === "completed")).toHaveLength(10);
});

test("without events a task that was asked about before its first attempt waits from when that was kept, not from the start", () => {
  const began = Date.parse("2026-11-23T10:00:00.000Z");
  const record = (task_id: string, more: object) => ({ task_id, attempts: 1, duration_ms: 0, ...more });
  const history = new RunHistory(["read", "pay"]);
  history.readRecords({
    created_at: "2026-11-23T10:00:00.000Z",
    states: [],
    records: [
      record("read", { status: "completed", started_at: began + 10, duration_ms: 6_000 }),
      record("pay", { status: "waiting_approval", attempts: 0, started_at: began }),
    ],
  } as never);
  expect(history.pauses).toMatchObject([{ task: 1, from: began + 6_010 }]);
});

test("the critical path is the chain that took longest together", () => {
  const edges = { from: [0, 0, 1, 2], to: [1, 2, 3, 3] };
  const attempt = (task: number, ms: number) => ({ task, from: 0, to: ms, status: 0 });
  expect(criticalPath(4, edges, [attempt(0, 5), attempt(1, 10), attempt(2, 30), attempt(3, 1)], 0)).toEqual([0, 2, 3]);
  expect(criticalPath(4, edges, [attempt(0, 5), attempt(1, 40), attempt(2, 30), attempt(3, 1)], 0)).toEqual([0, 1, 3]);
});
