import { isRecord } from "../../json.ts";
import type { ForEachInput } from "../../records/planner-task.ts";
import { formatReference } from "../../references/format-reference.ts";
import { idOf, type ReadStates, type Work, withEntry } from "./reading.ts";
import { refusal } from "./refusal.ts";
import { asFields, type Beginning, type Fields, sightOf } from "./state-data.ts";
import { valueAtPath, valueOfJsonata, valueOfPayload } from "./templates.ts";
import { asTemplate, referenceTo, type Value } from "./value.ts";

/**
 * A Map state as a task with `for_each`. One that does a single call for each item becomes that call; otherwise its states are tasks within it.
 * @param readStates reads the machine that is executed for each item
 * @throws PlanError DIALECT
 */
export function readMapState(
  name: string,
  state: Fields,
  given: Beginning,
  readStates: (machine: Fields, beginning: Beginning, what: string) => ReadStates,
): Work {
  if (state.ItemProcessor !== undefined && state.Iterator !== undefined)
    throw refusal(name, "Iterator", "is there beside ItemProcessor, which has taken its place. Write one of them.");
  const processor = asFields(name, "ItemProcessor", state.ItemProcessor ?? state.Iterator);
  const { ProcessorConfig } = processor;
  if (isRecord(ProcessorConfig) && ProcessorConfig.Mode === "DISTRIBUTED")
    throw refusal(
      name,
      "ItemProcessor.ProcessorConfig",
      "is DISTRIBUTED, which cannot be converted: elements run within the run of the plan.",
    );
  const task_id = idOf(name);
  const item = given.items.length === 0 ? "item" : `item_${given.items.length + 1}`;
  const items = itemsOf(name, state, given);
  const within: Beginning = {
    ...given,
    items: [...given.items, item],
    after: [],
    entry: undefined,
    gate: undefined,
    declared: undefined,
    variables: withoutPlaces(given),
  };
  const selector = state.ItemSelector ?? (given.jsonata ? undefined : state.Parameters);
  const sight = sightOf(name, within);
  const input =
    selector === undefined
      ? referenceTo(item)
      : given.jsonata
        ? valueOfJsonata(selector, "ItemSelector", sight)
        : valueOfPayload(selector, "ItemSelector", sight);
  const inner = readStates(processor, { ...within, input }, name);
  const list: ForEachInput = {
    items,
    ...(item !== "item" && { as: item }),
    ...concurrencyOf(name, state),
    ...toleratedBy(name, state),
  };
  const [only, second] = inner.tasks;
  const result = resultOf(inner);
  if (only === undefined || result === undefined)
    throw refusal(
      name,
      "ItemProcessor",
      "ends with something else than the result of one of its tasks (its last state changes the output, or there is no task), which a list of a plan cannot say.",
    );
  const { task_id: _, dependencies = [], ...call } = only;
  // About each element one decides in a task of its own.
  const isAlone = second === undefined && dependencies.length === 0;
  const isCall = isAlone && only.for_each === undefined && only.choose === undefined;
  const task = isCall
    ? { ...call, task_id, ...(only.task_id !== `${task_id} element` && { title: only.task_id! }), for_each: list }
    : { task_id, for_each: { ...list, tasks: inner.tasks, ...(second !== undefined && { result }) } };
  const { Comment } = state;
  const described = typeof Comment === "string" ? { ...task, description: Comment } : task;
  return { tasks: [withEntry(described, given)], last: [task_id], result: referenceTo(task_id) };
}

/** The task whose whole output the states of an element give. */
function resultOf({ tasks, output }: ReadStates): string | undefined {
  if (output.kind !== "reference" || output.reference.path.length > 0) return undefined;
  const { name } = output.reference;
  return tasks.some(({ task_id }) => task_id === name) ? name : undefined;
}

/** Variables that mean something within another list: the place in an outer list has no name there. */
function withoutPlaces({ variables, items }: Beginning): ReadonlyMap<string, Value> {
  if (items.length === 0) return variables;
  return new Map([...variables].filter(([, value]) => value.kind !== "reference" || value.reference.name !== "index"));
}

/** A list of a plan has no more elements under way. */
const maxConcurrency = 10_000;

function concurrencyOf(name: string, state: Fields): Partial<ForEachInput> {
  const count = countIn(name, state, "MaxConcurrency") ?? 0;
  if (count > maxConcurrency)
    throw refusal(
      name,
      "MaxConcurrency",
      `is expected to be at most ${maxConcurrency}, or 0 for as many as the run allows.`,
    );
  return count === 0 ? {} : { concurrency: count };
}

/** Where a number and a share are tolerated, the list fails when either is exceeded. */
function toleratedBy(name: string, state: Fields): Partial<ForEachInput> {
  const count = countIn(name, state, "ToleratedFailureCount");
  const share = countIn(name, state, "ToleratedFailurePercentage");
  if (share !== undefined && share !== 0 && share !== 100)
    throw refusal(
      name,
      "ToleratedFailurePercentage",
      "cannot be converted: the list of a plan tolerates a number of failures, or all (100).",
    );
  if (count === 0 || share === 0 || (count ?? share) === undefined) return {};
  return { on_failure: count === undefined ? "collect" : { first: count + 1 } };
}

function countIn(name: string, state: Fields, field: string): number | undefined {
  const value = state[field];
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0)) return value;
  throw refusal(name, field, "is expected to be an integer of at least 0.");
}

function itemsOf(name: string, state: Fields, given: Beginning): ForEachInput["items"] {
  const sight = sightOf(name, given);
  const field = given.jsonata ? "Items" : "ItemsPath";
  const value =
    state[field] === undefined
      ? given.input
      : given.jsonata
        ? valueOfJsonata(state.Items, field, sight)
        : valueAtPath(state.ItemsPath, field, sight);
  if (value.kind === "reference") return formatReference(value.reference);
  const list = value.kind === "list" ? asTemplate(value) : undefined;
  if (list === undefined)
    throw refusal(
      name,
      field,
      "is computed or not a list. The list of a plan is the output of a task or a part of it, the input, or a list that is written out.",
    );
  return list as unknown[];
}
