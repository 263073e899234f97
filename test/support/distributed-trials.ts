import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedPostgres, PostgresJournal } from "@planloom/postgres";
import pg from "pg";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";
import { chainsPlan, checkRun } from "./distributed-faults.ts";
import { mulberry32 } from "./layered-dag.ts";
import type { SmallDisk } from "./small-disk.ts";

// One run over three workers for each thing that goes wrong beside the death of a process: the server restarts, connections are cut or half-open, a worker or the process of the run is frozen and
// comes back, two processes have one run, clocks are minutes apart, the disk of the server is full, a subgraph kills whoever takes it.

/** The server of a trial; `restart`, `kill` and the disk that has all of it only for trials that use them. */
export type TrialServer = Pick<EmbeddedPostgres, "url" | "restart" | "kill"> & { readonly disk?: SmallDisk };

/** What a trial may do to a run. */
export interface TrialWorld {
  readonly server: TrialServer;
  readonly schema: string;
  readonly runId: string;
  /** Between the processes and the server. */
  readonly proxy: CuttingProxy;
  readonly workers: readonly ChildProcess[];
  readonly owner: ChildProcess;
  readonly random: () => number;
  /** `begin ID PID` and `end ID PID` of each call so far. */
  lines(): string[];
  /** Ids of tasks that are recorded, with the process that executed them. */
  recorded(): Promise<Map<string, unknown>>;
  isCompleted(): Promise<boolean>;
  status(): Promise<string | undefined>;
  /** Why a task of the run failed. */
  failure(): Promise<string>;
  /** What a process wrote of its errors. */
  errors(of: ChildProcess): string;
  /** Resumes the run in a process of its own. */
  resume(): ChildProcess;
}

export interface Trial {
  readonly name: string;
  /** After how long a process that is connected and gives no sign of life is replaced. @default 30_000 */
  readonly leaseMs?: number;
  /** By how much the clocks of the processes are off, the workers' first, then that of the run. @default not at all */
  readonly clocksMs?: readonly number[];
  /** How often calls may be made again that nobody recorded. */
  readonly mostAgain: number;
  /** Whether the server is to be on a disk of its own. @default false */
  readonly needsDisk?: boolean;
  disturb(world: TrialWorld): Promise<void>;
}

export interface TrialReport {
  readonly trial: string;
  readonly asks: boolean;
  readonly calls_again: number;
  readonly run_ms: number;
}

const workers = 3;
const longestRunMs = 120_000;
const lookMs = 40;
const fullMs = 5_000;
const calls = { tasks: 25 };

/** Calls that may be under way at once. */
const underWay = workers;

const folder = import.meta.dirname;
const program = (name: string) => join(folder, "../postgres", name);
// DBOS sets up each connection of its pool while the pool hands it out, which its driver warns of.
const quiet = "--disable-warning=DeprecationWarning";

/** One statement on a connection of its own. */
async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function begunIn(lines: readonly string[]): { readonly id: string; readonly pid: number }[] {
  return lines.flatMap((line) => {
    const [what, id = "", pid] = line.split(" ");
    return what === "begin" ? [{ id, pid: Number(pid) }] : [];
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    if (performance.now() - began > longestRunMs) throw new Error("Expected it to happen within two minutes.");
    await sleep(lookMs);
  }
}

/** Freezes a process that is in the midst of a call until others have replaced it, and checks that what it says afterwards is nowhere. */
async function freeze(victim: ChildProcess, isReplaced: () => Promise<boolean>): Promise<void> {
  victim.kill("SIGSTOP");
  try {
    await until(isReplaced);
  } finally {
    victim.kill("SIGCONT");
  }
}

export const distributedTrials: readonly Trial[] = [
  {
    name: "the server restarts under load",
    mostAgain: 2 * underWay,
    async disturb({ server, isCompleted }) {
      for (let round = 0; round < 2 && !(await isCompleted()); round++) {
        await (round === 0 ? Promise.resolve() : server.kill());
        await server.restart();
        await sleep(600);
      }
    },
  },
  {
    name: "a backend of the server crashes, and all others with it",
    mostAgain: underWay,
    async disturb({ server }) {
      const text =
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'planloom' AND pid <> pg_backend_pid() LIMIT 1";
      const [backend] = await query<{ pid: number }>(server.url, text);
      process.kill(backend!.pid, "SIGKILL");
    },
  },
  {
    name: "connections are cut again and again",
    mostAgain: underWay,
    async disturb({ proxy, isCompleted }) {
      // A machine that is too slow to do anything between two cuts is given longer from one to the next.
      let pauseMs = 300;
      await until(async () => {
        proxy.cut();
        await sleep(pauseMs);
        pauseMs += 25;
        return isCompleted();
      });
    },
  },
  {
    name: "connections are half-open",
    mostAgain: 2 * underWay,
    async disturb({ proxy }) {
      for (let round = 0; round < 2; round++) {
        proxy.freeze();
        await sleep(1_500);
      }
    },
  },
  {
    name: "a worker is frozen for longer than its lease, and comes back",
    leaseMs: 2_500,
    mostAgain: 1,
    async disturb(world) {
      const { lines, recorded, workers: started } = world;
      const known = await recorded();
      const call = begunIn(lines()).findLast(({ id }) => !known.has(id));
      const victim = started.find(({ pid }) => pid === call?.pid) ?? started[0]!;
      await freeze(victim, async () => {
        const now = await recorded();
        const taken = begunIn(lines()).filter(({ id, pid }) => pid === victim.pid && !known.has(id));
        return taken.every(({ id }) => now.has(id));
      });
      const late = [...(await recorded())].filter(([id]) => !known.has(id));
      await sleep(1_500);
      const after = await recorded();
      for (const [id, by] of late)
        if (after.get(id) !== by) throw new Error(`Expected task ${id} to stay as worker ${String(by)} recorded it.`);
    },
  },
  {
    name: "the process of the run is frozen for longer than its lease, and comes back",
    leaseMs: 2_500,
    mostAgain: 2 * underWay,
    async disturb(world) {
      await freeze(world.owner, world.isCompleted);
      await sleep(1_000);
    },
  },
  {
    name: "two processes resume one run while a third has it",
    mostAgain: 0,
    async disturb({ resume, isCompleted }) {
      const others = [resume(), resume()];
      await until(isCompleted);
      for (const other of others) if (other.exitCode === null && other.signalCode === null) await once(other, "exit");
    },
  },
  {
    name: "clocks are five minutes apart",
    clocksMs: [300_000, -300_000, 0, 300_000],
    mostAgain: 0,
    async disturb({ isCompleted }) {
      await until(isCompleted);
    },
  },
  {
    name: "each write is refused for three seconds as on a full disk",
    mostAgain: 3 * underWay,
    async disturb({ server, schema }) {
      const refuse = `CREATE FUNCTION ${schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
      await query(server.url, refuse);
      const tables = ["tasks", "dispatches", "runs"];
      for (const table of tables)
        await query(
          server.url,
          `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${schema}.${table} FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.full_disk()`,
        );
      await sleep(3_000);
      for (const table of tables) await query(server.url, `DROP TRIGGER full_disk ON ${schema}.${table}`);
    },
  },
  {
    name: "the disk of the server is full for five seconds",
    needsDisk: true,
    mostAgain: 3 * underWay,
    async disturb({ server, owner, errors, failure, status, resume }) {
      const { url, disk } = server;
      // What others write may have room for long in files that are there: this writes until the server has none.
      await query(url, "CREATE TABLE public.filler (text text)");
      const write = `INSERT INTO public.filler SELECT (SELECT string_agg(md5(random()::text || row::text), '') FROM generate_series(1, 3000))
        FROM generate_series(1, 20) AS row`;
      const began = performance.now();
      let refused = 0;
      while (performance.now() - began < fullMs || refused === 0) {
        if (performance.now() - began > longestRunMs) throw new Error("Expected the server to run out of space.");
        disk!.fill();
        await query(url, write).catch(() => refused++);
        await sleep(lookMs);
      }
      disk!.free();
      // Without room for its log it ends, which its supervisor sees.
      await query(url, "DROP TABLE public.filler").catch(() => server.restart());
      let again: ChildProcess | undefined;
      await until(async () => {
        const now = await status();
        // A run that ended says why, and whoever began it resumes it.
        if ((now === "shut_down" || now === "failed") && owner.exitCode !== null && again === undefined) {
          const why = now === "failed" ? await failure() : errors(owner);
          if (!why.includes("The disk of the server is full"))
            throw new Error(`Expected the run to end for want of space, got ${why.slice(-500)}`);
          again = resume();
        }
        return now === "completed";
      });
    },
  },
];

/** A run that was shut down is continued by a worker. */
const unfinished: ReadonlySet<string> = new Set(["running", "interrupted", "shut_down"]);

async function failureOf(journal: PostgresJournal, runId: string): Promise<string> {
  const records = await journal.getTasks(runId);
  return String(records.find(({ error }) => error !== undefined)?.error?.message);
}

/** @throws Error at the first promise that does not hold */
export async function tryOut(
  trial: Trial,
  { server, schema, asks, seed }: { server: TrialServer; schema: string; asks: boolean; seed: number },
): Promise<TrialReport> {
  const { leaseMs, clocksMs = [], mostAgain } = trial;
  const home = mkdtempSync(join(tmpdir(), "planloom-trial-"));
  const log = join(home, "calls");
  const address = new URL(server.url);
  const proxy = await cuttingProxy(address.hostname, Number(address.port));
  address.port = String(proxy.port);
  const journal = await PostgresJournal.open(server.url, { schema });
  const children = new Set<ChildProcess>();
  const said = new Map<ChildProcess, string[]>();
  const launch = (name: string, given: object, clockMs = 0) => {
    const skew = clockMs === 0 ? [] : ["--import", join(folder, "skewed-clock.ts")];
    const text = JSON.stringify({ url: address.href, schema, log, leaseMs, ...given });
    const env = { ...process.env, PLANLOOM_TEST_SKEW_MS: String(clockMs) };
    const child = spawn(process.execPath, [quiet, ...skew, program(name), text], {
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
    children.add(child);
    const texts: string[] = [];
    said.set(child, texts);
    child.stderr!.setEncoding("utf8").on("data", (text: string) => texts.push(text));
    return child;
  };
  const runId = "trial";
  const { plan, subgraphs } = chainsPlan();
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const recorded = async () => {
    const records = await journal.getTasks(runId).catch(() => []);
    const done = records.filter(({ status }) => status === "completed");
    return new Map(done.map(({ task_id, output }) => [task_id, (output as { by?: unknown }).by]));
  };
  const status = async () => (await journal.listRuns()).find(({ run_id }) => run_id === runId)?.status;
  const isCompleted = async () => (await status()) === "completed";
  try {
    const started = Array.from({ length: workers }, (_, at) =>
      launch("worker-process.ts", { stamps: true }, clocksMs[at]),
    );
    for (const child of started)
      for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
    const given = { plan, subgraphs, runId, asks };
    const owner = launch("run-process.ts", given, clocksMs[workers]);
    await until(() => begunIn(lines()).length >= workers);
    const began = performance.now();
    const resumeRun = () => launch("run-process.ts", { ...given, resumes: true });
    const errors = (of: ChildProcess) => said.get(of)?.join("") ?? "";
    const failure = () => failureOf(journal, runId);
    const seen = { lines, recorded, isCompleted, status, failure, errors };
    const world = { server, schema, runId, proxy, workers: started, owner, ...seen };
    await trial.disturb({ ...world, random: mulberry32(seed), resume: resumeRun });
    for (;;) {
      const now = await status();
      if (now === "completed") break;
      if (now !== undefined && !unfinished.has(now))
        throw new Error(
          `Expected the run to be completed in the end, it is ${now}: ${await failureOf(journal, runId)}`,
        );
      if (performance.now() - began > longestRunMs) throw new Error("Expected the run to be completed by now.");
      await sleep(lookMs);
    }
    const run_ms = Math.round(performance.now() - began);
    const again = await checkRun(journal, runId, lines(), { tasks: calls.tasks, underWay: mostAgain });
    return { trial: trial.name, asks, calls_again: again, run_ms };
  } catch (error) {
    throw new Error(`${trial.name} (asks: ${asks}): ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGCONT");
      if (child.kill("SIGKILL")) await once(child, "exit");
    }
    await journal.close();
    await proxy[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }
}
