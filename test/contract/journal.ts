import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { TaskData } from "@planloom/plan";
import {
  defineTool,
  fork,
  type Journal,
  type LeaseOwner,
  replay,
  run,
  type StoredEvent,
  type TaskRecord,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { processOwner, releaseOwner } from "../../packages/runtime/src/journal/lease.ts";
import { revisionsContract } from "./journal-revisions.ts";
import { type JournalUnderTest, owner, plan, record, storedRun } from "./journal-subject.ts";

/** What every journal must do; both of ours pass it, and so must a third one. */
export function journalContract(name: string, make: () => Promise<JournalUnderTest>): void {
  describe(`journal contract: ${name}`, () => {
    let subject: JournalUnderTest;
    let journal: Journal;
    beforeEach(async () => {
      subject = await make();
      journal = subject.journal;
    });
    afterEach(() => subject.dispose());

    revisionsContract(() => subject);

    test("gives back what was stored, and nothing of it is shared", async () => {
      const run = storedRun("run-1");
      await journal.createRun(run, owner("o"));
      const read = await journal.getRun("run-1");
      expect(read).toEqual(run);
      (read.plan.planned_tasks as unknown[]).length = 0;
      expect((await journal.getRun("run-1")).plan.planned_tasks).toHaveLength(2);
    });

    test("keeps plans of any size, tasks in order and each whole, and deletes all of them", async () => {
      const tasks = Array.from({ length: 2_000 }, (_, number) => ({
        task_id: `t${number}`,
        description: number === 700 ? "ü\u0000\u{1F600}".repeat(60_000) : `task ${number}`,
        dependencies: number === 0 ? [] : [`t${number - 1}`],
      }));
      const large = TaskData.parse({ task_id: "large", metadata: { revision: "" }, planned_tasks: tasks });
      await journal.createRun({ ...storedRun("r"), plan: large }, owner("o"));
      await journal.createRun({ ...storedRun("s"), plan: TaskData.parse({ task_id: "none" }) }, owner("o"));
      const other = await subject.another();
      expect((await other.getRun("r")).plan).toEqual(large);
      expect((await other.getRun("s")).plan.planned_tasks).toEqual([]);
      await journal.endRun("r", owner("o"), "failed");
      expect((await other.openRun("r", owner("p"))).run.plan).toEqual(large);
      await journal.endRun("r", owner("p"), "failed");
      await journal.deleteRun("r");
      await journal.createRun(storedRun("r"), owner("o"));
      expect((await other.getRun("r")).plan).toEqual(plan);
    });

    test("refuses a second run of one id", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      await expect(journal.createRun(storedRun("r"), owner("p"))).rejects.toMatchObject({ code: "RUNTIME_RUN_EXISTS" });
    });

    test("keeps records whole: nulls, empties, large and odd values", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      const records = [
        record("a", { output: null, uid: "t", input: { x: [] } }),
        record("b", { output: { text: "y".repeat(3_000_000), odd: "\u0000\ud800 ü", empty: {} } }),
        record("c", {
          status: "failed",
          output: undefined,
          error: { code: "TASK_FAILED", message: "no", details: { a: 1 } },
        }),
        record("d", { status: "skipped", output: undefined, input_hash: "", skipped_because: "c", attempts: 0 }),
        record("__proto__", { output: 0 }),
      ];
      await journal.record("r", owner("o"), records);
      const read = await (await subject.another()).getTasks("r");
      expect(read.map(({ task_id }) => task_id)).toEqual(["a", "b", "c", "d", "__proto__"]);
      expect(JSON.stringify(read[0])).toBe(JSON.stringify({ ...read[0], ...records[0] }));
      expect(((read[1] as TaskRecord).output as { text: string }).text).toHaveLength(3_000_000);
      expect(read[2]).toMatchObject({
        status: "failed",
        error: { code: "TASK_FAILED", message: "no", details: { a: 1 } },
      });
      expect(read[2]).not.toHaveProperty("output");
      expect(read[3]).toMatchObject({ skipped_because: "c", input_hash: "", attempts: 0 });
    });

    test("one record a task: what completed replaces what failed, whatever its input", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      await journal.record("r", owner("o"), [record("a", { status: "failed" })]);
      await journal.record("r", owner("o"), [record("a", { input_hash: "other" })]);
      const tasks = await journal.getTasks("r");
      expect(tasks.map(({ task_id, status }) => [task_id, status])).toEqual([["a", "completed"]]);
    });

    test("only the holder of the lease may write", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      const lost = { code: "RUNTIME_LEASE_LOST" };
      await expect(journal.record("r", owner("p"), [record("a")])).rejects.toMatchObject(lost);
      await expect(journal.renewLease("r", owner("p"))).rejects.toMatchObject(lost);
      await expect(journal.endRun("r", owner("p"), "completed")).rejects.toMatchObject(lost);
      expect(await journal.getTasks("r")).toEqual([]);
    });

    test("who holds the lease hears that the run is to be cancelled; the next holder does not", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      expect(await journal.renewLease("r", owner("o"))).toEqual({ cancel: false });
      expect(await (await subject.another()).requestCancel("r")).toBe(true);
      expect(await journal.renewLease("r", owner("o"))).toEqual({ cancel: "now" });
      // What was to stop at once is not let run by a later request.
      expect(await (await subject.another()).requestCancel("r", "drain")).toBe(true);
      expect(await journal.renewLease("r", owner("o"))).toEqual({ cancel: "now" });
      await journal.endRun("r", owner("o"), "cancelled");
      expect(await journal.requestCancel("r")).toBe(false);
      await journal.openRun("r", owner("p"));
      expect(await journal.renewLease("r", owner("p"))).toEqual({ cancel: false });
      expect(await journal.requestCancel("r", "drain")).toBe(true);
      expect(await journal.renewLease("r", owner("p"))).toEqual({ cancel: "drain" });
      expect(await journal.requestCancel("r")).toBe(true);
      expect(await journal.renewLease("r", owner("p"))).toEqual({ cancel: "now" });
      await expect(journal.requestCancel("nobody")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });

    test("a live lease keeps others out, from another view too", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      const leased = { code: "RUNTIME_RUN_LEASED" };
      await expect((await subject.another()).openRun("r", owner("p"))).rejects.toMatchObject(leased);
      await expect(journal.deleteRun("r")).rejects.toMatchObject(leased);
    });

    test("the lease of a dead process is taken over, and its owner is refused from then on", async () => {
      const dead = await deadOwner();
      await journal.createRun(storedRun("r"), dead);
      await journal.record("r", dead, [record("a")]);
      expect(await journal.listRuns()).toMatchObject([{ run_id: "r", status: "interrupted", completed: 1 }]);
      const { run, tasks } = await journal.openRun("r", owner("p"));
      expect(run.plan).toEqual(plan);
      expect(tasks).toMatchObject([{ task_id: "a", output: { of: "a" } }]);
      await expect(journal.record("r", dead, [record("b")])).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
      await journal.record("r", owner("p"), [record("b")]);
    });

    test("the lease of an earlier process with this very host and id is free at once; a living one's is not by its clock", async () => {
      const { process: identity, ...here } = processOwner("session");
      // As after a container was started again: only when the process started tells the two apart.
      if (identity?.started !== undefined) {
        const before = { ...here, token: "before", process: { ...identity, started: "1" } };
        await journal.createRun(storedRun("r"), before);
        expect(await (await subject.another()).listRuns()).toMatchObject([{ status: "interrupted" }]);
        await journal.openRun("r", owner("p"));
        await expect(journal.renewLease("r", before)).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
      }
      const living = { ...here, ...(identity && { process: identity }) };
      await journal.createRun(storedRun("s"), living);
      await journal.renewLease("s", living);
      const now = Date.now();
      const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 86_400_000);
      try {
        const refused = (await subject.another()).openRun("s", owner("p"));
        await expect(refused).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      } finally {
        clock.mockRestore();
        releaseOwner(living);
      }
    });

    test("an ended run can be opened again", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      await journal.endRun("r", owner("o"), "failed");
      expect((await journal.getRun("r")).status).toBe("failed");
      expect((await journal.openRun("r", owner("p"))).run.status).toBe("running");
    });

    test("reads and deletes by whole ids alone", async () => {
      for (const id of ["order-47", "order-4711", "c_%"]) {
        await journal.createRun(storedRun(id), owner("o"));
        await journal.endRun(id, owner("o"), "completed");
      }
      expect(await journal.deleteRun("order-47")).toBe("order-47");
      const missing = { code: "RUNTIME_RUN_NOT_FOUND" };
      for (const part of ["order-47", "o", "%", "c", "_b", "C_%", "ORDER-4711"]) {
        await expect(journal.getRun(part)).rejects.toMatchObject(missing);
        await expect(journal.deleteRun(part)).rejects.toMatchObject(missing);
      }
      for (const none of ["", undefined, null, 5, {}]) {
        const invalid = { code: "RUNTIME_INVALID_OPTION", details: { option: "runId" } };
        await expect(journal.getRun(none as string)).rejects.toMatchObject(invalid);
        await expect(journal.deleteRun(none as string)).rejects.toMatchObject(invalid);
      }
      expect((await journal.listRuns()).map(({ run_id }) => run_id).sort()).toEqual(["c_%", "order-4711"]);
    });

    test("finds the ids that begin with what a person typed", async () => {
      if (journal.findRuns === undefined) return;
      for (const id of ["ab2", "ab", "ab1", "c_%"]) await journal.createRun(storedRun(id), owner("o"));
      expect(await journal.findRuns("ab")).toEqual(["ab", "ab1", "ab2"]);
      expect(await journal.findRuns("ab", { limit: 2 })).toEqual(["ab", "ab1"]);
      expect(await journal.findRuns("c")).toEqual(["c_%"]);
      for (const none of ["x", "%", "_b", "AB", "ab22"]) expect(await journal.findRuns(none)).toEqual([]);
    });

    test("lists the newest first, with counts", async () => {
      await journal.createRun(storedRun("old", "2025-01-01T00:00:00.000Z"), owner("o"));
      await journal.createRun(storedRun("new", "2025-02-01T00:00:00.000Z"), owner("o"));
      await journal.record("new", owner("o"), [record("a"), record("b", { status: "failed" })]);
      expect(await journal.listRuns()).toMatchObject([
        { run_id: "new", plan_id: "plan", title: "A plan", status: "running", tasks: 2, completed: 1, failed: 1 },
        { run_id: "old", completed: 0, failed: 0 },
      ]);
      expect(await journal.listRuns({ limit: 1 })).toHaveLength(1);
    });

    test("lists the runs that fit every condition, page by page", async () => {
      const day = (date: number) => `2025-03-0${date}T00:00:00.000Z`;
      const stored = (run_id: string, date: number, title: string, metadata?: Record<string, unknown>) => {
        const run = storedRun(run_id, day(date));
        const options = metadata === undefined ? run.options : { ...run.options, metadata };
        return { ...run, plan: { ...run.plan, task_id: `plan-${title}`, title: `Pay ${title}` }, options };
      };
      await journal.createRun(stored("a", 1, "Ärger", { tenant: "x", tries: 1, live: true, none: null }), owner("o"));
      await journal.createRun(stored("b", 2, "bill", { tenant: "y", tries: "1" }), owner("o"));
      await journal.createRun(stored("c", 3, "bill"), owner("o"));
      // Stored in one millisecond: the later one comes first.
      await journal.createRun(stored("d", 3, "wage", { tenant: "x", deep: { tenant: "y" } }), owner("o"));
      await journal.endRun("b", owner("o"), "failed");
      await journal.endRun("c", owner("o"), "completed");
      const view = await subject.another();
      const idsOf = async (options: Parameters<Journal["listRuns"]>[0]) =>
        (await view.listRuns(options)).map(({ run_id }) => run_id).join("");

      expect(await idsOf({})).toBe("dcba");
      expect(await idsOf({ limit: Number.POSITIVE_INFINITY })).toBe("dcba");
      expect(await idsOf({ limit: 0 })).toBe("");
      expect(await idsOf({ status: "failed" })).toBe("b");
      expect(await idsOf({ status: ["completed", "running"] })).toBe("dca");
      expect(await idsOf({ status: "interrupted" })).toBe("");
      expect(await idsOf({ planId: "plan-bill" })).toBe("cb");
      expect(await idsOf({ title: "PAY Ä" })).toBe("a");
      expect(await idsOf({ title: "i%l" })).toBe("");
      expect(await idsOf({ metadata: { tenant: "x" } })).toBe("da");
      expect(await idsOf({ metadata: { tenant: "x", live: true, none: null } })).toBe("a");
      expect(await idsOf({ metadata: { tries: 1 } })).toBe("a");
      expect(await idsOf({ metadata: { toString: null } as never })).toBe("");
      expect(await idsOf({ createdAfter: day(2), createdBefore: new Date(day(3)) })).toBe("b");
      expect(await idsOf({ updatedAfter: Date.parse(day(9)) })).toBe("cb");
      expect(await idsOf({ updatedBefore: day(9), title: "pay" })).toBe("da");
      expect((await view.listRuns({ planId: "plan-wage" }))[0]?.metadata).toEqual({
        tenant: "x",
        deep: { tenant: "y" },
      });
      expect((await view.listRuns({ planId: "plan-bill" }))[0]).not.toHaveProperty("metadata");

      let pages = "";
      for (let cursor: string | undefined; ; ) {
        const page = await view.listRuns({ limit: 1, ...(cursor !== undefined && { cursor }) });
        if (page.length === 0) break;
        // What is deleted between two pages neither hides others nor brings them back.
        if (page[0]?.run_id === "c") await view.deleteRun("c");
        pages += page[0]?.run_id;
        cursor = page[0]?.cursor;
        expect(cursor).toBeTypeOf("string");
      }
      expect(pages).toBe("dcba");

      for (const [name, wrong] of Object.entries({
        limit: { limit: -1 },
        status: { status: "complete" },
        cursor: { cursor: "next" },
        createdAfter: { createdAfter: "soon" },
        "metadata.a": { metadata: { a: {} } },
        planId: { planId: 5 },
        listRuns: { tenant: "x" },
      })) {
        const invalid = { code: "RUNTIME_INVALID_OPTION", details: { option: name } };
        await expect(view.listRuns(wrong as never)).rejects.toMatchObject(invalid);
      }
    });

    test("keeps people's answers in order, whoever runs the run", async () => {
      await journal.createRun(storedRun("run"), owner("t"));
      const answer = { task_id: "a", content_hash: "h", answered_at: "2025-01-01T00:00:00.000Z" };
      await journal.addAnswer("run", { ...answer, answer: "deny", note: "ü" });
      await (await subject.another()).addAnswer("run", { ...answer, answer: "approve", uid: "x" });
      expect(await journal.getAnswers("run")).toEqual([
        { ...answer, answer: "deny", note: "ü" },
        { ...answer, answer: "approve", uid: "x" },
      ]);
      await expect(journal.getAnswers("nope")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
      await expect(journal.addAnswer("nope", { ...answer, answer: "deny" })).rejects.toMatchObject({
        code: "RUNTIME_RUN_NOT_FOUND",
      });
    });

    test("keeps outputs by key, whole, the last one", async () => {
      expect(await journal.readCache("k")).toBeUndefined();
      const output = { text: "ü\u0000".repeat(200_000), nothing: null };
      await journal.writeCache("k", { output: 1, stored_at: 1 });
      await journal.writeCache("k", { output, stored_at: 2.5 });
      await journal.writeCache("of", { output: 1, stored_at: 3, run_id: "r" });
      expect(await journal.readCache("of")).toEqual({ output: 1, stored_at: 3, run_id: "r" });
      expect(await journal.readCache("k")).toEqual({ output, stored_at: 2.5 });
      expect(await (await subject.another()).readCache("k")).toEqual({ output, stored_at: 2.5 });
    });

    test("keeps what calls may use until their task is recorded, and model calls in order", async () => {
      await journal.createRun(storedRun("run"), owner("t"));
      const usage = { calls: 1, tokens: 50, cost: 0, seconds: 1 };
      const of = (task_id: string, path: string[] = [], scope?: string) => ({
        path,
        ...(scope !== undefined && { scope }),
        task_id,
        uid: "u",
        usage,
      });
      await journal.beginCalls("run", owner("t"), [of("a"), of("b"), of("a", ["w"], "s")]);
      await journal.beginCalls("run", owner("t"), [{ ...of("a"), usage: { ...usage, calls: 2 } }]);
      await journal.record("run", owner("t"), [record("b")]);
      const pending = await journal.getPendingUsage("run");
      expect(pending).toHaveLength(2);
      expect(pending.find((one: { readonly path: readonly string[] }) => one.path.length === 0)).toEqual({
        ...of("a"),
        usage: { ...usage, calls: 2 },
      });
      await journal.recordNested("run", owner("t"), [{ path: ["w"], scope: "s", record: record("a") }]);
      await journal.record("run", owner("t"), [record("a")]);
      expect(await journal.getPendingUsage("run")).toEqual([]);

      const call = (text: string) => ({
        path: ["a"],
        purpose: "execute" as const,
        request: { messages: [] },
        reply: { text },
        ended_at: 1,
        latency_ms: 2,
      });
      await journal.recordCalls("run", owner("t"), [call("one"), call("two")]);
      await journal.recordCalls("run", owner("t"), [call("three")]);
      expect(await journal.getCalls("run")).toEqual([call("one"), call("two"), call("three")]);
      const asked = { path: [], purpose: "replan" as const, request: {}, ended_at: 3, latency_ms: 0 };
      await journal.recordCalls("run", owner("t"), [asked]);
      expect(await journal.getCalls("run", { purposes: ["replan", "propose"] })).toEqual([asked]);
      for (const refused of [
        journal.beginCalls("run", owner("other"), [of("c")]),
        journal.recordCalls("run", owner("other"), [call("four")]),
      ]) {
        await expect(refused).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
      }
      await expect(journal.getCalls("nobody")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
      await expect(journal.getPendingUsage("nobody")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });

    test("keeps records of nested tasks apart, by path, scope and task", async () => {
      await journal.createRun(storedRun("run"), owner("t"));
      const nested = (path: string[], scope: string, task_id: string, status: TaskRecord["status"] = "completed") => ({
        path,
        scope,
        record: record(task_id, { status }),
      });
      await journal.recordNested("run", owner("t"), [nested(["a"], "s", "x", "failed"), nested(["a", "b"], "s", "x")]);
      await journal.recordNested("run", owner("t"), [nested(["a"], "s2", "x"), nested(["a"], "s", "x")]);
      expect(await journal.getNestedTasks("run")).toEqual([
        nested(["a"], "s", "x"),
        nested(["a", "b"], "s", "x"),
        nested(["a"], "s2", "x"),
      ]);
      expect(await journal.getTasks("run")).toEqual([]);
      await expect(journal.recordNested("run", owner("other"), [nested(["a"], "s", "y")])).rejects.toMatchObject({
        code: "RUNTIME_LEASE_LOST",
      });
      await expect(journal.getNestedTasks("nope")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });

    test("deletes cached outputs by age and by run, and those of a run with it", async () => {
      const { purgeCache } = journal;
      if (purgeCache === undefined) return;
      const left = async () => {
        const kept: string[] = [];
        for (const key of ["a", "b", "c", "d"]) if ((await journal.readCache(key)) !== undefined) kept.push(key);
        return kept.join("");
      };
      const write = async () => {
        await journal.writeCache("a", { output: 1, stored_at: 10 });
        await journal.writeCache("b", { output: 1, stored_at: 20, run_id: "r" });
        await journal.writeCache("c", { output: 1, stored_at: 30, run_id: "s" });
        await journal.writeCache("d", { output: 1, stored_at: 40, run_id: "r" });
      };
      await write();
      expect(await journal.purgeCache?.({ storedBefore: 30, dryRun: true })).toBe(2);
      expect(await left()).toBe("abcd");
      expect(await journal.purgeCache?.({ storedBefore: 30, runId: "r" })).toBe(1);
      expect(await left()).toBe("acd");
      expect(await journal.purgeCache?.({ storedBefore: 30 })).toBe(1);
      expect(await left()).toBe("cd");
      expect(await journal.purgeCache?.()).toBe(2);
      expect(await left()).toBe("");
      await write();
      await journal.createRun(storedRun("r"), owner("o"));
      await journal.endRun("r", owner("o"), "completed");
      await journal.deleteRun("r");
      expect(await left()).toBe("ac");
    });

    test("deletes all of a run", async () => {
      await journal.createRun(storedRun("run"), owner("o"));
      await journal.record("run", owner("o"), [record("a")]);
      await journal.endRun("run", owner("o"), "completed");
      expect(await journal.deleteRun("run")).toBe("run");
      await expect(journal.getTasks("run")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
      await journal.createRun(storedRun("run"), owner("o"));
      expect(await journal.getTasks("run")).toEqual([]);
    });

    test("stores a batch whole or not at all", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      const cyclic: Record<string, unknown> = {};
      cyclic.self = cyclic;
      await expect(journal.record("r", owner("o"), [record("a"), record("b", { output: cyclic })])).rejects.toThrow();
      expect(await journal.getTasks("r")).toEqual([]);
    });

    test("keeps the times of tasks and what Stage 2 was given", async () => {
      await journal.createRun(storedRun("r"), owner("o"));
      const timing = { ended_at: 1_700_000_000_000.123, spans: [[1, 2.5] as const, [3, 4] as const], slot_ms: 0.25 };
      const records = [record("a", { timing, asked_hash: "x", started_at: 1_700_000_000_000.001 }), record("b")];
      await journal.record("r", owner("o"), records);
      expect(await (await subject.another()).getTasks("r")).toEqual(records);
    });

    test("keeps what a session claims of itself until the run is opened again", async () => {
      const certificate = {
        began_at: 1_700_000_000_000.5,
        limits: { concurrency: null, kinds: { tool: 2 }, resources: { "tool:x": 1 } },
        lower_bound_ms: 1.25,
        achieved_ms: 2.5,
        ratio: 2,
      };
      await journal.createRun(storedRun("r"), owner("o"));
      await journal.endRun("r", owner("o"), "completed", certificate);
      expect((await journal.getRun("r")).certificate).toEqual(certificate);
      expect((await journal.openRun("r", owner("p"))).run).not.toHaveProperty("certificate");
      await journal.endRun("r", owner("p"), "cancelled");
      expect(await journal.getRun("r")).not.toHaveProperty("certificate");
    });

    test("gives back one output, and leaves large ones out where they are not asked for", async (context) => {
      const { journal } = subject;
      if (journal.getOutput === undefined) context.skip("It gives back outputs with their records alone.");
      const large = { rows: "x".repeat(40_000) };
      await journal.createRun(storedRun("r"), owner("o"));
      await journal.record("r", owner("o"), [record("a", { output: large }), record("b", { output: null })]);
      expect(await journal.getOutput?.("r", "a")).toEqual(large);
      expect(await journal.getOutput?.("r", "b")).toBeNull();
      const [first, second] = await journal.getTasks("r", { outputs: "small" });
      if (first?.output === undefined) expect(first?.output_bytes).toBe(JSON.stringify(large).length);
      else expect(first.output).toEqual(large);
      expect(second).toMatchObject({ output: null });
      expect((await journal.getTasks("r"))[0]?.output).toEqual(large);
      await expect(journal.getOutput?.("r", "c")).rejects.toMatchObject({ code: "RUNTIME_TASK_NOT_FOUND" });
      await expect(journal.getOutput?.("s", "a")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });

    test("one large output of many tasks and runs, whole for each, gone with the last", async () => {
      const output = { text: "z".repeat(100_000) };
      for (const id of ["r", "s"]) {
        await journal.createRun(storedRun(id), owner("o"));
        await journal.record(id, owner("o"), [record("a", { output }), record("b", { output })]);
        await journal.endRun(id, owner("o"), "completed");
      }
      await journal.deleteRun("r");
      expect((await journal.getTasks("s")).map((kept) => kept.output)).toEqual([output, output]);
    });

    test("keeps events in order, session after session", async () => {
      if (journal.addEvents === undefined || journal.getEvents === undefined) {
        expect(journal.storesEvents).not.toBe(true);
        return;
      }
      await journal.createRun(storedRun("r"), owner("o"));
      const event = (seq: number) =>
        ({
          type: "task-skip",
          runId: "r",
          seq,
          at: 0.5,
          taskId: "ä\u0000",
          error: { code: "TASK_FAILED", message: "" },
        }) as const;
      await journal.addEvents("r", owner("o"), [event(0), event(1)]);
      await journal.endRun("r", owner("o"), "failed");
      await journal.openRun("r", owner("p"));
      await journal.addEvents("r", owner("p"), [event(0)]);
      await expect(lateEvents(journal, owner("o"), event(2))).rejects.toMatchObject({ code: "RUNTIME_LEASE_LOST" });
      const kept = await ((await subject.another()) as Required<Journal>).getEvents("r");
      expect(kept).toEqual([event(0), event(1), event(0)]);
      await journal.endRun("r", owner("p"), "completed");
      await journal.deleteRun("r");
      await expect(journal.getEvents("r")).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    });

    test("a run on it is verified, replayed and forked from it alone", async () => {
      const executors = [
        toolExecutor([
          defineTool({ id: "join", description: "", execute: (input) => ({ input, large: "x".repeat(50_000) }) }),
        ]),
      ];
      const task = (task_id: string, from: string[]) => ({
        task_id,
        execution_type: "tool" as const,
        tool_id: "join",
        arguments: { sizes: from.map((id) => `\${${id}.large}`) },
      });
      const planned_tasks = [task("a", []), task("b", ["a"]), task("c", ["a"]), task("d", ["b", "c"])];
      await run({ planned_tasks }, { executors, journal, runId: "r" });
      const view = await subject.another();
      expect(await verifyRun(view, "r")).toMatchObject({ ok: true, problems: [], checked: 4 });
      expect(await replay("r", { journal: view })).not.toHaveProperty("divergence");
      const forked = await fork("r", "b", { executors, journal, runId: "s" });
      expect(forked.results.map((result) => result.recorded ?? false)).toEqual([true, false, true, false]);
      expect(await replay("s", { journal: view })).toMatchObject({ replayed: 4, output_data: forked.output_data });
    });

    test("knows nothing of runs that are not there", async () => {
      const missing = { code: "RUNTIME_RUN_NOT_FOUND" };
      await expect(journal.openRun("nope", owner("o"))).rejects.toMatchObject(missing);
      await expect(journal.getTasks("nope")).rejects.toMatchObject(missing);
      await expect(journal.deleteRun("nope")).rejects.toMatchObject(missing);
    });
  });
}

/** Events of somebody who does not hold the lease; a store that writes later refuses at the next call. */
async function lateEvents(journal: Journal, from: LeaseOwner, event: StoredEvent): Promise<void> {
  await journal.addEvents?.("r", from, [event]);
  await journal.getTasks("r");
  await journal.addEvents?.("r", from, []);
}

/** The owner that a process of this host was, which has ended. */
async function deadOwner(): Promise<LeaseOwner> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const { host } = processOwner("");
  if (!host.startsWith(hostname())) throw new Error("The host of an owner starts with its name.");
  return { token: "dead", host, pid: child.pid ?? 0 };
}
