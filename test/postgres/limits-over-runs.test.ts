import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresDispatcher } from "@planloom/postgres";
import { defineTool } from "@planloom/runtime";
import { Planloom } from "planloom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dropSchema, postgresUrl } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

// One worker more than a run has chains, so that calls of both runs are made at once wherever no limit of both forbids it.
const runs = 2;
const chains = 2;
const perChain = 10;
const workers = 3;

describe.skipIf(postgresUrl === undefined)("limits of several runs whose calls are made by workers", () => {
  let subject: PostgresSubject;
  let folder: string;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    subject = await postgresSubject(postgresUrl!);
    folder = await mkdtemp(join(tmpdir(), "planloom-limits-"));
    const given = JSON.stringify({ url: postgresUrl, schema: subject.schema, log: join(folder, "calls") });
    const start = async () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "worker-process.ts"), given], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      started.push(child);
      for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
    };
    await Promise.all(Array.from({ length: workers }, start));
  });
  afterEach(async () => {
    for (const child of started.splice(0))
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    await subject.dispose();
    await dropSchema(postgresUrl!, `${subject.schema}_dbos`);
    await rm(folder, { recursive: true, force: true });
  });

  /** Chains of tasks, each a subgraph. */
  const tasks = Array.from({ length: chains }, (_, chain) =>
    Array.from({ length: perChain }, (__, at) => ({
      task_id: `c${chain}_${at}`,
      execution_type: "tool" as const,
      tool_id: "step",
      arguments: { id: `c${chain}_${at}`, ms: 40 },
      dependencies: at === 0 ? [] : [`c${chain}_${at - 1}`],
    })),
  );
  const subgraphs = tasks.map((own, chain) => ({ subgraph_id: `C${chain}`, tasks: own, dependencies: [] })) as never;

  /** Each run has a journal, a Planloom and a dispatcher of its own, as on a machine of its own. @returns what the workers saw */
  const runAll = async (limitScope: "journal" | "instance") => {
    const step = defineTool({ id: "step", description: "", input: { type: "object" }, execute: () => null });
    const one = async () => {
      const journal = await subject.another();
      const dispatcher = postgresDispatcher(journal);
      await using planloom = new Planloom({
        ...{ tools: [step], journal, limitScope },
        limits: { resources: { step: 1 } },
        budgets: { total: { calls: 30 } },
      });
      const plan = { planned_tasks: tasks.flat() };
      const { results } = await planloom.run(plan, { semantics: "atomic", subgraphs, dispatcher });
      await dispatcher.close();
      return results.filter(({ status }) => status === "completed").length;
    };
    const completed = await Promise.all(Array.from({ length: runs }, one));
    const lines = (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
    let [now, most, begun] = [0, 0, 0];
    for (const line of lines) {
      if (line.startsWith("begin")) begun++;
      now += line.startsWith("begin") ? 1 : -1;
      most = Math.max(most, now);
    }
    return { begun, most, completed: completed.reduce((sum, count) => sum + count, 0) };
  };

  test("hold over all runs and workers: not one call too many at once, nor beyond the budget", async () => {
    expect(await runAll("journal")).toEqual({ begun: 30, most: 1, completed: 30 });
  });

  test("hold for each run where they are of its instance, so that a call too many would be seen", async () => {
    const { begun, most } = await runAll("instance");
    expect(begun).toBe(runs * chains * perChain);
    expect(most).toBeGreaterThan(1);
  });
});
