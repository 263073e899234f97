import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import pg from "pg";
import { type Database, withinReason } from "../connection/database.ts";
import { type QueueRest, RestingPool } from "./queue-rest.ts";

export const defaultQueue = "planloom";

/** Names of the workflows of a worker. */
export const workflows = { subgraph: "planloom.subgraph" } as const;

const queueName = /^[A-Za-z0-9_.-]{1,100}$/;

/** @throws RuntimeError INVALID_OPTION */
export function checkQueue(queue: unknown): asserts queue is string {
  if (typeof queue === "string" && queueName.test(queue)) return;
  const message = `Expected \`queue\` to be a name of letters, digits, dots, dashes and underscores (at most 100), got ${JSON.stringify(queue)}.`;
  throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "queue" } });
}

/** The schema of the engine's own tables, beside those of the journal. */
export function engineSchema(schema: string): string {
  return `${schema}_dbos`;
}

/** The name of a worker in the engine: the presence of its journal, by which others see whether it is alive. */
export function workerName(presence: number): string {
  return `planloom-${presence}`;
}

/** The presence in the name of a worker; undefined for any other name. */
export function presenceOf(worker: string | undefined): number | undefined {
  const [, presence] = /^planloom-(\d+)$/.exec(worker ?? "") ?? [];
  return presence === undefined ? undefined : Number(presence);
}

/** How often a worker looks whether another one has launched the engine, in milliseconds. */
const launchLookMs = 50;

/** What the engine logs is of no use to users: what goes wrong comes back as an error of the call. */
export const noLog = { info() {}, debug() {}, warn() {}, error() {} };

/**
 * Launches the engine in this process, one process at a time: it brings its tables to their present format, and its own migrations collide where several start at once.
 * Only workers do so; who dispatches waits for a worker.
 */
export async function launchEngine(database: Database, schema: string, launch: () => Promise<void>): Promise<void> {
  const lock = [`planloom engine of ${schema}`];
  // The lock is of the connection, and nobody waits for it: the engine makes indexes, which wait for every transaction that is open.
  const launched = () =>
    database.read(async (on) => {
      const text = "SELECT pg_try_advisory_lock(hashtext($1), 3) AS locked";
      const [row] = await on.query<{ locked: boolean }>({ text, values: lock });
      if (row?.locked !== true) return false;
      try {
        await launch();
      } finally {
        await on.query({ text: "SELECT pg_advisory_unlock(hashtext($1), 3)", values: lock });
      }
      return true;
    });
  while (!(await launched())) await sleep(launchLookMs);
}

const engineConnections = 4;
/** A connection whose server does not answer for so long is ended, so that what waits for it is asked on another one. */
const silentConnectionMs = 10_000;

/**
 * Connections of the engine, which has no limit of its own for a server that does not answer: half-open ones would keep a worker for ever.
 * @param rest when a worker's engine looks into its queue; for a process that has no queue, none
 */
export function enginePool(url: string, rest?: QueueRest): pg.Pool {
  const config = {
    connectionString: url,
    application_name: "planloom engine",
    max: engineConnections,
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    allowExitOnIdle: true,
  };
  const pool = rest === undefined ? new pg.Pool(config) : new RestingPool(config, rest);
  // What uses a connection hears of its end by its statement.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // The declarations of `pg` leave it out.
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.setTimeout(silentConnectionMs, () => stream.destroy());
  });
  return pool;
}

export interface EngineConnection {
  readonly client: DBOSClient;
  close(): Promise<void>;
}

/** A connection to the engine for a process that executes nothing itself. */
export async function connectEngine(url: string, schema: string): Promise<EngineConnection> {
  const { DBOSClient } = await import("@dbos-inc/dbos-sdk");
  const pool = enginePool(url);
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: engineSchema(schema),
    logger: noLog,
    applicationName: "planloom",
  });
  const close = async () => {
    await client.destroy();
    if (!pool.ended) await withinReason(pool.end());
  };
  return { client, close };
}
