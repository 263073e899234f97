import type { ExecutionKind, PlannerTask } from "./records/planner-task.ts";

const kindOfSubType: ReadonlyMap<string, ExecutionKind> = new Map([
  ["tool", "tool"],
  ["tools", "tool"],
  ["function", "tool"],
  ["agent", "agent"],
  ["llm", "llm"],
  ["dsl", "dsl"],
]);

export interface ResourcePin {
  /** Absent: not decided; Stage 2 or the run decides. */
  readonly kind?: ExecutionKind;
  /** Absent: the resource is not pinned; Stage 2 chooses. */
  readonly uid?: string;
}

const open: ResourcePin = {};

type Pinned = Pick<PlannerTask, "execution_type" | "tool_id" | "function_id" | "agent_id" | "parameters">;

/**
 * What a task says about the resource that is to execute it. The kind is `execution_type`; where that is open,
 * `parameters.sub_type`, else the kind of the pin that is set. Tools are pinned by `tool_id` or `function_id`, agents
 * by `agent_id`, llm and dsl by `parameters.uid`; an empty string is no pin.
 */
export function resourcePin(task: Pinned): ResourcePin {
  const kind = kindOf(task);
  const uid = kind === undefined ? textAt(task, "uid") : pinReaders[kind](task);
  if (kind === undefined) return uid === undefined ? open : { uid };
  return uid === undefined ? { kind } : { kind, uid };
}

const pinReaders: Readonly<Record<ExecutionKind, (task: Pinned) => string | undefined>> = {
  tool: (task) => task.tool_id || task.function_id || undefined,
  agent: (task) => task.agent_id || undefined,
  llm: (task) => textAt(task, "uid"),
  dsl: (task) => textAt(task, "uid"),
};

function kindOf(task: Pinned): ExecutionKind | undefined {
  if (task.execution_type !== "") return task.execution_type;
  const subType = textAt(task, "sub_type");
  const named = subType === undefined ? undefined : kindOfSubType.get(subType);
  if (named) return named;
  if (task.tool_id || task.function_id) return "tool";
  return task.agent_id ? "agent" : undefined;
}

function textAt(task: Pinned, key: string): string | undefined {
  const value = Object.hasOwn(task.parameters, key) ? task.parameters[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
