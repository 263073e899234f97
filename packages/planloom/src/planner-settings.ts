import { checksOf } from "@planloom/plan";
import { type PlannerOptions, plannerChecks } from "@planloom/planner";

const names = [
  "temperature",
  "maxAttempts",
  "maxPromptCharacters",
  "timeoutMs",
  "validateToolAvailability",
  "llmData",
  "nHistorySamples",
  "prompts",
] as const satisfies readonly (keyof PlannerOptions)[];

/** How Stage 1, Stage 2 and replans ask their controller; the rest of `PlannerOptions` whoever wires the stages brings itself. */
export type PlannerSettings = Pick<PlannerOptions, (typeof names)[number]>;

/** What is checked of each. */
export const plannerSettingChecks = checksOf(plannerChecks, names);

/** Those that Stage 2 has: it makes no plan, and what it is asked it is asked at the temperature of `llmData`. */
export function stage2Settings({
  temperature: _,
  validateToolAvailability: __,
  ...settings
}: PlannerSettings = {}): Omit<PlannerSettings, "temperature" | "validateToolAvailability"> {
  return settings;
}
