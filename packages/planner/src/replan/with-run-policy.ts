import {
  isAboutElements,
  type PatchProposal,
  type PlannerTask,
  type PlannerTaskInput,
  type ProposedTask,
  type TaskData,
} from "@planloom/plan";
import { bothOf } from "./kept-conditions.ts";

/**
 * How a task is run is not the controller's to decide: new tasks take `retry` and `timeout_ms` over from what they replace,
 * never from the answer; they take over `on_failure` where the answer says nothing. If a person was to approve a task, a person has to approve what replaces it.
 */
export function withRunPolicy(proposal: PatchProposal, plan: TaskData): PatchProposal {
  const byId = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  const tasks = proposal.tasks.map(({ retry: _, timeout_ms: __, ...task }): ProposedTask => {
    const replaced = task.replaces.flatMap((id) => byId.get(id) ?? []);
    const guarded = replaced.some(({ approval }) => approval === "required");
    const { on_failure, retry, timeout_ms } = replaced[0] ?? {};
    return {
      ...(on_failure !== undefined && { on_failure }),
      ...task,
      ...flowOf(replaced, task),
      ...(retry !== undefined && { retry }),
      ...(timeout_ms !== undefined && { timeout_ms }),
      // Of a list its calls are gated, by the patch.
      ...(guarded && task.for_each?.tasks === undefined && { approval: "required" as const }),
      ...(task.for_each?.tasks !== undefined && {
        for_each: { ...task.for_each, tasks: task.for_each.tasks.map(withoutOwnBounds) },
      }),
    };
  });
  return { ...proposal, tasks };
}

/**
 * Whether a task runs at all is not decided by who replaces it: the condition of the replaced tasks is kept, and what the answer asks for is asked for
 * in addition. A join that all have is kept where the answer says nothing of it. So what replaces a task of a branch is of that branch. A condition
 * about elements goes with the list.
 */
function flowOf(replaced: readonly PlannerTask[], task: PlannerTaskInput): Partial<ProposedTask> {
  const [first, ...others] = replaced;
  const { when, join } = first ?? {};
  const isJoinShared = others.every((other) => other.join === join);
  const goesWithList = first !== undefined && task.for_each === undefined && isAboutElements(first);
  return {
    ...(when !== undefined && !goesWithList && { when: bothOf(when, task.when) }),
    ...(join !== undefined && isJoinShared && task.join === undefined && { join }),
  };
}

/** A task that is executed for each element of a list, and those within it, without bounds of the controller's own. */
function withoutOwnBounds({ retry: _, timeout_ms: __, ...task }: PlannerTaskInput): PlannerTaskInput {
  const inner = task.for_each?.tasks;
  return inner === undefined ? task : { ...task, for_each: { ...task.for_each!, tasks: inner.map(withoutOwnBounds) } };
}
