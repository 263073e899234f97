import { Cron } from "croner";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";
import { WallClock } from "./wall-clock.ts";

/** When something is due. */
export interface CronPattern {
  /** The first time after `ms`, milliseconds since the epoch; undefined where there is none. */
  next(ms: number): number | undefined;
}

/** @throws PlanloomError OPTION for a pattern or a zone that cannot be read, or one without any time */
export function readCron(cron: string, zone: string): CronPattern {
  try {
    const pattern = hasIntervals(cron) ? byInterval(cron, zone) : byClock(cron, zone);
    if (pattern.next(Date.parse("2000-01-01T00:00:00Z")) !== undefined) return pattern;
  } catch (cause) {
    const isZone = !isTimeZone(zone);
    const message = isZone
      ? `Expected \`zone\` to be the name of a time zone, such as Europe/Berlin, got ${JSON.stringify(zone)}.`
      : `Expected \`cron\` to have five fields (minute, hour, day, month, weekday), such as "0 9 * * 1", got ${JSON.stringify(cron)}: ${cause instanceof Error ? cause.message : ""}`;
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, {
      details: { option: isZone ? "zone" : "cron" },
      cause,
    });
  }
  const message = `Expected \`cron\` to fit some time, got ${JSON.stringify(cron)}, which fits none.`;
  throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "cron" } });
}

/** True for a pattern with an asterisk among its seconds, minutes or hours. It repeats in intervals, also while clocks are changed. */
function hasIntervals(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  return fields.slice(0, fields.length > 5 ? 3 : 2).some((field) => /[*?@]/.test(field));
}

function byInterval(cron: string, zone: string): CronPattern {
  const pattern = new Cron(cron, { timezone: zone, paused: true });
  return { next: (ms) => pattern.nextRun(new Date(ms))?.getTime() };
}

/** The times are found on a clock that is never changed, and then those at which the clocks of the zone show them. */
function byClock(cron: string, zone: string): CronPattern {
  const pattern = new Cron(cron, { timezone: "UTC", paused: true });
  const clock = new WallClock(zone);
  return {
    next(ms) {
      let shown: Date | null = new Date(clock.shownAt(ms));
      for (;;) {
        shown = pattern.nextRun(shown);
        if (shown === null) return undefined;
        const due = clock.instantOf(shown.getTime());
        if (due > ms) return due;
      }
    },
  };
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
