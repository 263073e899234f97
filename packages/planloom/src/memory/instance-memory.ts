import type { Journal } from "@planloom/runtime";
import type { PlanReuse } from "../plan-service.ts";
import type { PlanloomOptions } from "../planloom-options.ts";
import { PlanMemory } from "./plan-memory.ts";

/** The memory of an instance. @throws PlanloomError OPTION */
export function instanceMemory(
  { memory, secrets = {}, timeZone }: PlanloomOptions,
  journal: () => Promise<Journal>,
): PlanMemory {
  // What a function gives is known only to the calls that ask for it.
  const texts = Object.values(secrets)
    .map((secret) => (typeof secret === "string" ? secret : secret.value))
    .filter((value) => typeof value === "string");
  return new PlanMemory({ ...(typeof memory === "object" ? memory : {}), journal, secrets: texts, timeZone });
}

/** What planning reuses; undefined where nothing is to be reused. */
export function reuseOf(option: PlanloomOptions["memory"], memory: PlanMemory): PlanReuse | undefined {
  if (option === undefined || option === false) return undefined;
  const { minLikeness, examples } = option === true ? {} : option;
  return { remembered: (of) => memory.list(of), minLikeness, examples };
}
