import { isRecord } from "../../json.ts";
import type { ForEachInput, PlannerTaskInput } from "../../records/planner-task.ts";
import { collectReferences } from "../../references/collect-references.ts";
import { formatReference } from "../../references/format-reference.ts";
import { describeValue, dialectError } from "../dialect-error.ts";
import { name as dialect, refusal } from "./refusal.ts";
import { retryOf } from "./retry.ts";
import {
  asFields,
  assigned,
  type Beginning,
  type Fields,
  outputOf,
  pathOf,
  reserved,
  sightOf,
  taskInput,
} from "./state-data.ts";
import { valueAtPath, valueOfJsonata, valueOfPayload } from "./templates.ts";
import { asCode, asTemplate, referenceTo, type Value, valueOfJson } from "./value.ts";

export interface ReadStates {
  readonly tasks: PlannerTaskInput[];
  readonly output: Value;
  /** Ids of the tasks that are the last. */
  readonly last: readonly string[];
  readonly variables: ReadonlyMap<string, Value>;
}

/** One state after the other, from `StartAt` to the end. @throws PlanError DIALECT, naming the state and the field that a plan cannot say */
export function readStates(machine: Fields, beginning: Beginning, what: string): ReadStates {
  const { StartAt, States, QueryLanguage } = machine;
  if (typeof StartAt !== "string" || !isRecord(States)) throw notStates(what, machine);
  const jsonata = QueryLanguage === undefined ? beginning.jsonata : QueryLanguage === "JSONata";
  const seen = new Set<string>();
  const tasks: PlannerTaskInput[] = [];
  let { input, variables, after } = beginning;
  let [from, by] = [what, "StartAt"];
  for (let name: string | undefined = StartAt; name !== undefined; ) {
    const state: unknown = Object.hasOwn(States, name) ? States[name] : undefined;
    if (!isRecord(state)) throw refusal(from, by, `leads to ${JSON.stringify(name)}, which is not one of the states.`);
    if (seen.has(name))
      throw refusal(
        from,
        by,
        "leads back to an earlier state. A plan has no loops: repeat a call with `retry_until`, or work through a list.",
      );
    seen.add(name);
    const declared = tasks.length === 0 && state.Type === "Pass" ? beginning.declared : undefined;
    const given: Beginning = { ...beginning, input, variables, after, jsonata: languageOf(state, jsonata), declared };
    const read = readState(name, state, given);
    tasks.push(...read.tasks);
    ({ output: input, variables } = read);
    if (read.last.length > 0) after = read.last;
    [from, by] = [name, "Next"];
    name = nextOf(name, state);
  }
  const unread = Object.keys(States).find((each) => !seen.has(each));
  if (unread !== undefined)
    throw refusal(unread, "Type", "is of a state to which no `Next` leads, so that it never runs.");
  return { tasks, output: input, last: after, variables };
}

function languageOf({ QueryLanguage }: Fields, around: boolean): boolean {
  return QueryLanguage === undefined ? around : QueryLanguage === "JSONata";
}

function nextOf(name: string, { Type, Next, End }: Fields): string | undefined {
  if (Type === "Succeed" || (End === true && Next === undefined)) return undefined;
  if (typeof Next === "string" && End === undefined) return Next;
  throw refusal(name, "Next", "or `End: true` is expected, one of them.");
}

const ofAll = ["Type", "Comment", "Next", "End", "QueryLanguage", "Assign"];
const ofPaths = ["InputPath", "OutputPath"];
const ofResults = ["Parameters", "ResultSelector", "ResultPath"];
const ofJsonata = ["Arguments", "Output"];

const known: Readonly<
  Record<
    string,
    { readonly fields: readonly string[]; readonly paths: readonly string[]; readonly jsonata: readonly string[] }
  >
> = {
  Task: { fields: ["Resource", "TimeoutSeconds", "Retry"], paths: [...ofPaths, ...ofResults], jsonata: ofJsonata },
  Pass: { fields: [], paths: [...ofPaths, "Parameters", "ResultPath", "Result"], jsonata: ["Output"] },
  Parallel: { fields: ["Branches"], paths: [...ofPaths, ...ofResults], jsonata: ofJsonata },
  Map: {
    fields: ["ItemProcessor", "Iterator", "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage"],
    paths: [...ofPaths, ...ofResults, "ItemsPath", "ItemSelector"],
    jsonata: ["Items", "ItemSelector", "Output"],
  },
  Wait: { fields: ["Seconds", "Timestamp"], paths: [...ofPaths, "TimestampPath"], jsonata: ["Output"] },
  Succeed: { fields: [], paths: ofPaths, jsonata: ["Output"] },
};

const elsewhere: Readonly<Record<string, string>> = {
  Catch: "cannot be converted: a plan handles failures by `on_failure` and replanning, not by going to another state.",
  HeartbeatSeconds: "cannot be converted: a plan has a time limit for each attempt alone (`TimeoutSeconds`).",
  Credentials: "cannot be converted: a plan does not choose the role under which a call is made.",
  ItemReader: "cannot be converted: a plan works through lists that a task or an input gives.",
  ItemBatcher: "cannot be converted: a plan works through a list element by element.",
  ResultWriter: "cannot be converted: the results of a list are the output of its task.",
};

function readState(name: string, state: Fields, given: Beginning): ReadStates {
  const type = String(state.Type);
  const fields = Object.hasOwn(known, type) ? known[type] : undefined;
  if (fields === undefined)
    throw refusal(
      name,
      "Type",
      `is ${describeValue(state.Type)}, which cannot be converted. Task, Parallel, Map, Wait, Pass and Succeed can.`,
    );
  const allowed = [...ofAll, ...fields.fields, ...(given.jsonata ? fields.jsonata : fields.paths)];
  for (const field of Object.keys(state)) {
    if (allowed.includes(field)) continue;
    throw refusal(
      name,
      field,
      elsewhere[field] ?? `cannot be converted in a ${type} state of ${given.jsonata ? "JSONata" : "JSONPath"}.`,
    );
  }
  const input = given.jsonata ? given.input : pathOf(state.InputPath, "InputPath", sightOf(name, given));
  const at: Beginning = { ...given, input };
  const work = readers[type]!(name, state, at);
  const output = outputOf(name, state, at, work.result);
  const variables = assigned(name, state, at, work.result);
  return { tasks: work.tasks, last: work.last, output, variables };
}

interface Work {
  readonly tasks: PlannerTaskInput[];
  readonly last: readonly string[];
  /** What the state has come to, before its output is made of it. */
  readonly result: Value;
}

const readers: Readonly<Record<string, (name: string, state: Fields, given: Beginning) => Work>> = {
  Task(name, state, given) {
    const { Resource, TimeoutSeconds, Retry, Comment } = state;
    if (typeof Resource !== "string" || Resource === "")
      throw refusal(name, "Resource", "is missing. It names the tool that is called.");
    const timeout_ms = typeof TimeoutSeconds === "number" ? TimeoutSeconds * 1000 : undefined;
    if (TimeoutSeconds !== undefined && timeout_ms === undefined)
      throw refusal(name, "TimeoutSeconds", "cannot be converted where it is computed.");
    const task_id = idOf(name);
    const task = afterAll(
      {
        task_id,
        execution_type: "tool",
        tool_id: Resource,
        ...(typeof Comment === "string" && { description: Comment }),
        ...callOf(name, taskInput(name, state, given)),
        ...(timeout_ms !== undefined && { timeout_ms }),
        ...(Retry !== undefined && { retry: retryOf(name, Retry) }),
      },
      given.after,
    );
    return { tasks: [task], last: [task_id], result: referenceTo(task_id) };
  },

  Pass(name, state, given) {
    const result = state.Result === undefined ? taskInput(name, state, given) : valueOfJson(state.Result);
    return { tasks: [], last: [], result };
  },

  Wait(name, state, given) {
    const task_id = idOf(name);
    const task = afterAll({ task_id, wait: waitOf(name, state, given) }, given.after);
    return { tasks: [task], last: [task_id], result: given.input };
  },

  Succeed: (_, __, { input }) => ({ tasks: [], last: [], result: input }),

  Parallel(name, state, given) {
    const { Branches } = state;
    if (!Array.isArray(Branches) || Branches.length === 0)
      throw refusal(name, "Branches", "is expected to be a list of state machines.");
    const input = taskInput(name, state, given);
    const beginning: Beginning = { ...given, input, declared: undefined };
    const branches = Branches.map((branch, place) =>
      readStates(asFields(name, `Branches[${place}]`, branch), beginning, name),
    );
    return {
      tasks: branches.flatMap(({ tasks }) => tasks),
      last: [...new Set(branches.flatMap(({ last }) => last))],
      result: { kind: "list", items: branches.map(({ output }) => output) },
    };
  },

  Map(name, state, given) {
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
      ...limitOf(name, "MaxConcurrency", state.MaxConcurrency, (count) => (count === 0 ? {} : { concurrency: count })),
      ...limitOf(name, "ToleratedFailureCount", state.ToleratedFailureCount, (count) =>
        count === 0 ? {} : { on_failure: { first: count + 1 } },
      ),
      ...limitOf(name, "ToleratedFailurePercentage", state.ToleratedFailurePercentage, (share) => {
        if (share === 0) return {};
        if (share === 100) return { on_failure: "collect" };
        throw refusal(
          name,
          "ToleratedFailurePercentage",
          "cannot be converted: the list of a plan tolerates a number of failures, or all (100).",
        );
      }),
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
    const isCall = second === undefined && dependencies.length === 0 && only.for_each === undefined;
    const task = isCall
      ? { ...call, task_id, ...(only.task_id !== `${task_id} element` && { title: only.task_id! }), for_each: list }
      : { task_id, for_each: { ...list, tasks: inner.tasks, ...(second !== undefined && { result }) } };
    const { Comment } = state;
    const described = typeof Comment === "string" ? { ...task, description: Comment } : task;
    return { tasks: [afterAll(described, given.after)], last: [task_id], result: referenceTo(task_id) };
  },
};

function waitOf(name: string, state: Fields, given: Beginning): NonNullable<PlannerTaskInput["wait"]> {
  const { Seconds, Timestamp, TimestampPath } = state;
  const said = [Seconds, Timestamp, TimestampPath].filter((field) => field !== undefined);
  if (said.length !== 1)
    throw refusal(name, "Type", "is Wait, which is expected to have one of Seconds and Timestamp.");
  if (typeof Seconds === "number") return { for_ms: Seconds * 1000 };
  if (Seconds !== undefined)
    throw refusal(name, "Seconds", "cannot be converted where it is computed: a plan has milliseconds.");
  const sight = sightOf(name, given);
  const until =
    TimestampPath !== undefined
      ? valueAtPath(TimestampPath, "TimestampPath", sight)
      : given.jsonata
        ? valueOfJsonata(Timestamp, "Timestamp", sight)
        : valueOfJson(Timestamp);
  const text = asTemplate(until);
  if (typeof text === "string") return { until: text };
  throw refusal(name, "Timestamp", "is expected to be a time or a path to one.");
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

function limitOf(
  name: string,
  field: string,
  value: unknown,
  make: (count: number) => Partial<ForEachInput>,
): Partial<ForEachInput> {
  if (value === undefined) return {};
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    throw refusal(name, field, "is expected to be an integer of at least 0.");
  return make(value);
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

/** The arguments of a call; where they have to be computed, what they are computed from, and how. */
function callOf(name: string, input: Value): Pick<PlannerTaskInput, "arguments" | "convertor_code"> {
  const template = asTemplate(input);
  if (isRecord(template) && input.kind === "object") return { arguments: template };
  if (input.kind === "literal" || input.kind === "text" || input.kind === "list")
    throw refusal(name, "Resource", "is called with something else than an object, which a task cannot be.");
  const used = new Map<string, string>();
  const code = asCode(input, (reference) => {
    const text = formatReference(reference);
    const known = used.get(text) ?? `v${used.size + 1}`;
    used.set(text, known);
    return `$$.${known}`;
  });
  const values = Object.fromEntries([...used].map(([text, variable]) => [variable, text]));
  return { arguments: values, convertor_code: code };
}

/** The task with the dependencies that its references do not imply. */
function afterAll<Task extends PlannerTaskInput>(task: Task, after: readonly string[]): Task {
  const implied = new Set(
    collectReferences([task.arguments, task.for_each, task.wait]).map(({ reference }) => reference.name),
  );
  const dependencies = after.filter((id) => !implied.has(id));
  return dependencies.length === 0 ? task : { ...task, dependencies };
}

/** The id of a state's task: its name, unless that means something else in references. */
function idOf(name: string): string {
  return reserved.has(name) || /^item_\d+$/.test(name) ? `${name}_state` : name;
}

function notStates(what: string, machine: Fields): Error {
  return dialectError(
    dialect,
    `Expected ${what === "" ? "a state machine" : `the states of ${JSON.stringify(what)}`} with \`StartAt\` and \`States\`, got ${describeValue(machine)}.`,
    { details: { state: what, field: "States" } },
  );
}
