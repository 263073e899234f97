/** The module that the worker processes of `--workers` load: the tools and Stage 2 of the session that started them. */
import type { WorkerParts } from "planloom/dispatch";
import type { CliIo } from "./io.ts";
import { type SessionOptions, wiredOptions } from "./session.ts";
import { connectServers } from "./tool-servers.ts";
import { type WorkerSession, workerSessionVariable } from "./workers.ts";

let opening: Promise<WorkerParts> | undefined;

/** @throws CliError, McpError as the session that started this process; SyntaxError for a session that is not JSON */
async function open(): Promise<WorkerParts> {
  const { options: stored, cwd } = JSON.parse(process.env[workerSessionVariable] ?? "{}") as WorkerSession;
  const options = stored as SessionOptions;
  const { stderr, env } = process;
  // What a worker says is a remark: standard output belongs to the command.
  const io: CliIo = { stdout: stderr, stderr, env, cwd, signal: new AbortController().signal };
  const [{ workerParts }, wired] = await Promise.all([
    import("planloom/dispatch"),
    wiredOptions(options, io, connectServers(options.mcp ?? [], io)),
  ]);
  return workerParts(wired.options);
}

const parts = (): Promise<WorkerParts> => {
  opening ??= open();
  return opening;
};

export const executors = async () => (await parts()).executors;
export const flush = async () => (await parts()).flush?.();
export const bind: WorkerParts["bind"] = async (...call) => (await parts()).bind(...call);
