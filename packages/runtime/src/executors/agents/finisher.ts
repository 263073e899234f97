import { afterThinking, readOutput, withoutThinking } from "@planloom/controller";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { ReadSchema } from "../read-schema.ts";
import type { ToolLoopOptions } from "./tool-loop.ts";

/** Answers that are empty or do not fit are asked for so many times more. */
const retries = 2;

/**
 * Ends a loop with the model's last words, read by the schema of `answer` where there is one.
 * @param whole what the model's words become without a schema. @default `{ text }`
 */
export function finisher(
  id: string,
  answer: ReadSchema | undefined,
  whole: (text: string) => unknown = (text) => ({ text }),
): ToolLoopOptions["finish"] {
  let left = retries;
  return async ({ text, truncated }) => {
    const { value, problem } = await readAnswer(text, answer, whole);
    if (problem === undefined && !truncated) return { value };
    const what = problem ?? "it was cut off; be shorter";
    if (left-- > 0) return { again: `That cannot be used: ${what}. Answer again, whole.` };
    if (problem === undefined) return { value };
    throw new TaskFailure(TaskErrorCode.OUTPUT_INVALID, `The answer of agent "${id}" cannot be used: ${problem}.`, {
      retryable: false,
    });
  };
}

async function readAnswer(
  text: string,
  answer: ReadSchema | undefined,
  whole: (text: string) => unknown,
): Promise<{ readonly value?: unknown; readonly problem?: string }> {
  if (text.trim() === "") return { problem: "it is empty" };
  if (withoutThinking(text).trim() === "") return { problem: "it has thoughts alone" };
  if (answer === undefined) return { value: whole(afterThinking(text)) };
  const { jsonSchema: schema } = answer;
  const expected = schema === undefined ? "JSON" : `JSON that fits ${JSON.stringify(schema)}`;
  const read = readOutput(text, schema === undefined ? {} : { schema });
  const parsed = await answer.parse(read.found ? read.value : text);
  if (parsed.ok) return { value: parsed.value };
  return { problem: `expected ${expected}, but ${read.found ? parsed.message : "no JSON was found"}` };
}
