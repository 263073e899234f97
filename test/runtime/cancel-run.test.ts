import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TaskData } from "@planloom/plan";
import {
  cancelRun,
  defineTool,
  type Journal,
  memoryJournal,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
} from "@planloom/runtime";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// The renewal of leases alone: a process hears with it what others ask of its runs.
const leaseRenewalMs = 5_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

let stopped = 0;
let begin = () => {};
/** Resolves when the slow tool is called the next time. */
const slowBegins = () =>
  new Promise<void>((resolve) => {
    begin = resolve;
  });
const slow = defineTool({
  id: "slow",
  description: "Takes long",
  execute: async (_, { signal }) => {
    begin();
    try {
      await sleep(20_000, undefined, { signal });
    } finally {
      stopped += 1;
    }
  },
});
const quick = defineTool({ id: "quick", description: "Takes no time", execute: () => "done" });
const executors = [toolExecutor([slow, quick])];
const plan = (more: Record<string, unknown> = {}) =>
  TaskData.parse({
    planned_tasks: [
      { task_id: "a", execution_type: "tool", tool_id: "quick" },
      { task_id: "b", execution_type: "tool", tool_id: "slow", dependencies: ["a"], ...more },
    ],
  });

test("a run of this process stops at once, what was completed is kept", async () => {
  const journal = memoryJournal();
  const begun = slowBegins();
  const running = run(plan(), { executors, journal, runId: "r" });
  await begun;
  expect(await cancelRun("r", { journal })).toEqual({ run_id: "r", state: "requested" });
  const result = await running;
  expect(result.end_reason).toBe("cancelled");
  expect(result.results.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  expect(stopped).toBe(1);
  await expect(cancelRun("r", { journal })).rejects.toMatchObject({ code: "RUNTIME_NOT_RUNNING" });
});

test("a run that another process has in hand hears it with the renewal of its lease", async () => {
  const folder = await mkdtemp(join(tmpdir(), "planloom-cancel-"));
  const file = join(folder, "journal.sqlite");
  const [journal, other] = [await SqliteJournal.open(file), await SqliteJournal.open(file)];
  try {
    const begun = slowBegins();
    const running = run(plan(), { executors, journal, runId: "r" });
    await begun;
    expect(await cancelRun("r", { journal: other })).toEqual({ run_id: "r", state: "requested" });
    await vi.advanceTimersByTimeAsync(leaseRenewalMs);
    expect((await running).end_reason).toBe("cancelled");
    // And it can be gone on with.
    const again = await resume("r", { executors, journal: other });
    expect(again.end_reason).toBe("waiting_approval");
    expect(again.results[0]).toMatchObject({ status: "completed", recorded: true });
  } finally {
    await journal.close();
    await other.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test.for(["this process", "another process"])("drained from %s, what runs comes to its end", async (from) => {
  const journal = memoryJournal();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: open, resolve: finish } = Promise.withResolvers<string>();
  const held = defineTool({
    id: "held",
    description: "Takes until it is stopped",
    execute: () => {
      begin();
      return open;
    },
  });
  const planned_tasks = [
    { task_id: "a", execution_type: "tool", tool_id: "held" },
    { task_id: "b", execution_type: "tool", tool_id: "quick", dependencies: ["a"] },
  ];
  const running = run(TaskData.parse({ planned_tasks }), {
    executors: [toolExecutor([held, quick])],
    journal,
    runId: "r",
  });
  await begun;
  if (from === "this process") await cancelRun("r", { journal, mode: "drain" });
  else {
    // Another object for the same runs: nobody there has heard of this one.
    const other: Journal = { ...journal };
    await cancelRun("r", { journal: other, mode: "drain" });
    await vi.advanceTimersByTimeAsync(leaseRenewalMs);
  }
  finish("done");
  const { end_reason, results } = await running;
  expect(end_reason).toBe("drained");
  expect(results.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  await expect(cancelRun("r", { journal, mode: "soon" as never })).rejects.toMatchObject({
    details: { option: "mode" },
  });
});

test("a run that waits for approval is cancelled there and then", async () => {
  const journal = memoryJournal();
  const { end_reason } = await run(plan({ approval: "required" }), { executors, journal, runId: "r" });
  expect(end_reason).toBe("waiting_approval");
  expect(await cancelRun("r", { journal })).toEqual({ run_id: "r", state: "cancelled" });
  expect((await journal.getRun("r")).status).toBe("cancelled");
});

test("a run that is not there", async () => {
  await expect(cancelRun("r", { journal: memoryJournal() })).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
});
