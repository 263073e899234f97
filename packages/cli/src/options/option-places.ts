import type { PlanloomConfig } from "planloom";
import { nameOptions, type OptionRow, runOptionTable } from "planloom/options";
import { modelFlags } from "./model-flags.ts";

type ModelOption = keyof NonNullable<PlanloomConfig["modelOptions"]>;
type PlannerOption = keyof NonNullable<PlanloomConfig["planner"]>;

/** Options of a model that no flag sets, and that errors of models name. */
const ofModels: ReadonlySet<string> = new Set<ModelOption>([
  "idleTimeoutMs",
  "maxRetries",
  "maxRetryDelayMs",
  "maxResponseBytes",
]);
const ofPlanners: ReadonlySet<string> = new Set<PlannerOption>(["maxPromptCharacters", "timeoutMs"]);
const ofConfiguration = "a key of the configuration";

/** An error with the flag or the key of the configuration that sets each option its text names. What a tool says of its own options stays as it is. */
export function errorText({ code, message }: { readonly code?: unknown; readonly message: string }): string {
  if (code === undefined || code === "TASK_FAILED") return message;
  const isOfModel = String(code).startsWith("CONTROLLER_");
  return nameOptions(message, (option) => (isOfModel ? modelPlace(option) : (runPlace(option) ?? modelPlace(option))));
}

function runPlace(option: string): string | undefined {
  if (!Object.hasOwn(runOptionTable, option)) return undefined;
  const { flag, instance }: OptionRow = runOptionTable[option as keyof typeof runOptionTable];
  if (flag !== undefined) return flag.name.split(" ")[0];
  return instance === "no" ? undefined : ofConfiguration;
}

function modelPlace(option: string): string | undefined {
  const [, flag] = modelFlags.find(([, , setting]) => setting === option) ?? [];
  if (flag !== undefined) return flag;
  if (ofModels.has(option)) return `in \`modelOptions\` of the configuration`;
  return ofPlanners.has(option) ? `in \`planner\` of the configuration` : undefined;
}
