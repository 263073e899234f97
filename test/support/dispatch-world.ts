import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresDispatcher } from "@planloom/postgres";
import { defineTool, type RunOptions, toolExecutor } from "@planloom/runtime";
import { postgresSubject } from "../postgres/subject.ts";
import { dropSchema, postgresUrl } from "./postgres.ts";

// DBOS sets up each connection of its pool while the pool hands it out, which its driver warns of.
const quiet = "--disable-warning=DeprecationWarning";
const programs = join(import.meta.dirname, "../postgres");

/** What a worker of `worker-process.ts` is given beside the database and the file of calls. */
export interface WorkerGiven {
  /** A tool that it does not have. */
  readonly without?: string;
  /** What its outputs say of the version of its tools. */
  readonly version?: number;
  /** Tasks whose calls last until `release` of the world, however slow the machine is. */
  readonly held?: readonly string[];
  /** The way to the database, where it is not the usual one. */
  readonly url?: string;
}

export type DispatchWorld = Awaited<ReturnType<typeof dispatchWorld>>;

/** A schema of its own with a dispatcher, and worker processes whose tools write each call to a file. */
export async function dispatchWorld() {
  const subject = await postgresSubject(postgresUrl!);
  const folder = await mkdtemp(join(tmpdir(), "planloom-dispatch-"));
  // Whoever waits for a worker here waits for a process that is being started.
  const dispatcher = postgresDispatcher(subject.journal, { workerTimeoutMs: slow.timeout });
  const log = join(folder, "calls");
  const children: ChildProcess[] = [];
  let [runId, runs, linesBefore] = ["r", 0, 0];
  const allLines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  /** What the tools of all workers wrote of the run. */
  const calls = () => allLines().slice(linesBefore);
  const launch = (program: string, given: object, stdout: "pipe" | "ignore") => {
    const text = JSON.stringify({ url: postgresUrl, schema: subject.schema, log, ...given });
    const child = spawn(process.execPath, [quiet, join(programs, program), text], {
      stdio: ["ignore", stdout, "inherit"],
    });
    children.push(child);
    return child;
  };
  return {
    subject,
    dispatcher,
    calls,
    begun: () => calls().filter((line) => line.startsWith("begin")),
    /** The ids of the tasks whose calls ended, sorted; one that was called twice is there twice. */
    ended: () => idsOf(calls().filter((line) => line.startsWith("end"))).sort(),
    /** Resolves when the worker takes subgraphs. */
    start: async (given: WorkerGiven = {}) => {
      const child = launch("worker-process.ts", given, "pipe");
      // The engine writes lines of its own before.
      for await (const text of child.stdout!.setEncoding("utf8")) if (/^planloom-\d+$/m.test(text)) break;
      return { child };
    },
    /** Lets the calls end that workers hold, and all later ones. */
    release: () => writeFileSync(`${log}.released`, ""),
    /** From now on calls are held again. */
    hold: () => rmSync(`${log}.released`, { force: true }),
    /** The process of a run, which may be killed. */
    startRun: (given: object) => launch("run-process.ts", given, "ignore"),
    /** The run that is dispatched next is another one. @returns its id */
    next: () => {
      runId = `r${++runs}`;
      linesBefore = allLines().length;
      return runId;
    },
    dispatched: (subgraphs: RunOptions["subgraphs"], more: Partial<RunOptions> = {}): RunOptions => ({
      executors: [toolExecutor(elsewhere)],
      journal: subject.journal,
      runId,
      semantics: "atomic",
      subgraphs,
      dispatcher,
      ...more,
    }),
    dispose: async () => {
      const ends = children.flatMap((child) => {
        if (child.exitCode !== null || child.signalCode !== null) return [];
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        return [exit];
      });
      await Promise.all(ends);
      await dispatcher.close();
      await subject.dispose();
      await dropSchema(postgresUrl!, `${subject.schema}_dbos`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A test with a world of its own, so that it may run beside others. */
export function inWorld(body: (world: DispatchWorld) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = await dispatchWorld();
    try {
      await body(world);
    } finally {
      await world.dispose();
    }
  };
}

/**
 * The options of tests that start several workers: how long one may take, in milliseconds. Each is a process that takes a second of a processor to start, so that what they take is for the machine to
 * say: with a sixth of a core, eight tests side by side took two and a half minutes.
 */
export const slow = { timeout: 600_000 };

/** Gives up before the test's own limit does, after which nobody would end the worker processes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  // Real time: what is waited for happens in other processes.
  const began = performance.now();
  while (!(await condition())) {
    if (performance.now() - began > slow.timeout - 60_000) throw new Error(`Waited in vain for ${condition}.`);
    await sleep(10);
  }
}

/** The second words of lines: the ids of the tasks that were called. */
export function idsOf(lines: readonly string[]): (string | undefined)[] {
  return lines.map((line) => line.split(" ")[1]);
}

/** The tools as the process of a run knows them: they must not be called there. */
export const elsewhere = ["step", "effect", "die"].map((id) =>
  defineTool({
    id,
    description: "",
    execute: () => {
      throw new Error("called in the process of the run");
    },
  }),
);

export function step(id: string, ms: number, from: readonly string[] = []) {
  return {
    task_id: id,
    execution_type: "tool" as const,
    tool_id: "step",
    arguments: { id, ms, ...(from.length > 0 && { from: from.map((each) => `\${${each}.id}`) }) },
  };
}

export function subgraph(
  subgraph_id: string,
  tasks: readonly { readonly task_id: string }[],
  dependencies: string[] = [],
) {
  return { subgraph_id, tasks, dependencies };
}

/** Two chains of three, and a task that takes from both. */
export function diamond(ms: number) {
  const chain = (name: string) => [
    step(`${name}1`, ms),
    step(`${name}2`, ms, [`${name}1`]),
    step(`${name}3`, ms, [`${name}2`]),
  ];
  const [left, right, last] = [chain("a"), chain("b"), [step("z", ms, ["a3", "b3"])]];
  const plan = { task_id: "diamond", planned_tasks: [...left, ...right, ...last] };
  return { plan, subgraphs: [subgraph("A", left), subgraph("B", right), subgraph("Z", last, ["A", "B"])] as never };
}

/** The tasks of the diamond. */
export const diamondTasks = ["a1", "a2", "a3", "b1", "b2", "b3", "z"];
