import type { RunClaim } from "@planloom/plan/internals";
import type { TaskError } from "../../task-error.ts";
import type { Contenders } from "../contenders.ts";
import type { Counter } from "../counter.ts";
import type { PoolNeed } from "./arena.ts";
import type { BudgetShare } from "./budget-share.ts";
import type { SharedTokens } from "./shared-tokens.ts";

/** Units of a limit that processes share, as far as this one has them. */
export type PoolPart = Counter | SharedTokens;

/** Calls of one tenant to one resource, as those who share limits with other processes see them. */
export interface SharedLane {
  /** `kind:uid` of the resource. */
  readonly key: string;
  readonly tenantKey: string;
  /** Of its tenant, beside others. */
  readonly tenantWeight: number;
  /** Calls that wait. */
  readonly size: number;
  readonly needs: readonly PoolNeed[];
  readonly poolParts: readonly PoolPart[];
  /** The strongest claim among the runs whose calls wait. */
  readonly strongest: RunClaim | undefined;
  /** Calls let in since the last exchange with the other processes, and the claim of the last of them. */
  started: number;
  readonly startedBy: RunClaim | undefined;
}

/** A call that a run may ask for in a moment, since one of its calls has just ended. */
export interface ExpectedCall {
  /** That of the call which has ended. */
  readonly lane: SharedLane;
  readonly claim: RunClaim;
  /** Limits that it counts in, of which a slot was lacking. */
  readonly full: readonly Counter[];
  /** For how long it is expected, in milliseconds. */
  readonly leftMs: number;
}

/** Calls that wait in this process. */
export interface SharedQueue<Lane extends SharedLane = SharedLane> {
  share: CallShare | undefined;
  /** Calls that wait. */
  readonly waiting: number;
  /** Lanes with calls that wait. */
  waitingLanes(): Iterable<Lane>;
  /** Calls that runs may ask for in a moment. */
  expected(): readonly ExpectedCall[];
  /** Lets the lane's next call in, whose turn it is among all processes. */
  letIn(lane: Lane): void;
  /** Lets in the waiting calls that may go. */
  pump(): void;
  /** The runs that use or want slots. */
  readonly contenders: Contenders;
  /** No slot can be had. */
  refuseAll(error: TaskError): void;
}

/** The part of a queue of calls in the exchange between processes that share limits. */
export interface CallShare {
  readonly budgets: BudgetShare;
  /** False where too much time has passed to use what it has without asking. */
  readonly isFresh: boolean;
  /** A call waits. */
  want(lane: SharedLane): void;
  /** A call of the lane was let in. */
  started(lane: SharedLane): void;
  /** Units are free again. */
  released(counters: readonly Counter[]): void;
}
