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
  /** Words of what gives it: its id and what it says of itself. */
  readonly about: ReadonlySet<string>;
}

/** An argument of an earlier task. */
interface Taken {
  readonly name: string;
  readonly value: unknown;
  /** What that task is for. */
  readonly own: readonly string[];
}

/** What a request says. */
interface Said {
  readonly isSaid: (value: unknown) => boolean;
  /** As it is written. */
  readonly isVerbatim: (text: string) => boolean;
}

/**
 * The tasks of an answer with references where a model has made a value up that an earlier call gives: a required value of which the request says nothing, and exactly
 * one earlier output has a field of that name (`robot_ids` for `robots`), or, where a text is wanted, a field that the task's own words name ("the translated
 * text"), or a text that says which field is meant and not its value ("the robot's current location"); one that the call reads already is not read twice. A value that the request says for an earlier
 * task alone ("expenses of 5000 and revenue of 7000; convert the profit": 7000) counts as made up where the task's words name a field, and so does the whole request in the place of a text. Only tasks in the form that was asked for (with `for`) are judged. Each is said, as a warning.
 * @param request what was asked for, in words
 */
export function readFromEarlier(
  answers: readonly AnsweredTask[],
  request: string,
): { readonly answers: readonly AnsweredTask[]; readonly issues: readonly PlanIssue[] } {
  const issues: PlanIssue[] = [];
  const lower = request.toLowerCase();
  const said: Said = { isSaid: saidInFull(request), isVerbatim: (text) => lower.includes(text.trim().toLowerCase()) };
  const earlier: Given[] = [];
  const taken: Taken[] = [];
  const read = answers.map((each): AnsweredTask => {
    const task = earlier.length === 0 ? each.task : withReferences(each, { earlier, taken }, said, issues);
    earlier.push(...givenBy(each));
    taken.push(...takenBy(each));
    return task === each.task ? each : { ...each, task };
  });
  return { answers: read, issues };
}

function withReferences(
  { answered, task, resource }: AnsweredTask,
  { earlier, taken }: { readonly earlier: readonly Given[]; readonly taken: readonly Taken[] },
  { isSaid, isVerbatim }: Said,
  issues: PlanIssue[],
): Task {
  const { arguments: values, task_id } = task;
  const { for: words } = answered;
  if (resource === undefined || typeof words !== "string" || !isRecord(values)) return task;
  const properties = propertiesOf(resource.input_schema);
  const own = new Set(wordsOf(words));
  const changed = requiredOf(resource.input_schema).flatMap((name): [string, string][] => {
    const value = values[name];
    const schema = outlineOf(properties[name], resource.input_schema);
    if (value === undefined || schema.enum !== undefined) return [];
    const fitting = earlier.filter(({ type, reference }) => fits(type, schema.type) && !isRead(values, reference));
    const described = theOnly(fitting.filter((given) => isDescribedBy(value, given, isVerbatim)));
    if (described !== undefined) return [[name, described.reference]];
    const inOwnWords = () =>
      theOnly(fitting.filter((given) => given.words.length > 0 && given.words.every((word) => own.has(word))));
    // What the words name may be another argument of the same call.
    const isOfOther = (given: Given) =>
      Object.keys(values).some((other) => other !== name && wordsOf(other).some((word) => given.words.includes(word)));
    const inName = () => fitting.filter(({ words }) => names(words, wordsOf(name)));
    let meant: Given | undefined;
    if (isWholeRequest(value, own, taken, isVerbatim)) meant = inName().at(-1);
    else if (isOfAnother(value, name, words, taken)) {
      const named = inOwnWords();
      meant = named === undefined || isOfOther(named) ? undefined : named;
    } else if (!isSaid(value)) meant = theOnly(inName()) ?? (schema.type === "string" ? inOwnWords() : undefined);
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

/** Whether a text says which field is meant instead of its value: "the robot's current location" for `location` of `get_robot_status`. */
function isDescribedBy(value: unknown, { words, about }: Given, isVerbatim: Said["isVerbatim"]): boolean {
  if (typeof value !== "string" || value.length > maxDescriptionLength || isVerbatim(value)) return false;
  const said = wordsOf(value.replaceAll(/['’]s\b/g, "")).filter((word) => !pointingWords.has(word));
  const isIn = (word: string, others: Iterable<string>) => [...others].some((other) => areAlike(word, other));
  return (
    words.length > 0 &&
    words.every((word) => isIn(word, said)) &&
    said.every((word) => isIn(word, words) || about.has(word)) &&
    (said.length > words.length || value.trim().split(/\s+/).length > words.length + 1)
  );
}

/** Whether a value is an earlier task's, under another name, and the task's own words say neither it nor that name. */
function isOfAnother(value: unknown, name: string, words: string, taken: readonly Taken[]): boolean {
  if (typeof value !== "number" && typeof value !== "string") return false;
  const text = String(value).toLowerCase();
  if (text.includes("${") || words.replaceAll(",", "").toLowerCase().includes(text)) return false;
  // "text1" and "text" take the same.
  const own = new Set([...wordsOf(words), ...wordsOf(name.replaceAll(/\d+/g, ""))]);
  const same = taken.filter((each) => each.value === value);
  const isNamed = (other: string) =>
    other === name || wordsOf(other.replaceAll(/\d+/g, "")).some((word) => own.has(word));
  return same.length > 0 && !same.some((each) => isNamed(each.name));
}

/** Whether a text is all of the request, in the words of which an earlier task and this one are for: what the earlier one was given, too. */
function isWholeRequest(
  value: unknown,
  own: ReadonlySet<string>,
  taken: readonly Taken[],
  isVerbatim: Said["isVerbatim"],
): boolean {
  if (typeof value !== "string" || !isVerbatim(value)) return false;
  const words = new Set(wordsOf(value));
  if (words.size < leastRequest) return false;
  const isFor = (task: Iterable<string>) => [...task].every((word) => words.has(word));
  return isFor(own) && taken.some((earlier) => earlier.value === value && isFor(earlier.own));
}

/** What one argument of a call reads is not what another was made up in the place of. */
function isRead(values: Readonly<Record<string, unknown>>, reference: string): boolean {
  return (JSON.stringify(values) ?? "").includes(reference);
}

function takenBy({ answered, task }: AnsweredTask): Taken[] {
  const own = typeof answered.for === "string" ? wordsOf(answered.for) : [];
  const values = isRecord(task.arguments) ? Object.entries(task.arguments) : [];
  return values.map(([name, value]) => ({ name, value, own }));
}

/** The fields of a task's output: of an object, and of the elements of a list. */
function givenBy({ task, resource }: AnsweredTask): Given[] {
  const { task_id } = task;
  if (typeof task_id !== "string" || resource?.output_schema === undefined) return [];
  const output = outlineOf(resource.output_schema);
  const isList = output.type === "array";
  const fields = propertiesOf((isList ? output.items : output) as Parameters<typeof propertiesOf>[0]);
  const about = new Set(wordsOf(`${resource.id} ${resource.description}`));
  return Object.entries(fields).flatMap(([name, schema]) =>
    /^[\w-]+$/.test(name)
      ? [
          {
            reference: `\${${task_id}${isList ? "[0]" : ""}.${name}}`,
            task_id,
            words: wordsOf(name),
            type: isRecord(schema) ? schema.type : undefined,
            about,
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
  const beginnings = new Set(wordsOf(request).map((word) => word.slice(0, 4)));
  // An element that a model made up has some word of the request; one that the request lists has no other words.
  const inWords = (text: string) =>
    text.includes("${") || wordsOf(text).every((word) => beginnings.has(word.slice(0, 4)));
  const inFull = (value: unknown): boolean => {
    if (typeof value === "number") return digits.has(String(value)) || Math.abs(value) <= maxNumberInWords;
    if (Array.isArray(value)) return value.every((each) => (typeof each === "string" ? inWords(each) : inFull(each)));
    if (isRecord(value)) return Object.values(value).every(inFull);
    return isSaid(value);
  };
  return inFull;
}

/** Different words that a request has at least which asks for several things. */
const leastRequest = 8;

/** Longer texts are contents, in characters. */
const maxDescriptionLength = 60;

/** "embroidery" and "embroidered": long words that begin alike. */
function areAlike(one: string, other: string): boolean {
  return one === other || (one.length > 6 && one.slice(0, 6) === other.slice(0, 6));
}

/** Words that say which one of things is meant, not what it is. */
const pointingWords: ReadonlySet<string> = new Set(
  "a an this that current new previous above earlier last given first from in by to link url path file output result task step t1 t2 t3".split(
    " ",
  ),
);

/** Small numbers are often said in words. */
const maxNumberInWords = 12;

/** Words that say of what form a value is, not what it is of. */
const formWords: ReadonlySet<string> = new Set(
  "id ids list data info information value string array object the of".split(" "),
);

function wordsOf(text: string): string[] {
  const words = nameWords(text).filter((word) => !formWords.has(word));
  return words.map((word) => word.replace(/ies$/, "y").replace(/s$/, ""));
}
