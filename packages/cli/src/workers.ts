import type { ChildProcessDispatcher } from "planloom/runtime";

/** The variable of the environment in which a worker process finds what its tools come from: `WorkerSession` as JSON. */
export const workerSessionVariable = "PLANLOOM_WORKER_SESSION";

/** Where the tools, models and controller of a worker process come from: the same as in the process that starts it. */
export interface WorkerSession {
  /** `SessionOptions`, plain JSON, with absolute paths. */
  readonly options: object;
  readonly cwd: string;
}

/** More processes than this are a mistake on one machine. */
export const maxWorkers = 256;

/** Whether a text can be the name of a queue, as `@planloom/postgres` takes it. */
export function isQueueName(text: string): boolean {
  return /^[A-Za-z0-9_.-]{1,100}$/.test(text);
}

/** Processes that have the same tools as this one, each with servers of its own; `close` ends them. None is started yet. */
export async function workersOf(
  count: number,
  session: WorkerSession,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ChildProcessDispatcher> {
  const { childProcessDispatcher } = await import("planloom/runtime");
  const named = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return childProcessDispatcher({
    module: import.meta.resolve("@planloom/cli/worker"),
    keepWorkers: count,
    env: { ...Object.fromEntries(named), [workerSessionVariable]: JSON.stringify(session) },
  });
}
