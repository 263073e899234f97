/**
 * Reads a Retry-After header: seconds or an HTTP date. `retry-after-ms`, which some services send, is more exact.
 * @param now milliseconds since the epoch, for dates.
 * @returns milliseconds, at least 0; `undefined` without one that can be read.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = headers.get("retry-after-ms");
  if (milliseconds !== null && /^\d{1,12}(\.\d+)?$/.test(milliseconds.trim())) {
    return Number(milliseconds);
  }
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(value)) {
    return Number(value) * 1000;
  }
  // Only what looks like a date: Date.parse reads "-5" as one.
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
