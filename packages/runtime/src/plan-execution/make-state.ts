import type { PlannerTask } from "@planloom/plan";
import type { AnswerStore } from "../approvals/answer-store.ts";
import { type ApprovalPolicy, PlanApprovals, type PlanApprovalsOptions } from "../approvals/plan-approvals.ts";
import { ConfirmPolicy } from "../confirm.ts";
import type { ElementWindow } from "../core/element-window.ts";
import type { Limits } from "../core/limits.ts";
import { createRunState } from "../core/run-state.ts";
import type { Registry } from "../executors/registry.ts";
import { resourceKeys, taskGroups } from "../make-limits.ts";
import type { Settings } from "../run-settings.ts";
import { joinRules } from "../task-execution/join-rule.ts";
import type { RunnablePlan } from "../task-execution/runnable-plan.ts";
import { createTaskTable } from "../task-execution/task-table.ts";

interface StateOptions extends PlanApprovalsOptions {
  readonly window?: ElementWindow | undefined;
  /** Ready tasks start in the order in which they are listed. */
  readonly inOrder?: boolean | undefined;
}

/** The core's state of a plan, the shell's table and its gates. */
export function makeState(
  { plan, view }: RunnablePlan,
  settings: Settings,
  known: Registry,
  limits: Limits,
  answers: AnswerStore,
  { path, hashOf, isCovered, window, inOrder }: StateOptions = {},
) {
  const tasks = plan.planned_tasks;
  const halts = new Uint8Array(view.n);
  for (let number = 0; number < view.n; number++) {
    if (isHalting(tasks[number]!, settings)) halts[number] = 1;
  }
  const { expiresAfterMs } = settings.approval;
  const approvals = new PlanApprovals(plan, approvalPolicy(settings, known), answers, {
    path,
    hashOf,
    isCovered,
    expiresAfterMs,
  });
  const groups = taskGroups(tasks, limits, known);
  const joins = joinRules(tasks);
  // Stage 2 may write the group of the resource that it chose for an element.
  const own = window && { ...window, groups: groups.resourceGroup.slice() };
  const state = createRunState(view, { limits, ...groups, halts, joins, window: own, inOrder });
  return { state, table: createTaskTable(tasks), approvals };
}

/** The policy that says which calls people are asked about. */
export function approvalPolicy(
  { approval, confirm }: Pick<Settings, "approval" | "confirm">,
  known: Registry,
): ApprovalPolicy {
  const keys = (ids: readonly string[]) => new Set(ids.flatMap((id) => resourceKeys(id, known)));
  return { resources: keys(approval.resources), confirm: new ConfirmPolicy(confirm, keys(approval.allow)) };
}

/** True where nothing more starts after a failure of the task. Without a replanner, "replan" is like "continue". */
export function isHalting(task: PlannerTask, { onFailure }: Pick<Settings, "onFailure">): boolean {
  return (task.on_failure ?? onFailure) === "halt";
}
