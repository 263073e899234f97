import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { CliError, CliErrorCode } from "../errors.ts";
import { type CliIo, jsonText } from "../io.ts";
import { loadPostgres } from "../journals.ts";
import { type QueueOptions, readQueueOptions } from "../options/queue-options.ts";
import { type ServeCommandOptions, serve } from "./serve.ts";

export interface DevClusterOptions
  extends Pick<ServeCommandOptions, "config" | "host" | "json" | "mcp" | "port">,
    QueueOptions {
  readonly workers?: number;
  /** Where the database stays. @default a folder that is removed at the end */
  readonly folder?: string;
}

/** `planloom dev-cluster`: a Postgres server, workers and the HTTP server on this machine, until it is interrupted. */
export async function devCluster(options: DevClusterOptions, io: CliIo): Promise<number> {
  const { workers = 3, folder, json = false, queue: _, concurrency: __, ...given } = options;
  const taken = readQueueOptions(options);
  const { queue } = taken;
  const { embeddedPostgres } = await loadPostgres();
  await using server = await embeddedPostgres(folder === undefined ? {} : { folder: resolve(io.cwd, folder) });
  const children: ChildProcess[] = [];
  try {
    for (let count = 0; count < workers; count++) children.push(startWorker({ ...given, ...taken }, server.url, io));
    await Promise.all(children.map(ready));
    if (json) io.stdout.write(jsonText({ postgres: server.url, workers: children.map(({ pid }) => pid), queue }));
    else
      io.stdout.write(
        `${workers} workers take subgraphs from the queue ${queue}. In another terminal:\n\n  export PLANLOOM_ON=${server.url}\n  planloom run PLAN --queue ${queue}\n\n`,
      );
    return await serve({ ...given, queue, json }, { ...io, on: server.url });
  } finally {
    await Promise.all(children.map(end));
  }
}

/** A worker with the same tools. It ends with this process, however that ends: the channel between them is closed then. */
function startWorker(
  { config, mcp = [], queue, concurrency }: DevClusterOptions & Required<QueueOptions>,
  url: string,
  { env, cwd }: CliIo,
): ChildProcess {
  const words = [
    ...["worker", "--json", "--queue", queue, "--concurrency", String(concurrency)],
    ...mcp.flatMap((file) => ["--mcp", resolve(cwd, file)]),
    ...(config === false ? ["--no-config"] : config === undefined ? [] : ["--config", resolve(cwd, config)]),
  ];
  // The program that runs now: the command line.
  return spawn(process.execPath, [process.argv[1] ?? "planloom", ...words], {
    cwd,
    // A password is in the address, and a command line is for everybody to read.
    env: { ...env, PLANLOOM_ON: url },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

/** Resolves when the worker takes subgraphs. */
async function ready(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(() => "ended" as const);
  const said = once(child.stdout!, "data").then(() => "ready" as const);
  if ((await Promise.race([ended, said])) === "ready") return;
  throw new CliError(CliErrorCode.CONFIG, "A worker ended before it could begin; what it said is above.");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
