import { Cron } from "croner";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";

/** @throws PlanloomError OPTION for a pattern or a zone that cannot be read, or one without any time */
export function readCron(cron: string, zone: string): Cron {
  try {
    const pattern = new Cron(cron, { timezone: zone, paused: true });
    if (pattern.nextRun(new Date("2000-01-01T00:00:00Z")) !== null) return pattern;
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

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The first due time after `ms`, milliseconds since the epoch; undefined where there is none. */
export function nextDue(pattern: Cron, ms: number): number | undefined {
  return pattern.nextRun(new Date(ms))?.getTime();
}
