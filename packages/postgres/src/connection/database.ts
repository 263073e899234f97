import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Doing, isBroken, isPassing, journalError } from "./failures.ts";

/** A statement. One with a name is prepared once a connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** A connection, or a transaction on one. */
export interface Queryable {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

export interface DatabaseSettings {
  readonly url: string;
  /** For messages. */
  readonly name: string;
  readonly maxConnections: number;
  /** How long one answer of the server may take, in milliseconds. */
  readonly answerTimeoutMs: number;
  /** For how long what a broken connection kept from being done is tried again, in milliseconds. */
  readonly patienceMs: number;
}

/** 64-bit integers here are numbers of rows, which JavaScript's numbers hold. */
const types = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as unknown as typeof pg.types.getTypeParser,
};

/** The settings of every connection, those of the pool and the one of the session. */
export function clientConfig({ url, answerTimeoutMs }: Pick<DatabaseSettings, "url" | "answerTimeoutMs">) {
  return {
    connectionString: url,
    application_name: "planloom",
    connectionTimeoutMillis: 5_000,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types,
  } satisfies pg.ClientConfig;
}

const longestPauseMs = 1_000;
const openingMs = 2_000;
/** How long the server may take to say goodbye. */
const farewellMs = 1_000;

/** A bounded number of connections. What a broken connection or a server that starts again kept from being done is tried again. */
export class Database {
  readonly name: string;
  readonly settings: DatabaseSettings;
  readonly #pool: pg.Pool;
  readonly #closing = new AbortController();

  constructor(settings: DatabaseSettings) {
    this.name = settings.name;
    this.settings = settings;
    this.#pool = new pg.Pool({ ...clientConfig(settings), max: settings.maxConnections, allowExitOnIdle: true });
    // A connection that breaks while nobody uses it is replaced when one is needed; who uses it hears of it by its statement.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Aborted when the journal is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** One statement, or several that need not agree with each other. Is called again where the connection broke. */
  read<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.patiently("read", () => this.#with(work));
  }

  /** Several statements that see one state of the database. */
  snapshot<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.patiently("read", () => this.#transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work));
  }

  /** A transaction; a caller that cannot do it twice looks whether it was done, since the connection may break at its end. */
  write<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.patiently("write", () => this.#transaction("BEGIN", work));
  }

  /** As `write`, when the journal is opened: somebody waits for it, and is to hear soon of a wrong address. */
  opening<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.patiently("open", () => this.#transaction("BEGIN", work), openingMs);
  }

  /** One statement that writes, which is a transaction by itself, and that may be done twice. */
  writeOnce<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.patiently("write", () => this.#with((on) => on.query<Row>(statement)));
  }

  /** One statement, once: the caller judges what failed. */
  attempt<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#with((on) => on.query<Row>(statement));
  }

  /** Does `work` until it succeeds, fails for good, or `patienceMs` are over. @throws RuntimeError */
  async patiently<T>(doing: Doing, work: () => Promise<T>, patienceMs = this.settings.patienceMs): Promise<T> {
    const began = performance.now();
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        const isOver =
          performance.now() - began > Math.min(patienceMs, this.settings.patienceMs) || this.closing.aborted;
        if (isOver || !isPassing(error)) throw journalError(error, this.name, doing);
      }
      // Many that failed together do not come back together.
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { ref: true });
    }
  }

  async close(): Promise<void> {
    if (this.closing.aborted) return;
    this.#closing.abort();
    await withinReason(this.#pool.end());
  }

  async #with<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    if (this.closing.aborted) throw new Error("it was closed");
    const client = await this.#pool.connect();
    let failed: unknown;
    try {
      return await work(queryable(client));
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      client.release(failed !== undefined && isBroken(failed));
    }
  }

  #transaction<T>(begin: string, work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.#with(async (on) => {
      await on.query({ text: begin });
      try {
        const result = await work(on);
        await on.query({ text: "COMMIT" });
        return result;
      } catch (error) {
        // A connection that broke has rolled back by itself.
        if (!isBroken(error)) await on.query({ text: "ROLLBACK" });
        throw error;
      }
    });
  }
}

/** The end of connections, unless the other side does not answer: it is as good as ended then. */
export async function withinReason(ended: Promise<unknown>): Promise<void> {
  const given = new AbortController();
  await Promise.race([ended.catch(() => {}), sleep(farewellMs, undefined, { signal: given.signal }).catch(() => {})]);
  given.abort();
}

function queryable(client: pg.ClientBase): Queryable {
  return {
    async query<Row extends object>({ name, text, values }: Statement) {
      const given = { ...(name !== undefined && { name }), text, ...(values !== undefined && { values: [...values] }) };
      return (await client.query<Row>(given)).rows;
    },
  };
}
