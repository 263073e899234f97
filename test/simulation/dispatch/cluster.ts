import { memoryJournal } from "@planloom/runtime";
import type { Notice } from "../../../packages/postgres/src/connection/session.ts";
import type { Dice } from "../scenario.ts";
import type { SimulatedProcess, World } from "../world.ts";

/** Who holds a run, as the table of heads has it. */
export interface HeadState {
  token: string | null;
  node: string;
  presence: number;
  seenMs: number;
  beat: number;
  cancel: "now" | "drain" | undefined;
  updatedAt: number;
}

export interface DispatchState {
  readonly parent: string;
  queue: string;
  request: string;
  attempt: number;
  isOpen: boolean;
  deaths: number;
  recorded: number;
  /** The lease of the run under which the attempt was opened. */
  asker?: string | null | undefined;
}

export interface WorkflowState {
  readonly id: string;
  readonly queue: string;
  readonly given: readonly [string, number];
  status: "ENQUEUED" | "PENDING" | "SUCCESS" | "ERROR" | "CANCELLED";
  executorId?: string;
  error?: string;
}

export interface WorkerState {
  readonly queue: string;
  readonly className: string;
  readonly concurrency: number;
  readonly resources: string;
}

export const leaseMs = 30_000;

/** A process as the database sees it. */
export interface ClusterNode {
  readonly process: SimulatedProcess;
  /** Whether nothing of it reaches the database now. */
  readonly isApart: boolean;
  /** Whether the server has noticed that. */
  readonly isNoticedApart: boolean;
  tell(notice: Notice): void;
}

/** The database that all processes of a world have together: what tables would have, in memory, with the rules of Postgres for what is done at once. */
export class Cluster {
  readonly world: World;
  readonly dice: Dice;
  readonly memory = memoryJournal({ maxEndedRuns: Number.POSITIVE_INFINITY });
  readonly heads = new Map<string, HeadState>();
  readonly presences = new Map<number, { seenMs: number; readonly node: ClusterNode }>();
  readonly dispatches = new Map<string, DispatchState>();
  /** Large outputs by the run that has them and their checksum. */
  readonly blobs = new Map<string, string>();
  readonly orphans = new Map<string, string>();
  readonly workers = new Map<number, WorkerState>();
  readonly workflows = new Map<string, WorkflowState>();
  readonly mail = new Map<string, Map<number, string>>();
  readonly nodes = new Set<ClusterNode>();
  readonly journalMs: number;
  /** Until when the server can write nothing. */
  fullUntilMs = 0;
  #updates = 0;

  constructor(world: World, dice: Dice, journalMs: number) {
    this.world = world;
    this.dice = dice;
    this.journalMs = journalMs;
  }

  updated(): number {
    return ++this.#updates;
  }

  /** What listeners of all processes get, each after its time, unless its connection is broken then. */
  notify(notice: Notice): void {
    for (const node of this.nodes) {
      if (!node.process.alive || node.isApart || this.dice.chance(0.05)) continue;
      this.world.schedule(node.process, this.delayMs(), () => node.tell(notice));
    }
  }

  delayMs(): number {
    return this.journalMs > 0 && this.dice.chance(0.3) ? this.dice.between(1, this.journalMs) : 0;
  }

  /** The row that `Heads.judge` looks at. */
  judged(runId: string) {
    const head = this.heads.get(runId);
    if (head === undefined) return undefined;
    const { token, node, beat, presence } = head;
    const seenMs = Math.max(head.seenMs, this.presences.get(presence)?.seenMs ?? 0);
    const { nowMs } = this.world;
    return {
      ...{ token, host: node, pid: 1, process: null, beat },
      silent_ms: nowMs - head.seenMs,
      quiet_ms: nowMs - seenMs,
      present: this.isPresent(presence),
    };
  }

  isPresent(presence: number): boolean {
    const node = this.presences.get(presence)?.node;
    return node?.process.alive === true && !node.isNoticedApart;
  }
}
