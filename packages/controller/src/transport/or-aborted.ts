/**
 * What `work` gives, or the signal's reason once it is aborted, whether `work` heeds the signal or not.
 * @param drop called with what comes after an abort, which nobody waits for any more
 */
export async function orAborted<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal,
  drop: (late: Value) => unknown = () => undefined,
): Promise<Value> {
  const settled = Promise.resolve(work);
  let follow = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    follow = () => reject(signal.reason);
  });
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  try {
    return await Promise.race([aborted, settled]);
  } catch (error) {
    if (signal.aborted) settled.then(drop).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", follow);
  }
}
