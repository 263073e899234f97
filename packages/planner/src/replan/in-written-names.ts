import type { PlanIssue, PlanPatch, ProposedTask } from "@planloom/plan";

/**
 * Issues about a patch in the names that its proposal used: a new task called as one that is there already got another id, of
 * which the controller that proposed it knows nothing.
 */
export function inWrittenNames(
  issues: readonly PlanIssue[],
  patch: PlanPatch,
  proposed: readonly ProposedTask[],
): PlanIssue[] {
  const written = new Map<string, string>();
  for (const [at, { task_id }] of patch.tasks.entries()) {
    const name = proposed[at]?.task_id;
    if (name !== undefined && name !== task_id) written.set(task_id, name);
  }
  if (written.size === 0) return [...issues];
  // Longest first, so that of `a` and `a.b` the whole name is taken.
  const ids = [...written.keys()]
    .sort((left, right) => right.length - left.length)
    .map((id) => id.replace(/\W/g, "\\$&"));
  const mention = new RegExp(`(?<![\\w-])(?:${ids.join("|")})(?![\\w-])`, "g");
  const rename = (text: string) => text.replace(mention, (id) => written.get(id) ?? id);
  return issues.map(({ message, task_id, from_task_id, actual, repair, ...rest }) => ({
    ...rest,
    message: rename(message),
    ...(task_id !== undefined && { task_id: rename(task_id) }),
    ...(from_task_id !== undefined && { from_task_id: rename(from_task_id) }),
    ...(actual !== undefined && { actual: rename(actual) }),
    ...(repair !== undefined && {
      repair: {
        ...repair,
        candidates: repair.candidates.map((each) => (typeof each === "string" ? rename(each) : each)),
      },
    }),
  }));
}
