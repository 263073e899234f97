import { executionKinds, isRecord, type OptionChecks, type Resource } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { answerKinds } from "./answer-kinds.ts";
import { withFewerChoices } from "./fewer-choices.ts";
import { type Outline, objectOutline, outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";
import { orNull, strictForm } from "./strict-form.ts";
import { valueOrReference } from "./value-or-reference.ts";

/** With more resources than these a branch each would slow servers down, or be refused by them. */
const maxBranches = 64;
/** With more ids than these, the schema does not enumerate them. */
const maxIds = 200;
/** The most tasks of one answer: a model that writes more does not stop by itself. */
export const maxAnsweredTasks = 100;

const taskId = { type: "string", pattern: "^t[0-9]{1,3}$" } as const;
const text = { type: "string" } as const;

export interface AnswerSchema {
  readonly schema: Outline;
  /** Whether a server may be asked to enforce it to the letter. */
  readonly strict: boolean;
}

export interface PlanAnswerOptions {
  /** Which optional parameters are offered. @default all */
  readonly offers?: (name: string, schema: unknown) => boolean;
  /** Whether a task may say that it waits for those before it. @default true */
  readonly mayOrder?: boolean;
  /** Whether a task may be executed for each item of a list (`each`). @default false */
  readonly mayLoop?: boolean;
  /** Whether a task may have a condition (`when`). @default false */
  readonly mayDecide?: boolean;
  /** Whether a task may wait for a time or a signal (`wait_minutes`, `wait_until`, `wait_event`). @default false */
  readonly mayWait?: boolean;
  /** Whether a call may be made again until its output is as wanted (`until`). @default false */
  readonly mayRepeat?: boolean;
  /** How many tasks at most. @default 100 */
  readonly maxTasks?: number;
  /** Whether more resources can be asked for. @default false */
  readonly mayAskForMore?: boolean;
}

const checks = {
  offers: "function",
  mayOrder: "boolean",
  mayLoop: "boolean",
  mayDecide: "boolean",
  mayWait: "boolean",
  mayRepeat: "boolean",
  maxTasks: "positive",
  mayAskForMore: "boolean",
} as const satisfies OptionChecks<PlanAnswerOptions>;

/**
 * What a model may answer when it plans: a list of tasks, each one of the branches that `resources` make: the resource's id as a constant
 * and its own input schema, each value or a reference. What a task waits for follows from its references; with `waits` it waits for the tasks before it though it reads none of them.
 * With `each` a task is executed for each item of a list, with `when` only under a condition, with `until` again and again; a task that waits calls nothing.
 * A required argument may be null: the goal does not say it. Another branch says what cannot be done. Strict where every schema has a strict form.
 *
 * @throws ControllerError OPTION
 */
export function planAnswerSchema(resources: readonly Resource[], options: PlanAnswerOptions = {}): AnswerSchema {
  checkOptions("`planAnswerSchema`", options, checks);
  const branches = [
    ...taskBranches(resources, options),
    ...(options.mayWait === true ? waitBranches : []),
    alone("cannot"),
    ...(options.mayAskForMore === true ? [alone("need_tools")] : []),
  ];
  return listOf(branches, options.maxTasks ?? maxAnsweredTasks);
}

/**
 * What a model may answer to a replan: as `planAnswerSchema`, but that each task says which of the marked ones it replaces and what it does, and has an id of the plan's own
 * form. Tasks that may be dropped are offered to be.
 */
export function replanAnswerSchema(
  resources: readonly Resource[],
  { marked, droppable }: { readonly marked: readonly string[]; readonly droppable: readonly string[] },
): AnswerSchema {
  const ids = (among: readonly string[]): Outline => {
    return { type: "array", items: among.length === 0 || among.length > maxIds ? text : { ...text, enum: among } };
  };
  const branches = taskBranches(resources, {}).map((branch): Outline => {
    const { task_id: _, for: words, ...fields } = branch.properties as Readonly<Record<string, Outline>>;
    const said = words === undefined ? {} : { description: words };
    const properties = { task_id: text, replaces: { ...ids(marked), minItems: 1 }, ...said, ...fields };
    const required = (branch.required as readonly string[]).map((name) => (name === "for" ? "description" : name));
    return closed(properties, [...required, "replaces"]);
  });
  const mayBeEmpty = droppable.length > 0;
  return listOf([...branches, alone("cannot")], maxAnsweredTasks, {
    minItems: mayBeEmpty ? 0 : 1,
    before: { reason: text },
    after: mayBeEmpty ? { drop: ids(droppable) } : {},
  });
}

/** A branch a resource, or a kind where they are many or none is known. */
function taskBranches(resources: readonly Resource[], options: PlanAnswerOptions): Outline[] {
  return resources.length === 0 || resources.length > maxBranches
    ? looseTasks(resources, options)
    : resources.map((resource) => taskOf(resource, options));
}

/**
 * Of the steps of Stage 2: the one resource, and input that fits it.
 * @param offers which optional parameters are offered. @default all
 */
export function stepAnswerSchema(
  resources: readonly Resource[],
  offers?: (name: string, schema: unknown) => boolean,
): AnswerSchema {
  if (resources.length === 0 || resources.length > maxBranches) return { schema: looseStep(resources), strict: false };
  const branches = withFewerChoices(
    resources.map(({ id, input_schema }) =>
      closed({ uid: constant(id), input_data: argumentsOf(input_schema, (each) => each, offers) }, [
        "uid",
        "input_data",
      ]),
    ),
  );
  const [only, ...more] = branches;
  // A strict schema is an object at its root.
  const strict = more.length === 0 && only !== undefined ? strictForm(only) : undefined;
  if (strict !== undefined) return { schema: strict, strict: true };
  return { schema: more.length === 0 && only !== undefined ? only : { anyOf: branches }, strict: false };
}

function looseStep(resources: readonly Resource[]): Outline {
  const ids = [...new Set(resources.map(({ id }) => id))];
  const uid = ids.length === 0 || ids.length > maxIds ? text : { ...text, enum: ids };
  return { type: "object", properties: { uid, input_data: { type: "object" } }, required: ["uid", "input_data"] };
}

interface ListForm {
  readonly minItems?: number;
  /** Fields before and after the list. */
  readonly before?: Readonly<Record<string, Outline>>;
  readonly after?: Readonly<Record<string, Outline>>;
}

function listOf(allowed: readonly Outline[], maxItems: number, form: ListForm = {}): AnswerSchema {
  const branches = withFewerChoices(allowed);
  // Small models under a grammar gladly close the list at once.
  const { minItems = 1, before = {}, after = {} } = form;
  const forms = branches.map(strictForm);
  const strict = forms.every((form) => form !== undefined);
  const items = { anyOf: strict ? forms : branches };
  const tasks = { type: "array", items, minItems, maxItems };
  return { schema: closed({ ...before, tasks, ...after }), strict };
}

/** A branch a kind, which says nothing of the arguments. Of any id where no resource is known. */
function looseTasks(
  resources: readonly Resource[],
  { mayOrder, mayLoop = false, mayDecide = false, mayRepeat = false }: PlanAnswerOptions,
): Outline[] {
  return executionKinds.flatMap((kind) => {
    const ids = [...new Set(resources.filter((resource) => resource.kind === kind).map(({ id }) => id))];
    if (ids.length === 0 && resources.length > 0) return [];
    const [only = "", ...more] = ids;
    const branch = taskOf(
      { kind, id: only, description: "" },
      { ...(mayOrder !== undefined && { mayOrder }), mayLoop, mayDecide, mayRepeat },
    );
    if (ids.length > 0 && more.length === 0) return [branch];
    const id = ids.length === 0 || ids.length > maxIds ? text : { ...text, enum: ids };
    return [{ ...branch, properties: { ...(branch.properties as object), [answerKinds[kind].field]: id } }];
  });
}

/** What a task may say of when and how often it is executed. */
function flowOf({
  mayOrder = true,
  mayLoop = false,
  mayDecide = false,
  mayRepeat = false,
}: PlanAnswerOptions): Record<string, Outline> {
  return {
    ...(mayLoop && { each: aList }),
    ...(mayDecide && { when: text }),
    ...(mayRepeat && { until: text }),
    // Offered a list of tasks, small models write the next task's id into each, without end.
    ...(mayOrder && { waits: { type: "boolean" } }),
  };
}

/** A field each, and no object of several: small models fill in whatever an object has. */
const waitBranches: readonly Outline[] = [
  closed({ task_id: taskId, wait_minutes: { type: "number", minimum: 0 } }),
  closed({ task_id: taskId, wait_until: text }),
  closed({ task_id: taskId, wait_event: text }),
];

const aList = { type: "string", pattern: "^\\$\\{[A-Za-z0-9_]+[^{}]*\\}$" };

function taskOf(resource: Resource, options: PlanAnswerOptions): Outline {
  const { offers } = options;
  const { kind, id, input_schema } = resource;
  const { field, words } = answerKinds[kind];
  const pin = { task_id: taskId, [field]: constant(id) };
  const flow = flowOf(options);
  if (words === "prompt") return closed({ ...pin, prompt: text, ...flow }, ["task_id", field, "prompt"]);
  // The words of the request come first, before a model has decided what it calls for them.
  const named = words === "for" ? { task_id: taskId, for: text, [field]: constant(id) } : { ...pin, description: text };
  const properties = { ...named, arguments: argumentsOf(input_schema, inPlan, offers), ...flow };
  return closed(properties, [...Object.keys(named), "arguments"]);
}

/** An argument as a plan writes it. */
function inPlan(outline: Outline): Outline {
  const either = valueOrReference(outline);
  return Object.keys(either).length === 0 ? either : orNull(either);
}

/** The arguments that a resource takes; any where its schema names none and closes nothing. */
function argumentsOf(
  input: Resource["input_schema"],
  outline: (outline: Outline) => Outline,
  offers: (name: string, schema: unknown) => boolean = () => true,
): Outline {
  const required = requiredOf(input);
  const properties = Object.entries(propertiesOf(input));
  if (properties.length === 0) return isClosed(input) ? closed({}) : { type: "object" };
  const offered = properties.filter(([name, schema]) => required.includes(name) || offers(name, schema));
  return objectOutline(Object.fromEntries(offered), required, (schema) => outline(outlineOf(schema, input)));
}

/** Tools without arguments say so by an empty list of properties; few add that others are not allowed. */
function isClosed(input: Resource["input_schema"]): boolean {
  return isRecord(input) && (input.additionalProperties === false || isRecord(input.properties));
}

function constant(value: string): Outline {
  return { type: "string", const: value };
}

function alone(field: string): Outline {
  return closed({ [field]: text });
}

function closed(properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)): Outline {
  return { type: "object", properties, required, additionalProperties: false };
}
