import { IssueCode, isRecord, nameWords, type PlanIssue, type Resource } from "@planloom/plan";
import { neededIds } from "@planloom/plan/internals";
import { evidentIn } from "./said-value.ts";
import { outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";

type Task = Readonly<Record<string, unknown>>;

/** A task as it was answered, with what it became in the fields of a plan. */
export interface AnsweredTask {
  readonly answered: Task;
  readonly task: Task;
  readonly resource: Resource | undefined;
}

/** The request wants a call more than once: two equal ones may be meant. */
const wantsRepeats = /\b(twice|thrice|again|another|repeat\w*|times|each|every)\b/i;

/**
 * The tasks of an answer without what was not asked for, as small models write it under a grammar: the same call once more, a call without any argument
 * whose words (`for`) name nothing of the request that tasks before it do not name (but one that needs an id, which the call before it may give, or one for the very words that another call is
 * for, where the request has a word of its tool's name that it has not of the tools before), and optional texts of which the request says nothing, or that it says of another argument. Only tasks in the form that was asked for (with `for`) are judged. What another task reads or waits for stays. Each is said, as a warning.
 */
export function keepWhatIsAsked(
  answers: readonly AnsweredTask[],
  request: string,
  resources: readonly Resource[] = [],
): { readonly tasks: readonly Task[]; readonly issues: readonly PlanIssue[] } {
  const needs = neededIds(resources);
  const needsIds = ({ resource }: AnsweredTask) => resource !== undefined && needs.has(resource);
  let following = false;
  const issues: PlanIssue[] = [];
  const isEvident = evidentIn(request);
  const kept = answers.map((each) => {
    const isOwn = (name: string, value: unknown) =>
      isEvident(name, value) &&
      !(typeof value === "boolean" && isOfAnother(name, value, each, answers)) &&
      !isSaidOfOther(name, value, each.task.arguments, request);
    return { ...each, task: withoutUnsaid(each, isOwn, issues) };
  });
  const inPlaceOf = new Map<string, string>();
  const firsts = new Map<string, string>();
  const claimed = new Set<string>();
  const called = new Set<string>();
  const goal = new Set(wordsOf(request));
  const tasks: Task[] = [];
  for (const each of kept) {
    const { answered, task } = each;
    const id = String(task.task_id);
    const words = typeof answered.for === "string" ? wordsOf(answered.for).filter((word) => goal.has(word)) : undefined;
    const call = callOf(redirected(task, inPlaceOf));
    const first = firsts.get(call);
    const isRead = kept.some((other) => other.task !== task && reads(other.task, id));
    const bringsNothing = words?.every((word) => claimed.has(word)) === true;
    const mayRepeat = wantsRepeats.test(request);
    if (first !== undefined && words !== undefined && !mayRepeat) {
      inPlaceOf.set(id, first);
      issues.push(leftOut(`The same call as task ${JSON.stringify(first)} was left out.`, id));
    } else if (
      tasks.length > 0 &&
      !isRead &&
      !mayRepeat &&
      bringsNothing &&
      isBare(task) &&
      (following || !needsIds(each)) &&
      !(sharesWords(each, kept) && nameIn(each, goal).some((word) => !called.has(word)))
    ) {
      issues.push(leftOut(`A call that the request does not ask for was left out: ${callOf(task).slice(0, 80)}.`, id));
    } else {
      if (first === undefined) firsts.set(call, id);
      tasks.push(redirected(task, inPlaceOf));
      following = needsIds(each) || (following && bringsNothing);
    }
    for (const word of words ?? []) claimed.add(word);
    for (const word of nameIn(each, goal)) called.add(word);
  }
  return { tasks, issues };
}

/** Whether another call of the answer is for the same words, so that they do not tell the two apart. */
function sharesWords({ answered, task }: AnsweredTask, all: readonly AnsweredTask[]): boolean {
  return all.some((other) => other.task.task_id !== task.task_id && other.answered.for === answered.for);
}

/** Words of a request that the resource of a call is named by. */
function nameIn({ resource }: AnsweredTask, request: ReadonlySet<string>): string[] {
  const named = resource === undefined ? "" : nameWords(`${resource.id} ${resource.name ?? ""}`).join(" ");
  return wordsOf(named).filter((word) => request.has(word));
}

/** Whether a switch belongs to a task of another resource: the words of that task speak of it, and its own do not. */
function isOfAnother(name: string, value: boolean, own: AnsweredTask, all: readonly AnsweredTask[]): boolean {
  const speaks = ({ answered }: AnsweredTask) =>
    typeof answered.for === "string" && evidentIn(answered.for)(name, value);
  return !speaks(own) && all.some((other) => other.resource?.id !== own.resource?.id && speaks(other));
}

/** Whether a text, said once in the request, belongs to another argument of the same call: the request names that one and not this one. */
function isSaidOfOther(name: string, value: unknown, given: unknown, request: string): boolean {
  if (typeof value !== "string" || value === "" || !isRecord(given)) return false;
  const text = request.toLowerCase();
  if (text.split(value.toLowerCase()).length !== 2) return false;
  const said = new Set(wordsOf(request));
  const wordsOfName = (each: string) => wordsOf(nameWords(each).join(" "));
  const own = wordsOfName(name);
  return Object.entries(given).some(([other, same]) => {
    if (other === name || same !== value) return false;
    const others = wordsOfName(other);
    const names = (mine: readonly string[], theirs: readonly string[]) =>
      mine.some((word) => !theirs.includes(word) && said.has(word));
    return names(others, own) && !names(own, others);
  });
}

function withoutUnsaid(
  { answered, task, resource }: AnsweredTask,
  isEvident: (name: string, value: unknown) => boolean,
  issues: PlanIssue[],
): Task {
  if (resource === undefined || typeof answered.for !== "string" || !isRecord(task.arguments)) return task;
  const required = new Set(requiredOf(resource.input_schema));
  const properties = propertiesOf(resource.input_schema);
  const unsaid = Object.entries(task.arguments).filter(([name, value]) => {
    const schema = properties[name];
    // A text where a number is to be (NaN, "two") is judged as one: if it is wanted, validation says what is wrong with it.
    const isNumber = typeof value === "string" && takesNumbers(schema);
    if (required.has(name) || isEvident(name, value) || (isNumber && isEvident(name, 0))) return false;
    // Which of the choices is meant is for the model to judge; a name of no parameter is for validation.
    return isRecord(schema) && schema.enum === undefined && schema.const === undefined;
  });
  if (unsaid.length === 0) return task;
  const names = new Set(unsaid.map(([name]) => name));
  for (const name of names) {
    const message = `The request says nothing of \`${name}\`, which is optional: the model's ${JSON.stringify(task.arguments[name]).slice(0, 80)} was left out.`;
    issues.push(leftOut(message, String(task.task_id)));
  }
  return {
    ...task,
    arguments: Object.fromEntries(Object.entries(task.arguments).filter(([name]) => !names.has(name))),
  };
}

function takesNumbers(schema: unknown): boolean {
  const { type } = outlineOf(schema);
  return type === "number" || type === "integer";
}

/** What a task does, without its name and what it waits for. */
function callOf({ task_id: _, description: __, dependencies: ___, ...call }: Task): string {
  return JSON.stringify(call, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

const isBare = ({ arguments: given, execution_type }: Task) =>
  execution_type === "tool" && (!isRecord(given) || Object.keys(given).length === 0);

function reads({ arguments: given, for_each, when }: Task, id: string): boolean {
  return idsIn([given, for_each, when]).includes(id);
}

function idsIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? "").matchAll(/\$\{([\w-]+)/g)].map(([, id = ""]) => id);
}

/** The task with the ids of calls that were left out replaced by those of the equal calls that stay. */
function redirected(task: Task, inPlaceOf: ReadonlyMap<string, string>): Task {
  const dependencies = Array.isArray(task.dependencies) ? task.dependencies : [];
  const isConcerned = [...dependencies, ...idsIn([task.arguments, task.for_each, task.when])].some((id) =>
    inPlaceOf.has(String(id)),
  );
  if (!isConcerned) return task;
  const renamed = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(/\$\{([\w-]+)/g, (_, id: string) => `\${${inPlaceOf.get(id) ?? id}`));
  const waits = dependencies.map((id) => inPlaceOf.get(String(id)) ?? id).filter((id) => id !== task.task_id);
  return {
    ...task,
    ...(task.arguments !== undefined && { arguments: renamed(task.arguments) }),
    ...(task.for_each !== undefined && { for_each: renamed(task.for_each) }),
    ...(task.when !== undefined && { when: renamed(task.when) }),
    ...(task.dependencies !== undefined && { dependencies: [...new Set(waits)] }),
  };
}

function leftOut(message: string, task_id: string): PlanIssue {
  return { code: IssueCode.UNRESOLVED, severity: "warning", message, task_id };
}

const common: ReadonlySet<string> = new Set(
  "the and for with from into that this which what when where are was has have not all any its their them then than will can could would please want need get give make also both you your".split(
    " ",
  ),
);

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 2 && !common.has(word)).map((word) => word.slice(0, 5));
}
