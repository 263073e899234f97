import { type Adjacency, buildAdjacency } from "../graph/adjacency.ts";
import { EdgeList } from "../graph/edge-list.ts";
import { topologicalOrder } from "../graph/topological-order.ts";
import type { ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { type FoundReference, type MalformedReference, scanReferences } from "../references/collect-references.ts";
import {
  deadlineValue,
  elementNames,
  flowValues,
  hasFlowValues,
  indexName,
  localNames,
  withoutSchema,
} from "../references/flow-values.ts";
import { inputName } from "../references/task-names.ts";
import { type ResourcePin, resourcePin } from "../resource-pin.ts";
import { elementOf, itemsReference, outputOfTask } from "./flow-types.ts";
import type { PlanStructure } from "./read-structure.ts";
import { type ResourceTyping, resourceTyping } from "./resource-typing.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A value that a task has within itself: the element of its list, or the place of it. */
export interface OwnValue {
  readonly node: SchemaNode;
}

/** What a name refers to: a task's number, a plan variable, a value of the task's own, something unknown, or nothing. */
export type NameMeaning = number | "variable" | "opaque" | OwnValue | undefined;

/** Where a reference is, or a text that should be one. */
interface InTask {
  /** Whether it is in another field of the task than its arguments, which the path then begins with. */
  readonly inField: boolean;
}

export interface ResolvedReference extends FoundReference, InTask {
  readonly source: NameMeaning;
}

/** One task's references, resolved. They live for one task's checks: kept for all tasks they cost 30 ms of collection. */
export interface TaskReferences {
  readonly inArguments: readonly ResolvedReference[];
  readonly inParameters: readonly ResolvedReference[];
  /** In `for_each`, `when` and `choose`. */
  readonly inFlow: readonly ResolvedReference[];
  readonly malformed: readonly (MalformedReference & InTask)[];
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
  /** The schema of each task's output, as far as it is known: of a task with `for_each` that of a list. */
  readonly outputs: readonly (SchemaNode | undefined)[];
  resolveName(name: string): NameMeaning;
  /** The references of one task, read again. */
  referencesOf(task: number): readonly ResolvedReference[];
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
  const outputs: (SchemaNode | undefined)[] = [];
  tasks.forEach((task, number) => {
    if (!index.has(task.task_id)) index.set(task.task_id, number);
    const pin = resourcePin(task);
    pins.push(pin);
    const resource = pin.kind && pin.uid ? catalogue?.find(pin.kind, pin.uid) : undefined;
    const typing = resource && resourceTyping(resource);
    typings.push(typing);
    outputs.push(outputOfTask(task, typing?.output));
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
  const facts: PlanFacts = {
    tasks,
    variables,
    catalogue,
    index,
    malformedIds,
    intendedIds,
    pins,
    typings,
    outputs,
    resolveName,
    referencesOf(task) {
      const { inArguments, inParameters, inFlow } = readReferences(task, facts, new EdgeList(0));
      return [...inArguments, ...inParameters, ...inFlow];
    },
  };
  return facts;
}

/** The facts of the tasks that a task executes for each element, which see the element and what the plan around them has. */
export function innerFacts(task: number, outer: PlanFacts): PlanFacts {
  const planned = outer.tasks[task]!;
  const tasks = planned.for_each?.tasks ?? [];
  const facts = gatherFacts(
    { issues: [], tasks, malformedIds: new Set(), variables: {}, outputs: {} },
    outer.catalogue,
  );
  const around = withElement(planned, outer);
  const seen = (name: string): NameMeaning => {
    const own = facts.resolveName(name);
    if (own !== undefined) return own;
    const meaning = around(name);
    if (typeof meaning !== "number") return meaning === "variable" ? "opaque" : meaning;
    const node = outer.outputs[meaning];
    return node === undefined ? "opaque" : { node };
  };
  const inner: PlanFacts = {
    ...facts,
    resolveName: seen,
    referencesOf(number) {
      const { inArguments, inParameters, inFlow } = readReferences(number, inner, new EdgeList(0));
      return [...inArguments, ...inParameters, ...inFlow];
    },
  };
  return inner;
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
  const unreadable = inArguments.malformed.map((each) => ({ ...each, inField: false }));
  const inParameters = isEmpty(task.parameters) ? none : scanWithin("parameters", task.parameters);
  const inFlow = hasFlowValues(task) ? scanFlow(task) : none;
  // The list, and what is given for its elements, are read before there is an element, whose name may be that of an element around it.
  const isInList = ({ argument_path }: FoundReference) => /^for_each\.(items|given)/.test(argument_path);
  const resolve = task.for_each === undefined ? facts.resolveName : withElement(task, facts);
  if (task.for_each?.tasks !== undefined) addInnerEdges(task, number, facts, edges);
  const malformed = inParameters.malformed.length > 0 ? [...unreadable, ...inParameters.malformed] : unreadable;
  return {
    inArguments: resolveAll(inArguments.references, false, number, resolve, edges),
    inParameters: resolveAll(inParameters.references, true, number, resolve, edges),
    inFlow: [
      ...resolveAll(inFlow.references.filter(isInList), true, number, facts.resolveName, edges),
      ...resolveAll(
        inFlow.references.filter((each) => !isInList(each)),
        true,
        number,
        resolve,
        edges,
      ),
    ],
    malformed: inFlow.malformed.length > 0 ? [...malformed, ...inFlow.malformed] : malformed,
  };
}

/** The references of `for_each.items`, the conditions and the wait, each with its place in the task. */
function scanFlow(task: PlannerTask): ReturnType<typeof scanWithin> {
  const found: ReturnType<typeof scanWithin> = { references: [], malformed: [] };
  const add = (place: string, value: unknown) => {
    const { references, malformed } = scanWithin(place, value);
    for (const each of references) found.references.push(each);
    for (const each of malformed) found.malformed.push(each);
  };
  const { for_each, when, choose, wait, retry_until } = task;
  if (for_each !== undefined) add("for_each.items", for_each.items);
  if (for_each?.given !== undefined) add("for_each.given", for_each.given);
  if (when !== undefined) add("when.condition", when.condition);
  for (const [number, { condition }] of (choose?.branches ?? []).entries())
    if (condition !== undefined) add(`choose.branches[${number}].condition`, condition);
  if (wait !== undefined) add("wait", withoutSchema(wait));
  if (retry_until !== undefined) {
    add("retry_until.condition", retry_until.condition);
    add("retry_until.on_deadline.value", deadlineValue(retry_until));
  }
  return found;
}

/** The references of a field of the task other than its arguments, each with its place in the task. */
function scanWithin(
  field: string,
  value: unknown,
): { readonly references: FoundReference[]; readonly malformed: (MalformedReference & InTask)[] } {
  const { references, malformed } = scanReferences(value);
  const at = <Found extends { readonly argument_path: string }>(found: Found): Found => {
    const path = found.argument_path;
    return { ...found, argument_path: path === "" ? field : `${field}${path.startsWith("[") ? "" : "."}${path}` };
  };
  return { references: references.map(at), malformed: malformed.map((each) => ({ ...at(each), inField: true })) };
}

/** What the tasks of an element refer to outside of it, the whole list waits for. Whether it is there is said where they are checked. */
function addInnerEdges(task: PlannerTask, number: number, facts: PlanFacts, edges: EdgeList): void {
  const local = localNames(task);
  for (const { reference } of scanReferences(flowValues(task)).references) {
    const source = local.has(reference.name) ? undefined : facts.resolveName(reference.name);
    if (typeof source === "number" && source !== number) edges.add(source, number);
  }
}

/** Inside of a task with `for_each` the element and its place have names too. */
function withElement(task: PlannerTask, facts: PlanFacts): (name: string) => NameMeaning {
  const [item] = elementNames(task);
  let element: NameMeaning;
  return (name) => {
    if (name === indexName) return anIndex;
    if (name !== item) return facts.resolveName(name);
    element ??= elementMeaning(task, facts);
    return element;
  };
}

function elementMeaning(task: PlannerTask, facts: PlanFacts): OwnValue | "opaque" {
  const reference = itemsReference(task);
  const source = reference && facts.resolveName(reference.name);
  const output =
    typeof source === "number" ? facts.outputs[source] : typeof source === "object" ? source.node : undefined;
  const list = output && reference && nodeAtPath(output, reference.path);
  const node = list?.found === "yes" ? elementOf(list.node) : undefined;
  return node === undefined ? "opaque" : { node };
}

const anIndex: OwnValue = { node: { schema: { type: "integer", minimum: 0 }, root: true } };

function resolveAll(
  list: readonly FoundReference[],
  inField: boolean,
  task: number,
  resolve: (name: string) => NameMeaning,
  edges: EdgeList,
): readonly ResolvedReference[] {
  if (list.length === 0) return noReferences;
  const resolved: ResolvedReference[] = [];
  for (const { reference, argument_path, whole } of list) {
    const source = resolve(reference.name);
    if (typeof source === "number" && source !== task) edges.add(source, task);
    resolved.push({ reference, argument_path, whole, source, inField });
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
