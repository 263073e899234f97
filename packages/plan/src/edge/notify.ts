import { thrownText } from "./callback-error.ts";
import { isThenable } from "./promises.ts";

/**
 * Calls a listener and does not wait for it. What it throws, and what a promise that it returns rejects with, goes to `onFault` and
 * nowhere else.
 */
export function notify<Event>(
  listener: (event: Event) => unknown,
  event: Event,
  onFault: (error: unknown) => unknown,
): void {
  try {
    const returned = listener(event);
    if (isThenable(returned)) new Promise((resolve) => resolve(returned)).catch(onFault);
  } catch (error) {
    onFault(error);
  }
}

/**
 * Warns of faults that do not end the work (`process.emitWarning`, type `PlanloomWarning`): of the 1st, 10th, 100th and so on, since a
 * listener that fails once usually fails at every event.
 */
export class FaultLog {
  #count = 0;

  /**
   * @param callback the name of the user's function: `onEvent`
   * @param effect what follows from the fault.
   */
  report(callback: string, error: unknown, effect = "which changes nothing else"): void {
    this.#count += 1;
    if (!/^10*$/.test(String(this.#count))) return;
    const times = this.#count === 1 ? "" : ` (${this.#count} faults so far; most are not shown)`;
    process.emitWarning(`\`${callback}\` failed, ${effect}: ${thrownText(error)}${times}`, {
      type: "PlanloomWarning",
    });
  }
}
