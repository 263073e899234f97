import type { CancelMode, LeaseOwner } from "@planloom/runtime";
import {
  type ChainEntry,
  cancelCode,
  firstHead,
  keyError,
  keyMark,
  type Lease,
  leasedError,
  leaseLostError,
  livenessOf,
  nextHead,
  type ProcessIdentity,
  parseRecord,
  thisProcess,
} from "@planloom/runtime/journal-parts";
import type { Queryable, Statement } from "./connection/database.ts";
import { lockClass } from "./connection/session.ts";
import { decodeText, encodeText } from "./connection/text.ts";

/** A journal whose connection is gone and that has given no sign of life for this long, in milliseconds, is gone. */
export const goneMs = 3_000;

/** The row that every write of a run locks. */
export interface Head {
  readonly chain_length: number;
  readonly chain_head: string;
  readonly chain_key: string;
  /** Null where nobody holds the run. */
  readonly token: string | null;
}

interface HeadRow extends Pick<Head, "token"> {
  readonly host: string | null;
  readonly pid: number | null;
  readonly process: string | null;
  readonly beat: number;
  /** Milliseconds since the session that holds the run gave a sign of life, by the clock of the server. */
  readonly silent_ms: number;
  /** Milliseconds since the session or its process did. */
  readonly quiet_ms: number;
  /** Whether the connection of its journal is open. */
  readonly present: boolean;
}

/** The ends of the chains of checksums, the links that are added to them, and the leases of runs. Works in transactions of the caller. */
export class Heads {
  readonly #schema: string;
  readonly #key: string | undefined;
  readonly #mark: string;
  readonly #leaseMs: number;

  /** @param key of the HMAC. @param leaseMs how long a holder that is connected may give no sign of life */
  constructor(schema: string, key: string | undefined, leaseMs: number) {
    this.#schema = schema;
    this.#key = key;
    this.#mark = keyMark(key);
    this.#leaseMs = leaseMs;
  }

  /** Locks the run until the transaction ends. Undefined where there is no such run. */
  async lock(on: Queryable, runId: string): Promise<Head | undefined> {
    const text = `SELECT chain_length, chain_head, chain_key, token FROM ${this.#schema}.heads WHERE run_id = $1 FOR UPDATE`;
    const [head] = await on.query<Head>({ name: "head", text, values: [encodeText(runId)] });
    return head;
  }

  /** The head of a run that is about to be begun. */
  first(runId: string): Head {
    return { chain_length: 0, chain_head: firstHead(runId), chain_key: this.#mark, token: null };
  }

  /**
   * The link that adds entries to a chain, and the head after it.
   * @throws RuntimeError JOURNAL_KEY for a run whose chain was begun with another key
   */
  next(runId: string, head: Head, entries: readonly ChainEntry[]): { readonly head: Head; readonly entries: string } {
    const { chain_length, chain_head, chain_key } = head;
    if (chain_key !== "" && chain_key !== this.#mark)
      throw keyError(runId, this.#key === undefined ? "absent" : "other");
    const link = chain_length + 1;
    const text = JSON.stringify(entries.flat());
    const after = nextHead(chain_head, link, text, chain_key === "" ? undefined : this.#key);
    return { head: { ...head, chain_length: link, chain_head: after }, entries: text };
  }

  /** The lease of a run, unless its holder is gone: who may not take the run, and why. */
  async liveLease(on: Queryable, runId: string): Promise<Lease | undefined> {
    const text = `SELECT ${judgedColumns(this.#schema, "heads")} FROM ${this.#schema}.heads
      LEFT JOIN ${this.#schema}.presences USING (presence) WHERE run_id = $1`;
    const [row] = await on.query<HeadRow>({ name: "lease", text, values: [encodeText(runId)] });
    return row && this.judge(row);
  }

  /** @throws RuntimeError RUN_LEASED while a process that is alive holds the run */
  async refuseLeased(on: Queryable, runId: string, head: Head): Promise<void> {
    if (head.token === null) return;
    const lease = await this.liveLease(on, runId);
    if (lease !== undefined) throw leasedError(runId, lease);
  }

  /**
   * The lease that a row speaks of, unless its holder is gone. Of a process of this boot the system knows whether it is dead. Of any other, its
   * journal's connection and its signs of life say so, by the clock of the server alone.
   */
  judge({ token, host, pid, process, beat, silent_ms, quiet_ms, present }: HeadRow): Lease | undefined {
    if (token === null) return undefined;
    const identity = process === null ? undefined : parseRecord<ProcessIdentity>(process);
    const owner: LeaseOwner = {
      token: decodeText(token),
      host: decodeText(host ?? ""),
      pid: pid ?? 0,
      ...(identity !== undefined && { process: identity }),
    };
    const here = thisProcess();
    const boots = [identity?.boot, here.process.boot];
    const isElsewhere = boots.every((boot) => boot !== undefined) && boots[0] !== boots[1];
    if (!isElsewhere && livenessOf(owner, here) === "dead") return undefined;
    if (isSilent({ silent_ms, quiet_ms, present }, this.#leaseMs)) return undefined;
    return { owner, beat };
  }

  /** The head of a new run that `owner` holds. Undefined where there is a run of this id. */
  async begin(on: Queryable, runId: string, owner: LeaseOwner, presence: number): Promise<Head | undefined> {
    const first = this.first(runId);
    const text = `INSERT INTO ${this.#schema}.heads (run_id, chain_length, chain_head, chain_key, token, host, pid, process, presence, seen_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING run_id`;
    const { chain_length, chain_head, chain_key } = first;
    const values = [encodeText(runId), chain_length, chain_head, chain_key, ...ownerValues(owner), presence];
    const begun = await on.query({ text, values });
    return begun.length === 0 ? undefined : { ...first, token: encodeText(owner.token) };
  }

  /** `owner` says that it lives. The statement gives whether the run is to be cancelled, and no row where another holds it. */
  renewal(runId: string, owner: LeaseOwner, presence: number): Statement {
    const text = `UPDATE ${this.#schema}.heads SET beat = beat + 1, seen_at = clock_timestamp(), presence = $3
      WHERE run_id = $1 AND token = $2 RETURNING cancel`;
    return { name: "renew", text, values: [encodeText(runId), encodeText(owner.token), presence] };
  }

  /** Who holds the run hears of it with its next sign of life. A run that is to stop now is not asked again to drain. */
  async askToCancel(on: Queryable, runId: string, mode: CancelMode): Promise<void> {
    const text = `UPDATE ${this.#schema}.heads SET cancel = CASE WHEN cancel = 1 THEN 1 ELSE $2::int END WHERE run_id = $1`;
    await on.query({ text, values: [encodeText(runId), cancelCode(mode)] });
  }

  /** Nobody holds the run any more. */
  async release(on: Queryable, runId: string): Promise<void> {
    const text = `UPDATE ${this.#schema}.heads SET token = NULL, process = NULL, presence = NULL, cancel = 0 WHERE run_id = $1`;
    await on.query({ text, values: [encodeText(runId)] });
  }

  /** Gives the run to `owner`. */
  async take(on: Queryable, runId: string, owner: LeaseOwner, presence: number): Promise<void> {
    const text = `UPDATE ${this.#schema}.heads SET token = $2, host = $3, pid = $4, process = $5, presence = $6, beat = 0,
      seen_at = clock_timestamp(), cancel = 0 WHERE run_id = $1`;
    await on.query({ text, values: [encodeText(runId), ...ownerValues(owner), presence] });
  }
}

/**
 * Whether who holds something counts as gone: for its silence alone, or sooner where its process gives no sign and its connection has ended. That a process lives does not keep a
 * lease whose session has ended without being able to say so.
 */
export function isSilent(
  { silent_ms, quiet_ms, present }: Pick<HeadRow, "silent_ms" | "quiet_ms" | "present">,
  leaseMs: number,
): boolean {
  return silent_ms > leaseMs || (!present && quiet_ms > goneMs);
}

/** Token, host, process id and identity, as they are stored. */
export function ownerValues({ token, host, pid, process }: LeaseOwner): readonly unknown[] {
  return [encodeText(token), encodeText(host), pid, process === undefined ? null : JSON.stringify(process)];
}

/** @throws RuntimeError LEASE_LOST unless `owner` holds the run */
export function checkHolder(runId: string, head: Head | undefined, { token }: LeaseOwner): asserts head is Head {
  if (head?.token !== encodeText(token)) throw leaseLostError(runId);
}

/**
 * Since when the table of presences has signs of life: it is empty after a crash of the server, whose start says nothing then, and its first row is this one.
 * Before anybody has signed it is now.
 */
export function heardSince(schema: string): string {
  return `coalesce((SELECT first.seen_at FROM ${schema}.presences AS first WHERE first.presence = 0), clock_timestamp())`;
}

/**
 * The columns that `judge` looks at. A server that has just started has heard of nobody yet, so that silence is counted from its start.
 * @param heads name of the table of heads, with `presences` joined to it
 */
export function judgedColumns(schema: string, heads: string): string {
  const began = heardSince(schema);
  return `${heads}.token, ${heads}.host, ${heads}.pid, ${heads}.process, ${heads}.beat,
    ${millisecondsSince(`${heads}.seen_at`, began)} AS silent_ms, ${millisecondsSince(`${heads}.seen_at`, "presences.seen_at", began)} AS quiet_ms,
    ${presentCondition(schema, `${heads}.presence`)} AS present`;
}

/** Since the latest of these times, and of the start of the server. */
export function millisecondsSince(...times: readonly string[]): string {
  return `(1000 * extract(epoch FROM clock_timestamp() - greatest(${times.join(", ")}, pg_postmaster_start_time())))::float8`;
}

/** Whether the journal of a presence has its connection. @param presence an expression */
export function presentCondition(schema: string, presence: string): string {
  return `EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass(schema)} AND objid::int8 = ${presence}
      AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
}
