import type { PlannerOptions } from "@planloom/planner";
import type { PlanloomOptions } from "./planloom-options.ts";

/** The present and its zone as planners take them. */
export type PlanningClock = Pick<PlannerOptions, "present" | "timeZone">;

/** The time and zone that "today" refers to in prompts. */
export function planningClock({
  now,
  timeZone,
}: {
  readonly now?: PlanloomOptions["now"];
  readonly timeZone?: string | undefined;
}): PlanningClock {
  const present = typeof now === "function" ? now : () => new Date(now ?? Date.now());
  return {
    ...(now !== undefined && { present }),
    ...(timeZone !== undefined && { timeZone }),
  };
}
