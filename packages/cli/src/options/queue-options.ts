import type { Command } from "commander";
import { positiveInteger, queueName } from "./shared-options.ts";

/** What a worker takes, as the command line gives it. */
export interface QueueOptions {
  /** @default "planloom" */
  readonly queue?: string;
  /** Subgraphs at once, of each worker. @default 1 */
  readonly concurrency?: number;
}

/** With their defaults. */
export function readQueueOptions({ queue = "planloom", concurrency = 1 }: QueueOptions): Required<QueueOptions> {
  return { queue, concurrency };
}

/** Adds `--queue` and `--concurrency` to a command that starts workers, or is one. */
export function addQueueOptions(command: Command): Command {
  return command
    .option("--queue <name>", "the queue that subgraphs are taken from (default: planloom)", queueName)
    .option("--concurrency <n>", "subgraphs at once, of each worker (default: 1)", positiveInteger);
}
