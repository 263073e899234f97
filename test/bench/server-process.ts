/** The server that `server.ts` measures, in a process of its own: `node server-process.ts JOURNAL TASK_MS`. It prints its address as JSON. */
import { setTimeout as sleep } from "node:timers/promises";
import { serve, sqliteStore } from "@planloom/server";
import { defineTool, Planloom, SqliteJournal } from "planloom";
import { office } from "../support/everyday-tools.ts";

const [journalFile = ":memory:", taskMs = "0"] = process.argv.slice(2);
const tools = [
  ...office.map(({ id, description, input_schema }) =>
    defineTool({
      id,
      description,
      ...(input_schema && { input: input_schema }),
      readOnly: true,
      execute: () => ({ id }),
    }),
  ),
  defineTool({
    id: "step",
    description: "Does one step",
    input: { type: "object", properties: { number: { type: "integer" } } },
    readOnly: true,
    idempotent: true,
    async execute({ number }) {
      await sleep(Number(taskMs));
      return { number };
    },
  }),
];
/** Ends with the signal SIGUSR2, so that clients can connect before the rest of a run begins. */
const hold = defineTool({
  id: "hold",
  description: "Waits until it is let go",
  readOnly: true,
  execute: () => new Promise<null>((resolve) => process.once("SIGUSR2", () => resolve(null))),
});
const journal = await SqliteJournal.open(journalFile, { events: true });
const running = await serve(new Planloom({ tools: [...tools, hold], journal, concurrency: 16 }), {
  port: 0,
  store: sqliteStore(`${journalFile}-server`),
});
process.stdout.write(`${JSON.stringify({ url: running.url, port: running.port, resumed: running.resumed })}\n`);
process.once("SIGTERM", () => running.close().then(() => journal.close()));
