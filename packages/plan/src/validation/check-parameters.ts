import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";
import { kindRecord } from "../kinds/kinds.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

const mostNames = 10;
const fine: readonly PlanIssue[] = [];

/** Parameters that look like input: what is called is given the `arguments` alone, so that they would be without effect. */
export function checkParameters(task: number, facts: PlanFacts): readonly PlanIssue[] {
  const { task_id, parameters } = facts.tasks[task]!;
  const { kind, uid } = facts.pins[task]!;
  if (kind === undefined || uid === undefined) return fine;
  const read = kindRecord(kind).parameters;
  const unread = Object.keys(parameters).filter((name) => !read.includes(name));
  if (unread.length === 0) return fine;
  const schema = facts.typings[task]?.input?.schema;
  const inputs = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return unread.slice(0, mostNames).map((name): PlanIssue => {
    const isInput = Object.hasOwn(inputs, name);
    return {
      code: IssueCode.UNKNOWN_FIELD,
      severity: "warning",
      message: `Parameter ${valueText(name, 130)} of task ${valueText(task_id, 130)} is not given to ${kind} ${valueText(uid, 130)}, which is called with \`arguments\`. ${isInput ? "It takes an argument of that name: move it there." : `Parameters that are read here: ${read.join(", ")}.`}`,
      task_id,
      argument_path: `parameters.${name}`,
      ...(isInput && { repair: { operation: "rename" as const, candidates: [`arguments.${name}`] } }),
    };
  });
}
