import { longestTimerMs } from "@planloom/plan/internals";

/** A signal that ends with the caller's or after a time, and leaves neither timer nor listener behind. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time was what ended it. */
  readonly passed: boolean;
  /** What is left of the time, in milliseconds. */
  readonly leftMs: number;
  [Symbol.dispose](): void;
}

/** @param timeoutMs milliseconds; above `longestTimerMs` there is no limit. */
export function startDeadline(signal: AbortSignal | undefined, timeoutMs: number): Deadline {
  const controller = new AbortController();
  const until = performance.now() + timeoutMs;
  let passed = false;
  const follow = () => controller.abort(signal?.reason);
  const timer =
    timeoutMs <= longestTimerMs
      ? setTimeout(() => {
          passed = true;
          controller.abort(new DOMException(`No answer within ${timeoutMs} ms.`, "TimeoutError"));
        }, timeoutMs)
      : undefined;
  if (signal?.aborted) {
    follow();
  } else {
    signal?.addEventListener("abort", follow, { once: true });
  }
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    get leftMs() {
      return Math.max(0, until - performance.now());
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", follow);
    },
  };
}
