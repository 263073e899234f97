import { afterThinking, readOutput, withoutThinking } from "@planloom/controller";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { ReadSchema } from "../read-schema.ts";
import type { FinalReply, ToolLoopOptions } from "./tool-loop.ts";

/** Answers that are empty or do not fit are asked for so many times more. */
const retries = 2;

/**
 * Ends a loop with the model's last words, read by the schema of `answer` where there is one.
 * @param whole what the model's words become without a schema. @default `{ text }`, with `truncated: true` where they stay cut off
 */
export function finisher(
  id: string,
  answer: ReadSchema | undefined,
  whole: (text: string, truncated: boolean) => unknown = (text, truncated) => ({
    text,
    ...(truncated && { truncated }),
  }),
): ToolLoopOptions["finish"] {
  let left = retries;
  return async (reply) => {
    const { truncated } = reply;
    const { value, problem } = await readAnswer(reply, answer, whole);
    if (problem === undefined && !truncated) return { value };
    const what = problem ?? tooLong;
    if (left-- > 0) return { again: `That cannot be used: ${what}. Answer again, whole.` };
    if (problem === undefined) return { value };
    throw new TaskFailure(TaskErrorCode.OUTPUT_INVALID, `The answer of agent "${id}" cannot be used: ${problem}.`, {
      retryable: false,
    });
  };
}

const tooLong = "it was cut off; be shorter";

async function readAnswer(
  { text, truncated }: Pick<FinalReply, "text" | "truncated">,
  answer: ReadSchema | undefined,
  whole: (text: string, truncated: boolean) => unknown,
): Promise<{ readonly value?: unknown; readonly problem?: string }> {
  if (text.trim() === "") return { problem: "it is empty" };
  if (withoutThinking(text).trim() === "") return { problem: "it has thoughts alone" };
  if (answer === undefined) return { value: whole(afterThinking(text), truncated) };
  const { jsonSchema: schema } = answer;
  const expected = schema === undefined ? "JSON" : `JSON that fits ${JSON.stringify(schema)}`;
  const read = readOutput(text, schema === undefined ? {} : { schema });
  // Half of a list looks like a whole one.
  if (truncated && read.found && (read.truncated || read.repairs.length > 0)) return { problem: tooLong };
  if (read.found && read.contradiction !== undefined) return { problem: `it says two things: ${read.contradiction}` };
  const parsed = await answer.parse(read.found ? read.value : text);
  if (parsed.ok) return { value: parsed.value };
  return { problem: `expected ${expected}, but ${read.found ? parsed.message : "no JSON was found"}` };
}
