import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { defineTool, type Journal, memoryJournal, resume, run, SqliteJournal, toolExecutor } from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planOf, statuses } from "../support/run-plans.ts";

const script = fileURLToPath(new URL("../support/journaled-run.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-resume-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Line {
  task_id: string;
  status: string;
  output: { total: number };
  recorded?: true;
}

// More lines than run at once: some are in the journal.
async function killed(file: string, log: string, tasks: number, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [script, "run", file, log, String(tasks)], { stdio: "ignore" });
  const lines = async () => (await readFile(log, "utf8").catch(() => "")).split("\n").length;
  while ((await lines()) < 12 && child.exitCode === null) await wait(5);
  await wait(afterMs);
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

async function resumed(file: string, log: string, tasks: number): Promise<Line[]> {
  const child = spawn(process.execPath, [script, "resume", file, log, String(tasks)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "exit");
  return JSON.parse(text) as Line[];
}

describe("a process killed in the midst of a run", () => {
  test.for([0, 20, 60])(
    "after %i ms more: what was recorded is not run again, and the outputs are the same",
    async (afterMs) => {
      const tasks = 600;
      const file = join(folder, `kill-${afterMs}.sqlite`);
      const log = join(folder, `kill-${afterMs}.log`);
      await killed(file, log, tasks, afterMs);

      const journal = await SqliteJournal.open(file);
      const before = new Set((await journal.getTasks("the-run")).map(({ task_id }) => task_id));
      const [summary] = await journal.listRuns();
      expect(summary).toMatchObject({ run_id: "the-run", status: "interrupted", completed: before.size });
      expect(before.size).toBeGreaterThan(0);
      expect(before.size).toBeLessThan(tasks);
      const ranBefore = (await readFile(log, "utf8")).trim().split("\n");

      const lines = await resumed(file, log, tasks);
      expect(lines.map(({ status }) => status)).toEqual(Array(tasks).fill("completed"));
      expect(lines.map(({ output }) => output.total)).toEqual(
        Array.from({ length: tasks }, (_, i) => Math.floor(i / 10) + 1),
      );
      expect(
        lines
          .filter(({ recorded }) => recorded)
          .map(({ task_id }) => task_id)
          .sort(),
      ).toEqual([...before].sort());

      const ranAfter = (await readFile(log, "utf8")).trim().split("\n").slice(ranBefore.length);
      expect(ranAfter.filter((id) => before.has(id))).toEqual([]);
      expect(new Set(ranAfter).size).toBe(tasks - before.size);
      const records = await journal.getTasks("the-run");
      expect(new Set(records.map(({ task_id }) => task_id)).size).toBe(tasks);
      expect(records).toHaveLength(tasks);
      expect((await journal.listRuns())[0]?.status).toBe("completed");
      await journal.close();
      const database = new DatabaseSync(file);
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      expect(database.prepare("SELECT count(*) AS n FROM tasks").get()).toEqual({ n: tasks });
      database.close();
    },
  );
});

describe("resuming in one process", () => {
  const setting = (journal: Journal = memoryJournal()) => {
    const calls: string[] = [];
    let broken = true;
    const make = (id: string) =>
      defineTool({
        id,
        description: "",
        idempotent: true,
        execute(input: Record<string, unknown>) {
          calls.push(id);
          if (id === "b" && broken) throw new Error("not yet");
          return { id, input };
        },
      });
    const executors = [toolExecutor(["a", "b", "c", "x"].map(make))];
    return { journal, calls, executors, repair: () => (broken = false) };
  };
  const plan = planOf(
    { a: [], b: ["a"], c: ["b"], x: [] },
    { b: { arguments: { n: "${v}", from: "${a.id}", user: "${input.user}" } } },
  );

  test("runs what failed and what was skipped, with the variables and input of then", async () => {
    const { journal, calls, executors, repair } = setting();
    const first = await run(plan, { executors, journal, runId: "r", variables: { v: 7 }, input: { user: "ada" } });
    expect(statuses(first)).toEqual({ a: "completed", b: "failed", c: "skipped", x: "completed" });
    repair();
    calls.length = 0;
    const second = await resume("r", { executors, journal });
    expect(calls).toEqual(["b", "c"]);
    expect(second.end_reason).toBe("completed");
    expect(second.results[1]?.output).toEqual({ id: "b", input: { n: 7, from: "a", user: "ada" } });
    expect(second.results[0]).toMatchObject({ recorded: true, output: { id: "a" }, attempts: 0 });
    calls.length = 0;
    const third = await resume("r", { executors, journal });
    expect(calls).toEqual([]);
    expect(third.output_data).toEqual(second.output_data);
  });

  test("a cancelled run goes on", async () => {
    const { journal, executors, repair } = setting();
    repair();
    await run(plan, {
      executors,
      journal,
      runId: "r",
      variables: { v: 1 },
      input: { user: "ada" },
      signal: AbortSignal.abort(),
    });
    expect((await journal.getRun("r")).status).toBe("cancelled");
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
  });

  test("while one runs it every other is refused, and what runs is not disturbed", async () => {
    const journal = memoryJournal();
    let calls = 0;
    const { promise: held, resolve: release } = Promise.withResolvers<number>();
    const work = defineTool({
      id: "work",
      description: "",
      execute: () => {
        calls++;
        return held;
      },
    });
    const executors = [toolExecutor([work])];
    const running = run(planOf({ a: [] }, { a: { tool_id: "work" } }), { executors, journal, runId: "r" });
    while (calls === 0) await wait(0);
    const others = await Promise.allSettled([1, 2, 3].map(() => resume("r", { executors, journal })));
    expect(others).toMatchObject([1, 2, 3].map(() => ({ status: "rejected", reason: { code: "RUNTIME_RUN_LEASED" } })));
    release(1);
    expect((await running).end_reason).toBe("completed");
    expect(calls).toBe(1);
  });

  test("a wrong option leaves the run as it was", async () => {
    const { journal, executors, repair } = setting();
    await run(plan, { executors, journal, runId: "r", variables: { v: 1 }, input: { user: "ada" } });
    await expect(resume("r", { executors, journal, concurrency: 0 })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
    });
    expect((await journal.getRun("r")).status).toBe("failed");
    repair();
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
  });

  test("a journal that fails in the midst ends the run with its code; nothing more starts, and resuming finishes it", async () => {
    const journal = memoryJournal();
    let writes = 0;
    const failing: Journal = {
      ...journal,
      async record(...args) {
        if (++writes > 1) throw new Error("disk full");
        return journal.record(...args);
      },
    };
    const { calls, executors, repair } = setting(failing);
    repair();
    await expect(
      run(plan, {
        executors,
        journal: failing,
        runId: "r",
        variables: { v: 1 },
        input: { user: "ada" },
        concurrency: 1,
      }),
    ).rejects.toThrow("disk full");
    expect(calls).toEqual(["a", "b"]);
    calls.length = 0;
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(calls).toEqual(["b", "c", "x"]);
  });

  test("a completion is recorded before anything that depends on it starts", async () => {
    const journal = memoryJournal();
    const seen: string[][] = [];
    const tool = (id: string) =>
      defineTool({
        id,
        description: "",
        execute: async () => void seen.push((await journal.getTasks("r")).map(({ task_id }) => task_id)),
      });
    await run(planOf({ a: [], b: ["a"], c: ["b"] }), {
      executors: [toolExecutor(["a", "b", "c"].map(tool))],
      journal,
      runId: "r",
    });
    expect(seen).toEqual([[], ["a"], ["a", "b"]]);
  });

  test("unknown runs, and what is no id", async () => {
    const { journal, executors } = setting();
    await expect(resume("nope", { executors, journal })).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    for (const id of [undefined, "", 5]) {
      await expect(resume(id as string, { executors, journal })).rejects.toMatchObject({
        code: "RUNTIME_INVALID_OPTION",
        details: { option: "runId" },
      });
    }
  });
});
