import { IssueCode, type JsonSchema } from "@planloom/plan";
import type { ModelReply } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import { withoutThinking } from "../output/thinking.ts";
import type { ProtocolAnswer } from "./protocol.ts";

type OutputIssues = Extract<ProtocolAnswer, { message: string }>["issues"];

/**
 * Reads a JSON answer. One that was cut off is refused even where its beginning is readable: half a plan looks like a
 * whole one.
 */
export function readJsonAnswer(reply: ModelReply, schema: JsonSchema, prefer: readonly string[]): ProtocolAnswer {
  const output = readOutput(reply.text, { schema, prefer });
  if (!output.found) return unread(reply, output.issues);
  if (output.contradiction !== undefined) return contradictory(output.contradiction);
  return output.truncated || (reply.finishReason === "length" && output.repairs.length > 0)
    ? cutOff()
    : { data: output.value };
}

/** Neither of two things is taken without a word: which one is meant only the model can say. */
function contradictory(contradiction: string): ProtocolAnswer {
  const message = `The answer says two things: ${contradiction}. Give one answer.`;
  const about = { expected: "one answer, with each key once", actual: contradiction };
  return refused(message, [{ code: IssueCode.UNREADABLE, severity: "error", message, ...about }]);
}

/** Why there is nothing to read, where the reply says why. */
function unread({ text, finishReason }: ModelReply, issues: OutputIssues): ProtocolAnswer {
  if (finishReason === "length") return cutOff();
  const message = issues[0]?.message ?? "The answer could not be read.";
  const isThought = text.trim() !== "" && withoutThinking(text).trim() === "";
  if (!isThought) return refused(message, issues);
  const more = `${message}: it has thoughts alone. Let the model think less (\`reasoningEffort\`), or ask another one.`;
  const actual = "thoughts alone";
  return refused(more, [
    { code: IssueCode.UNREADABLE, severity: "error", message: more, expected: "an answer", actual },
  ]);
}

/** The answer ended before the plan did. */
export function cutOff(): ProtocolAnswer {
  const message =
    "The answer was cut off before its end. Ask for a shorter plan, or raise `maxTokens` or the model's context.";
  const expected = "a whole answer: fewer tasks, shorter texts";
  const actual = "one that was cut off before its end";
  return refused(message, [{ code: IssueCode.UNREADABLE, severity: "error", message, expected, actual }]);
}

export function refused(message: string, issues: OutputIssues) {
  return { message, issues };
}
