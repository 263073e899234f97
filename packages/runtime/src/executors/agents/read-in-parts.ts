import { afterThinking, type Model, type ModelMessage, type ModelRequest } from "@planloom/controller";
import type { RunScope } from "../scope.ts";
import { fitInput } from "./fit-input.ts";
import { ReadableOutputs } from "./readable-outputs.ts";
import { toolLoop } from "./tool-loop.ts";

export interface LongInput {
  readonly model: Model;
  /** Its settings hold for each call. */
  readonly request: Omit<ModelRequest, "messages">;
  readonly maxPromptCharacters: number;
  readonly input: Readonly<Record<string, unknown>>;
  make(input: Record<string, unknown>): readonly ModelMessage[];
}

/** Asks a model about an input that is too long for one prompt: it is shown a digest, and reads what it needs of the rest. Output: `{ text }`. */
export function readInParts(scope: RunScope, long: LongInput): Promise<unknown> {
  const { model, request, maxPromptCharacters, input, make } = long;
  const { temperature, maxTokens, model: modelName } = request;
  const outputs = new ReadableOutputs();
  // Half is left to what it reads.
  const messages = make(fitInput(input, Math.floor(maxPromptCharacters / 2), outputs));
  const settings = { temperature, maxTokens, modelName, maxPromptCharacters };
  return toolLoop(scope, {
    model,
    messages,
    tools: [],
    outputs,
    ...settings,
    finish: ({ text, truncated }) => ({ value: { text: afterThinking(text), ...(truncated && { truncated }) } }),
  });
}
