import type { WaitView } from "planloom/runtime";

/** A time as a person reads it, in the zone of this machine: `14:00` of today, else `2026-12-01 14:00`. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}${time.getSeconds() > 0 ? `:${two(time.getSeconds())}` : ""}`;
  const isToday = time.toDateString() === new Date().toDateString();
  if (isToday) return clock;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}

/** What is waited for, after the word "waits": `for payment (order 7) until 14:00`. */
export function waitText({ due_at, event, key, polls }: WaitView): string {
  const parts = [
    ...(event === undefined ? [] : [`for ${event}${key === undefined ? "" : ` (${key})`}`]),
    ...(due_at === undefined ? [] : [`until ${localTime(due_at)}`]),
    ...(polls === undefined ? [] : [`after ${polls} ${polls === 1 ? "call" : "calls"}`]),
  ];
  return parts.join(" ");
}
