import { isRecord, type Resource } from "@planloom/plan";
import { answerKindEntries, answerKinds } from "./answer-kinds.ts";
import { outlineOf, propertiesOf } from "./schema-outline.ts";

type Answered = Readonly<Record<string, unknown>>;
type Resources = ReadonlyMap<string, Resource>;

/** How deep a list of tasks may lie within an answer. */
const deepest = 2;
/** A text within a text within a text is still the value that it spells. */
const mostSpellings = 3;

/**
 * An answer in the one form in which plans are read, where a model wrote the same in another one: its list within something else (`{"plan": {"tasks": …}}`, the schema that it
 * was to fill) or as JSON in a text, its tasks as calls of an API (`{"name": …, "arguments": "{…}"}`), ids as `functions.list_orders` or `list_orders(customer)`, arguments as
 * JSON in a text, numbers and truth values in quotes. Nothing is guessed: what has two readings stays as it is.
 */
export function inPlainForm(data: unknown, resources: Resources): unknown {
  const whole = withTasks(data);
  if (Array.isArray(whole)) return whole.map((each, at) => taskInPlainForm(each, at, resources));
  if (!isRecord(whole) || !Array.isArray(whole.tasks)) return whole;
  return { ...whole, tasks: whole.tasks.map((each, at) => taskInPlainForm(each, at, resources)) };
}

/** The input of a step in the same way. */
export function stepInPlainForm(data: unknown, resources: readonly Resource[]): unknown {
  if (!isRecord(data) || typeof data.uid !== "string") return data;
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const uid = plainId(data.uid, byId);
  const input = argumentsIn(data.input_data, byId.get(uid));
  return { ...data, uid, ...(input !== undefined && { input_data: input }) };
}

/** The answer, or the one part of it that has the list of tasks. */
function withTasks(data: unknown, depth = 0): unknown {
  if (Array.isArray(data)) {
    const [only, ...others] = data;
    return others.length === 0 && isRecord(only) && Array.isArray(only.tasks) ? only : data;
  }
  if (!isRecord(data) || Array.isArray(data.tasks)) return data;
  const { tool_calls: calls, tool_uses: uses, ...rest } = data;
  const listed = [data.tasks, calls, uses].map(spelled).find(Array.isArray);
  if (listed !== undefined) return { ...rest, tasks: listed };
  if (depth >= deepest || isTask(data) || isEnvelope(data)) return data;
  const inner = Object.values(data)
    .map((each) => (isRecord(each) ? withTasks(each, depth + 1) : undefined))
    .filter((each) => isRecord(each) && Array.isArray(each.tasks));
  return inner.length === 1 ? inner[0] : data;
}

/** What says whether there is a plan, and what has lists of its own, is read as it is. */
const isEnvelope = (data: Answered) =>
  ["success", "status", "processed_data"].some((name) => name in data) || Object.values(data).some(Array.isArray);

const idFields = answerKindEntries.map(([, { field }]) => field);
const isTask = (data: Answered) => idFields.some((field) => field in data);

function taskInPlainForm(given: unknown, at: number, resources: Resources): unknown {
  if (!isRecord(given)) return given;
  const task = fromCall(given, at, resources);
  const field = idFields.find((name) => typeof task[name] === "string");
  if (field === undefined) return task;
  const id = plainId(String(task[field]), resources);
  const values = argumentsIn(task.arguments, resources.get(id));
  return { ...task, [field]: id, ...(values !== undefined && { arguments: values }) };
}

/** A call as an API writes it, of a resource that there is, as a task. */
function fromCall(given: Answered, at: number, resources: Resources): Answered {
  if (isTask(given) || "tool" in given || "execution_type" in given) return given;
  const { function: called, name: _, recipient_name: __, type: ___, parameters: ____, id: _____, ...rest } = given;
  const call = isRecord(called) ? called : given;
  const name = [call.name, call.recipient_name].find((each) => typeof each === "string");
  const resource = typeof name === "string" ? resources.get(plainId(name, resources)) : undefined;
  const values = call.arguments ?? call.parameters;
  if (resource === undefined || values === undefined) return given;
  const { field } = answerKinds[resource.kind];
  return { task_id: `t${at + 1}`, ...rest, [field]: resource.id, arguments: values };
}

/** What some templates put before the names of functions. */
const prefix = /^(?:functions?|tools?|default_api)[.:/]/;
const signature = /^([^\s()]+)\s*\(.*\)$/s;

/** The id that is spelled: without what a template puts before it, or its arguments behind it. */
function plainId(given: string, resources: Resources): string {
  const bare = given.trim().replace(prefix, "");
  const [, called = bare] = signature.exec(bare) ?? [];
  return [given, given.trim(), bare, called].find((id) => resources.has(id)) ?? given;
}

/** The arguments as an object; undefined where they are something else. */
function argumentsIn(given: unknown, resource: Resource | undefined): Record<string, unknown> | undefined {
  const read = spelled(given);
  const values = Array.isArray(read) ? fromList(read) : read;
  if (!isRecord(values)) return undefined;
  const properties = propertiesOf(resource?.input_schema);
  const entries = Object.entries(values).map(([name, value]) => [name, plainValue(value, properties[name])]);
  return Object.fromEntries(entries);
}

/** `[{"name": "customer", "value": "Ada"}]`, and the one object of a list. */
function fromList(list: readonly unknown[]): unknown {
  const isNamed =
    list.length > 0 && list.every((each) => isRecord(each) && typeof each.name === "string" && "value" in each);
  if (!isNamed) return list.length === 1 ? list[0] : list;
  return Object.fromEntries(list.filter(isRecord).map(({ name, value }) => [String(name), value]));
}

const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** A number or a truth value in quotes, where the argument takes no text. */
function plainValue(value: unknown, schema: unknown): unknown {
  if (typeof value !== "string") return value;
  const { type } = outlineOf(schema);
  const text = value.trim();
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const isNumber = (type === "number" || type === "integer") && number.test(text);
  return isNumber && (type === "number" || Number.isInteger(Number(text))) ? Number(text) : value;
}

/** What a text spells in JSON, perhaps several times over; anything else as it is. */
function spelled(given: unknown): unknown {
  let value = given;
  for (let times = 0; times < mostSpellings && typeof value === "string"; times += 1) {
    try {
      value = JSON.parse(value);
    } catch {
      return given;
    }
  }
  return typeof value === "object" && value !== null ? value : given;
}
