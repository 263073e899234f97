/** `<1 ms`, `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 1) return ms > 0 ? "<1 ms" : "0 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** `1 task`, `12 tasks`. */
export const count = (many: number, what: string) => `${many.toLocaleString("en")} ${what}${many === 1 ? "" : "s"}`;

export const clock = (time: number | string) =>
  new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const dateAndClock = (time: string) =>
  new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });

/** `1.2 MB`. */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  if (size < 1_000_000) return `${(size / 1_000).toFixed(1)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

/** What a task waits for: `waits for payment of order-7`, `waits 20 h 00 min`, `waits until 2026-12-01T09:00Z`. */
export function waitWords({ event, key, for_ms, until }: Partial<Record<string, unknown>>): string {
  if (event !== undefined) return `waits for ${event}${key === undefined ? "" : ` of ${key}`}`;
  if (until !== undefined) return `waits until ${until}`;
  return `waits ${typeof for_ms === "number" ? duration(for_ms) : for_ms}`;
}
