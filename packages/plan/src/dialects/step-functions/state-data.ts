import { isRecord } from "../../json.ts";
import type { PlannerTaskInput } from "../../records/planner-task.ts";
import { describeValue } from "../dialect-error.ts";
import { parseJsonPath } from "./json-path.ts";
import { refusal } from "./refusal.ts";
import { type Sight, valueAtPath, valueOfJsonata, valueOfPayload } from "./templates.ts";
import { emptyObject, put, referenceTo, type Value } from "./value.ts";

/** The fields of a machine or a state, as they are written. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the states of a machine, a branch or an element begin with. */
export interface Beginning {
  readonly input: Value;
  /** Variables that were assigned before, by name. */
  readonly variables: ReadonlyMap<string, Value>;
  /** Ids of the tasks that must be done first. */
  readonly after: readonly string[];
  /** The lists that the states are within, outermost first: the names of their elements. */
  readonly items: readonly string[];
  /** Whether expressions are JSONata; a state may say otherwise. */
  readonly jsonata: boolean;
  /** What the first tasks of a branch, or those after branches have met, need beside `after`. */
  readonly entry?: Entry | undefined;
  /** The condition of the branch that the states are in, for tasks that begin where branches within it have met: the decision may have been skipped. */
  readonly gate?: string | undefined;
  /** The tasks of the machine that were read before. */
  readonly earlier?: readonly PlannerTaskInput[] | undefined;
  /** Values that are assigned before any task is done: they become variables of the plan. Absent within branches and lists. */
  readonly declared?: Map<string, unknown> | undefined;
}

/** Fields of every task that begins where `after` is still what it was then. */
export interface Entry {
  readonly after: readonly string[];
  readonly fields: Pick<PlannerTaskInput, "when" | "join">;
}

/** What a state works with: its input, with `Parameters` or `Arguments` where it has them. */
export function taskInput(name: string, state: Fields, given: Beginning): Value {
  const sight = sightOf(name, given);
  if (given.jsonata)
    return state.Arguments === undefined ? given.input : valueOfJsonata(state.Arguments, "Arguments", sight);
  return state.Parameters === undefined ? given.input : valueOfPayload(state.Parameters, "Parameters", sight);
}

/** What comes after a state: its result, selected and put into its input as its paths or `Output` say. */
export function outputOf(name: string, state: Fields, given: Beginning, result: Value): Value {
  if (given.jsonata) {
    const sight = sightOf(name, given, result);
    return state.Output === undefined ? result : valueOfJsonata(state.Output, "Output", sight);
  }
  const ofResult: Sight = { ...sightOf(name, given), input: result };
  const selected =
    state.ResultSelector === undefined ? result : valueOfPayload(state.ResultSelector, "ResultSelector", ofResult);
  const joined = withResult(name, state.ResultPath, given.input, selected);
  return pathOf(state.OutputPath, "OutputPath", { ...sightOf(name, given), input: joined });
}

function withResult(name: string, path: unknown, input: Value, result: Value): Value {
  if (path === undefined) return result;
  if (path === null) return input;
  const parsed = typeof path === "string" ? parseJsonPath(path) : undefined;
  const keys = parsed?.path.map((segment) => ("key" in segment ? segment.key : undefined));
  if (parsed?.root !== "" || keys === undefined || keys.includes(undefined))
    throw refusal(
      name,
      "ResultPath",
      `is ${JSON.stringify(path)}, which cannot be converted: only a path of keys can.`,
    );
  return put(input, keys as string[], result);
}

/** The value at a path; without a path all of the input, and for `null` an empty object. */
export function pathOf(path: unknown, field: string, sight: Sight): Value {
  return path === undefined ? sight.input : path === null ? emptyObject : valueAtPath(path, field, sight);
}

/** The variables after a state: those before it, and what it assigns. */
export function assigned(
  name: string,
  { Assign }: Fields,
  given: Beginning,
  result: Value,
): ReadonlyMap<string, Value> {
  if (Assign === undefined) return given.variables;
  const fields = asFields(name, "Assign", Assign);
  const sight = sightOf(name, given, result);
  const value = given.jsonata
    ? valueOfJsonata(fields, "Assign", sight)
    : valueOfPayload(fields, "Assign", { ...sight, input: result });
  const made = value.kind === "object" ? [...value.fields] : [];
  return new Map([...given.variables, ...made.map(([key, each]): [string, Value] => [key, declare(key, each, given)])]);
}

/** A value that is known becomes a variable of the plan, which a run may override. */
function declare(name: string, value: Value, { declared }: Beginning): Value {
  const data = declared === undefined || reserved.has(name) ? undefined : knownData(value);
  if (data === undefined) return value;
  declared!.set(name, data);
  return referenceTo(name);
}

/** The data that a value is, if nothing of it comes from elsewhere. */
function knownData(value: Value): unknown {
  switch (value.kind) {
    case "literal":
      return value.value;
    case "list": {
      const items = value.items.map(knownData);
      return items.includes(undefined) ? undefined : items;
    }
    case "object": {
      const fields = [...value.fields].map(([key, each]) => [key, knownData(each)] as const);
      return value.base !== undefined || fields.some(([, each]) => each === undefined)
        ? undefined
        : Object.fromEntries(fields);
    }
    default:
      return undefined;
  }
}

/** What the expressions of a state can refer to. */
export function sightOf(state: string, { input, variables, items }: Beginning, result?: Value): Sight {
  const item = items.at(-1);
  const context = new Map<string, Value>([["Execution", object({ Input: referenceTo("input") })]]);
  if (item !== undefined)
    context.set("Map", object({ Item: object({ Value: referenceTo(item), Index: referenceTo("index") }) }));
  const states = object({
    input,
    ...(result !== undefined && { result }),
    context: { kind: "object", fields: context },
  });
  return { state, input, variables: new Map([...variables, ["states", states]]) };
}

function object(fields: Readonly<Record<string, Value>>): Value {
  return { kind: "object", fields: new Map(Object.entries(fields)) };
}

/** Names that mean something else in references. */
export const reserved: ReadonlySet<string> = new Set(["input", "index", "item"]);

/** @throws PlanError DIALECT for what is not an object */
export function asFields(name: string, field: string, value: unknown): Fields {
  if (isRecord(value)) return value;
  throw refusal(name, field, `is expected to be an object, got ${describeValue(value)}.`);
}
