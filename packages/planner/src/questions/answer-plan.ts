import {
  escapeText,
  IssueCode,
  isRecord,
  type JsonSchema,
  nearestNames,
  type PlanIssue,
  type PlannerTask,
  type Resource,
  type ResourceCatalogue,
  scanReferences,
  secretObjectName,
  TaskData,
  validateValue,
} from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { type JudgePlanOptions, judgeChecks, judgePlan } from "../stage1/judge-plan.ts";
import {
  argumentName,
  argumentSchema,
  holdsCredential,
  lacksArgumentsOnly,
  pathOf,
  questionKey,
  questionsFrom,
  resourceOf,
} from "./plan-question.ts";
import { readAnswerText } from "./read-answer-text.ts";

export interface AnswerPlanOptions extends JudgePlanOptions {
  /** Answers that are texts were typed by a person: each is read by its argument's type, and `${` in it is not a reference. @default false */
  readonly asText?: boolean;
}

/** An argument that a name refers to. */
interface Place {
  readonly task: PlannerTask;
  readonly resource: Resource;
  readonly path: string;
  readonly schema: JsonSchema;
}

/**
 * The plan with arguments put in by their names, `{"list_issues.owner": "facebook"}`: those that it lacks, and any other that its
 * resources take. A new plan under the same id; `metadata.questions` has what is still open, and is absent where nothing is. References to
 * other tasks are taken as in every plan.
 * @throws PlannerError ANSWER_INVALID for a name that refers to no argument, a value that its schema refuses, a credential as text, and for
 *   what makes the plan wrong otherwise (a reference to a task that there is not). The plan handed in is not changed.
 */
export function answerPlan(
  given: TaskData,
  answers: Readonly<Record<string, unknown>>,
  catalogue: ResourceCatalogue,
  options: AnswerPlanOptions = {},
): TaskData {
  checkOptions("`answerPlan`", options, { ...judgeChecks, asText: "boolean" });
  const { asText = false, ...judging } = options;
  if (!isRecord(answers))
    throw refused(`Expected the answers to be an object of names and values, got ${describeValue(answers)}.`, {});
  const plan = structuredClone(TaskData.parse(given));
  const places = new Map<string, Place>();
  for (const [name, answer] of Object.entries(answers)) {
    const place = placeOf(name, plan, catalogue, judging);
    const value = checkedAnswer(name, answer, place, asText);
    setAt(place.task.arguments, pathOf(place.path) ?? [], value);
    places.set(questionKey(place.task.task_id, place.path), place);
  }
  const before = new Set(errorsOf(judgePlan(given, catalogue, judging)).map(issueKey));
  const answered = withoutAnswered(plan, places);
  const issues = judgePlan(answered, catalogue, judging);
  const wrong = errorsOf(issues).filter(
    (issue) => issue.code !== IssueCode.MISSING_ARGUMENT && !before.has(issueKey(issue)),
  );
  if (wrong.length > 0) throw refused(wrong.map(({ message }) => message).join(" "), { issues: wrong });
  return judgedAgain(withQuestions(answered, issues, catalogue));
}

/** Once nothing is open, the plan is as likely right as its planner said that it would be then (`metadata.when_answered`). */
function judgedAgain(plan: TaskData): TaskData {
  const { when_answered: later, confidence, proposal, issues, ...rest } = plan.metadata ?? {};
  if (rest.questions !== undefined || !isRecord(later) || typeof later.confidence !== "number") return plan;
  const chance = String(later.confidence);
  const isProposal = later.proposal === true;
  const noted = (Array.isArray(issues) ? issues : []).flatMap((each: unknown) => {
    if (!isRecord(each) || each.code !== IssueCode.PROPOSAL) return [each];
    const { message, actual } = each;
    if (!isProposal || typeof message !== "string" || typeof actual !== "string") return [];
    return [{ ...each, message: message.replace(actual, chance), actual: chance }];
  });
  const metadata = {
    ...rest,
    confidence: later.confidence,
    ...(isProposal && { proposal: true }),
    ...(noted.length > 0 && { issues: noted }),
  };
  return { ...plan, metadata };
}

/** The plan with what it leaves open in `metadata.questions`; without that field where nothing is open. */
export function withQuestions(plan: TaskData, issues: readonly PlanIssue[], catalogue: ResourceCatalogue): TaskData {
  const { questions: _, ...metadata } = plan.metadata ?? {};
  const questions = lacksArgumentsOnly(issues) ? questionsFrom(issues, plan, catalogue) : [];
  return { ...plan, metadata: questions.length === 0 ? metadata : { ...metadata, questions } };
}

/** @throws PlannerError ANSWER_INVALID with the nearest names */
function placeOf(name: string, plan: TaskData, catalogue: ResourceCatalogue, judging: JudgePlanOptions): Place {
  const tasks = [...plan.planned_tasks].sort((a, b) => b.task_id.length - a.task_id.length);
  for (const task of tasks) {
    const rest = name.startsWith(task.task_id) ? name.slice(task.task_id.length) : "";
    const path = rest.startsWith(".") ? rest.slice(1) : rest.startsWith("[") ? rest : undefined;
    const resource = path === undefined ? undefined : resourceOf(task, catalogue);
    const schema = resource === undefined || path === undefined ? undefined : argumentSchema(resource, path);
    if (resource !== undefined && path !== undefined && schema !== undefined) return { task, resource, path, schema };
  }
  const open = questionsFrom(judgePlan(plan, catalogue, judging), plan, catalogue).map((each) => each.name);
  const known = plan.planned_tasks.flatMap((task) => argumentNames(task, catalogue));
  const near = nearestNames(name, new Set([...open, ...known]), 5);
  const guess = near.likely === undefined ? "" : ` Did you mean ${JSON.stringify(near.likely)}?`;
  const listed = open.length > 0 ? ` Still open: ${open.join(", ")}.` : "";
  const expected = `Expected TASK.ARGUMENT of this plan, got ${JSON.stringify(name)}.${guess}${listed}`;
  throw refused(expected, { name, candidates: near.names });
}

function argumentNames(task: PlannerTask, catalogue: ResourceCatalogue): string[] {
  const input = resourceOf(task, catalogue)?.input_schema;
  const properties = isRecord(input) && isRecord(input.properties) ? Object.keys(input.properties) : [];
  return properties.map((property) => argumentName(task.task_id, property));
}

function checkedAnswer(name: string, answer: unknown, { path, schema, resource }: Place, asText: boolean): unknown {
  const read = asText && typeof answer === "string" ? readAnswerText(answer, schema) : answer;
  const isNamed = secretObjectName(read) !== undefined;
  if (!isNamed && holdsCredential(path, schema)) {
    const what = `${JSON.stringify(name)} of ${resource.id} is a credential and is not kept with a plan as text`;
    throw refused(`${what}: answer with {"$secret": "NAME"} and give the run the secret NAME.`, { name });
  }
  const { references, malformed } = scanReferences(asText ? undefined : read);
  const refers = references.length + malformed.length > 0;
  const found = isNamed || refers ? [] : validateValue(read, schema, { what: "the answer" });
  const issues = found.filter(({ severity }) => severity === "error");
  if (issues.length > 0) {
    const why = issues.map(({ message }) => message).join(" ");
    throw refused(`The answer for ${JSON.stringify(name)} does not fit: ${why}`, { name, issues });
  }
  return asText ? escaped(read) : read;
}

/** What a person types is a value and no reference. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isRecord(value) || secretObjectName(value) !== undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escaped(each)]));
}

/** Sets the value at a path; what is absent on the way is made. */
function setAt(
  root: Record<string, unknown>,
  path: readonly ({ key: string } | { index: number })[],
  value: unknown,
): void {
  let holder: object = root;
  for (const [at, segment] of path.entries()) {
    const key = "key" in segment ? segment.key : segment.index;
    const next = path[at + 1];
    const own: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
    const inner = typeof own === "object" && own !== null ? own : next !== undefined && "index" in next ? [] : {};
    const member = next === undefined ? value : inner;
    Object.defineProperty(holder, key, { value: member, enumerable: true, configurable: true, writable: true });
    holder = inner;
  }
}

/** What the planner noted about an argument that is answered now is said no longer; its provenance is the answer. */
function withoutAnswered(plan: TaskData, places: ReadonlyMap<string, Place>): TaskData {
  const { issues, unresolved, provenance, choices, ...rest } = plan.metadata ?? {};
  const said = answeredWords(plan, places);
  const isOpen = (each: unknown, path: "argument_path" | "text") =>
    !isRecord(each) || !(places.has(questionKey(each.task_id, each[path])) || said.has(each.message));
  const origins = isRecord(provenance) ? structuredClone(provenance) : {};
  for (const { task, path } of places.values()) {
    const own = Object.hasOwn(origins, task.task_id) ? origins[task.task_id] : {};
    origins[task.task_id] = { ...(isRecord(own) ? own : {}), [path]: { source: "answer" } };
  }
  const notes = Array.isArray(issues) ? issues.filter((each) => isOpen(each, "argument_path")) : [];
  const left = Array.isArray(unresolved) ? unresolved.filter((each) => isOpen(each, "text")) : [];
  const metadata = {
    ...rest,
    ...(notes.length > 0 && { issues: notes }),
    ...(left.length > 0 && { unresolved: left }),
    ...(isRecord(choices) && { choices: choicesWith(choices, places, plan) }),
    provenance: origins,
  };
  return { ...plan, metadata };
}

/** Messages about words of the goal that no argument of a task took, where an argument of that task is answered: the answer says what they meant. */
function answeredWords({ metadata }: TaskData, places: ReadonlyMap<string, Place>): ReadonlySet<unknown> {
  const tasks = new Set([...places.values()].map(({ task }) => task.task_id));
  const noted = Array.isArray(metadata?.unresolved) ? metadata.unresolved.filter(isRecord) : [];
  const about = noted.filter(({ reason, task_id }) => reason === "no_parameter" && tasks.has(String(task_id)));
  return new Set(about.map(({ message }) => message));
}

/** The choices of the tasks that there are, each with the arguments of its task that were answered. */
function choicesWith(choices: Readonly<Record<string, unknown>>, places: ReadonlyMap<string, Place>, plan: TaskData) {
  const own = plan.planned_tasks.filter(({ task_id }) => Object.hasOwn(choices, task_id));
  return Object.fromEntries(
    own.map(({ task_id }) => {
      const choice = choices[task_id];
      const paths = [...places.values()].flatMap((place) => (place.task.task_id === task_id ? [place.path] : []));
      if (!isRecord(choice) || paths.length === 0) return [task_id, choice];
      const before = Array.isArray(choice.answered) ? choice.answered : [];
      return [task_id, { ...choice, answered: [...new Set([...before, ...paths])] }];
    }),
  );
}

const errorsOf = (issues: readonly PlanIssue[]) => issues.filter(({ severity }) => severity === "error");
const issueKey = ({ code, task_id, argument_path, message }: PlanIssue) =>
  JSON.stringify([code, task_id, argument_path, message]);

function refused(message: string, details: Readonly<Record<string, unknown>>): PlannerError {
  return new PlannerError(PlannerErrorCode.ANSWER_INVALID, message, { details });
}
