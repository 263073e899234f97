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

/** Why the workers of a queue take nothing from this process. */
export function otherFormat(queue: string, rows: readonly string[]): string {
  const formats = [...new Set(rows.map(formatOfRow))].sort((left, right) => left - right).join(", ");
  return `The workers of the queue "${queue}" are of another version of Planloom: they take dispatches of format ${formats}, and this process sends format ${dispatchFormat}. Start workers of its version; then resume the run.`;
}
