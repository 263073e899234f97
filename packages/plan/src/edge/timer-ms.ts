/** Longest time that a timer can take, in milliseconds: one that is longer fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** So many milliseconds as a timer can take: a longer time, `Infinity` too, would be over at once. The longest are 24 days. */
export function timerMs(ms: number): number {
  return Math.min(ms, longestTimerMs);
}
