import type { PlanningTime } from "@planloom/controller";
import { PlannerError, PlannerErrorCode } from "./errors.ts";
import { planFunctions } from "./given-functions.ts";

/** What "today" means in a prompt. */
export interface PlanningClock {
  /** When plans are said to be made. @default the system's clock */
  readonly now?: () => Date;
  /** The present that goals speak of. @default now */
  readonly present?: () => Date;
  /** IANA name of the zone whose calendar counts. @default the system's */
  readonly timeZone?: string;
}

/** The present in a zone. @throws PlannerError CONFIG for a zone that there is not; PlanError CALLBACK where `now` gives no date */
export function planningTime({ now, present = now, timeZone }: PlanningClock): PlanningTime {
  const date = planFunctions(present === undefined ? {} : { now: present }).now();
  return { now: date.toISOString(), time_zone: checkTimeZone(timeZone) };
}

/** @throws PlannerError CONFIG */
export function checkTimeZone(timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    throw new PlannerError(
      PlannerErrorCode.CONFIG,
      `Expected \`timeZone\` to be an IANA name such as "Europe/Berlin", got ${JSON.stringify(timeZone)}.`,
      { details: { option: "timeZone" } },
    );
  }
}
