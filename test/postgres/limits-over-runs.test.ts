import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresDispatcher } from "@planloom/postgres";
import { defineTool } from "@planloom/runtime";
import { Planloom, type PlanloomOptions } from "planloom";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { trials } from "../support/cases.ts";
import { dropSchema, postgresUrl } from "../support/postgres.ts";
import { type PostgresSubject, postgresSubject } from "./subject.ts";

// One worker more than a run has chains, so that calls of both runs are made at once wherever no limit of both forbids it.
const runs = 2;
const chains = 2;
const perChain = trials(10, 6);
/** Three quarters of the calls that the runs would make. */
const budget = (runs * chains * perChain * 3) / 4;
const workers = 3;

describe.skipIf(postgresUrl === undefined)("limits of several runs whose calls are made by workers", () => {
  let subject: PostgresSubject;
  let folder: string;
  const started: ChildProcess[] = [];
  const launch = (program: string, given: object) => {
    const text = JSON.stringify({ url: postgresUrl, schema: subject.schema, log: join(folder, "calls"), ...given });
    const child = spawn(process.execPath, [join(import.meta.dirname, program), text], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    return child;
  };
  const startWorker = async (given: object = {}) => {
    const child = launch("worker-process.ts", given);
    for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
  };
  const lines = () =>
    existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").trim().split("\n") : [];

  beforeAll(async () => {
    subject = await postgresSubject(postgresUrl!);
    folder = await mkdtemp(join(tmpdir(), "planloom-limits-"));
    await Promise.all(Array.from({ length: workers }, () => startWorker()));
  });
  afterAll(async () => {
    for (const child of started) if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    await subject.dispose();
    await dropSchema(postgresUrl!, `${subject.schema}_dbos`);
    await rm(folder, { recursive: true, force: true });
  });

  /** Chains of tasks, each a subgraph. */
  const chainsOf = (length: number, ms: number) => {
    const tasks = Array.from({ length: chains }, (_, chain) =>
      Array.from({ length }, (__, at) => ({
        task_id: `c${chain}_${at}`,
        execution_type: "tool" as const,
        tool_id: "step",
        arguments: { id: `c${chain}_${at}`, ms },
        dependencies: at === 0 ? [] : [`c${chain}_${at - 1}`],
      })),
    );
    const subgraphs = tasks.map((own, chain) => ({ subgraph_id: `C${chain}`, tasks: own, dependencies: [] })) as never;
    return { plan: { planned_tasks: tasks.flat() }, subgraphs };
  };

  /** A run with a journal, a Planloom and a dispatcher of its own, as on a machine of its own. @returns how many tasks it completed */
  const runOne = async (
    { plan, subgraphs }: ReturnType<typeof chainsOf>,
    options: PlanloomOptions,
    tenant?: string,
  ) => {
    const step = defineTool({ id: "step", description: "", input: { type: "object" }, execute: () => null });
    const journal = await subject.another();
    const dispatcher = postgresDispatcher(journal, { queue: tenant ?? "planloom" });
    await using planloom = new Planloom({ tools: [step], journal, ...options });
    const { results } = await planloom.run(plan, {
      semantics: "atomic",
      subgraphs,
      dispatcher,
      ...(tenant && { tenant }),
    });
    await dispatcher.close();
    return results.filter(({ status }) => status === "completed").length;
  };

  /** @returns what the workers saw of the runs */
  const runAll = async (given: ReturnType<typeof chainsOf>, options: PlanloomOptions) => {
    const before = lines().length;
    const since = Date.now();
    const completed = await Promise.all(Array.from({ length: runs }, () => runOne(given, options)));
    const seen = lines().slice(before);
    let [now, most] = [0, 0];
    for (const line of seen) {
      now += line.startsWith("begin") ? 1 : -1;
      most = Math.max(most, now);
    }
    const times = seen.flatMap((line) => (line.startsWith("begin") ? [Number(line.split(" ")[3])] : []));
    const spanMs = Math.max(...times) - since;
    return { begun: times.length, most, spanMs, completed: completed.reduce((sum, count) => sum + count, 0) };
  };

  const counted: PlanloomOptions = { limits: { resources: { step: 1 } }, budgets: { total: { calls: budget } } };

  test("hold over all runs and workers: not one call too many at once, nor beyond the budget", async () => {
    const seen = await runAll(chainsOf(perChain, 40), { ...counted, limitScope: "journal" });
    expect(seen).toMatchObject({ begun: budget, most: 1, completed: budget });
  });

  test("hold for each run where they are of its instance, so that a call too many would be seen", async () => {
    const { begun, most } = await runAll(chainsOf(perChain, 40), { ...counted, limitScope: "instance" });
    expect(begun).toBe(runs * chains * perChain);
    expect(most).toBeGreaterThan(1);
  });

  test("a rate holds over all runs and workers, or for each run where it is of its instance", async () => {
    const intervalMs = 700;
    const together = await runAll(chainsOf(4, 1), {
      limits: { rates: { step: { limit: 4, intervalMs } } },
      limitScope: "journal",
    });
    // 16 calls, 4 in an interval: the last begins three intervals after the runs at the earliest, as the server's clock and that of this process measure them.
    expect(together).toMatchObject({ begun: 16, completed: 16 });
    expect(together.spanMs).toBeGreaterThan(2.9 * intervalMs);
    // 8 calls of each run in an hour: if the two shared them, they would wait for an hour.
    const rates = { step: { limit: 8, intervalMs: 3_600_000 } };
    const apart = await runAll(chainsOf(4, 1), { limits: { rates }, limitScope: "instance" });
    expect(apart).toMatchObject({ begun: 16, completed: 16 });
  });

  /**
   * One run of a tenant in a process that is killed, and one beside it, with `budget` calls for both.
   * @param counts whether the workers, one of which continues the first run, have the limits of the tenant
   * @returns how many calls they made for both, and how the first run ended
   */
  const killed = async (tenant: string, counts: boolean) => {
    const limits = { tenants: { [tenant]: { budgets: { total: { calls: budget } } } } };
    const given = { queue: tenant, ...(counts && { limits }) };
    await Promise.all([startWorker(given), startWorker(given)]);
    const before = lines().length;
    const begun = () => lines().filter((line, at) => at >= before && line.startsWith("begin")).length;
    const { plan, subgraphs } = chainsOf(perChain, 40);
    const owner = launch("run-process.ts", { runId: tenant, queue: tenant, tenant, plan, subgraphs, shared: limits });
    // Real time: workers in processes of their own begin the calls.
    while (begun() < 4) await sleep(10);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await runOne({ plan, subgraphs }, { ...limits, limitScope: "journal" }, tenant);
    const status = async () => (await subject.journal.getRun(tenant)).status;
    // Real time: workers in processes of their own end the run.
    while ((await status()) === "running") await sleep(20);
    return { begun: begun(), status: await status() };
  };

  test("hold for a run that a worker continues, where the worker has them", async () => {
    const { begun, status } = await killed("counted", true);
    expect(status).toBe("budget");
    expect(begun).toBeLessThanOrEqual(budget);
    // Calls that were under way at the kill may have been reserved and not made.
    expect(begun).toBeGreaterThan(budget - 2 * workers);
  });

  test("a worker without them completes the run that it continues, beyond the budget", async () => {
    const { begun, status } = await killed("uncounted", false);
    expect(status).toBe("completed");
    expect(begun).toBeGreaterThan(budget);
  });
});
