import {
  approve,
  defineTool,
  type Journal,
  memoryJournal,
  type RunEvent,
  resume,
  run,
  type StoredCertificate,
  type TaskRecord,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeTime } from "../support/fake-time.ts";
import { sleep } from "../support/run-plans.ts";

let time: Disposable;
beforeEach(() => {
  time = fakeTime();
});
afterEach(() => time[Symbol.dispose]());

const tool = (task_id: string, dependencies: string[] = [], more = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: "work",
  dependencies,
  ...more,
});
let calls = 0;
const executors = [
  toolExecutor([
    defineTool({ id: "work", description: "", execute: () => sleep(60).then(() => "done") }),
    defineTool({
      id: "flaky",
      description: "",
      idempotent: true,
      execute: async () => {
        await sleep(2);
        if (calls++ % 2 === 0) throw new Error("again");
        return 1;
      },
    }),
  ]),
];
const tasks = [
  tool("a"),
  tool("b"),
  tool("c", ["a"]),
  tool("d", ["a", "b"]),
  tool("e", ["c", "d"], { tool_id: "flaky" }),
];

async function recorded(options = {}): Promise<Journal> {
  const journal = memoryJournal();
  const limits = { kinds: { tool: 2 }, resources: { work: 2 } };
  await run(
    { planned_tasks: tasks },
    { executors, journal, runId: "r", limits, retry: { max_attempts: 3, initial_delay_ms: 1 }, ...options },
  );
  return journal;
}

/** The same journal with other words in it. */
function forged(journal: Journal, change: (record: TaskRecord) => TaskRecord): Journal {
  return { ...journal, getTasks: async (id) => (await journal.getTasks(id)).map(change) };
}

describe("a run as it was", () => {
  test("holds, with retries and limits, and its figures are found again", async () => {
    const report = await verifyRun(await recorded(), "r");
    expect(report).toMatchObject({ ok: true, problems: [], checked: 5 });
    expect(report.recomputed?.lowerBoundMs).toBeCloseTo(report.claimed?.lower_bound_ms ?? Number.NaN, 1);
    expect(report.recomputed?.ratio).toBeGreaterThanOrEqual(1);
    expect(report.claimed?.limits).toEqual({ concurrency: 4, kinds: { tool: 2 }, resources: { "tool:work": 2 } });
  });

  test("stands after a session that had nothing left to run", async () => {
    const journal = await recorded();
    const before = await verifyRun(journal, "r");
    await resume("r", { executors, journal });
    // Events went on to be counted; all else that is claimed is what was claimed before.
    const claimed = { ...before.claimed!, next_seq: expect.any(Number) as number };
    expect(await verifyRun(journal, "r")).toEqual({ ...before, claimed });
  });

  test("stands after a session that was held up while another one ran all that was left", async () => {
    const journal = memoryJournal();
    const plan = { planned_tasks: [tool("a", [], { approval: "required" as const }), tool("b", ["a"])] };
    expect((await run(plan, { executors, journal, runId: "r" })).end_reason).toBe("waiting_approval");
    await approve("r", "a", { journal });
    let isHeldUp = true;
    const openRun: Journal["openRun"] = async (...given) => {
      if (isHeldUp) {
        isHeldUp = false;
        expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
      }
      return journal.openRun(...given);
    };
    const late = await resume("r", { executors, journal: { ...journal, openRun } });
    expect([late.end_reason, isHeldUp]).toEqual(["completed", false]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  });

  test("holds for tasks one after another", async () => {
    expect(await verifyRun(await recorded({ concurrency: 1 }), "r")).toMatchObject({ ok: true, checked: 5 });
  });
});

test.for(["abort", "drain", "halt"] as const)(
  "holds where %s came while a task waited for its next attempt",
  async (ending) => {
    const journal = memoryJournal();
    const stop = new AbortController();
    const isWaiting = (event: RunEvent) => {
      if (event.type === "task-retry") setTimeout(() => stop.abort(), 5);
    };
    const unsteady = defineTool({
      id: "unsteady",
      description: "",
      idempotent: true,
      execute: async () => {
        await sleep(10);
        throw Object.assign(new Error("Service unavailable."), { status: 503 });
      },
    });
    const failing = defineTool({
      id: "failing",
      description: "",
      execute: async () => {
        await sleep(20);
        throw new Error("It never works.");
      },
    });
    const retried = tool("a", [], { tool_id: "unsteady", retry: { max_attempts: 5, initial_delay_ms: 10_000 } });
    const halting = tool("b", [], { tool_id: "failing", on_failure: "halt" });
    const plan = { planned_tasks: ending === "halt" ? [retried, halting] : [retried] };
    await run(plan, {
      executors: [toolExecutor([unsteady, failing])],
      journal,
      runId: "r",
      ...(ending === "abort" && { signal: stop.signal }),
      ...(ending === "drain" && { drain: stop.signal }),
      onEvent: isWaiting,
    });
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
  },
);

const shifted =
  (id: string, byMs: number) =>
  (record: TaskRecord): TaskRecord =>
    record.task_id === id && record.timing
      ? {
          ...record,
          started_at: record.started_at + byMs,
          timing: { ...record.timing, ended_at: record.timing.ended_at + byMs },
        }
      : record;

describe("a journal that was changed", () => {
  test.for<[string, (record: TaskRecord) => TaskRecord, string]>([
    ["a task before its dependency", shifted("c", -50), "started_early"],
    ["a dependency that failed", (r) => (r.task_id === "a" ? { ...r, status: "failed" } : r), "dependency_missing"],
    ["a shorter task", (r) => ({ ...r, duration_ms: r.duration_ms / 2 }), "certificate_wrong"],
    ["a later end", shifted("e", 50), "certificate_wrong"],
    [
      "a task skipped for nothing",
      ({ timing: _, ...r }) => (r.task_id === "e" ? { ...r, status: "skipped", skipped_because: "a" } : r),
      "skipped_needlessly",
    ],
    ["a task of another plan", (r) => (r.task_id === "e" ? { ...r, task_id: "z" } : r), "unknown_task"],
  ])("%s", async ([, change, code]) => {
    const report = await verifyRun(forged(await recorded(), change), "r");
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.code)).toContain(code);
  });

  test.for<[string, (record: TaskRecord) => TaskRecord, string]>([
    ["another input", (r) => (r.task_id === "a" ? { ...r, input: { forged: true } } : r), "input_wrong"],
    ["a sink that is not completed", (r) => (r.task_id === "e" ? { ...r, status: "failed" } : r), "task_unfinished"],
  ])("%s", async ([, change, code]) => {
    const report = await verifyRun(forged(await recorded(), change), "r");
    expect(report.problems.map((problem) => problem.code)).toContain(code);
  });

  test("but not a task whose resource is not there now", async () => {
    const journal = memoryJournal();
    const away = {
      ...toolExecutor([defineTool({ id: "work", description: "", execute: () => 1 })]),
      unavailable: () => "It is away.",
    };
    const tasks = [tool("a"), tool("b", ["a"])];
    const { end_reason } = await run({ planned_tasks: tasks }, { executors: [away], journal, runId: "r" });
    expect({ end_reason, report: await verifyRun(journal, "r") }).toMatchObject({
      end_reason: "completed",
      report: { problems: [] },
    });
  });

  test("a completed task that people said no to", async () => {
    const journal = await recorded();
    const no = { task_id: "a", content_hash: "", answer: "deny", answered_at: "" } as const;
    const report = await verifyRun({ ...journal, getAnswers: async () => [no] }, "r");
    expect(report).toMatchObject({ ok: false, problems: [{ code: "approval_denied", task_id: "a" }] });
    const yes = { ...no, answer: "approve" } as const;
    expect((await verifyRun({ ...journal, getAnswers: async () => [no, yes] }, "r")).ok).toBe(true);
  });

  test("limits that it did not keep", async () => {
    const journal = await recorded();
    const stricter: Journal = {
      ...journal,
      async getRun(id) {
        const stored = await journal.getRun(id);
        if (stored.certificate === undefined) throw new Error("Expected a certificate.");
        const limits = { concurrency: 4, kinds: {}, resources: { "tool:work": 1 } };
        return { ...stored, certificate: { ...stored.certificate, limits } };
      },
    };
    const report = await verifyRun(stricter, "r");
    expect(report.problems.map(({ code }) => code)).toContain("limit_exceeded");
  });

  // Compared with anything, what is no number proves nothing wrong.
  test.for<[string, (certificate: StoredCertificate) => unknown]>([
    ["figures that are no numbers", (given) => ({ ...given, achieved_ms: "fast", ratio: "1" })],
    ["no limits", ({ limits: _, ...given }) => given],
    ["a limit that is no number", (given) => ({ ...given, limits: { ...given.limits, concurrency: "many" } })],
    ["no record", () => null],
  ])("a certificate with %s", async ([, change]) => {
    const journal = await recorded();
    const changed: Journal = {
      ...journal,
      async getRun(id) {
        const stored = await journal.getRun(id);
        return { ...stored, certificate: change(stored.certificate as StoredCertificate) as StoredCertificate };
      },
    };
    const report = await verifyRun(changed, "r");
    expect(report).toMatchObject({ ok: false, problems: [{ code: "certificate_wrong" }] });
  });

  test("times that are no numbers", async () => {
    const timeless = (record: TaskRecord) =>
      record.task_id === "e" ? { ...record, timing: { ended_at: "later" } as never } : record;
    const report = await verifyRun(forged(await recorded(), timeless), "r");
    expect(report).toMatchObject({ ok: false, problems: [{ code: "certificate_wrong", task_id: "e" }] });
  });

  test("an end without a certificate", async () => {
    const journal = await recorded();
    const without: Journal = {
      ...journal,
      async getRun(id) {
        const { certificate: _, ...stored } = await journal.getRun(id);
        return stored;
      },
    };
    expect((await verifyRun(without, "r")).problems).toMatchObject([{ code: "certificate_absent" }]);
  });
});

describe("waits that no schedule could help", () => {
  test("are distinguished, and a wait for retries is no longer than the time between attempts", async () => {
    const journal = memoryJournal();
    const planned_tasks = [
      tool("flaky", [], { tool_id: "flaky", retry: { max_attempts: 3, initial_delay_ms: 40 } }),
      tool("slow"),
      tool("asks", [], { tool_id: "quick", approval: "required" }),
      tool("first", [], { tool_id: "rated" }),
      tool("second", [], { tool_id: "rated" }),
    ];
    const quick = ["quick", "rated"].map((id) => defineTool({ id, description: "", execute: () => 1 }));
    const onEvent = (event: RunEvent) => {
      if (event.type === "task-waiting") setTimeout(() => approve("w", "asks", { journal }), 25);
    };
    calls = 0;
    const { certificate, end_reason } = await run(
      { planned_tasks },
      {
        executors: [...executors, toolExecutor(quick)],
        journal,
        runId: "w",
        concurrency: 8,
        limits: { rates: { rated: { limit: 1, intervalMs: 30 } } },
        onEvent,
      },
    );
    expect(end_reason).toBe("completed");
    const { approvalMs = 0, retryMs = 0, limitMs = 0 } = certificate.waits ?? {};
    expect(approvalMs).toBe(25);
    // The upper half of a delay is random.
    expect(retryMs).toBeGreaterThan(19);
    expect(limitMs).toBeGreaterThanOrEqual(30);
    expect(limitMs).toBeLessThan(35);
    const report = await verifyRun(journal, "w");
    expect(report.problems).toEqual([]);
    expect(report.claimed?.waits?.retry_ms).toBe(retryMs);

    const boast = async (id: string) => {
      const stored = await journal.getRun(id);
      const waits = { approval_ms: 0, limit_ms: 0, retry_ms: 10_000 };
      return { ...stored, certificate: { ...stored.certificate!, waits } };
    };
    const claimed = await verifyRun({ ...journal, getRun: boast }, "w");
    expect(claimed.problems).toMatchObject([
      { code: "certificate_wrong", message: expect.stringContaining("wait for retries is 10000") },
    ]);
  });

  test("count a retry that was waited for and that no budget was left to pay", async () => {
    const journal = memoryJournal();
    calls = 0;
    const retry = { max_attempts: 3, initial_delay_ms: 20 };
    const { end_reason, certificate } = await run(
      { planned_tasks: [tool("f", [], { tool_id: "flaky", retry })] },
      { executors, journal, runId: "poor", budgets: { run: { calls: 1 } } },
    );
    expect(end_reason).toBe("budget");
    expect(certificate.waits?.retryMs).toBeGreaterThan(9);
    expect((await verifyRun(journal, "poor")).problems).toEqual([]);
  });

  test("are absent where nothing waited", async () => {
    const { certificate } = await run({ planned_tasks: [tool("a")] }, { executors });
    expect(certificate).not.toHaveProperty("waits");
  });
});
