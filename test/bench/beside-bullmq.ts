import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, QueueEvents } from "bullmq";
import { type Ended, type Engine, endPrograms, startProgram } from "./beside-engine.ts";

/**
 * BullMQ on a Redis server of its own, whose file of commands is synced once a second: a job a task. Not its flows: a job of a flow has one parent, so a
 * graph in which an output is read twice is no flow.
 * @returns nothing where no `redis-server` is installed
 */
export async function bullmqEngine(folder: string, workers: number): Promise<Engine | undefined> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return undefined;
  const [queueName, data, port] = ["beside", await mkdtemp(join(folder, "planloom-redis-")), await freePort()];
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", data, "--save", "", "--appendonly", "yes"];
  const redis = spawn("redis-server", args, { stdio: "ignore" });
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const queue = new Queue(queueName, { connection, defaultJobOptions: { removeOnComplete: false } });
  // Until the server listens the client tries again, and says so.
  queue.on("error", () => {});
  await queue.waitUntilReady();
  const events = new QueueEvents(queueName, { connection });
  await events.waitUntilReady();
  const ended: Ended[] = [];
  let failure: Error | undefined;
  events.on("completed", ({ returnvalue }) => {
    const output = returnvalue as unknown as Ended["output"];
    ended.push({ id: output.id, output });
  });
  events.on("failed", ({ failedReason }) => {
    failure = new Error(`A job failed: ${failedReason}`);
  });
  const started: ChildProcess[] = await Promise.all(
    Array.from({ length: workers }, () => startProgram("beside-bullmq-worker.ts", { port, queue: queueName })),
  );
  return {
    name: "BullMQ, a job a task",
    async add(jobs) {
      await queue.addBulk(jobs.map((job) => ({ name: "step", data: job })));
    },
    async ended() {
      while (ended.length === 0) {
        if (failure !== undefined) throw failure;
        await sleep(1);
      }
      return ended.splice(0);
    },
    async [Symbol.asyncDispose]() {
      await endPrograms(started);
      await events.close();
      await queue.close();
      if (redis.exitCode === null && redis.kill("SIGTERM")) await once(redis, "exit");
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
