import { IssueCode, isRecord, type PlanIssue, type Resource } from "@planloom/plan";
import { neededIds } from "@planloom/plan/internals";
import type { AnsweredTask } from "./keep-what-is-asked.ts";
import { namedThing } from "./named-thing.ts";
import { fieldFor } from "./nested-calls.ts";
import { saidIn } from "./said-value.ts";
import { outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";

/** A tool that finds by a text, and the argument that takes it. */
interface Finder {
  readonly resource: Resource;
  readonly parameter: string;
}

/**
 * The tasks of an answer with a search before a call whose id the model has made up, or put a name in the place of, or left out, as small models do: where the request names one thing
 * and one tool gives the ids of such things for a name. Where such a search is there already it is read. Only tasks in the form that was asked for (with `for`) are judged. Each is said,
 * as a warning.
 * @param request what was asked for, in words
 */
export function withLookUps(
  answers: readonly AnsweredTask[],
  request: string,
  resources: readonly Resource[],
): { readonly answers: readonly AnsweredTask[]; readonly issues: readonly PlanIssue[] } {
  const needs = neededIds(resources);
  if (needs.size === 0) return { answers, issues: [] };
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const lookUps = new LookUps(request, new Set(answers.map(({ task }) => String(task.task_id))));
  for (const each of answers) {
    let { task } = each;
    const needed = each.resource === undefined || typeof each.answered.for !== "string" ? [] : needs.get(each.resource);
    for (const { name, givers } of needed ?? []) {
      const finder = finderOf(byId.get(givers[0] ?? ""));
      if (finder !== undefined) task = lookUps.withIdFound(each, task, name, finder);
    }
    lookUps.done.push(task === each.task ? each : { ...each, task });
  }
  return { answers: lookUps.done, issues: lookUps.issues };
}

/** The answers so far, with the searches that were put before them. */
class LookUps {
  readonly done: AnsweredTask[] = [];
  readonly issues: PlanIssue[] = [];
  readonly #request: string;
  readonly #isSaid: (value: unknown) => boolean;
  /** Ids of tasks. */
  readonly #taken: Set<string>;

  constructor(request: string, taken: Set<string>) {
    this.#request = request;
    this.#isSaid = isSaidIn(request);
    this.#taken = taken;
  }

  /** The task reading its id from a search, where it needs one. @param task the task of `each`, as it is by now @param name the parameter of the id */
  withIdFound(each: AnsweredTask, task: AnsweredTask["task"], name: string, finder: Finder): AnsweredTask["task"] {
    const values = isRecord(task.arguments) ? task.arguments : {};
    const isListed = Object.hasOwn(propertiesOf(each.resource?.input_schema), name);
    // What a tool says in its name alone cannot be given: it comes after what finds it.
    if (isListed ? !isOpen(values[name], this.#isSaid) : this.done.length > 0) return task;
    const search = this.#search(each, values[name], finder);
    if (search === undefined) return task;
    const message = `\`${name}\` of task ${JSON.stringify(task.task_id)} is not said: it is looked up by ${JSON.stringify(finder.resource.id)} first.`;
    const task_id = String(task.task_id);
    this.issues.push({ code: IssueCode.UNRESOLVED, severity: "warning", message, task_id });
    const id = String(search.task.task_id);
    if (isListed) return { ...task, arguments: { ...values, [name]: `\${${id}${fieldFor(name, finder.resource)}}` } };
    return { ...task, dependencies: [...(Array.isArray(task.dependencies) ? task.dependencies : []), id] };
  }

  /** The search that is there already, or a new one; `undefined` where nothing is named that it could search for. */
  #search(each: AnsweredTask, value: unknown, finder: Finder): AnsweredTask | undefined {
    const before = this.done.find(({ resource }) => resource === finder.resource);
    if (before !== undefined) return before;
    const said = nameIn(value) ?? namedThing(String(each.answered.for)) ?? namedThing(this.#request);
    if (said === undefined) return undefined;
    const search = searchTask(finder, said, each, this.#taken);
    this.done.push(search);
    return search;
  }
}

function searchTask({ resource, parameter }: Finder, name: string, of: AnsweredTask, taken: Set<string>): AnsweredTask {
  let number = taken.size + 1;
  while (taken.has(`t${number}`)) number += 1;
  taken.add(`t${number}`);
  const called = { task_id: `t${number}`, tool_id: resource.id, arguments: { [parameter]: name } };
  const task = { ...called, execution_type: "tool", description: `Look up ${name}.`, dependencies: [] };
  return { answered: { ...called, for: of.answered.for }, task, resource };
}

/** It requires one text, or nothing and takes a text to search by. */
function finderOf(resource: Resource | undefined): Finder | undefined {
  if (resource === undefined || resource.read_only === false || resource.destructive === true) return undefined;
  const properties = propertiesOf(resource.input_schema);
  const [only, ...others] = requiredOf(resource.input_schema);
  const parameter =
    only ?? Object.keys(properties).find((name) => /^(?:q|query|search|keywords?|term|name|title)$/i.test(name));
  if (parameter === undefined || others.length > 0) return undefined;
  const { type, enum: choices } = outlineOf(properties[parameter], resource.input_schema);
  return type === "string" && choices === undefined && !/(?:^|_|[a-z])ids?$/i.test(parameter)
    ? { resource, parameter }
    : undefined;
}

/** True where the argument is left out, where the request does not say its value, and where its value is a name. */
function isOpen(value: unknown, isSaid: (value: unknown) => boolean): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string" && value.includes("${")) return false;
  return typeof value === "string" || typeof value === "number" ? !isSaid(value) || nameIn(value) !== undefined : false;
}

/** Ids have no blanks. */
const nameIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^\p{Lu}[\p{L}'’.-]*(?:\s+[\p{L}'’.-]+)+$/u.test(value.trim())
    ? value.trim()
    : undefined;

function isSaidIn(request: string): (value: unknown) => boolean {
  const isText = saidIn(request);
  const lower = request.toLowerCase();
  const digits: ReadonlySet<string> = new Set(request.match(/\d+/g) ?? []);
  return (value) =>
    typeof value === "number"
      ? digits.has(String(value))
      : typeof value === "string" &&
        (lower.includes(value.trim().toLowerCase()) || (!/\d/.test(value) && isText(value)));
}
