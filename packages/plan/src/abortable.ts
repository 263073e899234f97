/**
 * Settles with `work`, or rejects with the signal's reason if that comes first, whether `work` heeds the signal or not.
 * @param drop called with what `work` gives after that, which no one waits for any more; what it throws is dropped, too
 */
export async function abortable<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal,
  drop: (late: Value) => unknown = () => undefined,
): Promise<Value> {
  const settled = Promise.resolve(work);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted.promise, settled]);
  } catch (error) {
    if (signal.aborted) settled.then(drop).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
