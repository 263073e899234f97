import { randomInt } from "node:crypto";
import pg from "pg";
import { clientConfig, type Database, withinReason } from "./database.ts";
import { decodeText, encodeText } from "./text.ts";

/** What a process announced to the others: a kind, and the run that it is about where it is about one. */
export interface Notice {
  readonly kind: string;
  readonly runId?: string;
}

type Listener = (notice: Notice) => void;

const beatMs = 1_000;
const longestPauseMs = 1_000;

/**
 * The one connection of a journal that stays open: it says that this journal is alive (by a lock that ends with the connection, and a sign of life every second), and it
 * hears what other processes tell. It is made when something needs it, and made again where it breaks.
 */
export class Session {
  readonly #database: Database;
  readonly #schema: string;
  readonly #listeners = new Set<Listener>();
  #client: pg.Client | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #beat: NodeJS.Timeout | undefined;
  #pauseMs = 50;
  /** This journal among those that are open; another one after each connection. */
  presence = 0;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Resolves when the others can see that this journal is alive. @throws RuntimeError JOURNAL_OPEN */
  open(): Promise<void> {
    if (this.#client !== undefined) return Promise.resolve();
    this.#opening ??= this.#database
      .patiently("open", () => this.#connect())
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Calls `listener` for what processes tell, and with the kind `missed` where something may not have been heard. @returns stops that */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#client !== undefined) return () => this.#listeners.delete(listener);
    this.open().then(
      () => this.#listeners.has(listener) && listener({ kind: "missed" }),
      // Listeners look from time to time as well; the next use of the journal reports the error.
      () => {},
    );
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beat);
    await this.#opening?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await withinReason(client.end());
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(clientConfig(this.#database.settings));
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload = "" }) => this.#tell(readNotice(payload)));
    try {
      await client.connect();
      // A machine that vanished without a word is noticed by the server within some seconds, and its lock ends.
      await client.query("SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3");
      const presence = await this.#lock(client);
      await client.query(sign(this.#schema, presence));
      await client.query(
        `DELETE FROM ${this.#schema}.presences WHERE presence > 0 AND seen_at < clock_timestamp() - interval '1 hour'`,
      );
      await client.query(`LISTEN ${channelOf(this.#schema)}`);
      this.presence = presence;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (this.#isClosed) return void (await client.end());
    // It keeps no process alive; the declarations of `pg` leave the method out.
    (client as pg.Client & { unref(): void }).unref();
    this.#client = client;
    this.#pauseMs = 50;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#sign(client), beatMs).unref();
  }

  /** Takes the lock of a number that no other journal has, or of the number this one had before. */
  async #lock(client: pg.Client): Promise<number> {
    for (let presence = this.presence || randomInt(1, 2 ** 31); ; presence = randomInt(1, 2 ** 31)) {
      const text = "SELECT pg_try_advisory_lock($1, $2) AS locked";
      const { rows } = await client.query<{ locked: boolean }>(text, [lockClass(this.#schema), presence]);
      if (rows[0]?.locked === true) return presence;
      // The server may not have noticed yet that the connection before is gone: its lock is ours.
      if (presence === this.presence) return presence;
    }
  }

  #sign(client: pg.Client): void {
    client.query(sign(this.#schema, this.presence)).catch(() => {
      // An answer that does not come: the connection is of no use.
      client.end().catch(() => {});
      this.#lost(client);
    });
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    clearInterval(this.#beat);
    this.#again();
  }

  #again(): void {
    setTimeout(() => {
      if (this.#isClosed || this.#client !== undefined) return;
      this.#connect().then(
        () => this.#tell({ kind: "missed" }),
        () => {
          this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
          this.#again();
        },
      );
    }, this.#pauseMs).unref();
  }

  #tell(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice);
  }
}

/** The channel of a journal's notices. */
export function channelOf(schema: string): string {
  return `planloom_${schema}`;
}

/** The first number of the locks that say which journals of a schema are open. */
export function lockClass(schema: string): number {
  let hash = 0x504c;
  for (const character of schema) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) & 0x7fffffff;
  return hash;
}

/** Number 0 is nobody's: its time is when the first sign came after the table was made, or emptied by a crash of the server. */
function sign(schema: string, presence: number) {
  return {
    text: `INSERT INTO ${schema}.presences AS known (presence, seen_at) VALUES ($1, clock_timestamp()), (0, clock_timestamp())
      ON CONFLICT (presence) DO UPDATE SET seen_at = excluded.seen_at WHERE known.presence > 0`,
    values: [presence],
  };
}

/** A notice as text: its kind, and the run after a space. */
export function noticeText({ kind, runId }: Notice): string {
  const text = runId === undefined ? kind : `${kind} ${encodeText(runId)}`;
  // Postgres takes 8,000 bytes: listeners of all runs look, then.
  return Buffer.byteLength(text) < 7_900 ? text : kind;
}

function readNotice(text: string): Notice {
  const at = text.indexOf(" ");
  return at === -1 ? { kind: text } : { kind: text.slice(0, at), runId: decodeText(text.slice(at + 1)) };
}
