import { ExitCode } from "../exit-code.ts";
import { type CliIo, jsonText } from "../io.ts";
import { journalName, openSharedJournal } from "../journals.ts";
import { readQueueOptions } from "../options/queue-options.ts";
import { type SessionOptions, wiredOptions } from "../session.ts";
import { plainLine } from "../terminal/style.ts";
import { connectServers } from "../tool-servers.ts";
import { untilAborted } from "../until-aborted.ts";

export interface WorkerCommandOptions extends Omit<SessionOptions, "workers"> {
  /** Seconds. */
  readonly drain?: number;
  readonly json?: boolean;
}

const drainSeconds = 20;

/** `planloom worker`: takes subgraphs from a queue until it is interrupted, then leaves the rest of them to other workers. */
export async function worker(options: WorkerCommandOptions, io: CliIo): Promise<number> {
  const { drain = drainSeconds, json = false, queue: _, concurrency: __, ...given } = options;
  const { queue, concurrency } = readQueueOptions(options);
  const { journal, postgresWorker } = await openSharedJournal(io, "planloom worker");
  const servers = connectServers(given.mcp ?? [], io);
  let shared: ReturnType<typeof import("planloom/dispatch").workerLimits>;
  try {
    const [{ workerLimits, workerParts }, wired] = await Promise.all([
      import("planloom/dispatch"),
      wiredOptions(given, io, servers),
    ]);
    for (const note of wired.notes) io.stderr.write(`${plainLine(note)}\n`);
    const { executors, bind } = workerParts(wired.options);
    shared = workerLimits(wired.options, journal);
    const { outputMemoryBytes } = wired.options;
    const taking = await postgresWorker(journal, {
      ...{ executors, bind, queue, concurrency },
      onRefusal: ({ code, message }) => io.stderr.write(`${plainLine(`warning ${message} [${code}]`)}\n`),
      ...(shared && { shared }),
      ...(outputMemoryBytes !== undefined && { outputMemoryBytes }),
    });
    const resources = executors.reduce((sum, executor) => sum + executor.resources().length, 0);
    if (json) io.stdout.write(jsonText({ worker: taking.name, queue, concurrency, resources }));
    else
      io.stdout.write(
        `${taking.name} takes subgraphs from the queue ${queue} of ${journalName(io)}, ${concurrency} at once, with ${resources} resources. Ctrl-C ends it.\n`,
      );
    // A cluster on one machine has started it, and ended without a word.
    if (process.connected) process.once("disconnect", () => process.exit(ExitCode.INTERRUPTED));
    await untilAborted(io.signal);
    if (!json) io.stderr.write("Stopping: running calls may end; what is left goes to other workers.\n");
    await taking.close({ drainMs: drain * 1_000 });
    return ExitCode.DONE;
  } finally {
    await servers[Symbol.asyncDispose]();
    await shared?.close();
    await journal.close();
  }
}
