import { callbackError } from "./callback-error.ts";
import { longestTimerMs } from "./timer-ms.ts";

/**
 * Awaits a function of the user's for at most `limitMs` milliseconds; `Infinity` for no limit. A later result or rejection is ignored.
 * @param callback its name as the user knows it: `journal.record`
 * @throws PlanError CALLBACK (rejects) when it has not settled in time; otherwise with what it throws or rejects with
 */
export function callWithin<Value>(
  callback: string,
  limitMs: number,
  call: () => PromiseLike<Value> | Value,
): Promise<Value> {
  // The native constructor turns a synchronous throw into a rejection, and takes only the first of several answers.
  return new Promise((resolve, reject) => {
    const given = call();
    const work = given instanceof Promise ? given : new Promise<Value>((settle) => settle(given));
    if (limitMs > longestTimerMs) {
      work.then(resolve, reject);
      return;
    }
    const timer = setTimeout(() => {
      reject(callbackError(callback, "timeout", `\`${callback}\` has not settled within ${limitMs} ms.`));
    }, limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
