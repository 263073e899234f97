import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { TaskData } from "@planloom/plan";
import {
  memoryJournal,
  type RunEvent,
  type RunOptions,
  resume,
  run,
  SqliteJournal,
  verifyRun,
} from "@planloom/runtime";
import { Planloom } from "planloom";
import { openedDatabases } from "../support/sqlite-faults.ts";
import { faultsRunId, faultsTasks } from "./faults-plan.ts";

export interface FaultCase {
  readonly name: string;
  /** @param folder empty, for files. @returns what came of it, for people. @throws when that is not what was promised. */
  run(folder: string): Promise<string>;
}

type Execute = (id: string) => unknown;

/** `length` chains of two tasks: `a0 -> b0`, `a1 -> b1`, … */
function pairs(length: number): TaskData {
  const numbers = Array.from({ length }, (_, number) => number);
  const task = (task_id: string, dependencies: string[]) => ({
    task_id,
    execution_type: "tool",
    tool_id: "work",
    arguments: { id: task_id },
    dependencies,
  });
  return TaskData.parse({ planned_tasks: numbers.flatMap((n) => [task(`a${n}`, []), task(`b${n}`, [`a${n}`])]) });
}

/** Calls `execute` as it is: nothing between it and the run. */
function executors(execute: Execute): RunOptions["executors"] {
  // A call that was begun when the journal failed may be made again.
  const resource = { kind: "tool" as const, id: "work", description: "", idempotent: true };
  return [
    {
      kind: "tool",
      resources: () => [resource],
      execute: (step) => execute(String(step.input_data.id)) as Promise<unknown>,
    },
  ];
}

async function fullDisk(name: string, folder: string): Promise<string> {
  const file = join(folder, `${name}.sqlite`);
  const { value: journal, databases } = await openedDatabases(() => SqliteJournal.open(file));
  // A database that may not grow says SQLITE_FULL itself, as one on a full disk does.
  const [pages] = Object.values(databases[0]!.prepare("PRAGMA page_count").get() ?? {});
  databases[0]!.exec(`PRAGMA max_page_count = ${Number(pages) + 150}`);
  const plan = pairs(200);
  let calls = 0;
  const work = async () => {
    calls++;
    await sleep(1);
    return `${calls} ${"x".repeat(10_000)}`;
  };
  await assert.rejects(run(plan, { executors: executors(work), journal, runId: "r" }), {
    code: "RUNTIME_JOURNAL_WRITE",
    message: /database or disk is full/,
  });
  const before = calls;
  await sleep(20);
  assert.equal(calls, before, "nothing starts after the journal could not be written");
  const kept = (await journal.getTasks("r")).filter(({ status }) => status === "completed");
  assert.ok(kept.length > 0 && kept.length < 400, `some tasks are kept, got ${kept.length}`);
  databases[0]!.exec("PRAGMA max_page_count = 1000000");
  const result = await resume("r", { executors: executors(work), journal });
  assert.equal(result.end_reason, "completed");
  assert.equal(result.results.filter(({ recorded }) => recorded).length, kept.length);
  await journal.close();
  const database = new DatabaseSync(file);
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
  database.close();
  return `stopped at once with RUNTIME_JOURNAL_WRITE, ${kept.length} kept, resumed to the end`;
}

/** The 2,000-task plan in a process whose files may have 3 MB: the log of the database comes to its end on the way. */
async function limitedFile(folder: string): Promise<string> {
  const [file, log] = [join(folder, "limited.sqlite"), join(folder, "limited.log")];
  const child = join(import.meta.dirname, "faults-child.ts");
  // Without the signal that comes with it, writing further fails with EFBIG.
  const shell = 'trap "" XFSZ; ulimit -f 3000; exec "$0" "$@"';
  const limited = spawnSync("bash", ["-c", shell, process.execPath, child, file, log, "run"], { encoding: "utf8" });
  assert.equal(limited.status, 1);
  assert.match(limited.stderr, /RUNTIME_JOURNAL_WRITE/);
  const kept = await countCompleted(file);
  assert.ok(kept > 0 && kept < faultsTasks, `some tasks are kept, got ${kept}`);
  const resumed = spawnSync(process.execPath, [child, file, log, "resume"], { encoding: "utf8" });
  assert.equal(resumed.status, 0, resumed.stderr);
  assert.equal(await countCompleted(file), faultsTasks);
  return `stopped with RUNTIME_JOURNAL_WRITE after ${kept} tasks, resumed to the end`;
}

async function countCompleted(file: string): Promise<number> {
  const journal = await SqliteJournal.open(file);
  const records = await journal.getTasks(faultsRunId);
  await journal.close();
  return records.filter(({ status }) => status === "completed").length;
}

export const faultCases: readonly FaultCase[] = [
  { name: "a disk that is full", run: (folder) => fullDisk("full", folder) },
  {
    name: "a file that may not grow (RLIMIT_FSIZE)",
    run: (folder) => limitedFile(folder),
  },
  {
    name: "an output of 40 MB",
    async run(folder) {
      const journal = await SqliteJournal.open(join(folder, "large.sqlite"));
      const large = async () => "x".repeat(40_000_000);
      const result = await run(pairs(1), { executors: executors(large), journal, runId: "r" });
      assert.equal(result.end_reason, "completed");
      assert.equal(String((await journal.getTasks("r"))[0]?.output).length, 40_000_000);
      await journal.close();
      return "kept whole";
    },
  },
  {
    name: "a clock that jumps",
    async run(folder) {
      const journal = await SqliteJournal.open(join(folder, "clock.sqlite"));
      const real = Date.now;
      let jump = 0;
      let calls = 0;
      Date.now = () => real() + jump;
      try {
        const work: Execute = async (id) => {
          // An hour forward, a day back, and so on.
          jump = jump > 0 ? -86_400_000 : 3_600_000;
          calls++;
          await sleep(1);
          if (id === "a7" && calls < 60) throw new Error("not yet");
          return 1;
        };
        // The tool is idempotent: without this it would be called again, and succeed, in the first session.
        const options = { executors: executors(work), journal, taskTimeoutMs: 5_000, retry: { max_attempts: 1 } };
        const first = await run(pairs(50), { ...options, runId: "r" });
        assert.equal(first.end_reason, "failed");
        const second = await resume("r", options);
        assert.equal(second.end_reason, "completed");
        assert.equal(calls, 101, "only what had failed is called again");
        for (const { certificate, results } of [first, second]) {
          assert.ok(certificate.achievedMs >= 0 && certificate.achievedMs < 60_000);
          assert.ok(results.every(({ duration_ms }) => duration_ms >= 0 && duration_ms < 5_000));
        }
      } finally {
        Date.now = real;
      }
      const report = await verifyRun(journal, "r");
      await journal.close();
      assert.deepEqual(report.problems, []);
      return "no time-out, no negative time, the lease is kept, the certificate holds after a resumption too";
    },
  },
  {
    name: "an executor that never answers",
    async run() {
      const work: Execute = (id) => (id === "a0" ? new Promise(() => {}) : sleep(1, 1));
      const began = performance.now();
      const result = await run(pairs(20), { executors: executors(work), taskTimeoutMs: 50, abortGraceMs: 20 });
      const took = performance.now() - began;
      assert.equal(result.end_reason, "failed");
      assert.equal(result.results[0]?.error?.code, "TASK_TIMEOUT");
      assert.equal(result.results[0]?.error?.details?.abandoned, true);
      assert.equal(result.results[1]?.skipped_because, "a0");
      assert.equal(result.results.filter(({ status }) => status === "completed").length, 38);
      assert.ok(took < 2_000, `settles soon, took ${took} ms`);
      return "timed out and abandoned, what needs it skipped, 38 of 38 others finished";
    },
  },
  {
    name: "an executor that answers twice",
    async run() {
      const ends = new Map<string, number>();
      const journal = memoryJournal();
      const onEvent = (event: RunEvent) => {
        if (event.type === "task-end" || event.type === "task-error") {
          ends.set(event.taskId, (ends.get(event.taskId) ?? 0) + 1);
        }
      };
      // A thenable may call both of its callbacks, and more than once; and one of the answers may come late.
      const work: Execute = (id) => ({
        // biome-ignore lint/suspicious/noThenProperty: the subject of this case
        then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
          resolve(`first ${id}`);
          resolve(`second ${id}`);
          reject(new Error("third"));
          setTimeout(resolve, 5, `late ${id}`);
        },
      });
      const result = await run(pairs(20), { executors: executors(work), journal, runId: "r", onEvent });
      await sleep(20);
      assert.equal(result.end_reason, "completed");
      assert.deepEqual([...ends.values()], Array(40).fill(1));
      assert.ok((await journal.getTasks("r")).every(({ task_id, output }) => output === `first ${task_id}`));
      return "the first answer counts, the others are ignored";
    },
  },
  {
    name: "an executor that throws odd values",
    async run() {
      const cyclic: Record<string, unknown> = { name: "cyclic" };
      cyclic.self = cyclic;
      const hostile = new Proxy(
        {},
        {
          get: () => {
            throw new Error("trap");
          },
        },
      );
      const odd: unknown[] = [
        null,
        undefined,
        "",
        "text",
        0,
        Number.NaN,
        10n,
        Symbol("s"),
        () => 1,
        cyclic,
        hostile,
        { huge: "x".repeat(50_000_000) },
        Object.create(null),
        [],
        new Error(""),
        { message: 5, code: {} },
        new Error("y".repeat(5_000_000)),
      ];
      for (const sync of [true, false]) {
        const journal = memoryJournal();
        const work: Execute = (id) => {
          if (id.startsWith("b")) return sleep(1, 1);
          const thrown = odd[Number(id.slice(1))];
          if (sync) throw thrown;
          return Promise.reject(thrown);
        };
        const events: RunEvent[] = [];
        const result = await run(pairs(odd.length), {
          executors: executors(work),
          journal,
          runId: "r",
          onEvent: (event) => events.push(event),
          retry: { max_attempts: 1 },
        });
        assert.equal(result.end_reason, "failed");
        const failed = result.results.filter(({ status }) => status === "failed");
        assert.equal(failed.length, odd.length);
        for (const { error } of failed) {
          assert.equal(error?.code, "TASK_FAILED");
          assert.ok(error.message.length > 0 && error.message.length < 11_000);
        }
        assert.ok(JSON.stringify({ events, result }).length < 1_000_000);
        assert.equal((await journal.getTasks("r")).length, 2 * odd.length);
      }
      return `${odd.length} values, thrown and rejected with: each fails its task with a short message`;
    },
  },
  {
    name: "10,000 listeners, most of which throw or reject",
    async run() {
      const faults = { thrown: 0, rejected: 0 };
      const onListenerError = (error: unknown) => {
        faults[(error as Error).message as keyof typeof faults]++;
      };
      await using planloom = new Planloom({ executors: executors(() => sleep(1, 1)), onListenerError });
      let heard = 0;
      for (let number = 0; number < 10_000; number++) {
        planloom.on("task-end", () => {
          heard++;
          if (number % 3 === 0) throw new Error("thrown");
          return number % 3 === 1 ? Promise.reject(new Error("rejected")) : undefined;
        });
      }
      const result = await planloom.run(pairs(25));
      assert.equal(result.end_reason, "completed");
      assert.equal(heard, 10_000 * 50);
      assert.deepEqual(faults, { thrown: 3_334 * 50, rejected: 3_333 * 50 });
      return "all heard the end of all 50 tasks, every fault was reported, the run completed";
    },
  },
  {
    name: "10,000 listeners, one of which aborts the run",
    async run() {
      const stop = new AbortController();
      let running = 0;
      const obedient: Execute = () => {
        running++;
        return sleep(1, 1).finally(() => running--);
      };
      await using planloom = new Planloom({ executors: executors(obedient) });
      const heard = new Set<number>();
      for (let number = 0; number < 10_000; number++) {
        planloom.on("task-end", () => {
          if (number === 5_000) stop.abort(new Error("enough"));
          heard.add(number);
        });
      }
      const { end_reason, results } = await planloom.run(pairs(25), { signal: stop.signal });
      assert.equal(end_reason, "cancelled");
      assert.equal(running, 0, "nothing runs any more");
      assert.equal(heard.size, 10_000);
      // Those that had been started with the first may have ended too.
      assert.ok(results.filter(({ status }) => status === "completed").length <= 4);
      return "all heard of the first end, nothing was started after it";
    },
  },
  {
    name: "10,000 runs that listen to one signal",
    async run() {
      const stop = new AbortController();
      let warned = "";
      const onWarning = (warning: Error) => {
        warned = warning.message;
      };
      process.on("warning", onWarning);
      const never: Execute = () => new Promise(() => {});
      const runs = Array.from({ length: 10_000 }, () =>
        run(pairs(1), { executors: executors(never), signal: stop.signal, abortGraceMs: 0 }),
      );
      await sleep(20);
      stop.abort();
      const results = await Promise.all(runs);
      process.off("warning", onWarning);
      assert.ok(results.every(({ end_reason }) => end_reason === "cancelled"));
      return `all cancelled${warned === "" ? "" : ` (Node warns: ${warned.slice(0, 60)}…)`}`;
    },
  },
];
