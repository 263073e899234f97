import { type Attributes, type Context, SpanKind } from "@opentelemetry/api";
import type { GenerateOptions, Model, ModelReply, ModelRequest } from "planloom/controller";
import type { CallUsage, RecordedCall } from "planloom/plan";
import { recordContent } from "./content.ts";
import { failSpan } from "./failure.ts";
import { instruments } from "./instruments.ts";
import { messagesOf, replyOf } from "./messages.ts";
import { names } from "./names.ts";
import type { Settings } from "./options.ts";
import { currentContext, isTraced, type OpenSpan, startSpan, within } from "./tracing.ts";

const { attribute, operation } = names;

const watchedModels = new WeakSet<Model>();

/** Calls of models as spans and figures: as they are made, where the model is watched, else from the record of the call. */
export class ModelSpans {
  readonly #settings: Settings;
  /** Requests that have a span: their records make no second one. */
  readonly #seen = new WeakSet<object>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A model whose calls are spans, in which its requests are made. One that is watched already is left as it is. */
  watch(model: Model): Model {
    if (watchedModels.has(model)) return model;
    const { name, timeoutMs, tellsTokens, provider = "_OTHER" } = model;
    const watched: Model = {
      name,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(tellsTokens !== undefined && { tellsTokens }),
      provider,
      generate: (request, options) => this.#generate(model, provider, request, options),
    };
    watchedModels.add(watched);
    return watched;
  }

  async #generate(
    model: Model,
    provider: string,
    request: ModelRequest,
    options: GenerateOptions | undefined,
  ): Promise<ModelReply> {
    const name = request.model ?? model.name;
    const open = startSpan(spanOf(name, provider, request), currentContext());
    if (!isTraced(open) && instruments() === undefined) return model.generate(request, options);
    this.#seen.add(request);
    const began = performance.now();
    try {
      const reply = await within(open, () => model.generate(request, options));
      this.#end(open, { name, provider, request, reply, usage: reply.usage, latencyMs: performance.now() - began });
      return reply;
    } catch (error) {
      failSpan(open.span, error, this.#settings);
      const { details } = (error ?? {}) as { details?: { usage?: CallUsage } };
      const usage = details?.usage;
      this.#end(open, { name, provider, request, usage, latencyMs: performance.now() - began, error });
      throw error;
    }
  }

  /** A call that was made by a model that is not watched. */
  recorded(call: RecordedCall, parent: Context): void {
    const request = call.request as Partial<ModelRequest> | null;
    if (typeof request !== "object" || request === null || !Array.isArray(request.messages)) return;
    if (this.#seen.has(request)) return;
    const reply = call.reply as ModelReply | undefined;
    const name = reply?.model ?? request.model ?? "unknown";
    const provider = "_OTHER";
    const startTime = Date.now() - call.latencyMs;
    const open = startSpan({ ...spanOf(name, provider, request as ModelRequest), startTime }, parent);
    if (call.error !== undefined) failSpan(open.span, { message: call.error }, this.#settings);
    const { usage = reply?.usage, latencyMs, error } = call;
    this.#end(open, { name, provider, request: request as ModelRequest, reply, usage, latencyMs, error });
  }

  #end(
    { span }: OpenSpan,
    call: {
      readonly name: string;
      readonly provider: string;
      readonly request: ModelRequest;
      readonly reply?: ModelReply | undefined;
      readonly usage: CallUsage | undefined;
      readonly latencyMs: number;
      readonly error?: unknown;
    },
  ): void {
    const { name, provider, request, reply, usage, latencyMs, error } = call;
    if (span.isRecording()) {
      span.setAttributes(attributesOf(reply, usage));
      const about = { of: name };
      recordContent(
        span,
        this.#settings,
        { ...about, attribute: attribute.inputMessages },
        () => messagesOf(request),
        undefined,
      );
      if (reply !== undefined)
        recordContent(
          span,
          this.#settings,
          { ...about, attribute: attribute.outputMessages },
          () => replyOf(reply),
          undefined,
        );
    }
    span.end();
    const measured = instruments();
    if (measured === undefined) return;
    const labels = {
      [attribute.operation]: operation.chat,
      [attribute.provider]: provider,
      [attribute.requestModel]: name,
      ...(reply?.model !== undefined && { [attribute.responseModel]: reply.model }),
    };
    const failed = error === undefined ? {} : { [attribute.errorType]: codeOf(error) };
    measured.operationDuration.record(latencyMs / 1_000, { ...labels, ...failed });
    const { inputTokens, outputTokens, cost } = usage ?? {};
    if (inputTokens !== undefined)
      measured.tokenUsage.record(inputTokens, { ...labels, [attribute.tokenType]: "input" });
    if (outputTokens !== undefined)
      measured.tokenUsage.record(outputTokens, { ...labels, [attribute.tokenType]: "output" });
    if (cost !== undefined && cost > 0) measured.cost.add(cost, labels);
  }
}

function spanOf(name: string, provider: string, request: ModelRequest) {
  const { temperature, maxTokens, schema } = request;
  return {
    name: `${operation.chat} ${name}`,
    kind: SpanKind.CLIENT,
    attributes: {
      [attribute.operation]: operation.chat,
      [attribute.provider]: provider,
      [attribute.requestModel]: name,
      ...(temperature !== undefined && { [attribute.requestTemperature]: temperature }),
      ...(maxTokens !== undefined && { [attribute.requestMaxTokens]: maxTokens }),
      ...(schema !== undefined && { [attribute.outputType]: "json" }),
    },
  };
}

function attributesOf(reply: ModelReply | undefined, usage: CallUsage | undefined): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cost, estimated } = usage ?? {};
  return {
    ...(reply?.model !== undefined && { [attribute.responseModel]: reply.model }),
    ...(reply?.finishReason !== undefined && { [attribute.finishReasons]: [reply.finishReason] }),
    ...(reply?.requests !== undefined && { [attribute.requests]: reply.requests }),
    ...(inputTokens !== undefined && { [attribute.inputTokens]: inputTokens }),
    ...(outputTokens !== undefined && { [attribute.outputTokens]: outputTokens }),
    ...(cachedInputTokens !== undefined && { [attribute.cachedTokens]: cachedInputTokens }),
    ...(reasoningTokens !== undefined && { [attribute.reasoningTokens]: reasoningTokens }),
    ...(cost !== undefined && { [attribute.cost]: cost }),
    ...(estimated === true && { [attribute.estimated]: true }),
  };
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "_OTHER";
}
