import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, type Journal, memoryJournal, resume, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  isStale,
  type Lease,
  type LeaseOwner,
  leaseTimeoutMs,
  livenessOf,
  withSighting,
} from "../../../packages/runtime/src/journal/lease.ts";
import type { Observer } from "../../../packages/runtime/src/journal/process-identity.ts";
import { planOf } from "../../support/run-plans.ts";

/** A machine as the tests want it: processes by id, with when they started. */
function observer(more: Partial<Observer> & { readonly processes?: Readonly<Record<number, string>> } = {}): Observer {
  const { processes = { 7: "700" }, ...rest } = more;
  return {
    host: "vm pid:[1]",
    pid: 7,
    process: { boot: "boot-1", started: "700", thread: 0 },
    monotonicMs: () => 1_000_000,
    exists: (pid) => Object.hasOwn(processes, pid),
    startOf: (pid) => processes[pid],
    holds: (token) => token === "held",
    ...rest,
  };
}

const owner = (more: Partial<LeaseOwner> = {}): LeaseOwner => ({
  token: "t",
  host: "vm pid:[1]",
  pid: 9,
  process: { boot: "boot-1", started: "900", thread: 0 },
  ...more,
});

describe("whether the owner of a lease lives", () => {
  const two = { 7: "700", 9: "900" };
  const withoutStart = { boot: "boot-1", thread: 0 };
  test.for([
    ["another process here that started when the owner did", owner(), { processes: two }, "alive"],
    ["a process here that is gone", owner(), {}, "dead"],
    ["a process here that got the owner's id later", owner(), { processes: { ...two, 9: "950" } }, "dead"],
    // A container that was started again: same host, same id, another process.
    ["this very id, in a process before this one", owner({ pid: 7 }), {}, "dead"],
    [
      "this process, in a session",
      owner({ pid: 7, token: "held", process: { boot: "boot-1", started: "700", thread: 0 } }),
      {},
      "alive",
    ],
    [
      "this process, in a session that has ended",
      owner({ pid: 7, process: { boot: "boot-1", started: "700", thread: 0 } }),
      {},
      "dead",
    ],
    [
      "another thread of this process",
      owner({ pid: 7, process: { boot: "boot-1", started: "700", thread: 2 } }),
      {},
      "unknown",
    ],
    ["another container of this machine", owner({ host: "vm pid:[2]" }), {}, "unknown"],
    [
      "this machine before it was started again",
      owner({ host: "vm pid:[2]", process: { boot: "boot-0", started: "9", thread: 0 } }),
      { processes: two },
      "dead",
    ],
    [
      "another machine",
      owner({ host: "other pid:[1]", process: { boot: "boot-2", started: "9", thread: 0 } }),
      {},
      "unknown",
    ],
    [
      "a process of a system that says no start, and it is there",
      owner({ process: withoutStart }),
      { processes: two },
      "unknown",
    ],
    ["a process of a system that says no start, and it is gone", owner({ process: withoutStart }), {}, "dead"],
    ["an owner of an earlier version, and its process is gone", { token: "t", host: "vm pid:[1]", pid: 9 }, {}, "dead"],
  ] as const)("%s", ([, given, here, expected]) => {
    expect(livenessOf(given, observer(here))).toBe(expected);
  });
});

describe("when a lease may be taken over", () => {
  const late = 1_000_000 + 10 * leaseTimeoutMs;

  test("of a living process never, however long it is blocked", () => {
    const lease: Lease = { owner: owner(), beat: 3, seenMs: 0 };
    const here = observer({ processes: { 7: "700", 9: "900" }, monotonicMs: () => late });
    expect(isStale(lease, here)).toBe(false);
  });

  test("of another container by the clock that both share", () => {
    const lease: Lease = { owner: owner({ host: "vm pid:[2]" }), beat: 3, seenMs: 1_000_000 };
    expect(isStale(lease, observer({ monotonicMs: () => 1_000_000 + leaseTimeoutMs }))).toBe(false);
    expect(isStale(lease, observer({ monotonicMs: () => 1_000_001 + leaseTimeoutMs }))).toBe(true);
  });

  test("of another machine by this one's clock, from the first look on, and only while the owner says nothing", () => {
    const elsewhere = owner({ host: "other", process: { boot: "boot-2", started: "1", thread: 0 } });
    // Its own clock is far ahead, and says nothing here.
    let lease: Lease = { owner: elsewhere, beat: 1, seenMs: 9e15 };
    let now = 0;
    const here = observer({ monotonicMs: () => now });
    const look = () => {
      const stale = isStale(lease, here);
      const sightings = withSighting(lease, here);
      lease = { ...lease, ...(sightings !== undefined && { sightings }) };
      return stale;
    };
    expect(look()).toBe(false);
    now = leaseTimeoutMs - 1;
    expect(look()).toBe(false);
    lease = { ...lease, beat: 2 };
    now = leaseTimeoutMs + 5;
    expect(look()).toBe(false);
    now = 2 * leaseTimeoutMs + 5;
    expect(look()).toBe(false);
    now = 2 * leaseTimeoutMs + 6;
    expect(look()).toBe(true);
  });
});

describe("runs and their leases", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "planloom-lease-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => vi.restoreAllMocks());

  const once1 = (calls: string[]) =>
    toolExecutor([
      defineTool({
        id: "a",
        description: "",
        readOnly: true,
        execute: (_, { task }) => void calls.push(task.task_id),
      }),
    ]);

  /** A journal that fails from the first record on, as on a full disk. */
  const full = (journal: Journal): Journal =>
    new Proxy(journal, {
      get(target, name) {
        if (name === "record" || name === "endRun") return () => Promise.reject(new Error("disk full"));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });

  test.for(["memory", "sqlite"])(
    "after an end that could not be written the same process goes on at once: %s",
    async (kind) => {
      const journal = kind === "memory" ? memoryJournal() : await SqliteJournal.open(join(folder, "full.sqlite"));
      const calls: string[] = [];
      const executors = [once1(calls)];
      await expect(run(planOf({ a: [] }), { executors, journal: full(journal), runId: "r" })).rejects.toThrow(
        "disk full",
      );
      expect(await journal.listRuns()).toMatchObject([{ run_id: "r", status: "interrupted" }]);
      expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
      expect(calls).toEqual(["a", "a"]);
      await journal.close();
    },
  );

  const child = `
import { appendFileSync } from "node:fs";
import { defineTool, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
const [, file, log] = process.argv;
const journal = await SqliteJournal.open(file);
// Real time: the process is killed long before.
const execute = () => { appendFileSync(log, "begun\\n"); return new Promise((resolve) => setTimeout(resolve, 60_000)); };
const tool = defineTool({ id: "a", description: "", readOnly: true, execute });
await run({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "a" }] }, { runId: "r", journal, executors: [toolExecutor([tool])] });`;

  test("a clock that is an hour ahead takes nothing from a living process; once that is killed, it is free", async () => {
    const [file, log] = [join(folder, "skew.sqlite"), join(folder, "skew.log")];
    const process1 = spawn(process.execPath, ["--input-type=module", "-e", child, file, log], {
      stdio: "inherit",
      cwd: join(import.meta.dirname, "../../../packages/runtime"),
    });
    const calls: string[] = [];
    try {
      await vi.waitUntil(() => existsSync(log), 60_000);
      const journal = await SqliteJournal.open(file);
      const now = Date.now();
      vi.spyOn(Date, "now").mockImplementation(() => now + 3_600_000);
      const executors = [once1(calls)];
      await expect(resume("r", { executors, journal })).rejects.toMatchObject({ code: "RUNTIME_RUN_LEASED" });
      expect(await journal.listRuns()).toMatchObject([{ status: "running" }]);
      process1.kill("SIGKILL");
      await once(process1, "exit");
      expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
      await journal.close();
    } finally {
      process1.kill("SIGKILL");
    }
    expect(calls).toEqual(["a"]);
    expect(readFileSync(log, "utf8")).toBe("begun\n");
  });

  // A killed process stays in the system's list until its parent asks after it, which the first process of many containers never does.
  test.runIf(process.platform === "linux")(
    "of a process that was killed and is still listed, the run is free at once",
    async () => {
      const [file, log] = [join(folder, "zombie.sqlite"), join(folder, "zombie.log")];
      // The shell becomes a program that does not ask after its child.
      const parent = spawn(
        "sh",
        ["-c", '"$@" & echo $!; exec sleep 60', "sh", process.execPath, "--input-type=module", "-e", child, file, log],
        {
          stdio: ["ignore", "pipe", "inherit"],
          cwd: join(import.meta.dirname, "../../../packages/runtime"),
        },
      );
      const calls: string[] = [];
      try {
        const [said] = await once(parent.stdout, "data");
        await vi.waitUntil(() => existsSync(log), 60_000);
        process.kill(Number(String(said)), "SIGKILL");
        const state = () => /\) (\w)/.exec(readFileSync(`/proc/${Number(String(said))}/stat`, "utf8"))?.[1];
        await vi.waitUntil(() => state() === "Z", 60_000);
        const journal = await SqliteJournal.open(file);
        expect(await journal.listRuns()).toMatchObject([{ status: "interrupted" }]);
        expect((await resume("r", { executors: [once1(calls)], journal })).end_reason).toBe("completed");
        await journal.close();
      } finally {
        parent.kill("SIGKILL");
      }
      expect(calls).toEqual(["a"]);
    },
  );
});
