import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** One task of the graph, as a job of an engine. It waits `ms` and gives `{ id, from }`. */
export interface Job {
  readonly id: string;
  readonly ms: number;
  /** Outputs of its parents, by their ids. */
  readonly from: readonly string[];
}

export interface Ended {
  readonly id: string;
  readonly output: { readonly id: string; readonly from: readonly string[] };
}

/** A queue of another engine, with its workers in other processes. */
export interface Engine extends AsyncDisposable {
  readonly name: string;
  /** Puts jobs in the queue, each a dispatch. */
  add(jobs: readonly Job[]): Promise<void>;
  /** Jobs that have ended since the last call, at least one. */
  ended(): Promise<readonly Ended[]>;
}

/**
 * Runs a graph with a job for each task, which is added when the last of its parents has ended.
 * @param parents of each task, which come before it
 * @returns the time it took, and the output of each task
 */
export async function runBeside(engine: Engine, parents: readonly (readonly number[])[], ms: number) {
  await warmUp(engine);
  const open = parents.map((from) => from.length);
  const children = parents.map((): number[] => []);
  for (const [task, from] of parents.entries()) for (const parent of from) children[parent]!.push(task);
  const outputs = new Map<string, Ended["output"]>();
  const jobOf = (task: number): Job => ({
    id: `t${task}`,
    ms,
    from: parents[task]!.map((parent) => outputs.get(`t${parent}`)!.id),
  });
  const began = performance.now();
  let ready = [...parents.keys()].filter((task) => open[task] === 0);
  while (outputs.size < parents.length) {
    if (ready.length > 0) await engine.add(ready.map(jobOf));
    ready = [];
    for (const { id, output } of await engine.ended()) {
      if (outputs.has(id)) continue;
      outputs.set(id, output);
      for (const child of children[Number(id.slice(1))]!) if (--open[child]! === 0) ready.push(child);
    }
  }
  return { ms: performance.now() - began, outputs };
}

/** Connections, compiled code and caches are there when the time is taken. */
async function warmUp(engine: Engine): Promise<void> {
  const jobs = Array.from({ length: 16 }, (_, number) => ({ id: `warm${number}`, ms: 5, from: [] }));
  await engine.add(jobs);
  for (let left = jobs.length; left > 0; ) left -= (await engine.ended()).length;
}

/** Starts a program of this folder and waits for its first line. */
export async function startProgram(name: string, given: object): Promise<ChildProcess> {
  // Warnings about the use of libraries within an engine are not ours.
  const args = ["--disable-warning=DeprecationWarning", join(import.meta.dirname, name), JSON.stringify(given)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([
    once(child.stdout!, "data"),
    once(child, "exit").then(() => Promise.reject(new Error(`${name} ended before it was ready.`))),
  ]);
  return child;
}

export async function endPrograms(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
}
