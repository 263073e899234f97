import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseOwner } from "@planloom/runtime";
import { leaseLostError } from "@planloom/runtime/journal-parts";
import type { Database } from "../connection/database.ts";
import { isPassing, journalError } from "../connection/failures.ts";
import { decodeText, encodeText } from "../connection/text.ts";
import type { Head, Heads } from "../heads.ts";
import { groupStatement, type SealedWrite } from "./group-statement.ts";
import { RunRows } from "./run-rows.ts";

/** Rows and characters that one statement takes at most; what comes above goes into the next one. */
const maxRuns = 500;
const maxCharacters = 8 * 1024 * 1024;
const longestPauseMs = 1_000;

/** Writes of one run under one lease that wait for the statement before. */
interface Waiting {
  readonly runId: string;
  readonly token: string;
  readonly rows: RunRows;
  readonly settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
  /** What was sent of it, where it is unknown whether it was written. */
  sent: SealedWrite | undefined;
}

/**
 * Writes what runs record in groups: while one statement is under way, everything that comes in, of any run, waits for the next. So there is one round trip and one commit for as
 * many tasks as end meanwhile. A statement whose answer was lost is done again: the chain of checksums shows whether it was done before.
 */
export class GroupWriter {
  readonly #database: Database;
  readonly #schema: string;
  readonly #heads: Heads;
  /** By run and token, in the order in which they came. */
  #waiting = new Map<string, Waiting>();
  /** As this process last saw it. */
  readonly #known = new Map<string, Head>();
  #writing: Promise<void> | undefined;

  constructor(database: Database, schema: string, heads: Heads) {
    this.#database = database;
    this.#schema = schema;
    this.#heads = heads;
  }

  /** Resolves when what `fill` adds is committed. @throws RuntimeError LEASE_LOST, JOURNAL_WRITE, JOURNAL_KEY */
  write(runId: string, owner: LeaseOwner, fill: (rows: RunRows) => void): Promise<void> {
    const token = encodeText(owner.token);
    const key = `${runId}\n${token}`;
    let waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      waiting = { runId, token, rows: new RunRows(), settle: [], sent: undefined };
      this.#waiting.set(key, waiting);
    }
    fill(waiting.rows);
    const { settle } = waiting;
    const written = new Promise<void>((resolve, reject) => settle.push({ resolve, reject }));
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** The head of a run after a transaction of this journal, or `undefined` where nobody here writes it any more. */
  know(runId: string, head: Head | undefined): void {
    if (head === undefined) this.#known.delete(runId);
    else this.#known.set(runId, head);
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // What comes in within this turn of the event loop goes along.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) await this.#writeGroup(this.#take());
    this.#writing = undefined;
  }

  /** The next group: as much as one statement takes, and each run once. */
  #take(): Waiting[] {
    const taken = new Map<string, Waiting>();
    let characters = 0;
    for (const [key, waiting] of this.#waiting) {
      if (taken.size >= maxRuns || (taken.size > 0 && characters + waiting.rows.size > maxCharacters)) break;
      if (taken.has(waiting.runId)) continue;
      taken.set(waiting.runId, waiting);
      characters += waiting.rows.size;
      this.#waiting.delete(key);
    }
    return [...taken.values()];
  }

  /** Writes a group whole, or rejects those of it that cannot be written. Never throws. */
  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    const began = performance.now();
    let left = group;
    for (let pauseMs = 20; left.length > 0; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        left = await this.#attempt(left);
        continue;
      } catch (error) {
        const isOver = performance.now() - began > this.#database.settings.patienceMs || this.#database.closing.aborted;
        if (isOver || !isPassing(error)) {
          for (const waiting of left) this.#reject(waiting, journalError(error, this.#database.name, "write"));
          return;
        }
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  /** @returns those that are to be tried again, since another has added to the chain of their run meanwhile */
  async #attempt(group: readonly Waiting[]): Promise<Waiting[]> {
    const ready = await this.#seal(group);
    if (ready.length === 0) return [];
    const statement = groupStatement(
      this.#schema,
      ready.map(({ sent }) => sent!),
    );
    const rows = await this.#database.attempt<{ run_id: string }>(statement);
    const written = new Set(rows.map(({ run_id }) => decodeText(run_id)));
    const again: Waiting[] = [];
    for (const waiting of ready) {
      if (written.has(waiting.runId)) this.#resolve(waiting);
      else {
        this.#known.delete(waiting.runId);
        waiting.sent = undefined;
        again.push(waiting);
      }
    }
    return again;
  }

  /** Gives each the link that it adds to the chain of its run; settles those that are written already, or may not be. */
  async #seal(group: readonly Waiting[]): Promise<Waiting[]> {
    const unknown = group.filter(({ runId, sent }) => sent !== undefined || !this.#known.has(runId));
    const heads = await this.#readHeads(unknown);
    const asked = new Set(unknown);
    const ready: Waiting[] = [];
    for (const waiting of group) {
      const { runId, token, rows, sent } = waiting;
      if (asked.has(waiting)) {
        const read = heads.get(runId);
        if (read?.isSent === true) {
          this.#resolve(waiting);
          continue;
        }
        this.know(runId, read?.head);
      }
      const before = this.#known.get(runId);
      if (before === undefined || before.token !== token) {
        this.#reject(waiting, leaseLostError(runId));
        continue;
      }
      if (sent === undefined || sent.before.chain_head !== before.chain_head) {
        try {
          const { head: after, entries } = this.#heads.next(runId, before, rows.entries);
          waiting.sent = { runId, token, rows, before, after, entries };
        } catch (error) {
          this.#reject(waiting, error);
          continue;
        }
      }
      ready.push(waiting);
    }
    return ready;
  }

  /** The heads of runs, each with whether what was sent of the run is in its chain. */
  async #readHeads(group: readonly Waiting[]): Promise<ReadonlyMap<string, { head: Head; isSent: boolean }>> {
    if (group.length === 0) return new Map();
    const text = `SELECT given.run_id, chain_length, chain_head, chain_key, token, EXISTS (SELECT 1 FROM ${this.#schema}.chain
        WHERE chain.run_id = given.run_id AND chain.link = given.link AND chain.head = given.head) AS is_sent
      FROM unnest($1::text[], $2::int[], $3::text[]) AS given (run_id, link, head) JOIN ${this.#schema}.heads USING (run_id)`;
    const values = [
      group.map(({ runId }) => encodeText(runId)),
      group.map(({ sent }) => sent?.after.chain_length ?? null),
      group.map(({ sent }) => sent?.after.chain_head ?? null),
    ];
    const rows = await this.#database.attempt<Head & { run_id: string; is_sent: boolean }>({
      name: "heads",
      text,
      values,
    });
    return new Map(
      rows.map(({ run_id, is_sent, ...head }) => [decodeText(run_id), { head, isSent: is_sent }] as const),
    );
  }

  #resolve({ runId, sent, settle }: Waiting): void {
    if (sent !== undefined) this.know(runId, sent.after);
    for (const { resolve } of settle) resolve();
  }

  #reject({ runId, settle }: Waiting, error: unknown): void {
    this.#known.delete(runId);
    for (const { reject } of settle) reject(error);
  }
}
