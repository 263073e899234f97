import type { TaskTiming } from "../journal/journal.ts";

type Span = readonly [startMs: number, endMs: number];

/** The times of a task's attempts as the journal gets them; single attempts, nearly all, cost two numbers. */
export interface TimingTable {
  /** End of the last attempt, milliseconds since the run began; NaN before. */
  readonly endedMs: Float64Array;
  /** Attempts of tasks that had more than one. */
  readonly spans: Map<number, Span[]>;
}

/** Tasks, and when they ran; milliseconds since the run began. */
export interface TimedTasks {
  readonly timing: TimingTable;
  readonly startedMs: Float64Array;
  readonly durationMs: Float64Array;
  readonly slotMs: Float64Array;
  readonly longestMs: ReadonlyMap<number, number>;
}

export function createTimingTable(tasks: number): TimingTable {
  return { endedMs: new Float64Array(tasks).fill(Number.NaN), spans: new Map() };
}

/** An attempt ended; `startMs` and `endMs` since the run began. */
export function noteAttempt(table: TimedTasks, task: number, startMs: number, endMs: number): void {
  const { endedMs, spans } = table.timing;
  const before = endedMs[task]!;
  endedMs[task] = endMs;
  if (Number.isNaN(before)) return;
  const noted = spans.get(task) ?? [[table.startedMs[task]!, before]];
  noted.push([startMs, endMs]);
  spans.set(task, noted);
}

/** The task will start again as if it never had. */
export function forgetAttempts(table: TimedTasks, task: number): void {
  table.startedMs[task] = Number.NaN;
  table.durationMs[task] = 0;
  table.slotMs[task] = 0;
  table.timing.endedMs[task] = Number.NaN;
  table.timing.spans.delete(task);
}

/** @param epochMs start of the session, milliseconds since the epoch. @returns undefined for a task that was not executed. */
export function timingOf(table: TimedTasks, task: number, epochMs: number): TaskTiming | undefined {
  const ended = table.timing.endedMs[task]!;
  if (Number.isNaN(ended)) return undefined;
  const spans = table.timing.spans.get(task);
  const slotMs = table.slotMs[task]!;
  const longestMs = table.longestMs.get(task);
  return {
    ended_at: toStoredTime(epochMs, ended),
    ...(spans && {
      spans: spans.map(([start, end]) => [toStoredTime(epochMs, start), toStoredTime(epochMs, end)] as const),
    }),
    ...(slotMs !== table.durationMs[task] && { slot_ms: slotMs }),
    ...(longestMs !== undefined && { path_ms: longestMs }),
  };
}

/** Microseconds are kept: what follows another thing shall not seem to come before it. */
export function toStoredTime(epochMs: number, ms: number): number {
  return Math.round((epochMs + ms) * 1_000) / 1_000;
}
