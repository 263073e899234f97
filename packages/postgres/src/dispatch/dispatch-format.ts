import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";

/** The format of what is dispatched. Processes of two formats do not dispatch to each other; a later one continues runs of an earlier one. */
const dispatchFormat = 3;

/** Workers take only what was dispatched in this format: after a change of it, old and new workers run beside each other. */
export const dispatchVersion = `planloom-dispatch-${dispatchFormat}`;

/** No name of a queue contains it. */
const mark = "@";

/** A queue as its rows have it. Processes of format 2, which wrote the bare name, neither send anything to workers of this one nor continue its runs. */
export function queueRow(queue: string): string {
  return `${queue}${mark}${dispatchFormat}`;
}

/** The names that a queue has in rows of this format and of those before. */
export function queueNames(queue: string): string[] {
  return [queue, queueRow(queue)];
}

/** The format of the process that wrote a row. */
export function formatOfRow(row: string): number {
  return Number(row.split(mark)[1] ?? 2);
}

/** Why the workers of a queue take nothing from this process. @param rows the queue as their rows have it */
export function otherWorkers(queue: string, rows: readonly string[]): RuntimeError {
  const formats = formatsOf(rows);
  const message = `The workers of the queue "${queue}" are of another version of Planloom: they take dispatches of format ${formats.join(", ")}, and this process sends format ${dispatchFormat}. Start workers of its version; then run or resume again.`;
  return refusal(queue, formats, message);
}

/** Why a worker takes nothing from processes that have dispatched to its queue. @param rows the queue as they have it in their rows */
export function otherProcesses(queue: string, rows: readonly string[]): RuntimeError {
  const formats = formatsOf(rows);
  const isNewer = formats.some((format) => format > dispatchFormat);
  const cure = isNewer
    ? "Update this worker."
    : "Keep workers of that version until those runs have ended. A run that fails for want of one is continued here when it is resumed by this version; one whose process is gone is continued by itself.";
  const message = `Runs that were begun by another version of Planloom have dispatched to the queue "${queue}" in format ${formats.join(", ")}; this worker takes format ${dispatchFormat} alone. ${cure}`;
  return refusal(queue, formats, message);
}

function formatsOf(rows: readonly string[]): number[] {
  return [...new Set(rows.map(formatOfRow))].sort((left, right) => left - right);
}

function refusal(queue: string, formats: readonly number[], message: string): RuntimeError {
  const details = { queue, formats, supported: dispatchFormat };
  return new RuntimeError(RuntimeErrorCode.DISPATCH_FORMAT, message, { details });
}
