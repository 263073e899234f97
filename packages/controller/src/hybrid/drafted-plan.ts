import { isRecord } from "@planloom/plan";
import type { ControllerReply } from "../behavior-controller.ts";

export type Task = Readonly<Record<string, unknown>>;

/** A call of a draft, with what its planner says of it. */
export interface DraftedCall {
  readonly task: Task;
  readonly id: string;
  readonly callee: string;
  /** How likely the resource is right, 0 to 1; undefined where the call is there for another one, or was written out. */
  readonly likelihood: number | undefined;
  /** The words of the request that the call is for. */
  readonly text: string;
  /** What else was considered for these words. */
  readonly alternatives: readonly string[];
  /** By argument: how likely its value is right; without an entry it was not estimated. */
  readonly likelihoods: ReadonlyMap<string, number>;
  /** Required arguments that the draft has nothing for. */
  readonly open: ReadonlySet<string>;
}

/** A plan that was made without a model. */
export interface DraftedPlan {
  readonly reply: ControllerReply;
  readonly calls: readonly DraftedCall[];
  /** How likely the whole plan is right, 0 to 1. */
  readonly confidence: number;
  /** No argument that is required is open. */
  readonly isWhole: boolean;
  /** Parts of the request, in its words, for which its planner has no resource. */
  readonly unserved: readonly string[];
}

/**
 * A draft as its planner describes it: `metadata.confidence`, `metadata.choices` (by task: the words, the alternatives, the likelihood) and
 * `metadata.provenance` (by task and argument: the likelihood), `metadata.unresolved` (with the reason `no_resource` and the text of a part that nothing is for). A planner that says nothing of single calls is as sure of each as of the plan.
 * Undefined where there is no task.
 */
export function readDraft(reply: ControllerReply): DraftedPlan | undefined {
  const tasks = tasksOf(reply.data);
  if (tasks === undefined || tasks.length === 0) return undefined;
  const metadata = isRecord(reply.data) && isRecord(reply.data.metadata) ? reply.data.metadata : {};
  const confidence = typeof metadata.confidence === "number" ? metadata.confidence : 1;
  const { choices, provenance, unresolved } = metadata;
  // What else its planner notes, its confidence counts already.
  const open = (reply.issues ?? []).filter(({ argument_path: path }) => path !== undefined);
  const calls = tasks.map((task): DraftedCall => {
    const id = String(task.task_id ?? "");
    const choice = recordAt(choices, id);
    const { likelihood, text = "", alternatives = [] } = choice ?? {};
    const missing = open.flatMap(({ task_id, argument_path: path }) =>
      task_id === id && path !== undefined ? [outermost(path)] : [],
    );
    return {
      ...{ task, id, callee: calleeOf(task) },
      likelihood: typeof likelihood === "number" ? likelihood : isRecord(choices) ? undefined : confidence,
      text: String(text),
      alternatives: (Array.isArray(alternatives) ? alternatives : []).flatMap((each) =>
        isRecord(each) && typeof each.tool === "string" ? [each.tool] : [],
      ),
      likelihoods: likelihoodsOf(recordAt(provenance, id) ?? {}),
      open: new Set(missing),
    };
  });
  const unserved = (Array.isArray(unresolved) ? unresolved : []).flatMap((each) =>
    isRecord(each) && each.reason === "no_resource" && typeof each.text === "string" ? [each.text] : [],
  );
  return { reply, calls, confidence, isWhole: open.length === 0, unserved };
}

export function tasksOf(data: unknown): Record<string, unknown>[] | undefined {
  const tasks = isRecord(data) ? (data.planned_tasks ?? data.tasks) : data;
  return Array.isArray(tasks) && tasks.every(isRecord) ? tasks : undefined;
}

/** What a task calls: the id of its resource, or its kind where it names none. */
export function calleeOf({ tool_id, agent_id, parameters, execution_type }: Task): string {
  const uid = isRecord(parameters) ? parameters.uid : undefined;
  return String([tool_id, agent_id, uid].find((id) => typeof id === "string" && id !== "") ?? execution_type ?? "");
}

/** Ids of the tasks that a value reads. */
export function idsIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? "").matchAll(/(?<!\$)\$\{([\w-]+)/g)].map(([, id = ""]) => id);
}

/** An argument is as likely as the least likely value in it. */
function likelihoodsOf(origins: Readonly<Record<string, unknown>>): Map<string, number> {
  const least = new Map<string, number>();
  for (const [path, origin] of Object.entries(origins)) {
    if (!isRecord(origin)) continue;
    // A default is what holds where nothing is said.
    const { likelihood = origin.source === "default" ? likelihoodOfDefault : undefined } = origin;
    if (typeof likelihood !== "number") continue;
    const name = outermost(path);
    least.set(name, Math.min(least.get(name) ?? 1, likelihood));
  }
  return least;
}

const likelihoodOfDefault = 0.5;

const outermost = (path: string) => path.split(/[.[]/, 1)[0] ?? path;

function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) ? found : undefined;
}
