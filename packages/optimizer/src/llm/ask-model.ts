import type { Model, ModelCall, ModelMessage, ModelRequest } from "@planloom/controller";
import type { JsonSchema } from "@planloom/plan";

export interface Asked {
  /** The value in the answer, or `undefined` when none could be read. */
  readonly value: unknown;
  /** The answer as it came. */
  readonly text: string;
  /** Why nothing could be read. */
  readonly issues: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly latencyMs: number;
  /** Why there is no answer: what the model rejected with. */
  readonly failure?: string;
}

export interface AskOptions {
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly onCall: ((call: ModelCall) => void) | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal | undefined;
}

/** One call of the model, its answer read as a value of `schema`. A model that rejects has been called all the same: its call has a `failure`. */
export async function askModel(
  model: Model,
  messages: readonly ModelMessage[],
  schema: { name: string; schema: JsonSchema },
  { temperature, maxTokens, onCall, now, signal }: AskOptions,
): Promise<Asked> {
  // Reading pulls in the whole controller package; rule-based users never pay for that.
  const { readOutput } = await import("@planloom/controller");
  const request: ModelRequest = {
    messages,
    schema,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
  const begun = now();
  try {
    const reply = await model.generate(request, signal === undefined ? {} : { signal });
    const latencyMs = now() - begun;
    onCall?.({ request, reply, latencyMs });
    const text = reply.text === "" ? (reply.toolCalls[0]?.arguments ?? "") : reply.text;
    const read = readOutput(text, { schema: schema.schema });
    const { inputTokens = 0, outputTokens = 0, cost = 0 } = reply.usage ?? {};
    return {
      value: read.found ? read.value : undefined,
      text,
      issues: read.found ? [] : read.issues.map((issue) => issue.message),
      inputTokens,
      outputTokens,
      cost,
      latencyMs,
    };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    const latencyMs = now() - begun;
    onCall?.({ request, error: failure, latencyMs });
    signal?.throwIfAborted();
    return { value: undefined, text: "", issues: [], inputTokens: 0, outputTokens: 0, cost: 0, latencyMs, failure };
  }
}
