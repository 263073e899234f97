import { isRecord, referenceText, TaskData } from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";
import type { TaskResult } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanloomRunOptions } from "./planloom-options.ts";

/** The options of `run`, without those that concern plans. */
export type ToolCallOptions = Omit<
  PlanloomRunOptions,
  | "context"
  | "instructions"
  | "candidates"
  | "llmData"
  | "memory"
  | "variables"
  | "input"
  | "replanPolicy"
  | "dispatch"
  | "subgraphs"
  | "semantics"
  | "dispatcher"
  | "dispatchOrder"
  | "dispatchOverheadMs"
  | "adaptiveDispatch"
  | "prediction"
>;

/** How a call ended: `completed` with `output`, `failed` with `error`, or `waiting_approval`. */
export interface ToolCallResult extends TaskResult {
  /** The run that the call is kept as. */
  readonly run_id: string;
}

/**
 * One call as a plan. Its arguments refer to the run's input, so that nothing in them is read as a reference or a secret.
 * @throws PlanloomError OPTION for an id that is not a text, or an input that is not an object
 */
export function planOfCall(id: string, input: Readonly<Record<string, unknown>>): TaskData {
  if (typeof id !== "string" || id === "") throw wrong("id", "the id of a tool (a text that is not empty)", id);
  if (!isRecord(input)) throw wrong("input", "an object of arguments", input);
  const names = Object.keys(input);
  const references = names.map((key) => {
    const $ref = referenceText({ name: "input", path: [{ key }], optional: false });
    return [key, { $ref }] as const;
  });
  return TaskData.parse({
    title: id,
    planned_tasks: [
      {
        task_id: "call",
        description: `Calls ${id}`,
        execution_type: "tool",
        tool_id: id,
        arguments: Object.fromEntries(references),
      },
    ],
  });
}

function wrong(option: string, expected: string, value: unknown): PlanloomError {
  const message = `Expected \`${option}\` of \`callTool\` to be ${expected}, got ${describeValue(value)}.`;
  return new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option } });
}
