/**
 * The part of a `LanguageModel` of the AI SDK (`@ai-sdk/provider`, specifications v2, v3 and v4) that is used here, so that any of its
 * models fits and none of its packages is needed.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** "anthropic.messages", "google.generative-ai", … */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<{ readonly content: readonly unknown[] }>;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** What such a model is asked. */
export interface AiSdkCallOptions {
  // Versions differ in these; what is written here fits each.
  prompt: unknown;
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: unknown;
  tools?: unknown[];
  toolChoice?: unknown;
  abortSignal?: AbortSignal;
  providerOptions?: unknown;
}
