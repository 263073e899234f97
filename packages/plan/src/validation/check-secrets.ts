import { IssueCode, type PlanIssue } from "../issue.ts";
import { kindRecord } from "../kinds/kinds.ts";
import { formatPath } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import { collectSecrets, isSecretName } from "../references/secret-object.ts";
import { issueAt } from "./literal-issues.ts";
import { nearestNames } from "./nearest-names.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { valueText } from "./value-text.ts";

/**
 * Secrets that cannot be filled in: those outside of the arguments of a tool's task, those with a malformed name, and those that
 * are not among `known`. Elsewhere than with a tool they would come before a model.
 */
export function checkSecrets(
  task: number,
  { tasks, pins }: PlanFacts,
  known: readonly string[] | undefined,
): PlanIssue[] {
  const { task_id, arguments: given, parameters, for_each } = tasks[task]!;
  const issues: PlanIssue[] = [];
  const report = (
    { name, path }: ReturnType<typeof collectSecrets>[number],
    code: PlanIssue["code"],
    problem: string,
    extra = {},
    within: readonly PathSegment[] = [],
  ) => {
    const place = { taskId: task_id, path: [...within, ...path] };
    issues.push(issueAt(place, code, problem, { actual: name, ...extra }));
  };
  const named = collectSecrets(given);
  const { kind } = pins[task]!;
  for (const found of named) {
    if (kind !== undefined && !kindRecord(kind).takesSecrets) {
      report(
        found,
        IssueCode.MISPLACED_SECRET,
        `is a secret, which only tools are given; this task is for ${kindRecord(kind).withArticle}`,
      );
    } else if (!isSecretName(found.name)) {
      const problem = `names the secret ${valueText(found.name, 130)}; a name has letters, digits, "_", "-" and "." and begins with a letter`;
      report(found, IssueCode.UNKNOWN_SECRET, problem);
    } else if (known !== undefined && !known.includes(found.name)) {
      const near = nearestNames(found.name, known);
      const problem = `names the secret ${valueText(found.name, 130)}, which is not among those of this run`;
      const repair = near.names.length > 0 && {
        repair: { operation: "replace", candidates: near.names.map(($secret) => ({ $secret })) },
      };
      report(found, IssueCode.UNKNOWN_SECRET, problem, repair || {});
    }
  }
  for (const found of collectSecrets(parameters)) {
    report(
      found,
      IssueCode.MISPLACED_SECRET,
      "is a secret in `parameters`, where secrets are not filled in; write it in `arguments`",
      {},
      [{ key: "parameters" }],
    );
  }
  for (const field of ["items", "given"] as const) {
    for (const found of collectSecrets(for_each?.[field])) {
      report(
        found,
        IssueCode.MISPLACED_SECRET,
        `is a secret in \`for_each.${field}\`, where secrets are not filled in; write it in \`arguments\` of the task that needs it`,
        {},
        [{ key: "for_each" }, { key: field }],
      );
    }
  }
  return issues;
}

/** Variables are kept with the run and rendered into texts. */
export function checkVariableSecrets({ variables }: PlanFacts): PlanIssue[] {
  return collectSecrets(variables).map(({ name, path }) => ({
    code: IssueCode.MISPLACED_SECRET,
    severity: "error",
    message: `The plan variable ${valueText(formatPath(path), 130)} is the secret ${valueText(name, 130)}; write it in the arguments of the tasks that need it; secrets are filled in only there.`,
    argument_path: `variables.${formatPath(path)}`,
    actual: name,
  }));
}
