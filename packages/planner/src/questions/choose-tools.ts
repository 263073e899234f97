import {
  IssueCode,
  isRecord,
  nearestNames,
  type PlanIssue,
  type PlannerTask,
  pinTo,
  type Resource,
  type ResourceCatalogue,
  resourcePin,
  TaskData,
  validateValue,
} from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { type JudgePlanOptions, judgeChecks, judgePlan } from "../stage1/judge-plan.ts";
import { withQuestions } from "./answer-plan.ts";
import { argumentSchema } from "./plan-question.ts";

/** Reads words as a call of a resource: its arguments, where each comes from, and a sentence for what it does. */
export type ReadWords = (
  words: string,
  resource: Resource,
) => {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly provenance: Readonly<Record<string, unknown>>;
  readonly description: string;
};

/** Alternatives that are kept with a task. */
const maxAlternatives = 4;

/**
 * The plan with other tools for some of its tasks, `{"list_issues": "search_issues"}`. The arguments of such a task are bound again: from the words
 * that it was planned for; then what it had under the same name, where that fits; then, for what must be given, from the whole goal. What
 * is open after that is in `metadata.questions`. A new plan under the same id; the other tasks stay as they are, and
 * `metadata.confidence`, which was about another plan, is gone.
 * @throws PlannerError OPTION; CHOICE_INVALID for an unknown task or tool (with the nearest names), and where the rest of the plan does not go
 *   with the tool: a task that reads what it does not give. The plan handed in is not changed.
 */
export function chooseTools(
  given: TaskData,
  tools: Readonly<Record<string, string>>,
  catalogue: ResourceCatalogue,
  readWords: ReadWords,
  judging: JudgePlanOptions = {},
): TaskData {
  checkOptions("`chooseTools`", judging, judgeChecks);
  if (!isRecord(tools))
    throw refused(`Expected the tools to be an object of tasks and tools, got ${describeValue(tools)}.`, {});
  let plan = structuredClone(TaskData.parse(given));
  for (const [name, tool] of Object.entries(tools)) {
    const task = taskOf(name, plan);
    plan = withTool(plan, task, toolOf(tool, catalogue), catalogue, readWords);
  }
  const before = new Set(errorsOf(judgePlan(given, catalogue, judging)).map(issueKey));
  const issues = judgePlan(plan, catalogue, judging);
  const wrong = errorsOf(issues).filter(
    (issue) => issue.code !== IssueCode.MISSING_ARGUMENT && !before.has(issueKey(issue)),
  );
  if (wrong.length > 0) throw refused(wrong.map(({ message }) => message).join(" "), { issues: wrong });
  return withQuestions(plan, issues, catalogue);
}

function taskOf(name: string, { planned_tasks }: TaskData): PlannerTask {
  const task = planned_tasks.find(({ task_id }) => task_id === name);
  if (task !== undefined) return task;
  const near = nearestNames(name, new Set(planned_tasks.map(({ task_id }) => task_id)), 8);
  const expected = `Expected a task of this plan (${near.names.join(", ")}), got ${JSON.stringify(name)}.`;
  throw refused(expected, { name, candidates: near.names });
}

function toolOf(name: string, catalogue: ResourceCatalogue): Resource {
  const found = catalogue.kindsOf(name).flatMap((kind) => catalogue.find(kind, name) ?? []);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const near = nearestNames(name, new Set(catalogue.all.map(({ id }) => id)), 5);
  const guess = near.likely === undefined ? "" : ` Did you mean ${JSON.stringify(near.likely)}?`;
  const what = found.length > 1 ? `${found.length} resources of different kinds are called` : "There is no tool";
  throw refused(`${what} ${JSON.stringify(name)}.${guess}`, { name, candidates: near.names });
}

function withTool(
  plan: TaskData,
  task: PlannerTask,
  resource: Resource,
  catalogue: ResourceCatalogue,
  readWords: ReadWords,
): TaskData {
  const { metadata = {} } = plan;
  const choice = ownOf(metadata.choices, task.task_id);
  const goal = goalOf(plan);
  const words = typeof choice.text === "string" && choice.text !== "" ? choice.text : goal;
  const own = readWords(words, resource);
  const whole = words === goal ? own : readWords(goal, resource);
  const origins = ownOf(metadata.provenance, task.task_id);
  const values = new Map<string, unknown>(Object.entries(own.arguments));
  const provenance = new Map<string, unknown>(Object.entries(own.provenance));
  for (const [name, value] of Object.entries(task.arguments)) {
    const origin = origins[name];
    const isSaid = isRecord(origin) && (origin.source === "answer" || origin.source === "edit");
    if ((values.has(name) && !isSaid) || !takes(resource, name, value)) continue;
    values.set(name, value);
    if (origins[name] !== undefined) provenance.set(name, origins[name]);
  }
  // What another task has from the goal says which thing that one is for.
  const others = plan.planned_tasks.filter((each) => each !== task).flatMap((each) => Object.values(each.arguments));
  for (const name of requiredOf(resource)) {
    if (values.has(name) || !Object.hasOwn(whole.arguments, name)) continue;
    if (typeof whole.arguments[name] === "string" && others.includes(whole.arguments[name])) continue;
    values.set(name, whole.arguments[name]);
    if (Object.hasOwn(whole.provenance, name)) provenance.set(name, whole.provenance[name]);
  }
  const chosen: PlannerTask = {
    ...task,
    ...pinTo(resource, task.parameters),
    description: own.description === "" ? resource.description : own.description,
    arguments: Object.fromEntries(values),
  };
  const open = requiredOf(resource).filter((name) => !values.has(name));
  const { confidence: _, ...rest } = metadata;
  return {
    ...plan,
    planned_tasks: plan.planned_tasks.map((each) => (each.task_id === task.task_id ? chosen : each)),
    metadata: {
      ...rest,
      ...withoutTask("issues", rest.issues, task.task_id),
      ...withoutTask("unresolved", rest.unresolved, task.task_id),
      provenance: { ...recordOf(rest.provenance), [task.task_id]: Object.fromEntries(provenance) },
      choices: { ...recordOf(rest.choices), [task.task_id]: choiceFor(choice, task, resource, words, catalogue) },
      // So that they are asked for, and not left to Stage 2 where the task says nothing else.
      questions: [
        ...listOf(rest.questions).filter((each) => !isRecord(each) || each.task_id !== task.task_id),
        ...open.map((argument_path) => ({ task_id: task.task_id, argument_path })),
      ],
    },
  };
}

/** The choice as a person has made it: what was called before is the first alternative. */
function choiceFor(
  choice: Readonly<Record<string, unknown>>,
  task: PlannerTask,
  resource: Resource,
  text: string,
  catalogue: ResourceCatalogue,
) {
  const listed = listOf(choice.alternatives).filter(isRecord);
  const score = listed.find(({ tool }) => tool === resource.id)?.score;
  const { kind, uid } = resourcePin(task);
  const before = kind === undefined || uid === undefined ? undefined : catalogue.find(kind, uid)?.id;
  const last = before === undefined || before === resource.id ? [] : [{ tool: before, ...scored(choice.score) }];
  const others = listed.filter(({ tool }) => tool !== resource.id && tool !== before);
  return {
    text,
    ...scored(score),
    alternatives: [...last, ...others].slice(0, maxAlternatives),
    chosen_by: "person",
  };
}

const scored = (score: unknown) => (typeof score === "number" ? { score } : {});

/** Whether a resource takes an argument of this name with this value; what refers to other tasks is judged with the whole plan. */
function takes(resource: Resource, name: string, value: unknown): boolean {
  const properties = isRecord(resource.input_schema) ? resource.input_schema.properties : undefined;
  if (!isRecord(properties) || !Object.hasOwn(properties, name)) return false;
  if (JSON.stringify(value).includes("${")) return true;
  return validateValue(value, argumentSchema(resource, name) ?? true).every(({ severity }) => severity !== "error");
}

function requiredOf({ input_schema: input }: Resource): string[] {
  return listOf(isRecord(input) ? input.required : undefined).filter((name) => typeof name === "string");
}

function goalOf({ task_input_data: { goal }, title = "" }: TaskData): string {
  return typeof goal === "string" ? goal : title;
}

/** A plan file says what it likes in its metadata. */
const recordOf = (value: unknown) => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const ownOf = (value: unknown, taskId: string) =>
  isRecord(value) && Object.hasOwn(value, taskId) ? recordOf(value[taskId]) : {};

function withoutTask(field: "issues" | "unresolved", value: unknown, taskId: string) {
  if (!Array.isArray(value)) return {};
  return { [field]: value.filter((each) => !isRecord(each) || each.task_id !== taskId) };
}

const errorsOf = (issues: readonly PlanIssue[]) => issues.filter(({ severity }) => severity === "error");
const issueKey = ({ code, task_id, argument_path, message }: PlanIssue) =>
  JSON.stringify([code, task_id, argument_path, message]);

function refused(message: string, details: Readonly<Record<string, unknown>>): PlannerError {
  return new PlannerError(PlannerErrorCode.CHOICE_INVALID, message, { details });
}
