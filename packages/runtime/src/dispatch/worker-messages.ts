import type { Resource } from "@planloom/plan";
import type { AskedCall } from "../admission/call-permit.ts";
import type { CachedOutput } from "../cached-output.ts";
import type { RunEvent } from "../events.ts";
import type { ApprovalAnswer, CallRecord, NestedRecord, TaskUsage } from "../journal/journal.ts";
import type { AbandonedCall } from "../ports/abandoned-call.ts";
import type { FailedTask } from "../ports/failed-task.ts";
import type { TaskError } from "../task-error.ts";
import type { ChannelFault } from "./line-channel.ts";
import type { DispatchReply, DispatchRequest, TaskReport } from "./port/dispatcher.ts";
import type { ThrownElsewhere } from "./thrown-elsewhere.ts";

/** The file descriptor of a worker process by which it talks with its parent. */
export const channelFd = 3;

/** The messages to a worker process. Plain JSON. */
export type ToWorker =
  | { readonly type: "run"; readonly request: DispatchRequest }
  | { readonly type: "abort" }
  /** Asks for a `pong`. */
  | { readonly type: "ping" }
  /** A person's answer that came meanwhile. */
  | { readonly type: "answer"; readonly answer: ApprovalAnswer }
  /** To `ask`. */
  | { readonly type: "permit"; readonly id: number; readonly given: "go" }
  | { readonly type: "permit"; readonly id: number; readonly given: "blocked" | "refused"; readonly error: TaskError }
  /** Nothing is left for the call of that permit. */
  | { readonly type: "exhausted"; readonly id: number }
  /** To `find`; absent: nothing is known, or the store cannot be read. */
  | { readonly type: "found"; readonly id: number; readonly cached?: CachedOutput }
  /** To `secret`: its text, or why it cannot be had. */
  | { readonly type: "secret"; readonly id: number; readonly text: string }
  | { readonly type: "secret"; readonly id: number; readonly error: TaskError }
  /** To `report`, `nested`, `calls` and `keep`; false: the journal does not take it. */
  | { readonly type: "taken"; readonly id: number; readonly ok: boolean };

/** The messages from a worker process. Plain JSON. */
export type ToParent =
  /** Its module is loaded. */
  | { readonly type: "ready" }
  /** Its module cannot be loaded. */
  | { readonly type: "broken"; readonly message: string }
  /** To `ping`: its event loop turns. */
  | { readonly type: "pong" }
  | { readonly type: "event"; readonly event: RunEvent }
  | { readonly type: "ask"; readonly id: number; readonly call: AskedCall }
  /** What happens with the call of permit `id`. */
  | { readonly type: "note" | "lend" | "settle" | "withdraw"; readonly id: number; readonly used: TaskUsage }
  | { readonly type: "calls"; readonly id: number; readonly calls: readonly CallRecord[] }
  | { readonly type: "learn"; readonly value: unknown }
  /** An attempt or a binding failed by it. */
  | { readonly type: "threw"; readonly thrown: ThrownElsewhere; readonly about: FailedTask }
  | { readonly type: "report"; readonly id: number; readonly report: TaskReport }
  | { readonly type: "nested"; readonly id: number; readonly records: readonly NestedRecord[] }
  /** The output of an equal call. */
  | { readonly type: "find"; readonly id: number; readonly key: string }
  | { readonly type: "keep"; readonly id: number; readonly key: string; readonly cached: CachedOutput }
  /** The text of a secret for a call. */
  | { readonly type: "secret"; readonly id: number; readonly name: string; readonly resource: Resource }
  /** A call ignored its signal and still runs: nothing more is reported, and the process has to be ended. */
  | { readonly type: "abandoned"; readonly call: AbandonedCall }
  | { readonly type: "done"; readonly reply: DispatchReply }
  | {
      readonly type: "failed";
      readonly message: string;
      /** What the channel cannot carry, and its limit. */
      readonly problem?: ChannelFault["problem"];
      readonly max_bytes?: number;
    };
