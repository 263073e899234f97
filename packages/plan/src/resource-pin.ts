import { textOf } from "./kinds/kind-record.ts";
import { type ExecutionKind, executionKinds, kindRecord, kinds } from "./kinds/kinds.ts";
import type { Resource } from "./ports/resource.ts";
import type { PlannerTask } from "./records/planner-task.ts";

const kindOfSubType: ReadonlyMap<string, ExecutionKind> = new Map(
  executionKinds.flatMap((kind) => kindRecord(kind).subTypes.map((subType) => [subType, kind] as const)),
);

export interface ResourcePin {
  /** Absent while the kind is not decided; Stage 2 or the run decides it. */
  readonly kind?: ExecutionKind;
  /** Absent where no resource is pinned; Stage 2 chooses one. */
  readonly uid?: string;
}

const open: ResourcePin = {};

type Pinned = Pick<PlannerTask, "execution_type" | "tool_id" | "function_id" | "agent_id" | "parameters">;

/**
 * What a task says about the resource that executes it. The kind is `execution_type`; where that is open,
 * `parameters.sub_type`, else the kind of the pin that is set. Tools are pinned by `tool_id` or `function_id`, agents
 * by `agent_id`, llm and dsl by `parameters.uid`; an empty string is not a pin.
 */
export function resourcePin(task: Pinned): ResourcePin {
  const kind = kindOf(task);
  const uid = kind === undefined ? textOf(task.parameters, "uid") : kinds[kind].pin.read(task);
  if (kind === undefined) return uid === undefined ? open : { uid };
  return uid === undefined ? { kind } : { kind, uid };
}

/** Kinds that a task names in a field of their own, tools first. */
const ownPins = executionKinds
  .filter((kind) => kindRecord(kind).pin.field !== "parameters.uid")
  .sort((left, right) => Number(right === "tool") - Number(left === "tool"));

function kindOf(task: Pinned): ExecutionKind | undefined {
  if (task.execution_type !== "") return task.execution_type;
  const subType = textOf(task.parameters, "sub_type");
  const named = subType === undefined ? undefined : kindOfSubType.get(subType);
  if (named) return named;
  return ownPins.find((each) => kinds[each].pin.read(task) !== undefined);
}

type PinFields = Partial<Pick<PlannerTask, "tool_id" | "function_id" | "agent_id" | "parameters">>;

/** The field of a task that pins a resource, as its kind wants it. */
export function pinFields({ kind, id, sub_type }: Pick<Resource, "kind" | "id" | "sub_type">): PinFields {
  const { field } = kindRecord(kind).pin;
  if (field === "parameters.uid") return { parameters: { uid: id } };
  return field === "tool_id" && sub_type === "function" ? { function_id: id } : { [field]: id };
}

/** The fields that pin a resource, all others open. `parameters` are kept, but for the pin of another kind. */
export function pinTo(
  resource: Pick<Resource, "kind" | "id" | "sub_type">,
  given: Readonly<Record<string, unknown>> = {},
) {
  const { uid: _uid, ...rest } = given;
  const { parameters = {}, ...fields } = pinFields(resource);
  const open = { tool_id: null, function_id: null, agent_id: null };
  return { execution_type: resource.kind, ...open, ...fields, parameters: { ...rest, ...parameters } };
}
