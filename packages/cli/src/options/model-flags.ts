/** What says how a model is asked: the option, its flag, and the name of it in `modelOptions`. */
export const modelFlags = [
  ["modelApi", "--model-api", "api"],
  ["modelTimeout", "--model-timeout", "timeoutMs"],
  ["maxTokens", "--max-tokens", "maxTokens"],
  ["temperature", "--temperature", "temperature"],
  ["reasoningEffort", "--reasoning-effort", "reasoningEffort"],
  ["structuredOutput", "--structured-output", "structuredOutput"],
] as const;
