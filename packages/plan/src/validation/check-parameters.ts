import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import type { ExecutionKind } from "../records/planner-task.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

/** What is read of the parameters of a task that says what it calls. Stage 2 is shown all of them, where it is asked. */
const read = {
  tool: ["uid", "sub_type", "output_module"],
  agent: ["uid", "sub_type", "output_module"],
  dsl: ["uid", "sub_type", "output_module"],
  llm: ["uid", "sub_type", "output_module", "model", "temperature", "max_tokens"],
} as const satisfies Record<ExecutionKind, readonly string[]>;

const mostNames = 10;
const fine: readonly PlanIssue[] = [];

/** Parameters that look like input: what is called is given the `arguments` alone, so that they would be without effect. */
export function checkParameters(task: number, facts: PlanFacts): readonly PlanIssue[] {
  const { task_id, parameters } = facts.tasks[task]!;
  const { kind, uid } = facts.pins[task]!;
  if (kind === undefined || uid === undefined) return fine;
  const unread = Object.keys(parameters).filter((name) => !(read[kind] as readonly string[]).includes(name));
  if (unread.length === 0) return fine;
  const schema = facts.typings[task]?.input?.schema;
  const inputs = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return unread.slice(0, mostNames).map((name): PlanIssue => {
    const isInput = Object.hasOwn(inputs, name);
    return {
      code: IssueCode.UNKNOWN_FIELD,
      severity: "warning",
      message: `Parameter ${valueText(name, 130)} of task ${valueText(task_id, 130)} is not given to ${kind} ${valueText(uid, 130)}, which is called with \`arguments\`. ${isInput ? "It takes an argument of that name: move it there." : `Parameters that are read here: ${read[kind].join(", ")}.`}`,
      task_id,
      argument_path: `parameters.${name}`,
      ...(isInput && { repair: { operation: "rename" as const, candidates: [`arguments.${name}`] } }),
    };
  });
}
