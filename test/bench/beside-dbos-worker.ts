// A worker of plain DBOS: one workflow a task, from a queue, one at a time.
import { setTimeout as sleep } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { Job } from "./beside-engine.ts";

const { url, schema, queue } = JSON.parse(process.argv[2]!) as { url: string; schema: string; queue: string };
DBOS.setConfig({
  name: "beside",
  systemDatabaseUrl: url,
  systemDatabaseSchemaName: schema,
  executorID: `worker-${process.pid}`,
  applicationVersion: "1",
  listenQueues: [queue],
  logger: { info() {}, debug() {}, warn() {}, error() {} },
});
DBOS.registerWorkflow(
  async ({ id, ms, from }: Job) => {
    await sleep(ms);
    return { id, from };
  },
  { name: "step" },
);
await DBOS.launch();
// As the workers of Planloom have it.
await DBOS.registerQueue(queue, { workerConcurrency: 1, minPollingIntervalMs: 20, onConflict: "always_update" });
process.once("SIGTERM", () => void DBOS.shutdown().then(() => process.exit(0)));
console.log("ready");
