import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** The address of the test run's Postgres server, or why there is none. Waits until the server has started. */
async function findPostgres(): Promise<{ readonly url: string } | { readonly missing: string }> {
  const file = process.env.PLANLOOM_TEST_POSTGRES;
  if (file === undefined) return { missing: "this is no test run" };
  for (let waitedMs = 0; !existsSync(file); waitedMs += 20) {
    if (waitedMs > 60_000) return { missing: "it has not started within a minute" };
    // The server is another process, which tells of itself by this file.
    await sleep(20);
  }
  const text = readFileSync(file, "utf8");
  return text.startsWith("none: ") ? { missing: text.slice(6) } : { url: text };
}

const found = await findPostgres();

/** Undefined where Postgres cannot be started here; tests that need it are skipped then. */
export const postgresUrl = "url" in found ? found.url : undefined;

if ("missing" in found) console.warn(`Tests of Postgres are skipped: ${found.missing}`);

/** Name of a schema that nobody else has. */
export function newSchema(): string {
  return `t_${randomBytes(8).toString("hex")}`;
}

export async function dropSchema(url: string, schema: string): Promise<void> {
  await query(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
}

/** Works in a schema of its own, which goes with it, and with that of the engine beside it. */
export async function inSchema(work: (schema: string) => Promise<void>): Promise<void> {
  const schema = newSchema();
  try {
    await work(schema);
  } finally {
    await dropSchema(postgresUrl!, schema);
    await dropSchema(postgresUrl!, `${schema}_dbos`);
  }
}

/** One statement on a connection of its own. */
export async function query<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
