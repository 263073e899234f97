import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import { toStoredTime } from "../task-execution/task-timing.ts";
import type { Spans } from "./cut-off.ts";
import type { TaskReport } from "./port/dispatcher.ts";

// The clocks of a worker and of the process of the run differ, and its messages take time. Limits and dependencies are checked by what the process of the
// run saw. Here are the times of what it did not see begin and end, or of what a worker recorded by its own clock.

/**
 * The report of a task that makes no call of its own (a list, a decision), put behind what it depends on: that was seen to end, and only then
 * could the task begin.
 * @param leastMs when the last of that was seen to end. @param nowMs both are milliseconds since the dispatch, as the times of the report
 */
export function reportedInOrder(report: TaskReport, leastMs: number, nowMs: number): TaskReport {
  const { result } = report;
  const { started_ms, duration_ms } = result;
  const spans = report.spans ?? [[started_ms, started_ms + duration_ms] as const];
  const lateBy = leastMs - (spans[0]?.[0] ?? started_ms);
  if (result.attempts === 0 || lateBy <= 0) return report;
  const later = spans.map(([start, end]) => {
    return [start + lateBy, Math.max(start + lateBy, Math.min(end + lateBy, nowMs))] as const;
  });
  return { ...report, result: { ...result, started_ms: leastMs }, spans: later };
}

/** When something can have happened: milliseconds since the epoch, by the clock of this process. */
export interface SeenWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The record of a task within a task, such as an element of a list, with the times at which this process saw its calls.
 * @param seen its attempts, in milliseconds since the epoch; of a task without calls there are none. It is put within `window` then
 */
export function nestedAsSeen(nested: NestedRecord, seen: Spans, window: SeenWindow): NestedRecord {
  const { record } = nested;
  const { timing } = record;
  const [first] = seen;
  if (timing === undefined || first === undefined) return { ...nested, record: movedInto(record, window) };
  const spans = seen.map(([start, end]) => [toStoredTime(0, start), toStoredTime(0, end || window.toMs)] as const);
  const { spans: _, ...rest } = timing;
  const times = { ...rest, ended_at: spans.at(-1)![1], ...(spans.length > 1 && { spans }) };
  return { ...nested, record: { ...record, started_at: spans[0]![0], timing: times } };
}

function movedInto(record: TaskRecord, { fromMs, toMs }: SeenWindow): TaskRecord {
  const { started_at, timing } = record;
  const ended_at = timing?.ended_at ?? started_at;
  const byMs = started_at < fromMs ? fromMs - started_at : Math.min(toMs - ended_at, 0);
  if (byMs === 0) return record;
  const moved = (ms: number) => toStoredTime(ms, byMs);
  return {
    ...record,
    started_at: moved(started_at),
    ...(timing !== undefined && {
      timing: {
        ...timing,
        ended_at: moved(ended_at),
        ...(timing.spans && { spans: timing.spans.map(([start, end]) => [moved(start), moved(end)] as const) }),
      },
    }),
  };
}
