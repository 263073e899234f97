/** What a task waits for. Plain JSON. */
export interface WaitView {
  /** When it ends, or its deadline passes: ISO 8601, UTC. Absent where a signal alone ends it. */
  readonly due_at?: string;
  /** The name of the signal that it waits for. */
  readonly event?: string;
  /** The key of that signal; absent for none. */
  readonly key?: string;
  /** How often a call that is repeated until a condition holds was made. */
  readonly polls?: number;
}

/** For people: `waits for payment (order 7) until 2026-12-01T14:00:00Z`. @param time gives the text for a time. @default as it is */
export function waitSentence(
  { due_at, event, key, polls }: WaitView,
  time: (iso: string) => string = (iso) => iso,
): string {
  const until = due_at === undefined ? "" : ` until ${time(due_at)}`;
  if (event !== undefined) return `waits for ${event}${key === undefined ? "" : ` (${key})`}${until}`;
  if (polls !== undefined) return `waits${until}, after ${polls} ${polls === 1 ? "call" : "calls"}`;
  return `waits${until}`;
}
