import { type Adjacency, buildAdjacency } from "../graph/adjacency.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { topologicalOrder } from "../graph/topological-order.ts";
import type { ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { type FoundReference, type MalformedReference, scanReferences } from "../references/collect-references.ts";
import { inputName } from "../references/task-names.ts";
import { type ResourcePin, resourcePin } from "../resource-pin.ts";
import type { PlanStructure } from "./read-structure.ts";
import { type ResourceTyping, resourceTyping } from "./resource-typing.ts";

/** What a name refers to: a task's number, a plan variable, something unknown, or nothing. */
export type NameMeaning = number | "variable" | "opaque" | undefined;

export interface ResolvedReference extends FoundReference {
  readonly source: NameMeaning;
}

/** One task's references, resolved. They live for one task's checks: kept for all tasks they cost 30 ms of collection. */
export interface TaskReferences {
  readonly inArguments: readonly ResolvedReference[];
  readonly inParameters: readonly ResolvedReference[];
  readonly malformed: readonly MalformedReference[];
}

/** Everything the checks of one `validatePlan` call share. */
export interface PlanFacts {
  readonly tasks: readonly PlannerTask[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly catalogue: ResourceCatalogue | undefined;
  /** Task number by id; of equal ids the first. */
  readonly index: ReadonlyMap<string, number>;
  /** Names of tasks that are malformed: known, but nothing is known about them. */
  readonly malformedIds: ReadonlySet<string>;
  /** Where an id occurs twice: unmatched dependency names, one of which was probably meant for a duplicate. */
  readonly intendedIds: ReadonlySet<string>;
  readonly pins: readonly ResourcePin[];
  /** The typing of each task's pinned resource, if it is known. */
  readonly typings: readonly (ResourceTyping | undefined)[];
  resolveName(name: string): NameMeaning;
}

/** The plan's graph as far as it has an order. */
export interface PlanOrder {
  readonly graph: Adjacency;
  /** A topological order of the first `ordered` tasks. */
  readonly topo: Int32Array;
  readonly ordered: number;
  /** Place of each task in the order; -1 for tasks on or behind a cycle. */
  readonly position: Int32Array;
}

export function gatherFacts(structure: PlanStructure, catalogue: ResourceCatalogue | undefined): PlanFacts {
  const { tasks, variables } = structure;
  const index = new Map<string, number>();
  const pins: ResourcePin[] = [];
  const typings: (ResourceTyping | undefined)[] = [];
  tasks.forEach((task, number) => {
    if (!index.has(task.task_id)) index.set(task.task_id, number);
    const pin = resourcePin(task);
    pins.push(pin);
    const resource = pin.kind && pin.uid ? catalogue?.find(pin.kind, pin.uid) : undefined;
    typings.push(resource && resourceTyping(resource));
  });
  const intendedIds = idsMeant(structure, index);
  const malformedIds =
    intendedIds.size === 0 ? structure.malformedIds : new Set([...structure.malformedIds, ...intendedIds]);
  const results = new Map<string, number>();
  tasks.forEach(({ result_variable: name }, task) => {
    if (name !== undefined && !index.has(name) && !results.has(name)) results.set(name, task);
  });
  const resolveName = (name: string): NameMeaning =>
    index.get(name) ??
    results.get(name) ??
    (Object.hasOwn(variables, name) ? "variable" : name === inputName || malformedIds.has(name) ? "opaque" : undefined);
  return { tasks, variables, catalogue, index, malformedIds, intendedIds, pins, typings, resolveName };
}

/** Returns at most one name per surplus duplicate. */
function idsMeant({ tasks, malformedIds }: PlanStructure, index: ReadonlyMap<string, number>): ReadonlySet<string> {
  const meant = new Set<string>();
  if (index.size === tasks.length) return meant;
  for (const { dependencies } of tasks)
    for (const id of dependencies) if (!index.has(id) && !malformedIds.has(id)) meant.add(id);
  return meant.size > tasks.length - index.size ? new Set() : meant;
}

/** Finds and resolves the references of a task; adds its edges, self-loops left out, to `edges`. */
export function readReferences(number: number, facts: PlanFacts, edges: EdgeList): TaskReferences {
  const task = facts.tasks[number]!;
  for (const dependency of task.dependencies) {
    const source = facts.index.get(dependency);
    if (source !== undefined && source !== number) edges.add(source, number);
  }
  const inArguments = isEmpty(task.arguments) ? none : scanReferences(task.arguments);
  const inParameters = isEmpty(task.parameters) ? none : scanReferences(task.parameters);
  return {
    inArguments: resolveAll(inArguments.references, number, facts, edges),
    inParameters: resolveAll(inParameters.references, number, facts, edges),
    malformed:
      inParameters.malformed.length > 0 ? [...inArguments.malformed, ...inParameters.malformed] : inArguments.malformed,
  };
}

function resolveAll(
  list: readonly FoundReference[],
  task: number,
  facts: PlanFacts,
  edges: EdgeList,
): readonly ResolvedReference[] {
  if (list.length === 0) return noReferences;
  const resolved: ResolvedReference[] = [];
  for (const { reference, argument_path, whole } of list) {
    const source = facts.resolveName(reference.name);
    if (typeof source === "number" && source !== task) edges.add(source, task);
    resolved.push({ reference, argument_path, whole, source });
  }
  return resolved;
}

/** The order that the edges of all tasks give. O(tasks + edges). */
export function orderOf(edges: EdgeList, tasks: number): PlanOrder {
  const { from, to } = edges.columns();
  const graph = buildAdjacency(tasks, from, to);
  const { topo, ordered } = topologicalOrder(graph);
  const position = new Int32Array(tasks).fill(-1);
  for (let place = 0; place < ordered; place++) position[topo[place]!] = place;
  return { graph, topo, ordered, position };
}

/** As above, read from the tasks again. */
export function readOrder(facts: PlanFacts): PlanOrder {
  const edges = new EdgeList(facts.tasks.length * 2);
  for (let task = 0; task < facts.tasks.length; task++) readReferences(task, facts, edges);
  return orderOf(edges, facts.tasks.length);
}

const noReferences: readonly ResolvedReference[] = [];
const none = { references: [], malformed: [] };

function isEmpty(value: Record<string, unknown>): boolean {
  for (const _key in value) return false;
  return true;
}
