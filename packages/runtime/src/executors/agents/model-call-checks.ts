/** What is checked of the options of single calls of a model. */
export const modelCallChecks = {
  maxPromptCharacters: "positive",
  temperature: "nonNegative",
  maxTokens: "positive",
  modelTimeoutMs: "positive",
} as const;
