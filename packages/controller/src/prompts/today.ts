import type { PlanningTime } from "../behavior-controller.ts";

/** What day it is, with its weekday, time and zone. Empty where the request does not say. */
export function todayPrompt(time: PlanningTime | undefined): string {
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
  return `Now: ${part("weekday")}, ${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")} (${time_zone}).`;
}
