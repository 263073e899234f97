// A worker of BullMQ: one job a task, one at a time.
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "bullmq";
import type { Job } from "./beside-engine.ts";

const { port, queue } = JSON.parse(process.argv[2]!) as { port: number; queue: string };
const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
const step = async ({ data: { id, ms, from } }: { data: Job }) => {
  await sleep(ms);
  return { id, from };
};
const worker = new Worker<Job>(queue, step, { connection, concurrency: 1 });
await worker.waitUntilReady();
process.once("SIGTERM", () => void worker.close().then(() => process.exit(0)));
console.log("ready");
