import { checksOf } from "@planloom/plan";
import { type PlannerOptions, plannerChecks } from "@planloom/planner";

const names = [
  "temperature",
  "maxAttempts",
  "candidates",
  "maxPromptCharacters",
  "timeoutMs",
  "validateToolAvailability",
  "llmData",
  "nHistorySamples",
  "prompts",
] as const satisfies readonly (keyof PlannerOptions)[];

/** How Stage 1, Stage 2 and replans ask their controller; the code that wires the stages sets the other `PlannerOptions`. */
export type PlannerSettings = Pick<PlannerOptions, (typeof names)[number]>;

/** The checks of these settings. */
export const plannerSettingChecks = checksOf(plannerChecks, names);

/** The settings with what one call says beside, or in the place of, their `llmData`. */
export function withLlmData(
  settings: PlannerSettings | undefined,
  llmData: PlannerSettings["llmData"],
): PlannerSettings | undefined {
  return llmData === undefined ? settings : { ...settings, llmData: { ...settings?.llmData, ...llmData } };
}

/** The settings that concern Stage 2, which makes no plan and takes its temperature from `llmData`. */
export function stage2Settings({
  temperature: _,
  validateToolAvailability: __,
  candidates: ___,
  ...settings
}: PlannerSettings = {}): Omit<PlannerSettings, "temperature" | "validateToolAvailability" | "candidates"> {
  return settings;
}
