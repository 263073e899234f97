import type { ReplanFailure, ReplanProgress, ReplanRequest, ReplanTask } from "@planloom/controller";
import {
  collectReferences,
  effectiveDependencies,
  type FoundReference,
  flowValues,
  formatPath,
  isRecord,
  type PlannerTask,
  planRevision,
  type ResourceCatalogue,
  resourcePin,
  schemaAtPath,
  type TaskData,
  taskNames,
} from "@planloom/plan";
import { cutText, shareOf } from "../prompts/cut-text.ts";

/** Outputs whose JSON is longer are sent as the beginning of their JSON text, in characters. */
const maxOutput = 20_000;
/** All outputs together: where there are many, each is cut to its share. */
const maxOutputs = 400_000;

export interface ReplanFacts {
  readonly plan: TaskData;
  readonly marked: ReadonlySet<string>;
  /** Why tasks failed, by task id. */
  readonly failures: ReadonlyMap<string, ReplanFailure>;
  readonly catalogue: ResourceCatalogue;
  readonly note: string;
  /** Of `marked`, those that may stay. */
  readonly optional?: ReadonlySet<string>;
}

/**
 * What a controller must know to replace the marked tasks, and nothing of the rest of the plan. Outputs are cut, the more the
 * more there are. O(plan).
 */
export function replanRequest({ plan, marked, failures, catalogue, note, optional }: ReplanFacts): ReplanRequest {
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  const names = taskNames(plan);
  const dependencies = effectiveDependencies(plan);
  const consumers = new Map<string, { task: PlannerTask; reads: Map<string, unknown> }[]>();
  plan.planned_tasks.forEach((task, index) => {
    /** What it reads of each marked task: paths, with the schemas of the arguments they are for. */
    const reads = new Map<string, Map<string, unknown>>();
    for (const id of dependencies[index]!) if (marked.has(id)) reads.set(id, new Map());
    if (reads.size === 0) return;
    const { kind, uid } = resourcePin(task);
    const schema = kind && uid ? catalogue.find(kind, uid)?.input_schema : undefined;
    const expects = ({ argument_path, whole }: FoundReference): unknown => {
      if (schema === undefined || !whole || !Object.hasOwn(task.arguments, argument_path)) return undefined;
      const found = schemaAtPath(schema, [{ key: argument_path }]);
      return found.found === "yes" ? found.schema : undefined;
    };
    const note = (found: FoundReference, wanted: unknown): void => {
      const own = reads.get(names.get(found.reference.name) ?? "");
      const path = formatPath(found.reference.path);
      if (own !== undefined) own.set(path, own.get(path) ?? wanted);
    };
    for (const found of collectReferences(task.arguments)) note(found, expects(found));
    for (const found of collectReferences([task.parameters, ...flowValues(task)])) note(found, undefined);
    for (const [id, paths] of reads) {
      const known = consumers.get(id);
      if (known === undefined) consumers.set(id, [{ task, reads: paths }]);
      else known.push({ task, reads: paths });
    }
  });
  const completed = plan.planned_tasks.filter(({ status }) => status === "completed");
  const done = new Set(completed.map(({ task_id }) => task_id));
  const upstream = plan.planned_tasks.flatMap(({ task_id }, index) =>
    marked.has(task_id) ? dependencies[index]! : [],
  );
  const outputs = upstream.filter((id) => done.has(id)).length + (optional?.size ? 2 * done.size : 0);
  const limit = shareOf(maxOutputs, outputs, maxOutput);
  const about = (task: PlannerTask) => ({
    task_id: task.task_id,
    description: task.description || (task.title ?? ""),
    ...(marked.has(task.task_id) && { marked: true as const }),
  });
  const replanTask = (task: PlannerTask, index: number): ReplanTask => {
    const failure = failures.get(task.task_id);
    return {
      task: shown(task),
      ...(optional?.has(task.task_id) && { optional: true as const }),
      ...(failure !== undefined && { failure }),
      ...(task.status === "completed" && { output: cutValue(task.output, limit) }),
      inputs: dependencies[index]!.flatMap((id) => {
        const source = tasks.get(id);
        if (source === undefined) return [];
        const { kind, uid } = resourcePin(source);
        const schema = kind && uid ? catalogue.find(kind, uid)?.output_schema : undefined;
        return [
          {
            ...about(source),
            status: source.status,
            ...(source.status === "completed" && { output: cutValue(source.output, limit) }),
            ...(schema !== undefined && { output_schema: schema }),
          },
        ];
      }),
      consumers: (consumers.get(task.task_id) ?? []).map((each) => {
        const known = [...each.reads].flatMap(([path, schema]) => (schema === undefined ? [] : [{ path, schema }]));
        const expects = known.length > 0 && !marked.has(each.task.task_id) ? { expects: known } : {};
        return { ...about(each.task), reads: [...each.reads.keys()], ...expects };
      }),
    };
  };
  return {
    plan_id: plan.task_id,
    base: planRevision(plan),
    tasks: plan.planned_tasks.flatMap((task, index) => (marked.has(task.task_id) ? [replanTask(task, index)] : [])),
    ...(optional !== undefined && optional.size > 0 && { progress: progressOf(plan, failures, limit) }),
    ...(note !== "" && { note }),
  };
}

function progressOf(plan: TaskData, failures: ReplanFacts["failures"], limit: number): ReplanProgress {
  const named = plan.planned_tasks.filter(({ status, result_variable }) => status === "completed" && result_variable);
  const done = named.map(({ result_variable, output }) => [result_variable!, cutValue(output, limit)]);
  const described = ({ task_id, description, title }: PlannerTask) => ({
    task_id,
    description: description || (title ?? ""),
  });
  return {
    completed: plan.planned_tasks
      .filter(({ status }) => status === "completed")
      .map((task) => ({ ...described(task), output: cutValue(task.output, limit) })),
    failed: plan.planned_tasks
      .filter(({ status, task_id }) => status === "failed" || failures.has(task_id))
      .map((task) => {
        const error = failures.get(task.task_id);
        return { ...described(task), ...(error !== undefined && { error }) };
      }),
    variables: { ...plan.variables, ...Object.fromEntries(done) },
  };
}

function shown(task: PlannerTask): ReplanTask["task"] {
  const { task_id, description, execution_type, tool_id, function_id, agent_id, parameters } = task;
  const { instructions, convertor_code, dependencies, status, result_variable } = task;
  const { for_each, when, choose, join, wait, retry_until } = task;
  return {
    task_id,
    description,
    execution_type,
    tool_id,
    function_id,
    agent_id,
    parameters,
    arguments: task.arguments,
    instructions,
    convertor_code,
    dependencies,
    status,
    ...(result_variable !== undefined && { result_variable }),
    ...(for_each !== undefined && { for_each }),
    ...(when !== undefined && { when }),
    ...(choose !== undefined && { choose }),
    ...(join !== undefined && { join }),
    ...(wait !== undefined && { wait }),
    ...(retry_until !== undefined && { retry_until }),
  };
}

/** The value, or the beginning of its JSON with a note of what is left out. */
function cutValue(value: unknown, limit: number): unknown {
  if (isRecord(value) && Object.keys(value).length === 0) return {};
  const text = JSON.stringify(value) ?? "null";
  return text.length <= limit ? value : cutText(text, limit);
}
