import { ControllerError } from "../errors.ts";
import type { ModelReply, ModelUsage } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import { readTextCalls } from "../output/read-text-calls.ts";
import { withTries } from "../transport/retry.ts";
import type { OptionalFeature } from "./features.ts";
import { chooseForm, type StructuredMode, type WantedAnswer, writtenCall } from "./forms.ts";
import { charactersWritten, guessedTokens } from "./guessed-tokens.ts";
import { checkReply } from "./judge-reply.ts";
import { answerCall, obeysForm } from "./obeys-schema.ts";
import type { RawReply } from "./read-completion.ts";
import { RefusalMemory } from "./refusal-memory.ts";
import { type Call, charactersOf, sendWithRetries } from "./send-request.ts";
import type { TokenCounts } from "./token-counts.ts";

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
    return await answered(call, asksAgain);
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

async function answered(call: Call, asksAgain: boolean): Promise<ModelReply> {
  const { settings, request, model, wanted, endpoint } = call;
  const { url } = endpoint;
  const adjustments: string[] = [];
  // What is found out is added: the pauses of the memory count calls, and other calls may have made them up meanwhile.
  const refused = new Set<OptionalFeature>(memory.refusedNow(url, model));
  const characters = charactersOf(call);
  let limits = 0;
  // Of the context, less what this very request takes of it, as the endpoint counted.
  let answerLimit = Number.POSITIVE_INFINITY;
  // Each round but the last adds a refusal or an ignored form, or lowers the limit of tokens.
  for (;;) {
    const form = wanted && chooseForm(request, wanted, settings.structuredOutput, refused);
    const written = endpoint.writeBody(request, {
      model,
      stream: wantsStream(call, refused),
      refused,
      maxTokens: Math.min(settings.maxTokens, limits > 0 ? answerLimit : memory.maxTokens(url, model, characters)),
      extraBody: settings.extraBody,
      ...(wanted && form && { wanted: { ...wanted, form } }),
    });
    const sent = await sendWithRetries(written, call);
    if ("refused" in sent) {
      const { refused: what, error } = sent;
      if ("answer" in what) {
        if (++limits > maxLimits) throw withTries(error, call.sent);
        memory.limit(url, model, what, characters);
        answerLimit = what.answer;
        adjustments.push(`\`maxTokens\` ${written.maxTokens} was refused; ${what.answer} is the most.`);
      } else {
        const { feature, ofSchema, isOnce = ofSchema } = what;
        refused.add(feature);
        if (feature === "json_schema" || feature === "tool") {
          if (ofSchema) memory.judge(url, model, feature, false);
          adjustments.push(`Asking by ${formNames[feature]} was refused${ofSchema ? " for this schema" : ""}.`);
        } else
          adjustments.push(isOnce ? "The stream was empty; the answer was asked for whole." : substitutes[feature]);
        if (!isOnce) memory.refuse(url, model, feature);
      }
      call.refused += 1;
      if (call.refused > maxRefused) throw withTries(error, call.sent);
      continue;
    }
    const { reply } = sent;
    // A count of nothing is none: a budget would have no end.
    if (isCounted(reply.tokens)) call.tokens.add(reply.tokens);
    else call.tokens.addGuess(guessedTokens(characters, charactersWritten(reply)));
    const usage = usageOf(call, reply.model);
    checkReply(reply, { url, model, wanted, maxTokens: written.maxTokens, usage, tries: call.sent });
    let answer: Answer = { text: reply.text, toolCalls: reply.toolCalls };
    if (wanted !== undefined && form !== undefined) {
      const followed = obeysForm(reply, form, wanted);
      if (form !== "text") memory.judge(url, model, form, followed);
      const read = readAnswer(reply, wanted);
      const isLast =
        form === "text" || !(asksAgain || (wanted.tools !== undefined && call.sent - call.refused < call.maxRequests));
      if (!followed && !isLast && !read.found) {
        refused.add(form);
        adjustments.push(`Asking by ${formNames[form]} was ignored.`);
        continue;
      }
      answer = read;
    }
    return {
      text: answer.text,
      toolCalls: answer.toolCalls,
      ...(usage && { usage }),
      ...(call.sent > 1 && { requests: call.sent }),
      ...(call.refused > 0 && { refusedRequests: call.refused }),
      ...(adjustments.length > 0 && { adjustments }),
      ...(reply.providerData !== undefined && answer.toolCalls.length > 0 && { providerData: reply.providerData }),
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
