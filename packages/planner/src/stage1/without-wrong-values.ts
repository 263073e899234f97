import { IssueCode, type PlanIssue, type PlannerTask, type TaskData } from "@planloom/plan";
import { isError } from "../attempt-until-valid.ts";

/** What can be wrong with the value of an argument. */
const valueFaults: ReadonlySet<IssueCode> = new Set([
  IssueCode.INVALID_ARGUMENT,
  IssueCode.TYPE_MISMATCH,
  IssueCode.UNKNOWN_OUTPUT,
  IssueCode.UNKNOWN_REFERENCE,
  IssueCode.REFERENCE_SYNTAX,
]);

/**
 * The plan of a model's last answer without the values that are wrong, so that they are asked for and the rest of the plan is kept. Where such a value read another
 * task, its task still waits for that one.
 * @param issues what validation says of the plan
 * @returns the plan, and for each such argument an issue that says what was wrong, as a warning; `undefined` where something else is wrong too, or nothing is
 */
export function withoutWrongValues(
  plan: TaskData,
  issues: readonly PlanIssue[],
): { readonly plan: TaskData; readonly issues: readonly PlanIssue[] } | undefined {
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  const left = new Map<string, Map<string, PlanIssue>>();
  for (const issue of issues.filter(isError)) {
    if (issue.code === IssueCode.MISSING_ARGUMENT) continue;
    const task = tasks.get(issue.task_id ?? "");
    const name = task === undefined ? undefined : argumentOf(task, issue.argument_path);
    if (task === undefined || name === undefined || !valueFaults.has(issue.code)) return undefined;
    left.set(task.task_id, (left.get(task.task_id) ?? new Map<string, PlanIssue>()).set(name, issue));
  }
  if (left.size === 0) return undefined;
  const planned_tasks = plan.planned_tasks.map((task) => {
    const wrong = left.get(task.task_id);
    if (wrong === undefined) return task;
    const given = Object.entries(task.arguments).filter(([name]) => !wrong.has(name));
    const read = [...wrong.values()].flatMap(({ from_task_id: id }) =>
      id !== undefined && id !== task.task_id && tasks.has(id) ? [id] : [],
    );
    const dependencies = [...new Set([...task.dependencies, ...read])];
    return { ...task, arguments: Object.fromEntries(given), dependencies };
  });
  const said = [...left].flatMap(([task_id, wrong]) =>
    [...wrong].map(([argument_path, { message }]): PlanIssue => {
      const text = `The value of \`${argument_path}\` of task ${JSON.stringify(task_id)} was left out: ${message}`;
      return { code: IssueCode.UNRESOLVED, severity: "warning", message: text, task_id, argument_path };
    }),
  );
  return { plan: { ...plan, planned_tasks }, issues: said };
}

/** The argument of the task that a path leads into. */
function argumentOf(task: PlannerTask, path = ""): string | undefined {
  const [name] = path.split(/[.[]/, 1);
  return name !== undefined && Object.hasOwn(task.arguments, name) ? name : undefined;
}
