import { timerMs } from "@planloom/plan";

/** How long a call may take to stop after it was asked to, in milliseconds. */
const abortGraceMs = 1_000;

/**
 * Waits for `work`, which was handed the same signal. After an abort it waits for `work` to stop, at most `graceMs`, then
 * rejects with `signal.reason`: a controller that ignores its signal cannot hold its caller.
 */
export async function settleOnAbort<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  graceMs = abortGraceMs,
): Promise<Value> {
  if (signal === undefined) return work;
  let stop = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => {
      timer = setTimeout(() => reject(signal.reason), timerMs(graceMs));
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    };
  });
  try {
    const value = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return value;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    stop();
  }
}
