import type { AttemptFeedback, ControllerReply, ReplanRequest, ReplanTask } from "@planloom/controller";
import {
  IssueCode,
  isRecord,
  type PlanIssue,
  type PlannerTask,
  pinTo,
  type Resource,
  resourcePin,
} from "@planloom/plan";
import { correctedArguments } from "./corrected-arguments.ts";
import { judgeTask } from "./judge-task.ts";
import { substitutes } from "./substitutes.ts";

type Answer =
  | { readonly task: Record<string, unknown>; readonly reason: string }
  | { readonly drop: string; readonly reason: string }
  | { readonly stays: string }
  | { readonly issue: PlanIssue };

/**
 * A replan without a model. For each marked task, in this order: the same resource with arguments that fit its schema, when
 * they do not; another resource that does the same; nothing in its place, when no task waits for it and it for none (what others
 * worked for is what the plan is for). An optional task stays
 * while its resource is there and takes its arguments. Says for which tasks it cannot; then nothing is proposed. Never the
 * same proposal twice.
 */
export function answerReplan(
  replan: ReplanRequest,
  resources: readonly Resource[],
  feedback: readonly AttemptFeedback[] = [],
): ControllerReply {
  const tried = triedBefore(feedback);
  const answers = replan.tasks.map((marked) => answerTask(withItsResource(marked, resources), resources, tried));
  const issues = answers.flatMap((answer) => ("issue" in answer ? [answer.issue] : []));
  const [first] = issues;
  if (first !== undefined) return { success: false, message: first.message, issues };
  const data = {
    tasks: answers.flatMap((answer) => ("task" in answer ? [answer.task] : [])),
    drop: answers.flatMap((answer) => ("drop" in answer ? [answer.drop] : [])),
    reason: answers.flatMap((answer) => ("reason" in answer ? [answer.reason] : [])).join(" "),
  };
  return { success: true, data };
}

function answerTask(
  marked: ReplanTask,
  resources: readonly Resource[],
  tried: ReadonlyMap<string, ReadonlySet<string>>,
): Answer {
  const { task, consumers, inputs } = marked;
  const before = tried.get(task.task_id) ?? new Set<string>();
  const { kind, uid } = resourcePin(task as PlannerTask);
  const own = resources.find((resource) => resource.kind === kind && resource.id === uid);
  if (own !== undefined && !before.has(own.id)) {
    const values = correctedArguments(marked, own, resources);
    if (values !== undefined) {
      return {
        task: { ...fieldsOf(marked), arguments: values },
        reason: `The arguments of \`${task.task_id}\` now fit \`${own.id}\`.`,
      };
    }
  }
  const sound = own !== undefined && judgeTask(marked, { resource: own }, resources).length === 0;
  if (marked.optional === true && sound) return { stays: task.task_id };
  const [other] = substitutes(marked, resources, before);
  if (other !== undefined) {
    const what = marked.failure === undefined ? "is to be replaced" : "failed";
    const why = own === undefined && uid !== undefined ? `\`${uid}\` is gone` : `\`${uid ?? task.task_id}\` ${what}`;
    return {
      task: {
        ...fieldsOf(marked),
        ...pinTo({ kind: other.resource.kind, id: other.resource.id }, task.parameters),
        arguments: other.arguments,
      },
      reason: `${why}; \`${other.resource.id}\` does the same.`,
    };
  }
  if (marked.optional === true) return { stays: task.task_id };
  const [consumer] = consumers;
  if (consumer === undefined && inputs.length === 0 && !before.has(leftOut)) {
    return { drop: task.task_id, reason: `No task waits for \`${task.task_id}\`, and nothing else does what it did.` };
  }
  const gone = own === undefined && uid !== undefined ? `\`${uid}\` is not there any more and n` : "N";
  const why = inputs.length === 0 ? ", and it cannot be left out" : ", for which others worked";
  const needed = consumer === undefined ? why : ` and gives what \`${consumer.task_id}\` needs`;
  const message = `${gone}o other resource does the work of \`${task.task_id}\` with its arguments${needed}; a model, or a person, must replan it.`;
  return {
    issue: { code: IssueCode.UNRESOLVED, severity: "error", message, task_id: task.task_id },
  };
}

/** Pinned to the resource that failed to do it, where the plan had left the choice to Stage 2. */
function withItsResource(marked: ReplanTask, resources: readonly Resource[]): ReplanTask {
  const { task, failure } = marked;
  const { kind, uid } = resourcePin(task as PlannerTask);
  if (uid !== undefined || failure?.uid === undefined) return marked;
  const own = resources.find((resource) => resource.kind === kind && resource.id === failure.uid);
  return own === undefined
    ? marked
    : { ...marked, task: { ...task, ...pinTo({ kind: own.kind, id: own.id }, task.parameters) } };
}

/** The task as it was, for the new one to start from. */
function fieldsOf({ task }: ReplanTask): Record<string, unknown> {
  const { status: _status, ...fields } = task;
  return { ...fields, replaces: [task.task_id] };
}

/** No resource has this id. */
const leftOut = "";

/** Resources already proposed for each task, from the answers that were refused; `leftOut` where it was to be dropped. */
function triedBefore(feedback: readonly AttemptFeedback[]): Map<string, Set<string>> {
  const tried = new Map<string, Set<string>>();
  for (const { answer } of feedback) {
    const data = parsed(answer);
    const tasks = isRecord(data) && Array.isArray(data.tasks) ? data.tasks : [];
    const drop = isRecord(data) && Array.isArray(data.drop) ? data.drop : [];
    for (const id of drop) if (typeof id === "string") tried.set(id, (tried.get(id) ?? new Set()).add(leftOut));
    for (const task of tasks) {
      if (!isRecord(task) || !Array.isArray(task.replaces)) continue;
      const parameters = isRecord(task.parameters) ? task.parameters : {};
      const uid = [task.tool_id, task.agent_id, parameters.uid].find((id) => typeof id === "string");
      for (const id of task.replaces) {
        if (typeof id !== "string" || typeof uid !== "string") continue;
        tried.set(id, (tried.get(id) ?? new Set()).add(uid));
      }
    }
  }
  return tried;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
