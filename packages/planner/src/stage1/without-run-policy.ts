import {
  IssueCode,
  kindRecord,
  type PlanIssue,
  type PlannerTask,
  type ResourceCatalogue,
  resourcePin,
} from "@planloom/plan";

/** The default of a run's `taskTimeoutMs`: a controller may ask for less, not for more. */
const longestTimeoutMs = 60_000;
/** The default of `retry_until.interval_ms`: a controller may ask for more, not for less. */
const shortestIntervalMs = 1_000;

/**
 * Tasks as a controller wrote them, without what is the run's to decide: repeated attempts of a call that may do something twice,
 * attempts that take longer than a run allows by default, and intervals of repeated calls that are shorter. One warning a field that is left out.
 */
export function withoutRunPolicy(
  tasks: readonly PlannerTask[],
  catalogue: ResourceCatalogue,
): { readonly tasks: PlannerTask[]; readonly issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  // What is executed for each element of a list is a call as any other.
  const withInner = (task: PlannerTask): PlannerTask => {
    if (task.for_each?.tasks === undefined) return task;
    const inner = withoutRunPolicy(task.for_each.tasks, catalogue);
    issues.push(...inner.issues);
    return { ...task, for_each: { ...task.for_each, tasks: inner.tasks } };
  };
  const leaveOut = (field: string, task_id: string, why: string) => {
    const message = `\`${field}\` of task "${task_id}" is left out: ${why}.`;
    issues.push({ code: IssueCode.RUN_POLICY, severity: "warning", message, task_id, argument_path: field });
  };
  const withIntervals = (task: PlannerTask): PlannerTask => {
    if (task.retry_until === undefined) return task;
    const poll = { ...task.retry_until };
    for (const field of ["interval_ms", "max_interval_ms"] as const) {
      if ((poll[field] ?? shortestIntervalMs) >= shortestIntervalMs) continue;
      delete poll[field];
      const why = `it is less than ${shortestIntervalMs} ms, which is waited between two calls`;
      leaveOut(`retry_until.${field}`, task.task_id, why);
    }
    return { ...task, retry_until: poll };
  };
  const kept = tasks.map((given) => {
    const task = withIntervals(withInner(given));
    const { retry, timeout_ms, ...rest } = task;
    if (retry === undefined && timeout_ms === undefined) return task;
    const keepsRetry = retry !== undefined && (retry.max_attempts === 1 || isHarmless(task, catalogue));
    const keepsTimeout = timeout_ms !== undefined && timeout_ms <= longestTimeoutMs;
    if (retry !== undefined && !keepsRetry) {
      leaveOut(
        "retry",
        task.task_id,
        "its resource is neither read-only nor idempotent, so only the run's `retry` repeats it",
      );
    }
    if (timeout_ms !== undefined && !keepsTimeout) {
      leaveOut(
        "timeout_ms",
        task.task_id,
        `it is more than ${longestTimeoutMs} ms; the run's \`taskTimeoutMs\` gives more`,
      );
    }
    return { ...rest, ...(keepsRetry && { retry }), ...(keepsTimeout && { timeout_ms }) };
  });
  return { tasks: kept, issues };
}

function isHarmless(task: PlannerTask, catalogue: ResourceCatalogue): boolean {
  // What is repeated is what is executed for the element, whatever kind the task itself says that it is of.
  if (task.for_each?.tasks !== undefined) return task.for_each.tasks.every((inner) => isHarmless(inner, catalogue));
  const { kind, uid } = resourcePin(task);
  if (kind !== undefined && kindRecord(kind).repeatable) return true;
  const resource = kind === undefined || uid === undefined ? undefined : catalogue.find(kind, uid);
  return resource?.read_only === true || resource?.idempotent === true;
}
