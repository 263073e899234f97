import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { type Ended, type Engine, endPrograms, startProgram } from "./beside-engine.ts";

/** How often it is asked which workflows have ended, in milliseconds: as often as workers ask their queue. */
const pollMs = 20;

/** Plain DBOS in a database: a workflow a task, in a queue of workers of other processes. What has ended is asked for in one query for all. */
export async function dbosEngine(url: string, workers: number): Promise<Engine> {
  const [schema, queue] = ["beside_dbos", "beside"];
  const started: ChildProcess[] = [];
  // The first makes the tables.
  for (let number = 0; number < workers; number++) {
    started.push(await startProgram("beside-dbos-worker.ts", { url, schema, queue }));
  }
  const logger = { info() {}, debug() {}, warn() {}, error() {} };
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    applicationName: "beside",
    logger,
  });
  const open = new Set<string>();
  return {
    name: "plain DBOS, a workflow a task",
    async add(jobs) {
      await Promise.all(
        jobs.map(async (job) => {
          // A workflow of a known id would not be executed again.
          const workflowID = crypto.randomUUID();
          open.add(workflowID);
          await client.enqueue({ queueName: queue, workflowName: "step", workflowID, appVersion: "1" }, job);
        }),
      );
    },
    async ended() {
      for (;;) {
        const filter = { workflowIDs: [...open], loadInput: false, loadOutput: true };
        const found = await client.listWorkflows({ ...filter, status: ["SUCCESS", "ERROR"] });
        for (const { workflowID, status, error } of found) {
          if (status === "ERROR") throw new Error(`A workflow failed: ${String(error)}`);
          open.delete(workflowID);
        }
        if (found.length > 0) {
          return found.map(({ output }) => ({ id: (output as Ended["output"]).id, output: output as Ended["output"] }));
        }
        await sleep(pollMs);
      }
    },
    async [Symbol.asyncDispose]() {
      await client.destroy();
      await endPrograms(started);
    },
  };
}
