import { IssueCode, type JsonSchema } from "@planloom/plan";
import type { ModelReply } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import type { ProtocolAnswer } from "./protocol.ts";

/**
 * Reads a JSON answer. One that was cut off is refused even where its beginning is readable: half a plan looks like a
 * whole one.
 */
export function readJsonAnswer(reply: ModelReply, schema: JsonSchema, prefer: readonly string[]): ProtocolAnswer {
  const output = readOutput(reply.text, { schema, prefer });
  if (!output.found) {
    return refused(output.issues[0]?.message ?? "The answer could not be read.", output.issues);
  }
  return output.truncated || (reply.finishReason === "length" && output.repairs.length > 0)
    ? cutOff()
    : { data: output.value };
}

/** The answer ended before the plan did. */
export function cutOff(): ProtocolAnswer {
  const message =
    "The answer was cut off before its end. Ask for a shorter plan, or raise `maxTokens` or the model's context.";
  const expected = "a whole answer: fewer tasks, shorter texts";
  const actual = "one that was cut off before its end";
  return refused(message, [{ code: IssueCode.UNREADABLE, severity: "error", message, expected, actual }]);
}

export function refused(message: string, issues: Extract<ProtocolAnswer, { message: string }>["issues"]) {
  return { message, issues };
}
