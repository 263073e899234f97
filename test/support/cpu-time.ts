/** Milliseconds this thread computes from here to the call of the result: what a busy machine does not lengthen. */
export function cpuTimer(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Milliseconds this thread computes for `work`: the least of `repeats`. */
export function leastCpuMs(work: () => void, repeats = 5): number {
  const times = Array.from({ length: repeats }, () => {
    const cpuMs = cpuTimer();
    work();
    return cpuMs();
  });
  return Math.min(...times);
}
