import { ControllerError } from "../errors.ts";
import type { ModelReply, ModelUsage } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import { readTextCalls } from "../output/read-text-calls.ts";
import { withTries } from "../transport/retry.ts";
import type { OptionalFeature, RefusedFeature } from "./features.ts";
import { chooseForm, type StructuredMode, type WantedAnswer, writtenCall } from "./forms.ts";
import { charactersWritten, guessedTokens } from "./guessed-tokens.ts";
import { checkReply } from "./judge-reply.ts";
import { answerCall, obeysForm } from "./obeys-schema.ts";
import type { RawReply } from "./read-completion.ts";
import { RefusalMemory } from "./refusal-memory.ts";
import { type Call, charactersOf, type Refusal, sendWithRetries } from "./send-request.ts";
import type { TokenCounts } from "./token-counts.ts";
import type { RequestBody } from "./wire.ts";

const memory = new RefusalMemory();
/** Endpoints that name another limit each time are not believed for ever. */
const maxLimits = 4;
/** More parts than a request has. */
const maxRefused = 20;

/** What is sent in place of what was refused. */
const substitutes: Record<Exclude<OptionalFeature, "json_schema" | "tool">, string> = {
  parallel_tool_calls: "`parallel_tool_calls` was refused and left out.",
  stream_options: "`stream_options` was refused and left out.",
  include: "Encrypted thoughts were refused; none were asked for.",
  stream: "`stream` was refused; the answer came whole.",
  max_tokens: "`max_tokens` was refused; `max_completion_tokens` was sent.",
  temperature: "`temperature` was refused and left out.",
  logprobs: "`logprobs` was refused and left out.",
  provider_data: "Thoughts of earlier turns were refused and left out.",
  system: "The system role was refused; its text went before the first user message.",
};
const formNames: Record<StructuredMode, string> = {
  json_schema: "a response format",
  tool: "a forced call",
  text: "words",
};

/**
 * Asks in the best form that the endpoint is not known to refuse, and in lesser ones as it refuses.
 * @param asksAgain whether an answer that cannot be read is asked for in another form here, since the caller does not do it and does not send the fault back to the model
 */
export async function negotiate(call: Call, asksAgain: boolean): Promise<ModelReply> {
  try {
    return await new Negotiation(call, asksAgain).reply();
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error;
    const usage = usageOf(call);
    if (call.refused === 0 && usage === undefined) throw error;
    const { code, message, details, retryable, cause } = error;
    const more = { ...(usage && { usage }), ...(call.refused > 0 && { refused: call.refused }) };
    const about = { details: { ...details, ...more }, retryable };
    throw new ControllerError(code, message, { ...about, ...(cause !== undefined && { cause }) });
  }
}

/** What a call has used so far. `undefined` where nothing was counted. */
export function usageOf({ tokens, settings, model }: Call, answered?: string): ModelUsage | undefined {
  return tokens.usage(settings.prices, [model, answered]);
}

/** One call on its way to an answer: what the endpoint has refused of it so far, and what is sent instead. */
class Negotiation {
  readonly #call: Call;
  readonly #asksAgain: boolean;
  readonly #characters: number;
  readonly #adjustments: string[] = [];
  /** What is found out is added: the pauses of the memory count calls, and other calls may have made them up meanwhile. */
  readonly #refused: Set<OptionalFeature>;
  #limits = 0;
  /** Of the context, less what this very request takes of it, as the endpoint counted. */
  #answerLimit = Number.POSITIVE_INFINITY;

  constructor(call: Call, asksAgain: boolean) {
    this.#call = call;
    this.#asksAgain = asksAgain;
    this.#characters = charactersOf(call);
    this.#refused = new Set(memory.refusedNow(call.endpoint.url, call.model));
  }

  /** Each request but the last adds a refusal or an ignored form, or lowers the limit of tokens. */
  async reply(): Promise<ModelReply> {
    const call = this.#call;
    const { request, settings, model, wanted } = call;
    for (;;) {
      const form = wanted && chooseForm(request, wanted, settings.structuredOutput, this.#refused);
      const written = this.#body(form);
      const sent = await sendWithRetries(written, call);
      if ("refused" in sent) {
        this.#heed(sent, written.maxTokens);
        continue;
      }
      const { reply } = sent;
      this.#countTokens(reply);
      const usage = usageOf(call, reply.model);
      const { url } = call.endpoint;
      checkReply(reply, { url, model, wanted, maxTokens: written.maxTokens, usage, tries: call.sent });
      const answer = wanted && form ? this.#readInForm(reply, wanted, form) : reply;
      if (answer !== undefined) return this.#replyOf(reply, answer, usage);
    }
  }

  #body(form: StructuredMode | undefined): RequestBody {
    const { endpoint, request, settings, model, wanted } = this.#call;
    const limit = this.#limits > 0 ? this.#answerLimit : memory.maxTokens(endpoint.url, model, this.#characters);
    return endpoint.writeBody(request, {
      model,
      stream: wantsStream(this.#call, this.#refused),
      refused: this.#refused,
      maxTokens: Math.min(settings.maxTokens, limit),
      extraBody: settings.extraBody,
      ...(wanted && form && { wanted: { ...wanted, form } }),
    });
  }

  /** Takes note of a refusal, for this call and for later ones. @throws the error of the refusal, where there were too many */
  #heed({ refused, error }: Refusal, maxTokens: number | undefined): void {
    const call = this.#call;
    if ("answer" in refused) {
      if (++this.#limits > maxLimits) throw withTries(error, call.sent);
      memory.limit(call.endpoint.url, call.model, refused, this.#characters);
      this.#answerLimit = refused.answer;
      this.#adjustments.push(`\`maxTokens\` ${maxTokens} was refused; ${refused.answer} is the most.`);
    } else this.#heedFeature(refused);
    call.refused += 1;
    if (call.refused > maxRefused) throw withTries(error, call.sent);
  }

  #heedFeature({ feature, ofSchema, isOnce = ofSchema }: RefusedFeature): void {
    const { endpoint, model } = this.#call;
    const isForm = feature === "json_schema" || feature === "tool";
    this.#refused.add(feature);
    if (isForm && ofSchema) memory.judge(endpoint.url, model, feature, false);
    if (!isOnce) memory.refuse(endpoint.url, model, feature);
    if (isForm)
      this.#adjustments.push(`Asking by ${formNames[feature]} was refused${ofSchema ? " for this schema" : ""}.`);
    else
      this.#adjustments.push(isOnce ? "The stream was empty; the answer was asked for whole." : substitutes[feature]);
  }

  /** A count of nothing is none: a budget would have no end. */
  #countTokens(reply: RawReply): void {
    if (isCounted(reply.tokens)) this.#call.tokens.add(reply.tokens);
    else this.#call.tokens.addGuess(guessedTokens(this.#characters, charactersWritten(reply)));
  }

  /** The answer, or `undefined` where the form was ignored and another is to be tried. */
  #readInForm(reply: RawReply, wanted: WantedAnswer, form: StructuredMode): Answer | undefined {
    const { endpoint, model, sent, refused, maxRequests } = this.#call;
    const isFollowed = obeysForm(reply, form, wanted);
    if (form !== "text") memory.judge(endpoint.url, model, form, isFollowed);
    const read = readAnswer(reply, wanted);
    const mayAskAgain = this.#asksAgain || (wanted.tools !== undefined && sent - refused < maxRequests);
    if (isFollowed || read.found || form === "text" || !mayAskAgain) return read;
    this.#refused.add(form);
    this.#adjustments.push(`Asking by ${formNames[form]} was ignored.`);
    return undefined;
  }

  #replyOf(reply: RawReply, { text, toolCalls }: Answer, usage: ModelUsage | undefined): ModelReply {
    const { sent, refused, model } = this.#call;
    return {
      text,
      toolCalls,
      ...(usage && { usage }),
      ...(sent > 1 && { requests: sent }),
      ...(refused > 0 && { refusedRequests: refused }),
      ...(this.#adjustments.length > 0 && { adjustments: this.#adjustments }),
      ...(reply.providerData !== undefined && toolCalls.length > 0 && { providerData: reply.providerData }),
      ...(reply.topTokens !== undefined && { topTokens: reply.topTokens }),
      model: reply.model ?? model,
      ...(reply.finishReason === undefined ? {} : { finishReason: reply.finishReason }),
    };
  }
}

function isCounted(tokens: TokenCounts | undefined): tokens is TokenCounts {
  return tokens !== undefined && tokens.input + tokens.output > 0;
}

type Answer = Pick<ModelReply, "text" | "toolCalls">;

/** The answer in the form in which the caller asked for it. `found`: it can be read. */
function readAnswer(reply: RawReply, wanted: WantedAnswer): Answer & { readonly found: boolean } {
  const { text, toolCalls } = reply;
  const { tools, name, schema } = wanted;
  if (tools === undefined) {
    const called = answerCall(reply, name);
    if (called !== undefined) return { text: called, toolCalls: [], found: true };
    return { text, toolCalls, found: readOutput(text, { schema }).found };
  }
  if (toolCalls.length > 0) return { text, toolCalls, found: true };
  const calls = readTextCalls(text, tools);
  if (calls !== undefined) return { text: "", toolCalls: calls, found: true };
  const read = readOutput(text, { schema });
  const written = read.found && !read.truncated ? writtenCall(read.value, tools) : undefined;
  if (written === undefined) return { text, toolCalls, found: false };
  return { text: "", toolCalls: [{ id: "", ...written }], found: true };
}

/** Without a listener, and where a stream would not report its usage, the answer is asked for whole. */
function wantsStream({ settings, onDelta }: Call, refused: ReadonlySet<OptionalFeature>): boolean {
  if (refused.has("stream")) return false;
  return (
    onDelta !== undefined ||
    settings.stream === true ||
    (settings.stream === undefined && !refused.has("stream_options"))
  );
}
