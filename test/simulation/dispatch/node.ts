import { type Journal, type LeaseOwner, type RunChange, RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import { leasedError } from "@planloom/runtime/journal-parts";
import type { Database, Statement } from "../../../packages/postgres/src/connection/database.ts";
import type { Notice } from "../../../packages/postgres/src/connection/session.ts";
import { Heads } from "../../../packages/postgres/src/heads.ts";
import { OutputCache } from "../../../packages/postgres/src/rows/output-cache.ts";
import type { SimulatedProcess } from "../world.ts";
import { type Cluster, type ClusterNode, leaseMs } from "./cluster.ts";
import { statements } from "./statements.ts";

/** How long a broken connection may keep a statement from being done before it is given up, as journals do. */
const patienceMs = 20_000;
const answerTimeoutMs = 10_000;
/** After how long the server notices that a machine cannot be reached. */
const keepaliveMs = 5_000;

/** A process with its way to the database. */
export class Node implements ClusterNode {
  readonly cluster: Cluster;
  readonly process: SimulatedProcess;
  readonly presence: number;
  readonly outputs = new OutputCache("planloom");
  readonly heads = new Heads("planloom", undefined, leaseMs);
  readonly #listeners = new Set<(notice: Notice) => void>();
  #apartSinceMs = Number.POSITIVE_INFINITY;
  #apartUntilMs = 0;

  constructor(cluster: Cluster, process: SimulatedProcess) {
    this.cluster = cluster;
    this.process = process;
    this.presence = process.number + 1;
    cluster.nodes.add(this);
    cluster.presences.set(this.presence, { seenMs: cluster.world.nowMs, node: this });
    cluster.world.within(process, () => {
      setInterval(() => {
        const presence = cluster.presences.get(this.presence);
        if (!this.isApart && presence !== undefined) presence.seenMs = cluster.world.nowMs;
      }, 1_000);
    });
  }

  /** Nothing of it reaches the database for so long. */
  part(forMs: number): void {
    const { world } = this.cluster;
    this.#apartSinceMs = world.nowMs;
    this.#apartUntilMs = world.nowMs + forMs;
    world.schedule(this.process, forMs + 1, () => this.tell({ kind: "missed" }));
  }

  get isApart(): boolean {
    return this.cluster.world.nowMs < this.#apartUntilMs;
  }

  get isNoticedApart(): boolean {
    return this.isApart && this.cluster.world.nowMs - this.#apartSinceMs > keepaliveMs;
  }

  tell(notice: Notice): void {
    for (const listener of [...this.#listeners]) listener(notice);
  }

  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Does `work` in the database at once, and gives what it gave, each way in its time. While the database cannot be reached it is tried again, as a journal does.
   * @param mayRepeat it is done again where its answer is lost
   */
  async statement<T>(kind: "read" | "write", work: () => T | Promise<T>, mayRepeat = false): Promise<T> {
    const { world, dice } = this.cluster;
    const began = world.nowMs;
    for (;;) {
      await world.sleep(this.cluster.delayMs());
      if (this.isApart) {
        // The answer does not come; a new connection is not made either.
        await world.sleep(Math.min(answerTimeoutMs, Math.max(20, this.#apartUntilMs - world.nowMs)));
        if (world.nowMs - began > patienceMs) throw unreachable(kind);
        continue;
      }
      if (kind === "write" && world.nowMs < this.cluster.fullUntilMs)
        throw new RuntimeError(RuntimeErrorCode.JOURNAL_WRITE, "The disk of the simulated server is full.");
      const done = await work();
      await world.sleep(this.cluster.delayMs());
      if (mayRepeat && dice.chance(0.03)) continue;
      return done;
    }
  }

  /** As the classes of the package use it: statements are carried out by their names. */
  get database(): Database {
    const query = (statement: Statement) => {
      const { name = "" } = statement;
      const carryOut = statements[name];
      if (carryOut === undefined) throw new Error(`The simulated database knows no statement "${name}".`);
      return Promise.resolve(carryOut(this.cluster, statement.values ?? []));
    };
    const database = {
      name: "simulated",
      read: (work: (on: { query: typeof query }) => Promise<unknown>) => this.statement("read", () => work({ query })),
      // Announcements of work: here each is lost, since the simulated engine looks by itself.
      attempt: () => Promise.resolve([]),
      writeOnce: (statement: Statement) => this.statement("write", () => query(statement), true),
      write: (work: (on: { query: typeof query }) => Promise<unknown>) =>
        this.statement("write", () => work({ query })),
    };
    return database as unknown as Database;
  }

  /** Runs, with leases by the rule of Postgres. */
  get journal(): Journal {
    const { cluster } = this;
    const { memory, heads, world } = cluster;
    const live = (runId: string) => {
      const row = cluster.judged(runId);
      return row && this.heads.judge(row);
    };
    const begin = (runId: string, { token }: LeaseOwner) => {
      const { process, presence } = this;
      const updatedAt = heads.get(runId)?.updatedAt ?? cluster.updated();
      heads.set(runId, {
        token,
        node: process.name,
        presence,
        seenMs: world.nowMs,
        beat: 0,
        cancel: undefined,
        updatedAt,
      });
    };
    const own: Partial<Journal> = {
      createRun: (run, owner) =>
        this.statement("write", async () => {
          await memory.createRun(run, away(owner));
          begin(run.run_id, owner);
        }),
      openRun: (runId, owner, options) =>
        this.statement("write", async () => {
          const lease = live(runId);
          if (lease !== undefined) throw leasedError(runId, lease);
          const opened = await memory.openRun(runId, away(owner), options);
          begin(runId, owner);
          return opened;
        }),
      renewLease: (runId, owner) =>
        this.statement("write", async () => {
          await memory.renewLease(runId, away(owner));
          const head = heads.get(runId)!;
          Object.assign(head, { seenMs: world.nowMs, beat: head.beat + 1 });
          return { cancel: head.cancel ?? false };
        }),
      requestCancel: (runId, mode = "now") =>
        this.statement("write", () => {
          const head = heads.get(runId);
          if (head === undefined || live(runId) === undefined) return false;
          head.cancel = head.cancel === "now" ? "now" : mode;
          cluster.notify({ kind: "cancel", runId });
          return true;
        }),
      endRun: (runId, owner, status, certificate) =>
        this.statement("write", async () => {
          await memory.endRun(runId, away(owner), status, certificate);
          Object.assign(heads.get(runId)!, { token: null, cancel: undefined, updatedAt: cluster.updated() });
          cluster.notify({ kind: "ended", runId });
        }),
      watchChanges: (runId, listener) =>
        this.listen(({ kind, runId: about }) => {
          if (kind === "missed" || about === runId) listener(kind as RunChange);
        }),
    };
    return new Proxy(memory, {
      get: (target, key) => {
        const mine: unknown = Reflect.get(own, key);
        if (mine !== undefined) return mine;
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        const call = value.bind(target) as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => {
          const isWrite = given.some(isOwner) || /^(add|write|send|take)/.test(String(key));
          const sent = given.map((one) => (isOwner(one) ? away(one) : one));
          return this.statement(isWrite ? "write" : "read", () => call(...sent));
        };
      },
    });
  }
}

function unreachable(kind: "read" | "write"): RuntimeError {
  const code = kind === "read" ? RuntimeErrorCode.JOURNAL_READ : RuntimeErrorCode.JOURNAL_WRITE;
  return new RuntimeError(code, "The simulated database cannot be reached.");
}

/** For the journal in memory every owner is a process that has ended: whether a lease holds is judged by the rule of Postgres. */
function away({ token }: LeaseOwner): LeaseOwner {
  return { token, host: "nowhere", pid: 0 };
}

function isOwner(value: unknown): value is LeaseOwner {
  return typeof value === "object" && value !== null && "token" in value && "pid" in value;
}
