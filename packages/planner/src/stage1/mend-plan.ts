import {
  effectiveDependencies,
  IssueCode,
  isRecord,
  type PlanIssue,
  type PlannerTask,
  type Resource,
  type ResourceCatalogue,
  type TaskData,
} from "@planloom/plan";

const scalars: ReadonlySet<string> = new Set(["number", "integer", "boolean", "number or integer"]);

/**
 * The plan of a model with what is wrong only in its form put right, so that no call is spent on it: an id that was given twice gets a
 * number, a task no longer waits for itself or has a condition that reads it, for what is not a task or, in a circle, for a later one whose output it does not read, a list whose elements nothing reads goes where it is none, a reference to a field that an
 * output does not have names the one other task before it that gives a field of that name, or the field that is meant, a number or a truth value that a text argument refers to becomes its text, a list does where the argument takes
 * a text to be read. What was done is said in the issues, as warnings. The same plan where nothing was.
 * @param issues what validation said of the plan
 * @param catalogue the resources, by whose outputs a field that is not there is replaced
 */
export function mendPlan(
  plan: TaskData,
  issues: readonly PlanIssue[],
  catalogue: ResourceCatalogue,
): { readonly plan: TaskData; readonly issues: readonly PlanIssue[] } {
  const codes = new Set(issues.map(({ code }) => code));
  const said: PlanIssue[] = [];
  let tasks: readonly PlannerTask[] = plan.planned_tasks;
  if (codes.has(IssueCode.DUPLICATE_TASK)) tasks = withOwnIds(tasks, said);
  if (codes.has(IssueCode.SELF_DEPENDENCY)) tasks = withoutOwnConditions(tasks, issues, said);
  tasks = withoutFilledInLists(tasks, issues, said);
  if (codes.has(IssueCode.SELF_DEPENDENCY) || codes.has(IssueCode.UNKNOWN_DEPENDENCY))
    tasks = withTasksToWaitFor(tasks, said);
  if (codes.has(IssueCode.CYCLE)) tasks = withoutCircles(plan, tasks, said);
  if (codes.has(IssueCode.UNKNOWN_OUTPUT)) tasks = withOnlyFields(tasks, issues, catalogue, said);
  if (codes.has(IssueCode.TYPE_MISMATCH)) tasks = withTexts(tasks, issues, said);
  return said.length === 0 ? { plan, issues: [] } : { plan: { ...plan, planned_tasks: [...tasks] }, issues: said };
}

/** Later tasks of one id are those that nothing can refer to. */
function withOwnIds(tasks: readonly PlannerTask[], said: PlanIssue[]): PlannerTask[] {
  const taken = new Set(tasks.map(({ task_id }) => task_id));
  const seen = new Set<string>();
  return tasks.map((task) => {
    if (!seen.has(task.task_id)) {
      seen.add(task.task_id);
      return task;
    }
    let number = 2;
    while (taken.has(`${task.task_id}_${number}`)) number += 1;
    const task_id = `${task.task_id}_${number}`;
    taken.add(task_id);
    said.push(
      mended(
        IssueCode.DUPLICATE_TASK,
        `A second task ${JSON.stringify(task.task_id)} is called ${JSON.stringify(task_id)} now.`,
        task_id,
      ),
    );
    return { ...task, task_id };
  });
}

/**
 * Whether and how often a task is done cannot depend on what comes of it: a condition that reads its own task was only filled in, and so was a list of its own output
 * whose elements no argument reads.
 */
function withoutOwnConditions(
  tasks: readonly PlannerTask[],
  issues: readonly PlanIssue[],
  said: PlanIssue[],
): PlannerTask[] {
  const ownAt = (place: string) =>
    new Set(
      issues
        .filter(({ code, argument_path }) => code === IssueCode.SELF_DEPENDENCY && argument_path === place)
        .map(({ task_id }) => task_id),
    );
  const [conditions, lists] = [ownAt("when.condition"), ownAt("for_each.items")];
  return tasks.map((task) => {
    const { when, for_each, ...plain } = task;
    const isFilledIn = lists.has(task.task_id) && !readsElements(task);
    const left = [...(conditions.has(task.task_id) ? ["condition"] : []), ...(isFilledIn ? ["list"] : [])];
    for (const what of left) {
      const message = `The ${what} of task ${JSON.stringify(task.task_id)} reads that task itself, so that it was left out.`;
      said.push(mended(IssueCode.SELF_DEPENDENCY, message, task.task_id));
    }
    if (left.length === 0) return task;
    return {
      ...plain,
      ...(when !== undefined && !left.includes("condition") && { when }),
      ...(for_each !== undefined && !left.includes("list") && { for_each }),
    };
  });
}

/** What is wrong with a list of `for_each` that was only filled in. */
const listFaults: ReadonlySet<IssueCode> = new Set([
  IssueCode.UNKNOWN_OUTPUT,
  IssueCode.UNKNOWN_REFERENCE,
  IssueCode.TYPE_MISMATCH,
]);

/** Where the list of `for_each` is another value and no argument reads an element, it was only filled in: the call is made once. */
function withoutFilledInLists(
  tasks: readonly PlannerTask[],
  issues: readonly PlanIssue[],
  said: PlanIssue[],
): readonly PlannerTask[] {
  const wrong = new Set(
    issues
      .filter(({ code, argument_path }) => listFaults.has(code) && argument_path === "for_each.items")
      .map(({ task_id }) => task_id),
  );
  if (wrong.size === 0) return tasks;
  return tasks.map((task) => {
    if (!wrong.has(task.task_id) || task.for_each === undefined || readsElements(task)) return task;
    const message = `What task ${JSON.stringify(task.task_id)} was to be done for each of is no list, and nothing reads its elements, so that it is done once.`;
    said.push(mended(IssueCode.TYPE_MISMATCH, message, task.task_id));
    const { for_each: _, ...plain } = task;
    return plain;
  });
}

/** Whether there is something that is done with each element. */
function readsElements({ arguments: given, for_each }: PlannerTask): boolean {
  const { as = "item", tasks } = for_each ?? {};
  const text = JSON.stringify(given);
  const isRead = (name: string) => ["}", ".", "[", "?"].some((end) => text.includes(`\${${name}${end}`));
  return tasks !== undefined || [as, "index"].some(isRead);
}

function withTasksToWaitFor(tasks: readonly PlannerTask[], said: PlanIssue[]): PlannerTask[] {
  const known = new Set(tasks.map(({ task_id }) => task_id));
  return tasks.map((task) => {
    const dependencies = task.dependencies.filter((id) => id !== task.task_id && known.has(id));
    if (dependencies.length === task.dependencies.length) return task;
    const gone = task.dependencies.filter((id) => !dependencies.includes(id)).map((id) => JSON.stringify(id));
    const message = `Task ${JSON.stringify(task.task_id)} does not wait for ${gone.join(", ")} any more.`;
    said.push(mended(IssueCode.UNKNOWN_DEPENDENCY, message, task.task_id));
    return { ...task, dependencies };
  });
}

/** What a task says it waits for goes, where that comes later in the list; what it reads stays. */
function withoutCircles(plan: TaskData, tasks: readonly PlannerTask[], said: PlanIssue[]): PlannerTask[] {
  const place = new Map(tasks.map(({ task_id }, at) => [task_id, at]));
  const bare = tasks.map((task) => ({ ...task, dependencies: [] }));
  const read = effectiveDependencies({ ...plan, planned_tasks: bare });
  return tasks.map((task, at) => {
    const needed = new Set(read[at]);
    const dependencies = task.dependencies.filter((id) => needed.has(id) || (place.get(id) ?? 0) < at);
    if (dependencies.length === task.dependencies.length) return task;
    const gone = task.dependencies.filter((id) => !dependencies.includes(id)).map((id) => JSON.stringify(id));
    const message = `Task ${JSON.stringify(task.task_id)} does not wait for ${gone.join(", ")}, which comes later, any more.`;
    said.push(mended(IssueCode.CYCLE, message, task.task_id));
    return { ...task, dependencies };
  });
}

/** A field that the output of a task does not have becomes the one that is meant; where that is not certain, the model is asked. */
function withOnlyFields(
  tasks: readonly PlannerTask[],
  issues: readonly PlanIssue[],
  catalogue: ResourceCatalogue,
  said: PlanIssue[],
): PlannerTask[] {
  const fields = new Map<string, string>();
  const byId = new Map(tasks.map((task) => [task.task_id, task]));
  for (const { code, task_id, argument_path, from_task_id, output_path, repair } of issues) {
    if (code !== IssueCode.UNKNOWN_OUTPUT || argument_path === undefined || from_task_id === undefined) continue;
    const own = (repair?.candidates ?? []).filter(
      (each): each is string => typeof each === "string" && isOf(each, from_task_id),
    );
    const source = byId.get(from_task_id);
    const written = output_path ?? "";
    const isOwn = own.some((each) => lastField(each.slice(2, -1)) === lastField(written));
    const meant =
      (isOwn ? undefined : otherGiver(written, from_task_id, task_id, tasks, catalogue)) ??
      (own.length === 0 ? onlyField(source, catalogue) : meantField(own, written, source));
    if (meant !== undefined) fields.set(JSON.stringify([task_id, argument_path]), meant);
  }
  return tasks.map((task) => {
    const changed = Object.entries(task.arguments).flatMap(([name, value]): [string, unknown][] => {
      const field = fields.get(JSON.stringify([task.task_id, name]));
      // Within a text, or deeper in a value, it is sent back to the model as an issue.
      return field !== undefined && typeof value === "string" && wholeReference.test(value) ? [[name, field]] : [];
    });
    if (changed.length === 0) return task;
    for (const [name, field] of changed) {
      const message = `\`${name}\` of task ${JSON.stringify(task.task_id)} reads ${String(field)}, the field of that output that fits.`;
      said.push(mended(IssueCode.UNKNOWN_OUTPUT, message, task.task_id));
    }
    const read = changed.flatMap(([, field]) => tasks.filter(({ task_id }) => isOf(String(field), task_id)));
    const dependencies = [...new Set([...task.dependencies, ...read.map(({ task_id }) => task_id)])];
    return { ...task, arguments: { ...task.arguments, ...Object.fromEntries(changed) }, dependencies };
  });
}

/** The field of that name that one other task before this one gives, where it is the only one. */
function otherGiver(
  written: string,
  named: string,
  reader: string | undefined,
  tasks: readonly PlannerTask[],
  catalogue: ResourceCatalogue,
): string | undefined {
  if (!/^[\w-]+$/.test(written)) return undefined;
  const before = tasks.slice(
    0,
    tasks.findIndex(({ task_id }) => task_id === reader),
  );
  const givers = before.filter(
    ({ task_id, tool_id }) =>
      task_id !== named && tool_id != null && Object.hasOwn(fieldsOf(catalogue.find("tool", tool_id)), written),
  );
  return givers.length === 1 ? `\${${givers[0]!.task_id}.${written}}` : undefined;
}

function fieldsOf(resource: Resource | undefined): Readonly<Record<string, unknown>> {
  const schema = resource?.output_schema;
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

/** The one field of an output, though its type does not fit as it is: what else can be meant? */
function onlyField(source: PlannerTask | undefined, catalogue: ResourceCatalogue): string | undefined {
  if (source?.tool_id == null) return undefined;
  const [only, ...others] = Object.keys(fieldsOf(catalogue.find("tool", source.tool_id)));
  const isPlain = only !== undefined && /^[\w-]+$/.test(only);
  return isPlain && others.length === 0 ? `\${${source.task_id}.${only}}` : undefined;
}

/**
 * The reference that is meant by a field which is not there: the only one that fits; else the one whose field has that name, in the elements of a list
 * perhaps; else the one whose field has the rest of the name after what the source is called by, `id` for `shipment_id` of `shipments_list`;
 * else the only one whose field ends in the same word, `submission_link` for `paper_link`.
 * @param candidates references to the source that fit, the best first
 */
function meantField(
  candidates: readonly string[],
  written: string,
  source: PlannerTask | undefined,
): string | undefined {
  const [first, ...others] = candidates;
  if (first === undefined || others.length === 0) return first;
  const asked = wordsOf(lastField(written));
  const about = new Set(wordsOf(`${source?.tool_id ?? ""} ${source?.task_id ?? ""}`).map(singular));
  const isMeant = (candidate: string): boolean => {
    const words = wordsOf(lastField(candidate.slice(2, -1)));
    const rest = asked.slice(0, asked.length - words.length);
    return (
      words.length > 0 &&
      asked.slice(rest.length).join(" ") === words.join(" ") &&
      rest.every((word) => about.has(singular(word)))
    );
  };
  const endsAlike = (candidate: string) => wordsOf(lastField(candidate.slice(2, -1))).at(-1) === asked.at(-1);
  return theOnly(candidates.filter(isMeant)) ?? theOnly(candidates.filter(endsAlike));
}

/** The same field of the first element and of all elements is one field; two fields of one name are two. */
const theOnly = (references: readonly string[]): string | undefined =>
  new Set(references.map(withoutElements)).size === 1 ? references[0] : undefined;

const lastField = (path: string): string => /([\w-]+)(?:\[\d+\]|\.\*)*$/.exec(path)?.[1] ?? "";
const withoutElements = (reference: string): string => reference.replaceAll(/\[\d+\]|\.\*/g, "");
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
const singular = (word: string): string => word.replace(/ies$/, "y").replace(/s$/, "");

const wholeReference = /^\$\{[^{}]*\}$/;

/** Whether a reference, as it is written, reads this task. */
const isOf = (reference: string, taskId: string) =>
  reference.startsWith(`\${${taskId}`) && !/[\w-]/.test(reference.charAt(taskId.length + 2));

function withTexts(tasks: readonly PlannerTask[], issues: readonly PlanIssue[], said: PlanIssue[]): PlannerTask[] {
  const byTask = new Map<string, Map<string, unknown>>();
  for (const { code, task_id, argument_path, actual, repair } of issues) {
    if (code !== IssueCode.TYPE_MISMATCH || task_id === undefined || argument_path === undefined) continue;
    const [text] = repair?.candidates ?? [];
    if (!isRecord(text) || !Object.hasOwn(text, "$text")) continue;
    if (!scalars.has(actual ?? "") && !(actual === "array" && isToBeRead(argument_path))) continue;
    byTask.set(task_id, (byTask.get(task_id) ?? new Map<string, unknown>()).set(argument_path, text));
  }
  return tasks.map((task) => {
    const texts = byTask.get(task.task_id);
    if (texts === undefined) return task;
    const values = { ...task.arguments };
    for (const [name, text] of texts) {
      // Deeper places stay as they are: they are sent back to the model as issues.
      if (typeof values[name] !== "string") continue;
      values[name] = text;
      said.push(
        mended(
          IssueCode.TYPE_MISMATCH,
          `\`${name}\` of task ${JSON.stringify(task.task_id)} takes the value as text.`,
          task.task_id,
        ),
      );
    }
    return { ...task, arguments: values };
  });
}

/** Names of arguments that take a text of any content. A list can be written out for those, but not for an id or an address. */
const textArgument =
  /(?:^|_)(?:text|content|contents|message|body|notes?|comments?|document|input|data|prompt|context|summary|details)$/;

const isToBeRead = (path: string): boolean => textArgument.test(wordsOf(path).join("_"));

function mended(code: IssueCode, message: string, task_id: string): PlanIssue {
  return { code, severity: "warning", message, task_id };
}
