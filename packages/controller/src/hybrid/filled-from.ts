import { isRecord, type Resource } from "@planloom/plan";
import { requiredOf } from "../answers/schema-outline.ts";
import type { ControllerReply } from "../behavior-controller.ts";
import { calleeOf, type DraftedCall, type DraftedPlan, idsIn, type Task, tasksOf } from "./drafted-plan.ts";
import { withTasks } from "./with-tasks.ts";

/** A value of the draft that is less likely is not taken for one that the model leaves open. */
const likelyValue = 0.5;

/**
 * A model's plan with the required values that it leaves out and the draft has for the same call: what rules read in the request is not asked for. The calls of a resource are
 * matched in their order, and only where both plans have as many. References are not taken: they are the model's to make.
 */
export function filledFrom(
  draft: DraftedPlan,
  reply: ControllerReply,
  resources: ReadonlyMap<string, Resource>,
): ControllerReply {
  const tasks = tasksOf(reply.data) ?? [];
  const filled = new Map<string, readonly string[]>();
  const drafted = new Map(tasks.map((task) => [task, sameCall(task, tasks, draft.calls)]));
  const settled = tasks.map((task) => {
    const call = drafted.get(task);
    const values = call === undefined ? {} : missingIn(task, call, resources.get(call.callee));
    const names = Object.keys(values);
    if (names.length === 0) return task;
    filled.set(String(task.task_id), names);
    return { ...task, arguments: { ...(isRecord(task.arguments) && task.arguments), ...values } };
  });
  if (filled.size === 0) return reply;
  const issues = (reply.issues ?? []).filter(
    ({ task_id = "", argument_path: path = "" }) => filled.get(task_id)?.includes(path) !== true,
  );
  return { ...reply, data: withTasks(reply.data, settled), issues };
}

/** The call of the draft in the same place among those of its resource. */
function sameCall(task: Task, tasks: readonly Task[], calls: readonly DraftedCall[]): DraftedCall | undefined {
  const callee = calleeOf(task);
  const theirs = tasks.filter((each) => calleeOf(each) === callee);
  const ours = calls.filter((each) => each.callee === callee);
  return theirs.length === ours.length ? ours[theirs.indexOf(task)] : undefined;
}

function missingIn(task: Task, call: DraftedCall, resource: Resource | undefined): Record<string, unknown> {
  const given = isRecord(task.arguments) ? task.arguments : {};
  const known = isRecord(call.task.arguments) ? call.task.arguments : {};
  const isLikely = (name: string) => (call.likelihoods.get(name) ?? 1) >= likelyValue && !call.open.has(name);
  const names = requiredOf(resource?.input_schema).filter(
    (name) => !Object.hasOwn(given, name) && Object.hasOwn(known, name) && isLikely(name),
  );
  return Object.fromEntries(names.map((name) => [name, known[name]]).filter(([, value]) => idsIn(value).length === 0));
}
