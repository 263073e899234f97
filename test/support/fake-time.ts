import { vi } from "vitest";

/** Lets the event loop turn, so that what is due without a timer happens. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Fakes `setTimeout` and `performance.now` until it is disposed of: where nothing happens without a timer, the time of the next timer
 * comes at once. For what waits for no file, process or socket. What is imported from `node:timers` stays real.
 */
export function fakeTime(): Disposable {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let isOver = false;
  const drive = async () => {
    while (!isOver) {
      await turns();
      if (!isOver) await vi.advanceTimersToNextTimerAsync();
    }
  };
  void drive();
  return {
    [Symbol.dispose]() {
      isOver = true;
      vi.useRealTimers();
    },
  };
}
