import { hash } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresJournal, postgresWorker } from "@planloom/postgres";
import { defineTool, toolExecutor } from "@planloom/runtime";
import type { PlanloomOptions } from "planloom";
import { longText } from "../support/long-text.ts";

// The program of a worker in tests: its tools write each call to a file, so that a call too many is seen.

const {
  url,
  schema,
  log,
  without,
  leaseMs,
  queue,
  limits,
  stamps = false,
  version,
  held = [],
} = JSON.parse(process.argv[2] ?? "{}") as {
  url: string;
  schema: string;
  /** A file that calls are written to. @default none */
  log?: string;
  /** A tool that this worker does not have. */
  without?: string;
  leaseMs?: number;
  queue?: string;
  /** Limits that it shares with all processes of the journal, where it continues runs. @default none */
  limits?: PlanloomOptions;
  /** Whether outputs say which process made them. @default false */
  stamps?: boolean;
  /** What outputs say of the version of the tools. @default nothing */
  version?: number;
  /** Tasks whose calls end only when the file `LOG.released` exists. @default none */
  held?: readonly string[];
};
interface StepInput {
  readonly id: string;
  readonly ms?: number;
  readonly from?: readonly unknown[];
  /** Characters of a text in the output. @default none */
  readonly length?: number;
  /** Whether the output has checksums of `from` in its place. @default false */
  readonly digests?: boolean;
}

const journal = await PostgresJournal.open(url, { schema, ...(leaseMs !== undefined && { leaseMs }) });
const note = (what: string) => log !== undefined && appendFileSync(log, `${what} ${process.pid} ${Date.now()}\n`);
// Loaded where it is used: it takes a process an eighth of its start.
const shared =
  limits && (await import("planloom/dispatch")).workerLimits({ ...limits, limitScope: "journal" }, journal);
const worker = await postgresWorker(journal, {
  ...(queue !== undefined && { queue }),
  ...(shared !== undefined && { shared }),
  executors: [
    toolExecutor([
      ...["step", "effect"]
        .filter((tool) => tool !== without)
        .map((tool) =>
          defineTool({
            id: tool,
            // What has an effect is not made again without a question.
            idempotent: tool === "step",
            description: "",
            input: { type: "object" },
            execute: async (input, { signal }) => {
              const { id, ms = 0, from, length, digests = false } = input as unknown as StepInput;
              note(`begin ${id}`);
              await sleep(ms, undefined, { signal });
              // Real time: another process writes the file.
              while (held.includes(id) && !existsSync(`${log}.released`)) await sleep(10, undefined, { signal });
              note(`end ${id}`);
              const given = digests ? from?.map((text) => hash("sha256", String(text))) : from;
              return {
                id,
                from: given,
                ...(length && { text: longText(id, length) }),
                ...(stamps && { by: process.pid }),
                ...(version && { version }),
              };
            },
          }),
        ),
      defineTool({ id: "die", description: "", execute: () => process.kill(process.pid, "SIGKILL") }),
    ]),
  ],
});
process.once("SIGTERM", () => {
  const closed = worker.close();
  note("draining");
  void closed.then(() => journal.close()).then(() => process.exit(0));
});
console.log(worker.name);
