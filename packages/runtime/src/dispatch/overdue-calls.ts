import { longestTimerMs } from "@planloom/plan/internals";
import type { AskedCall } from "../admission/call-permit.ts";
import { callKinds } from "../call-kinds.ts";
import { pendingKey } from "../journal/pending-key.ts";
import type { AbandonedCall } from "../ports/abandoned-call.ts";
import type { Settings } from "../run-settings.ts";
import { attemptLimitMs } from "../task-execution/attempt-limit.ts";

/** A call that still ran past one of its limits, or ignored its signal. */
export interface OverdueCall {
  readonly call: Pick<AskedCall, "task_id" | "outer_task_id" | "nested" | "kind" | "resource">;
  readonly limit: AbandonedCall["limit"];
  /** The limit of one attempt of this call, in milliseconds; `Infinity` for none. */
  readonly timeoutMs: number;
}

type CallTimeLimits = Pick<
  Settings,
  | "taskTimeoutMs"
  | "taskTimeoutGiven"
  | "maxTaskTimeoutMs"
  | "totalTimeoutMs"
  | "idleTimeoutMs"
  | "bindTimeoutMs"
  | "abortGraceMs"
>;

interface Watched extends Pick<OverdueCall, "timeoutMs"> {
  readonly call: AskedCall;
  /** Milliseconds of `performance.now()` until when the attempt may last; `Infinity` once it lent its slots to a nested plan. */
  attemptUntil: number;
  readonly totalUntil: number;
}

/** The least that a call may be late, in milliseconds, so that the worker can report itself that it took too long. */
const leastSlackMs = 250;

/**
 * Watches, from the process of the run, the calls that are made elsewhere. A worker keeps the limits of its calls itself and reports
 * when a call ignores them; a worker that reports nothing is noticed here, since a tool that never yields lets no timer of its process fire.
 */
export class OverdueCalls {
  readonly #limits: CallTimeLimits;
  readonly #slackMs: number;
  readonly #onOverdue: (overdue: OverdueCall) => void;
  readonly #open = new Set<Watched>();
  /** When the first attempt of a task began, by `pendingKey`; it is of the same clock as `performance.now()`. */
  readonly #firstBegan = new Map<string, number>();
  #lastSign = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #closed = false;

  /** @param onOverdue is called once at most; nothing is watched any more then. */
  constructor(limits: CallTimeLimits, onOverdue: (overdue: OverdueCall) => void) {
    this.#limits = limits;
    this.#slackMs = Math.max(leastSlackMs, limits.abortGraceMs / 2);
    this.#onOverdue = onOverdue;
  }

  /** An attempt of the task began earlier than this watch, at `atMs` of `performance.now()`. */
  beganBefore(taskId: string, atMs: number): void {
    this.#firstBegan.set(pendingKey({ path: [], task_id: taskId }), atMs);
  }

  /** @returns what to call when its tasks in a nested plan take over, and when it is at its end. */
  begin(call: AskedCall): { readonly lend: () => void; readonly end: () => void } {
    const now = performance.now();
    const { totalTimeoutMs, bindTimeoutMs } = this.#limits;
    // The limit of the resource itself is not known in this process.
    const suitable = callKinds[call.resource.kind].mayLimitTime ? Number.POSITIVE_INFINITY : undefined;
    const own = attemptLimitMs(call.timeout_ms, suitable, this.#limits);
    const isBind = call.purpose === "bind";
    const timeoutMs = isBind ? bindTimeoutMs : own;
    const key = pendingKey(call);
    if (!isBind && !this.#firstBegan.has(key)) this.#firstBegan.set(key, now);
    const totalUntil = isBind ? Number.POSITIVE_INFINITY : this.#firstBegan.get(key)! + totalTimeoutMs;
    const watched: Watched = { call, timeoutMs, attemptUntil: now + timeoutMs, totalUntil };
    this.#open.add(watched);
    this.#lastSign = now;
    this.#arm(this.#earliest(watched).at);
    return {
      lend: () => {
        if (call.timeout_ms === undefined) watched.attemptUntil = Number.POSITIVE_INFINITY;
      },
      end: () => void this.#open.delete(watched),
    };
  }

  /** The worker that makes the calls gave a sign of life. */
  heard(): void {
    this.#lastSign = performance.now();
  }

  /** Handles a report that a call ignored its signal. */
  abandoned({ task_id, outer_task_id, nested, kind = "llm", uid = "", limit, timeout_ms }: AbandonedCall): void {
    if (this.#closed) return;
    const resource = { kind, id: uid, description: "" };
    const call = { task_id, outer_task_id, nested, kind, resource };
    this.close();
    this.#onOverdue({ call, limit, timeoutMs: timeout_ms ?? Number.POSITIVE_INFINITY });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#open.clear();
  }

  /** Ends of calls leave the timer alone: it looks again when it fires. */
  #arm(limitAt: number): void {
    const dueAt = limitAt + this.#slackMs;
    if (this.#closed || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    const inMs = dueAt - performance.now();
    if (inMs > longestTimerMs) return;
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, inMs));
  }

  #look(): void {
    const now = performance.now();
    const lateMs = now - this.#dueAt;
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (lateMs > leastSlackMs) {
      // This process itself was held up: messages that came meanwhile are still to be read.
      this.#dueAt = now + leastSlackMs;
      this.#timer = setTimeout(() => this.#look(), leastSlackMs);
      return;
    }
    let next = Number.POSITIVE_INFINITY;
    for (const watched of this.#open) {
      const { at, limit } = this.#earliest(watched);
      next = Math.min(next, at);
      // Timers may fire a moment early.
      if (at + this.#slackMs > now + 1) continue;
      const { call, timeoutMs } = watched;
      this.close();
      this.#onOverdue({ call, timeoutMs, limit: call.purpose === "bind" ? "bind" : limit });
      return;
    }
    this.#arm(next);
  }

  #earliest({ attemptUntil, totalUntil }: Watched): {
    readonly at: number;
    readonly limit: "attempt" | "idle" | "total";
  } {
    const idleUntil = this.#lastSign + this.#limits.idleTimeoutMs;
    if (attemptUntil <= totalUntil && attemptUntil <= idleUntil) return { at: attemptUntil, limit: "attempt" };
    return totalUntil <= idleUntil ? { at: totalUntil, limit: "total" } : { at: idleUntil, limit: "idle" };
  }
}
