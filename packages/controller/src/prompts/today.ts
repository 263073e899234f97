import type { PlanningTime } from "../behavior-controller.ts";

/** How far the week that is named is from the present one. */
const weeks = [
  { words: /\bthis week\b/i, name: "This week", from: 0 },
  { words: /\b(?:last|past|previous) week\b/i, name: "Last week", from: -1 },
  { words: /\b(?:next|coming|following) week\b/i, name: "Next week", from: 1 },
] as const;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * What day it is, with its weekday, time and zone, and the days of a week that the request names: small models miscount them. Empty where the request does not say the time.
 * @param said the request, in words. @default none
 */
export function todayPrompt(time: PlanningTime | undefined, said = ""): string {
  if (time === undefined) return "";
  const { now, time_zone } = time;
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: time_zone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(now));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? "";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  const named = weeks
    .filter(({ words }) => words.test(said))
    .map(({ name, from }) => ` ${name}: ${weekOf(day, from)}.`);
  return `Now: ${part("weekday")}, ${day} ${part("hour")}:${part("minute")} (${time_zone}).${named.join("")}`;
}

/** `Monday 2026-03-02 to Sunday 2026-03-08`. */
function weekOf(day: string, weeksFrom: number): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  const monday = midnight + (7 * weeksFrom - sinceMonday) * dayMs;
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `Monday ${dateOf(monday)} to Sunday ${dateOf(monday + 6 * dayMs)}`;
}
