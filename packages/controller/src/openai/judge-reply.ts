import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ModelUsage } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import { withoutThinking } from "../output/thinking.ts";
import { cut } from "../transport/cut.ts";
import type { WantedAnswer } from "./forms.ts";
import type { RawReply } from "./read-completion.ts";

export interface AskedReply {
  readonly url: string;
  readonly model: string;
  readonly wanted: WantedAnswer | undefined;
  /** The limit that was sent. */
  readonly maxTokens: number | undefined;
  /** Of all requests so far. */
  readonly usage: ModelUsage | undefined;
  readonly tries: number;
}

/**
 * Finds replies without an answer where another try would give none either.
 * @throws ControllerError REFUSED, CONTENT_FILTER, LENGTH; `details.usage` says what it used all the same
 */
export function checkReply(reply: RawReply, asked: AskedReply): void {
  const { url, model, maxTokens, usage, tries } = asked;
  const about = { url, model, ...(usage && { usage }), ...(tries > 1 && { tries }) };
  const isEmpty = !saysAnything(reply, asked.wanted);
  if (reply.refusal !== undefined && isEmpty) {
    const message = `The model "${model}" refused to answer: ${cut(reply.refusal)} Say the request otherwise, or ask another model.`;
    throw new ControllerError(ControllerErrorCode.REFUSED, message, {
      details: { ...about, refusal: cut(reply.refusal) },
    });
  }
  if (reply.finishReason === "content_filter" && (isEmpty || asked.wanted !== undefined)) {
    const message = `The content filter of ${url} stopped the answer of the model "${model}". Say the request otherwise, or change the filter's settings.`;
    throw new ControllerError(ControllerErrorCode.CONTENT_FILTER, message, { details: about });
  }
  if (reply.finishReason === "length" && isEmpty) {
    const reasoningTokens = reply.tokens?.reasoning;
    const limit =
      maxTokens === undefined ? "the limit of the endpoint" : `the limit of ${maxTokens} tokens (\`maxTokens\`)`;
    const thought = reply.text.trim() === "" && reasoningTokens === undefined ? "" : ", all of them for its thoughts";
    const message = `The answer of the model "${model}" reached ${limit}${thought}, before it said anything. Raise \`maxTokens\`, let the model think less (\`reasoningEffort\`), or ask for less.`;
    throw new ControllerError(ControllerErrorCode.LENGTH, message, {
      details: {
        ...about,
        ...(maxTokens !== undefined && { maxTokens }),
        ...(reasoningTokens !== undefined && { reasoningTokens }),
      },
    });
  }
}

function saysAnything({ text, toolCalls }: RawReply, wanted: WantedAnswer | undefined): boolean {
  if (toolCalls.length > 0 || withoutThinking(text).trim() !== "") return true;
  // The mark that ends a thought may have been forgotten.
  return wanted !== undefined && text.trim() !== "" && readOutput(text, { schema: wanted.schema }).found;
}
