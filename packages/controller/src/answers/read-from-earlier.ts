import { IssueCode, isRecord, nameWords, type PlanIssue } from "@planloom/plan";
import type { AnsweredTask } from "./keep-what-is-asked.ts";
import { saidIn } from "./said-value.ts";
import { outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";

type Task = Readonly<Record<string, unknown>>;

/** A field of an earlier task's output, as a reference to it. */
interface Given {
  readonly reference: string;
  readonly task_id: string;
  readonly words: readonly string[];
  readonly type: unknown;
}

/**
 * The tasks of an answer with references where a model has made a value up that an earlier call gives: a required value of which the request says nothing, and exactly
 * one earlier output has a field of that name (`robot_ids` for `robots`), or, where a text is wanted, a field that the task's own words name ("the translated
 * text"); one that the call reads already is not read twice. Only tasks in the form that was asked for (with `for`) are judged. Each is said, as a warning.
 * @param request what was asked for, in words
 */
export function readFromEarlier(
  answers: readonly AnsweredTask[],
  request: string,
): { readonly answers: readonly AnsweredTask[]; readonly issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  const isSaid = saidInFull(request);
  const earlier: Given[] = [];
  const read = answers.map((each): AnsweredTask => {
    const task = earlier.length === 0 ? each.task : withReferences(each, earlier, isSaid, issues);
    earlier.push(...givenBy(each));
    return task === each.task ? each : { ...each, task };
  });
  return { answers: read, issues };
}

function withReferences(
  { answered, task, resource }: AnsweredTask,
  earlier: readonly Given[],
  isSaid: (value: unknown) => boolean,
  issues: PlanIssue[],
): Task {
  const { arguments: values, task_id } = task;
  if (resource === undefined || typeof answered.for !== "string" || !isRecord(values)) return task;
  const properties = propertiesOf(resource.input_schema);
  const own = new Set(wordsOf(answered.for));
  const changed = requiredOf(resource.input_schema).flatMap((name): [string, string][] => {
    const value = values[name];
    const schema = outlineOf(properties[name], resource.input_schema);
    if (value === undefined || schema.enum !== undefined || isSaid(value)) return [];
    const fitting = earlier.filter(({ type, reference }) => fits(type, schema.type) && !isRead(values, reference));
    const meant =
      theOnly(fitting.filter(({ words }) => names(words, wordsOf(name)))) ??
      (schema.type === "string"
        ? theOnly(fitting.filter(({ words }) => words.every((word) => own.has(word))))
        : undefined);
    return meant === undefined ? [] : [[name, meant.reference]];
  });
  if (changed.length === 0) return task;
  for (const [name, reference] of changed) {
    const written = JSON.stringify(values[name]).slice(0, 80);
    const message = `The request does not say \`${name}\`, so that it is read from ${reference} in place of the model's ${written}.`;
    issues.push({ code: IssueCode.UNRESOLVED, severity: "warning", message, task_id: String(task_id) });
  }
  return { ...task, arguments: { ...values, ...Object.fromEntries(changed) } };
}

/** What one argument of a call reads is not what another was made up in the place of. */
function isRead(values: Readonly<Record<string, unknown>>, reference: string): boolean {
  return (JSON.stringify(values) ?? "").includes(reference);
}

/** The fields of a task's output: of an object, and of the elements of a list. */
function givenBy({ task, resource }: AnsweredTask): Given[] {
  const { task_id } = task;
  if (typeof task_id !== "string" || resource?.output_schema === undefined) return [];
  const output = outlineOf(resource.output_schema);
  const isList = output.type === "array";
  const fields = propertiesOf((isList ? output.items : output) as Parameters<typeof propertiesOf>[0]);
  return Object.entries(fields).flatMap(([name, schema]) =>
    /^[\w-]+$/.test(name)
      ? [
          {
            reference: `\${${task_id}${isList ? "[0]" : ""}.${name}}`,
            task_id,
            words: wordsOf(name),
            type: isRecord(schema) ? schema.type : undefined,
          },
        ]
      : [],
  );
}

/** `robot_ids` for `robots`, `required_ingredients` for `ingredients_list`, `timber_volume` for `volume`. */
function names(field: readonly string[], argument: readonly string[]): boolean {
  return argument.length > 0 && argument.every((word) => field.includes(word));
}

function fits(given: unknown, wanted: unknown): boolean {
  if (given === undefined || wanted === undefined) return true;
  const isNumber = (type: unknown) => type === "integer" || type === "number";
  return given === wanted || (isNumber(given) && isNumber(wanted));
}

/** Two outputs that give it leave open which is meant. */
function theOnly(given: readonly Given[]): Given | undefined {
  return given.length === 1 ? given[0] : undefined;
}

/** Whether a request says all of a value: the texts as `saidIn` says, and the numbers as digits. */
function saidInFull(request: string): (value: unknown) => boolean {
  const isSaid = saidIn(request);
  const digits = new Set(request.replaceAll(",", "").match(/\d+(?:\.\d+)?/g) ?? []);
  const inFull = (value: unknown): boolean => {
    if (typeof value === "number") return digits.has(String(value)) || Math.abs(value) <= mostInWords;
    if (Array.isArray(value)) return value.every(inFull);
    if (isRecord(value)) return Object.values(value).every(inFull);
    return isSaid(value);
  };
  return inFull;
}

/** Small numbers are often said in words. */
const mostInWords = 12;

/** Words that say of what form a value is, not what it is of. */
const formWords: ReadonlySet<string> = new Set(
  "id ids list data info information value string array object the of".split(" "),
);

function wordsOf(text: string): string[] {
  const words = nameWords(text).filter((word) => !formWords.has(word));
  return words.map((word) => word.replace(/ies$/, "y").replace(/s$/, ""));
}
