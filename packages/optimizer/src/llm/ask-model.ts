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

/** What an answer is to be a value of. */
export interface AskedValue {
  readonly name: string;
  readonly schema: JsonSchema;
  /** What models also write: the value that the schema has within an object, by itself. */
  readonly bare?: { readonly schema: JsonSchema; isMeant(value: unknown): boolean };
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
  { bare, ...schema }: AskedValue,
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
    const wrapped = readOutput(text, { schema: schema.schema });
    const alone = wrapped.found || bare === undefined ? wrapped : readOutput(text, { schema: bare.schema });
    const read = alone.found && (wrapped.found || bare?.isMeant(alone.value)) ? alone : wrapped;
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
