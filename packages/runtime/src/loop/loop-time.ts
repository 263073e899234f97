import type { PlanningTime } from "@planloom/controller";
import { callNow } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";

/** What "today" means to those who plan the steps of a loop. */
export interface LoopClock {
  /** The time that words such as "today" refer to. @default the system's clock */
  readonly now?: Date | string | (() => Date) | undefined;
  /** The IANA name of the time zone for such words. @default the system's */
  readonly timeZone?: string | undefined;
}

/** @throws RuntimeError INVALID_OPTION for a time or a zone that there is not; PlanError CALLBACK where `now` gives no date */
export function loopTime({ now, timeZone }: LoopClock): PlanningTime {
  const date = typeof now === "function" ? callNow("now", now, "a Date", isDate) : new Date(now ?? Date.now());
  if (!isDate(date)) throw invalid("now", "a time (a Date, or a text such as 2025-10-12T06:00:00Z)", now);
  return { now: date.toISOString(), time_zone: zoneOf(timeZone) };
}

function zoneOf(timeZone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { ...(timeZone !== undefined && { timeZone }) }).resolvedOptions().timeZone;
  } catch {
    throw invalid("timeZone", "an IANA name such as Europe/Berlin", timeZone);
  }
}

function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}
