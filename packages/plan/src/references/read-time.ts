const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/**
 * A point in time as milliseconds since the epoch: ISO 8601 with a date, a time and a zone (`2026-12-01T09:00:00+01:00`, `…Z`). Undefined for any other
 * text: without a zone it would mean another time on another machine.
 */
export function readTime(text: string): number | undefined {
  if (!timeForm.test(text)) return undefined;
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  // `Date.parse` takes 30 February for 2 March.
  const day = Number(text.slice(8, 10));
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(ms) || day > days ? undefined : ms;
}
