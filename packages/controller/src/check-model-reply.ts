import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import type { ModelReply, ModelRequest, ModelUsage } from "./model.ts";
import { charactersAsked, charactersWritten, guessedTokens } from "./openai/guessed-tokens.ts";
import { shown } from "./transport/cut.ts";

/**
 * A model may be the user's own, so its reply is checked before it is used. Tokens that it does not count are a guess by the number of characters, so
 * that budgets hold for it too.
 * @throws ControllerError PROTOCOL for what is not a reply
 */
export function checkModelReply(model: string, reply: unknown, request: ModelRequest): ModelReply {
  if (!isRecord(reply) || typeof reply.text !== "string" || !Array.isArray(reply.toolCalls ?? [])) {
    throw new ControllerError(
      ControllerErrorCode.PROTOCOL,
      `Expected \`generate\` of the model "${model}" to give { text, toolCalls }, got ${shown(reply)}.`,
      { details: { model, body: shown(reply) } },
    );
  }
  const read = (reply.toolCalls === undefined ? { ...reply, toolCalls: [] } : reply) as unknown as ModelReply;
  return read.usage === undefined || read.usage === null ? { ...read, usage: guessedUsage(request, read) } : read;
}

function guessedUsage(request: ModelRequest, reply: ModelReply): ModelUsage {
  const { input, output } = guessedTokens(charactersAsked(request), charactersWritten(reply));
  return { inputTokens: input, outputTokens: output, estimated: true };
}
