import type { JobInput, PlanningContext } from "@planloom/plan";
import { recall } from "./context.ts";
import { readJob } from "./job-text.ts";
import type { Clock } from "./language/temporal/calendar.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { actionsOfVerb, isVerb } from "./language/text/actions.ts";

/** Longer goals are cut here, and the cut is reported. UTF-16 units. */
export const maxGoalLength = 20_000;

/** The goal as it is read: with what is remembered before it, and the dates that it names. */
export function readGoalText(goal: string | JobInput, clock: Clock, context: PlanningContext | undefined) {
  const job = readJob(goal);
  const whole = unquoted(job.text.trim());
  const recalled = recall(whole.slice(0, maxGoalLength), context, clock);
  const prefix = recalled.before === "" ? "" : `${recalled.before}\n`;
  const text = prefix + recalled.goal;
  const dates = findDates(text, clock, { forward: looksAhead(recalled.goal) });
  return { job, whole, recalled, prefix, text, dates };
}

/** A goal pasted in quotation marks is the goal, not a quotation in it. */
export function unquoted(text: string): string {
  const [, inner] = /^["“']([^"“”]*)["”']$/s.exec(text) ?? [];
  return inner === undefined || !/\s/.test(inner) ? text : inner.trim();
}

/** Days without a year lie ahead when something is to be made or sent. */
export function looksAhead(goal: string): boolean {
  const first = goal
    .trim()
    .split(/\s+/, 4)
    .map((word) => word.toLowerCase().replace(/[^\p{L}]/gu, ""));
  const verb = first.find(isVerb);
  const actions = actionsOfVerb(verb ?? "");
  return actions.has("create") && !actions.has("read");
}
