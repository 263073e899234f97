import {
  IssueCode,
  isRecord,
  type JsonSchema,
  type PlanIssue,
  type PlannerTask,
  parseReference,
  type Resource,
  type ResourceCatalogue,
  resourcePin,
  schemaAtPath,
  type TaskData,
} from "@planloom/plan";
import { isCredential } from "@planloom/plan/internals";
import { suggestionsFor } from "./suggestions.ts";

/** A required argument that a plan lacks, as it is asked of a person. Plain JSON. */
export interface PlanQuestion {
  /** Under which name it is answered: `list_issues.owner`. Unique in the plan. */
  readonly name: string;
  readonly task_id: string;
  /** Where in the task's `arguments`: `owner`, `filter.ids[0]`. */
  readonly argument_path: string;
  /** Id of the resource that takes the argument. */
  readonly tool: string;
  /** What the resource's schema says of the argument; empty where it says nothing. */
  readonly description: string;
  /** The type in a word or two: `string`, `array of integer`, `any`. */
  readonly type: string;
  readonly schema: JsonSchema;
  /** The values that are allowed, where the schema lists them. */
  readonly choices?: readonly unknown[];
  /** Values that fit and that the goal, the schema or an earlier task gives, likeliest first, at most 5. Guesses. */
  readonly suggestions?: readonly unknown[];
  /** It holds a credential: it is answered with `{"$secret": "NAME"}` alone, never with a text. */
  readonly secret?: true;
}

/** What `metadata.questions` names, as keys for a set. */
export function namedQuestions(plan: unknown): ReadonlySet<string> {
  const metadata = isRecord(plan) ? plan.metadata : undefined;
  const listed = isRecord(metadata) && Array.isArray(metadata.questions) ? metadata.questions : [];
  return new Set(listed.flatMap((each) => (isRecord(each) ? [questionKey(each.task_id, each.argument_path)] : [])));
}

export function questionKey(taskId: unknown, argumentPath: unknown): string {
  return JSON.stringify([taskId, argumentPath]);
}

/** Whether the plan could be run if these arguments were given: nothing else is wrong with it, and something is missing. */
export function lacksArgumentsOnly(issues: readonly PlanIssue[]): boolean {
  const errors = issues.filter(({ severity }) => severity === "error");
  return errors.length > 0 && errors.every(({ code }) => code === IssueCode.MISSING_ARGUMENT);
}

/**
 * The questions that a plan leaves open: its missing arguments that are errors, in plan order.
 * @param issues what `judgePlan` says of the plan
 */
export function questionsFrom(
  issues: readonly PlanIssue[],
  plan: TaskData,
  catalogue: ResourceCatalogue,
): PlanQuestion[] {
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  return issues.flatMap((issue) => {
    const { code, severity, task_id, argument_path } = issue;
    const task = tasks.get(task_id ?? "");
    if (code !== IssueCode.MISSING_ARGUMENT || severity !== "error" || task === undefined) return [];
    const resource = resourceOf(task, catalogue);
    if (resource === undefined || argument_path === undefined) return [];
    return [questionFrom(issue, task.task_id, argument_path, resource, plan)];
  });
}

function questionFrom(
  { expected = "any", repair }: PlanIssue,
  taskId: string,
  path: string,
  resource: Resource,
  plan: TaskData,
): PlanQuestion {
  const schema = argumentSchema(resource, path) ?? true;
  const text = isRecord(schema) && typeof schema.description === "string" ? schema.description : "";
  const offered = repair?.operation === "add" ? repair.candidates : [];
  const listed = isRecord(schema) && Array.isArray(schema.enum) ? (schema.enum as readonly unknown[]) : undefined;
  const isReference = (each: unknown) => typeof each === "string" && each.includes("${");
  const values = offered.filter((each) => !isReference(each));
  const choices = listed ?? (values.length > 0 ? values : undefined);
  const secret = choices === undefined && holdsCredential(path, schema);
  const suggestions = secret || choices ? [] : suggestionsFor(schema, plan, taskId, path, offered.filter(isReference));
  return {
    name: argumentName(taskId, path),
    task_id: taskId,
    argument_path: path,
    tool: resource.id,
    description: text,
    type: expected,
    schema,
    ...(choices !== undefined && { choices }),
    ...(suggestions.length > 0 && { suggestions }),
    ...(secret && { secret: true as const }),
  };
}

/** The resource that a task pins, where there is one. */
export function resourceOf(task: PlannerTask, catalogue: ResourceCatalogue): Resource | undefined {
  const { kind, uid } = resourcePin(task);
  return kind === undefined || uid === undefined ? undefined : catalogue.find(kind, uid);
}

/** `list_issues.owner`; a path that begins with a bracket is appended without a dot. */
export function argumentName(taskId: string, path: string): string {
  return path.startsWith("[") ? `${taskId}${path}` : `${taskId}.${path}`;
}

/** The schema of an argument; `undefined` where the resource takes nothing at this path, or the path cannot be read. */
export function argumentSchema({ input_schema: input }: Resource, path: string): JsonSchema | undefined {
  if (input === undefined) return true;
  const segments = pathOf(path);
  if (segments === undefined) return undefined;
  const { found, schema } = schemaAtPath(input, segments);
  return found === "no" ? undefined : schema;
}

/** A path as issues write it; `undefined` for what is none, or has no fixed place. */
export function pathOf(path: string): readonly ({ key: string } | { index: number })[] | undefined {
  try {
    const read = parseReference(path.startsWith("[") ? `arguments${path}` : `arguments.${path}`).path;
    const fixed = read.flatMap((segment) => ("map" in segment ? [] : [segment]));
    return fixed.length === read.length && fixed.length > 0 ? fixed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an argument proves who calls, by its name and schema. */
export function holdsCredential(path: string, schema: JsonSchema): boolean {
  const last = pathOf(path)?.at(-1);
  if (last === undefined || !("key" in last)) return false;
  const record = isRecord(schema) ? schema : {};
  if (record.type !== undefined && record.type !== "string") return false;
  const words = last.key.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  const format = typeof record.format === "string" ? record.format : "";
  return isCredential(
    words.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== ""),
    format,
    record,
  );
}
