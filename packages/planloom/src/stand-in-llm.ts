import type { Executor, Resource } from "@planloom/plan";

/** Id of the llm that exists when none was defined: a plan that names it runs with any model. */
export const defaultLlmId = "default";

export const defaultLlmDescription =
  "A language model: answers, explains, summarizes, translates, writes and judges text.";

/** Keeps plans with llm tasks valid without a model. For planning alone: it executes nothing. */
export function standInLlm(): Executor {
  const resources: readonly Resource[] = [{ kind: "llm", id: defaultLlmId, description: defaultLlmDescription }];
  return {
    kind: "llm",
    resources: () => resources,
    unavailable: () => "no model is configured",
    execute: () => Promise.reject(new Error("No model is configured.")),
  };
}
