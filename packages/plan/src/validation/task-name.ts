import { isRecord } from "../json.ts";
import { valueText } from "./value-text.ts";

/** Fields that say what a task calls, and what they are called. */
const called = [
  ["tool_id", "tool"],
  ["function_id", "function"],
  ["agent_id", "agent"],
  ["uid", "resource"],
] as const;

/**
 * A task as messages name it: its id, or its number and what it calls where it has none.
 * @param task as it was written, by a model or a person
 * @param index of the task in its list
 */
export function taskName(task: unknown, index: number): string {
  const written = isRecord(task) ? task : {};
  if (typeof written.task_id === "string" && written.task_id !== "") return valueText(written.task_id, 130);
  const number = `number ${index + 1}`;
  for (const [field, what] of called) {
    const value = written[field];
    if (typeof value === "string" && value !== "") return `${number} (${what} ${valueText(value)})`;
  }
  const text = [written.title, written.description].find((each) => typeof each === "string" && each !== "");
  return text === undefined ? number : `${number} (${valueText(text)})`;
}
