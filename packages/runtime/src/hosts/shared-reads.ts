/**
 * Makes a function that reads for several callers at once. A call that comes during a read gets the next read, since the one under way may have missed what it asks about; all such calls share
 * that one. A read that fails rejects for all who wait for it.
 */
export function sharedReads(read: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    current = read().finally(() => {
      // Where another read is to follow, those that come until it begins wait for that one too.
      if (next === undefined) current = undefined;
    });
    return current;
  };
  return () => {
    if (current === undefined) return begin();
    next ??= current.then(begin, begin);
    return next;
  };
}
