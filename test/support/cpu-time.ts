/** Milliseconds this thread computes from here to the call of the result: what a busy machine does not lengthen. */
export function cpuTimer(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
