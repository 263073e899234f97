import { isRecord } from "../../json.ts";
import type { PlannerTaskInput } from "../../records/planner-task.ts";
import { formatReference } from "../../references/format-reference.ts";
import { describeValue, dialectError } from "../dialect-error.ts";
import { template } from "./choice-rules.ts";
import { meetingStates } from "./meeting-states.ts";
import { readChoice } from "./read-choice.ts";
import { readMapState } from "./read-map-state.ts";
import {
  checkFields,
  idOf,
  type Machine,
  ofPaths,
  type Read,
  type ReadChain,
  type ReadStates,
  type Work,
  withEntry,
} from "./reading.ts";
import { name as dialect, refusal } from "./refusal.ts";
import { retryOf } from "./retry.ts";
import {
  asFields,
  assigned,
  type Beginning,
  type Entry,
  type Fields,
  outputOf,
  pathOf,
  sightOf,
  taskInput,
} from "./state-data.ts";
import { valueAtPath, valueOfJsonata } from "./templates.ts";
import { asCode, asTemplate, referenceTo, type Value, valueOfJson } from "./value.ts";

/** One state after the other, from `StartAt` to the end. @throws PlanError DIALECT, naming the state and the field that a plan cannot say */
export function readStates(machine: Fields, beginning: Beginning, what: string): ReadStates {
  const { StartAt, States, QueryLanguage } = machine;
  if (typeof StartAt !== "string" || !isRecord(States)) throw notStates(what, machine);
  const jsonata = QueryLanguage === undefined ? beginning.jsonata : QueryLanguage === "JSONata";
  const meetings = meetingStates(States, StartAt);
  const seen = new Set<string>();
  const tasks: PlannerTaskInput[] = [];
  const chain = readChain({ what, states: States, jsonata, tasks, seen, meetings }, StartAt, beginning, [
    what,
    "StartAt",
  ]);
  const unread = Object.keys(States).find((each) => !seen.has(each));
  if (unread !== undefined)
    throw refusal(unread, "Type", "is of a state to which no `Next` leads, so that it never runs.");
  return { ...chain, tasks };
}

/** One state after the other, until `stop` or the end; their tasks are added to those of the machine. */
function readChain(
  machine: Machine,
  first: string,
  beginning: Beginning,
  [from, by]: readonly [string, string],
  stop?: string,
): ReadChain {
  const { states, tasks, seen } = machine;
  let { input, variables, after, entry, gate } = beginning;
  let fails = false;
  for (let name: string | undefined = first; name !== undefined && name !== stop; ) {
    const state: unknown = Object.hasOwn(states, name) ? states[name] : undefined;
    if (!isRecord(state)) throw refusal(from, by, `leads to ${JSON.stringify(name)}, which is not one of the states.`);
    // States at which a machine ends are where many branches lead.
    if (seen.has(name) && state.Type !== "Succeed" && state.Type !== "Fail")
      throw refusal(
        from,
        by,
        `leads to ${JSON.stringify(name)}, in the middle of another branch. A plan has each task once: branches may meet where all of them do.`,
      );
    seen.add(name);
    const declared = tasks.length === 0 && state.Type === "Pass" ? beginning.declared : undefined;
    const jsonata = languageOf(state, machine.jsonata);
    const given: Beginning = { ...beginning, input, variables, after, entry, gate, jsonata, declared, earlier: tasks };
    const read: Read =
      state.Type === "Choice" ? readChoice(machine, name, state, given, readChain) : readState(name, state, given);
    if (state.Type !== "Choice") tasks.push(...read.tasks);
    ({ output: input, variables } = read);
    if (read.last.length > 0) {
      after = read.last;
      gate = read.gate ?? gate;
      const isGated = gate !== undefined && (read.joins || read.gate !== undefined);
      const fields: Entry["fields"] = {
        ...(read.joins && { join: "none_failed" }),
        ...(isGated && { when: { condition: gate! } }),
      };
      entry = Object.keys(fields).length === 0 ? undefined : { after, fields };
    }
    fails = state.Type === "Fail" || read.fails === true;
    [from, by] = [name, "Next"];
    name = read.next ?? (state.Type === "Choice" ? undefined : nextOf(name, state));
  }
  return {
    output: input,
    last: after,
    joins: entry?.after === after && entry.fields.join !== undefined,
    variables,
    fails,
  };
}

function languageOf({ QueryLanguage }: Fields, around: boolean): boolean {
  return QueryLanguage === undefined ? around : QueryLanguage === "JSONata";
}

function nextOf(name: string, { Type, Next, End }: Fields): string | undefined {
  if (Type === "Succeed" || Type === "Fail" || (End === true && Next === undefined)) return undefined;
  if (typeof Next === "string" && End === undefined) return Next;
  throw refusal(name, "Next", "or `End: true` is expected, one of them.");
}

const ofAll = ["Type", "Comment", "Next", "End", "QueryLanguage", "Assign"];
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
  Fail: { fields: ["Error", "Cause"], paths: ["ErrorPath", "CausePath"], jsonata: [] },
};

function readState(name: string, state: Fields, given: Beginning): Read {
  const type = String(state.Type);
  const fields = Object.hasOwn(known, type) ? known[type] : undefined;
  if (fields === undefined)
    throw refusal(
      name,
      "Type",
      `is ${describeValue(state.Type)}, which cannot be converted. Task, Parallel, Map, Choice, Wait, Pass, Succeed and Fail can.`,
    );
  checkFields(name, state, [...ofAll, ...fields.fields], given.jsonata ? fields.jsonata : fields.paths, given);
  const input = given.jsonata ? given.input : pathOf(state.InputPath, "InputPath", sightOf(name, given));
  const at: Beginning = { ...given, input };
  const work = readers[type]!(name, state, at);
  // `ResultPath` puts the result into what the state was handed, of which `InputPath` selects what it works with.
  const output = outputOf(name, state, given, work.result);
  const variables = assigned(name, state, at, work.result);
  return { tasks: work.tasks, last: work.last, joins: work.joins === true, output, variables };
}

const readers: Readonly<Record<string, (name: string, state: Fields, given: Beginning) => Work>> = {
  Task(name, state, given) {
    const { Resource, TimeoutSeconds, Retry, Comment } = state;
    if (typeof Resource !== "string" || Resource === "")
      throw refusal(name, "Resource", "is missing. It names the tool that is called.");
    const timeout_ms = typeof TimeoutSeconds === "number" ? TimeoutSeconds * 1000 : undefined;
    if (TimeoutSeconds !== undefined && timeout_ms === undefined)
      throw refusal(name, "TimeoutSeconds", "cannot be converted where it is computed.");
    if (timeout_ms !== undefined && !(timeout_ms > 0))
      throw refusal(name, "TimeoutSeconds", "is expected to be more than 0.");
    const retry = Retry === undefined ? undefined : retryOf(name, Retry);
    const task_id = idOf(name);
    const task = withEntry(
      {
        task_id,
        execution_type: "tool",
        tool_id: Resource,
        ...(typeof Comment === "string" && { description: Comment }),
        ...callOf(name, taskInput(name, state, given)),
        ...(timeout_ms !== undefined && { timeout_ms }),
        ...(retry !== undefined && { retry }),
      },
      given,
    );
    return { tasks: [task], last: [task_id], result: referenceTo(task_id) };
  },

  /** A decision whose only condition raises the error: it fails with that message, and a failure ends the run. */
  Fail(name, state, given) {
    const task_id = freeId(idOf(name), given.earlier ?? []);
    const sight = sightOf(name, given);
    const parts = (["Error", "Cause"] as const).flatMap((field): Value[] => {
      const path = state[`${field}Path`];
      if (path !== undefined) return [valueAtPath(path, `${field}Path`, sight)];
      if (state[field] === undefined) return [];
      return [given.jsonata ? valueOfJsonata(state[field], field, sight) : valueOfJson(state[field])];
    });
    const message = parts.flatMap((part, place): Value[] =>
      place === 0 ? [part] : [{ kind: "literal", value: ": " }, part],
    );
    const isKnown = message.every((part) => part.kind === "literal");
    const text: Value = isKnown
      ? {
          kind: "literal",
          value: message.map((part) => (part.kind === "literal" ? String(part.value) : "")).join("") || name,
        }
      : { kind: "text", parts: message };
    const condition = template((bind) => `$error(${asCode(text, bind)})`);
    const { Comment } = state;
    const task = withEntry(
      {
        task_id,
        ...(typeof Comment === "string" && { description: Comment }),
        choose: { branches: [{ name: "failed", condition }] },
      },
      given,
    );
    return { tasks: [task], last: [task_id], result: referenceTo(task_id) };
  },

  Pass(name, state, given) {
    const result = state.Result === undefined ? taskInput(name, state, given) : valueOfJson(state.Result);
    return { tasks: [], last: [], result };
  },

  Wait(name, state, given) {
    const task_id = idOf(name);
    const task = withEntry({ task_id, wait: waitOf(name, state, given) }, given);
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
      joins: branches.some(({ joins }) => joins),
      result: { kind: "list", items: branches.map(({ output }) => output) },
    };
  },

  Map: (name, state, given) => readMapState(name, state, given, readStates),
};

function freeId(wanted: string, tasks: readonly PlannerTaskInput[]): string {
  const taken = new Set(tasks.map(({ task_id }) => task_id));
  let id = wanted;
  for (let count = 2; taken.has(id); count++) id = `${wanted} ${count}`;
  return id;
}

function waitOf(name: string, state: Fields, given: Beginning): NonNullable<PlannerTaskInput["wait"]> {
  const { Seconds, Timestamp, TimestampPath } = state;
  const said = [Seconds, Timestamp, TimestampPath].filter((field) => field !== undefined);
  if (said.length !== 1)
    throw refusal(name, "Type", "is Wait, which is expected to have one of Seconds and Timestamp.");
  if (typeof Seconds === "number") {
    if (Seconds >= 0) return { for_ms: Seconds * 1000 };
    throw refusal(name, "Seconds", "is expected to be at least 0.");
  }
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

/** A run evaluates none that is longer. */
const longestExpression = 10_000;

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
  if (code.length > longestExpression)
    throw refusal(
      name,
      "Resource",
      `is called with what takes an expression of ${code.length} characters to compute; a plan has at most ${longestExpression}. Let a Task put the data together.`,
    );
  const values = Object.fromEntries([...used].map(([text, variable]) => [variable, text]));
  return { arguments: values, convertor_code: code };
}

function notStates(what: string, machine: Fields): Error {
  return dialectError(
    dialect,
    `Expected ${what === "" ? "a state machine" : `the states of ${JSON.stringify(what)}`} with \`StartAt\` and \`States\`, got ${describeValue(machine)}.`,
    { details: { state: what, field: "States" } },
  );
}
