import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { defineTool, Planloom, type PlanloomOptions } from "planloom";
import { callMs, limit, type Mode, plan, runs, tasks, tenants, type Workload, weights } from "./tenants-workload.ts";

export interface TenantsMeasure {
  /** Of the processor, so that other work on the machine counts little. */
  readonly ms: number;
  readonly most: number;
  /** Calls that each tenant had made when the first of them had made all of its own. */
  readonly whenFirstEnded: readonly number[];
}

/** When each call began (above 0) and ended (below 0), by the clock that processes share, and whose it was. */
type Seen = readonly (readonly [atMs: number, tenant: string])[];

/** Before what is measured, so that code is compiled; and how often it is measured then. */
const warmUps = 3;
const repeats = 3;

/**
 * Processes of their own, with a part of the runs each: code that is compiled for one mode is not what the other gets, as it is not in a
 * server, which has one.
 */
export async function measureProcesses(mode: Mode, workload: Workload, processes: number): Promise<TenantsMeasure> {
  const folder = mkdtempSync(join(tmpdir(), "planloom-tenants-"));
  try {
    const parts = Array.from({ length: processes }, async (_, at) => {
      const out = join(folder, `${at}.json`);
      const job = { mode, workload, file: join(folder, "runs.db"), part: [at, processes], out, processes };
      // So many runs at once in the journal in memory is what is measured here, and no surprise.
      const flags = ["--expose-gc", "--disable-warning=PLANLOOM_OPEN_RUNS"];
      const child = spawn(process.execPath, [...flags, fileURLToPath(import.meta.url), JSON.stringify(job)], {
        stdio: "inherit",
      });
      const code = await new Promise((resolve) => child.once("exit", resolve));
      assert.equal(code, 0);
      return JSON.parse(readFileSync(out, "utf8")) as { ms: number; seen: Seen };
    });
    const all = await Promise.all(parts);
    const seen = all.flatMap((part) => part.seen).toSorted((a, b) => Math.abs(a[0]) - Math.abs(b[0]));
    return { ms: all.reduce((sum, part) => sum + part.ms, 0), ...judged(seen) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param part every run whose number modulo the second is the first, tenant a's first, then b's, then c's */
async function measurePart(
  mode: Mode,
  workload: Workload,
  file: string,
  [first, step]: readonly [number, number],
): Promise<{ ms: number; seen: Seen }> {
  const seen: (readonly [number, string])[] = [];
  const note = (sign: 1 | -1, tenant: string) =>
    void seen.push([(sign * Number(process.hrtime.bigint())) / 1e6, tenant]);
  const byHand = mode.startsWith("by hand");
  const waiting: (() => void)[] = [];
  let now = 0;
  const work = defineTool({
    id: "work",
    description: "Does nothing for as long as the workload says.",
    input: { type: "object" },
    readOnly: true,
    async execute(_, { runId }) {
      const tenant = runId.slice(0, 1);
      if (byHand && now >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else now++;
      note(1, tenant);
      if (workload === "none") for (let turn = 0; turn < 8; turn++) await null;
      else await sleep(callMs[workload]);
      note(-1, tenant);
      const next = waiting.shift();
      if (next === undefined) now--;
      else next();
    },
  });
  const limits = { resources: { work: limit } };
  const hasWeights = mode.endsWith("weights");
  const inJournal = mode.startsWith("journal");
  const isShared = mode === "together" || inJournal || hasWeights;
  const options: PlanloomOptions = {
    ...(isShared && { limits }),
    ...((inJournal || mode.endsWith("SQLite")) && { journal: file }),
    ...(inJournal && { limitScope: "journal" }),
    ...(hasWeights && { tenants: Object.fromEntries(tenants.map((key, at) => [key, { weight: weights[at]! }])) }),
  };
  await using planloom = new Planloom({ tools: [work], ...options });
  globalThis.gc?.();
  const began = process.cpuUsage();
  const numbers = Array.from({ length: runs }, (_, at) => at).filter((at) => at % step === first);
  const results = await Promise.all(
    numbers.map((at) => {
      const tenant = tenants[Math.floor((at * tenants.length) / runs)]!;
      return planloom.run(plan, { runId: `${tenant}${at}`, ...(isShared ? { tenant } : { limits }) });
    }),
  );
  const { user, system } = process.cpuUsage(began);
  assert.ok(results.every(({ end_reason }) => end_reason === "completed"));
  return { ms: (user + system) / 1_000, seen };
}

function judged(seen: Seen): Omit<TenantsMeasure, "ms"> {
  // Of 1,000 runs one tenant begins 334, which is when the first can have made all of its calls.
  const perTenant = Math.floor(runs / tenants.length) * tasks;
  const made = new Map<string, number>(tenants.map((tenant) => [tenant, 0]));
  let whenFirstEnded: readonly number[] | undefined;
  let now = 0;
  let most = 0;
  for (const [atMs, tenant] of seen) {
    now += Math.sign(atMs);
    most = Math.max(most, now);
    if (atMs > 0) continue;
    const calls = made.get(tenant)! + 1;
    made.set(tenant, calls);
    if (calls === perTenant) whenFirstEnded ??= [...made.values()];
  }
  return { most, whenFirstEnded: whenFirstEnded! };
}

if (process.argv[1] === import.meta.filename) {
  const { mode, workload, file, part, out } = JSON.parse(process.argv[2]!);
  const isAlone = part[1] === 1;
  for (let at = 0; isAlone && at < warmUps; at++) await measurePart(mode, workload, `${file}-${at}`, part);
  if (!isAlone) await measurePart("each run", workload, file, [part[0], 10]);
  const measured: { ms: number; seen: Seen }[] = [];
  for (let at = 0; at < (isAlone ? repeats : 1); at++)
    measured.push(await measurePart(mode, workload, isAlone ? `${file}${at}` : file, part));
  const middle = measured.toSorted((a, b) => a.ms - b.ms)[Math.floor(measured.length / 2)]!;
  writeFileSync(out, JSON.stringify(middle));
}
