import {
  ControllerError,
  ControllerErrorCode,
  type GenerateOptions,
  type Model,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  type ModelUsage,
  readTextCalls,
} from "@planloom/controller";
import { FaultLog, isRecord, type JsonSchema, notify, type OptionChecks, timerMs } from "@planloom/plan";
import { importBinding, type LlamaBinding, type LlamaResponse, type LoadedModel, loadModel } from "./binding.ts";
import { chatHistory } from "./chat-history.ts";
import { checkOptions } from "./check-options.ts";
import { LocalError, LocalErrorCode } from "./errors.ts";
import { jsonGrammar } from "./json-grammar.ts";
import { Turns } from "./turns.ts";
import { checkWeights } from "./weights.ts";

/** A small language model in this process. */
export interface LocalModelOptions {
  /** The file with its weights, GGUF. */
  readonly path: string;
  /** @default the file's name without `.gguf` */
  readonly name?: string;
  /** Tokens of prompt and answer together; never more than the model was made for. @default 8_192 */
  readonly contextSize?: number;
  /** @default what node-llama-cpp takes: the cores that compute */
  readonly threads?: number;
  /** Whether a graphics card is used where there is one. @default true */
  readonly gpu?: boolean;
  /** Limit of a whole call, in milliseconds; waiting for other calls counts. @default 600_000 */
  readonly timeoutMs?: number;
  /** The most tokens of any answer. @default 2_048 */
  readonly maxTokens?: number;
  /** Of requests that name none. @default 0 */
  readonly temperature?: number;
  /** Another binding of llama.cpp of this form, or one for tests. @default node-llama-cpp */
  readonly binding?: () => Promise<LlamaBinding>;
}

const checks = {
  path: { required: "name" },
  name: "text",
  contextSize: "positive",
  threads: "positive",
  gpu: "boolean",
  timeoutMs: "positive",
  maxTokens: "positive",
  temperature: "nonNegative",
  binding: "function",
} as const satisfies OptionChecks<LocalModelOptions>;

/** A `Model` that holds memory until it is closed. */
export interface LocalModel extends Model, AsyncDisposable {
  /** Frees the weights. A call after it loads them again. */
  close(): Promise<void>;
}

/**
 * A language model in this process, by node-llama-cpp, which is installed beside (`npm install node-llama-cpp`). The weights are loaded with the
 * first call. Calls wait for one another; the common beginning of two prompts is read once. An answer with a schema, and a call that must be made, is
 * bound to the schema by a grammar; other calls are read from what the model writes.
 * @throws LocalError OPTION; WEIGHTS when the file is missing or is not a GGUF file. `generate` rejects with the signal's reason, or with a ControllerError: CONFIG without the
 *   library, CONTEXT_EXCEEDED, TIMEOUT, PROTOCOL
 */
export function localModel(options: LocalModelOptions): LocalModel {
  checkOptions("`localModel`", options, checks);
  checkWeights(options.path);
  const { path, contextSize = 8_192, threads, gpu = true, timeoutMs = 600_000, binding = importBinding } = options;
  const name = options.name ?? path.replace(/^.*[/\\]/, "").replace(/\.gguf$/i, "");
  const turns = new Turns();
  let loading: Promise<LoadedModel> | undefined;
  const load = (): Promise<LoadedModel> => {
    loading ??= binding().then((made) => loadModel(made, { path, contextSize, threads, gpu }));
    // What failed once may be mended meanwhile.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const close = async () => {
    const loaded = loading;
    loading = undefined;
    await (await loaded?.catch(() => undefined))?.llama.dispose();
  };
  return {
    name,
    timeoutMs,
    async generate(request, call = {}) {
      const limit = AbortSignal.timeout(timerMs(timeoutMs));
      const signal = call.signal === undefined ? limit : AbortSignal.any([call.signal, limit]);
      try {
        signal.throwIfAborted();
        if (request.model !== undefined && request.model !== name) throw otherModel(request.model, name);
        using _turn = await turns.take(signal);
        return await answer(await load(), request, { ...call, signal }, { ...options, name });
      } catch (error) {
        if (call.signal?.aborted) throw call.signal.reason;
        if (limit.aborted) throw timedOut(name, timeoutMs, error);
        throw error instanceof ControllerError ? error : failed(name, error);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(
  loaded: LoadedModel,
  request: ModelRequest,
  { signal, onDelta, watch, onSpent }: GenerateOptions,
  options: LocalModelOptions & { readonly name: string },
): Promise<ModelReply> {
  const { chat, sequence, llama, contextSize } = loaded;
  const { tools = [], temperature = options.temperature ?? 0 } = request;
  const must = mustCall(request);
  const bound = request.schema?.schema ?? (must && callSchema(must));
  const maxTokens = Math.min(request.maxTokens ?? Number.POSITIVE_INFINITY, options.maxTokens ?? 2_048);
  const faults = new FaultLog();
  const before = sequence.tokenMeter.getState();
  const full = new AbortController();
  const asked = chat.generateResponse(chatHistory(request.messages, wordsFor(must)), {
    signal: signal === undefined ? full.signal : AbortSignal.any([signal, full.signal]),
    maxTokens,
    temperature,
    ...(typeof request.extra?.seed === "number" && { seed: request.extra.seed }),
    ...(bound === undefined
      ? tools.length > 0 && { functions: functionsOf(tools) }
      : { grammar: await llama.createGrammar({ grammar: jsonGrammar(bound) }) }),
    // The library would leave out the beginning of what is too long, without a word; of a strategy that throws it takes no notice.
    contextShift: {
      strategy({ chatHistory: history }: { readonly chatHistory: readonly object[] }) {
        full.abort(tooLong(options.name, contextSize));
        return { chatHistory: history, metadata: null };
      },
    },
    onTextChunk(text: string) {
      for (const listener of [onDelta, watch]) {
        if (listener !== undefined) notify(listener, text, (error) => faults.report("onDelta", error));
      }
    },
  });
  const usage = () => usageOf(loaded, before);
  const response = await asked.catch((error: unknown) => {
    if (onSpent !== undefined) notify(onSpent, usage(), (fault) => faults.report("onSpent", fault));
    throw full.signal.aborted ? full.signal.reason : error;
  });
  full.signal.throwIfAborted();
  const toolCalls = must === undefined ? callsOf(response, tools) : forcedCall(response.response, must);
  return {
    text: toolCalls.length > 0 ? "" : response.response,
    toolCalls,
    model: options.name,
    usage: usage(),
    finishReason:
      response.metadata.stopReason === "maxTokens" ? "length" : toolCalls.length > 0 ? "tool_calls" : "stop",
  };
}

/** What was read and written since `before`. */
function usageOf(
  { sequence }: LoadedModel,
  before: ReturnType<LoadedModel["sequence"]["tokenMeter"]["getState"]>,
): ModelUsage {
  const used = sequence.tokenMeter.diff(before);
  const inputTokens = Math.max(used.usedInputTokens, sequence.nextTokenIndex - used.usedOutputTokens);
  return {
    inputTokens,
    outputTokens: used.usedOutputTokens,
    cachedInputTokens: inputTokens - used.usedInputTokens,
  };
}

/** The tools of which one must be called. */
function mustCall({ tools = [], toolChoice }: ModelRequest): readonly ModelTool[] | undefined {
  if (toolChoice === "required" && tools.length > 0) return tools;
  if (typeof toolChoice !== "object") return undefined;
  const named = tools.filter(({ name }) => name === toolChoice.name);
  return named.length > 0 ? named : undefined;
}

function callSchema(tools: readonly ModelTool[]): JsonSchema {
  return {
    anyOf: tools.map(({ name, parameters }) => ({
      type: "object",
      properties: { name: { const: name }, arguments: parameters },
      required: ["name", "arguments"],
    })),
  };
}

function wordsFor(must: readonly ModelTool[] | undefined): string {
  if (must === undefined) return "";
  const lines = must.map(
    ({ name, description, parameters }) => `- ${name}: ${description} ${JSON.stringify(parameters)}`,
  );
  return `Answer with one call, as JSON: {"name": …, "arguments": {…}}. It calls one of:\n${lines.join("\n")}`;
}

function forcedCall(text: string, must: readonly ModelTool[]): ModelToolCall[] {
  return [...(readTextCalls(text, must) ?? [])];
}

function callsOf({ response, functionCalls = [] }: LlamaResponse, tools: readonly ModelTool[]): ModelToolCall[] {
  if (functionCalls.length === 0) return tools.length === 0 ? [] : [...(readTextCalls(response, tools) ?? [])];
  return functionCalls.map(({ functionName, params }, index) => {
    return { id: `call_${index}`, name: functionName, arguments: JSON.stringify(params ?? {}) };
  });
}

/** Arguments are not bound by the library's own grammar, which knows few schemas; the caller checks them. */
function functionsOf(tools: readonly ModelTool[]): object {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => {
      const known = isRecord(parameters) ? JSON.stringify(parameters) : "";
      return [
        name,
        { description: `${description} Arguments: ${known}`, params: { type: "object", additionalProperties: true } },
      ];
    }),
  );
}

function tooLong(name: string, contextSize: number): ControllerError {
  const message = `The request and its answer have more than the ${contextSize} tokens of the context of "${name}". Offer fewer tools, shorten what is asked, or raise \`contextSize\`.`;
  return new ControllerError(ControllerErrorCode.CONTEXT_EXCEEDED, message, { details: { model: name, contextSize } });
}

function otherModel(asked: string, name: string): ControllerError {
  const message = `The model in this process is "${name}", but a request asks for "${asked}".`;
  return new ControllerError(ControllerErrorCode.CONFIG, message, { details: { option: "model" } });
}

function timedOut(name: string, timeoutMs: number, cause: unknown): ControllerError {
  const message = `Expected an answer from "${name}" within ${timeoutMs} ms, got none. Raise \`timeoutMs\`, or choose a smaller model.`;
  return new ControllerError(ControllerErrorCode.TIMEOUT, message, { details: { model: name, timeoutMs }, cause });
}

function failed(name: string, cause: unknown): ControllerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof LocalError && cause.code === LocalErrorCode.WEIGHTS) {
    return new ControllerError(ControllerErrorCode.CONFIG, reason, { details: { option: "path" }, cause });
  }
  return new ControllerError(ControllerErrorCode.PROTOCOL, `The model "${name}" in this process failed: ${reason}`, {
    details: { model: name, body: reason.slice(0, 500) },
    cause,
    retryable: false,
  });
}
