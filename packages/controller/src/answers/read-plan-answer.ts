import { IssueCode, isRecord, type PlanIssue, type Resource } from "@planloom/plan";
import type { ProtocolAnswer } from "../protocols/protocol.ts";
import { answeredId } from "./answer-kinds.ts";
import { answeredTask } from "./answered-task.ts";
import { withMarkedReferences } from "./bare-references.ts";
import { type AnsweredTask, keepWhatIsAsked } from "./keep-what-is-asked.ts";
import { withLookUps } from "./look-up-ids.ts";
import { misreadFlow } from "./misread-flow.ts";
import { withNestedCalls } from "./nested-calls.ts";
import { inPlainForm } from "./plain-form.ts";
import { readFromEarlier } from "./read-from-earlier.ts";
import { type CalledTask, waitingTasks } from "./said-order.ts";
import { outlineOf, propertiesOf, requiredOf } from "./schema-outline.ts";

const maxText = 500;

/**
 * What a model's list says: tasks, what it cannot do, what is missing, what else it wants to see. Tasks without a description get what their
 * resource says of itself. An answer with no task is a refusal, final where the model says that it cannot; missing arguments are
 * open questions of the plan.
 * @param request what was asked for, in words: what it does not ask for is left out. @default all is kept
 */
export function readPlanAnswer(answer: unknown, resources: readonly Resource[] = [], request?: string): ProtocolAnswer {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const data = inPlainForm(answer, byId);
  const written = listIn(data);
  if (written === undefined) return { data };
  const { listed: called, issues: nested } = withNestedCalls(written, byId);
  const { listed, issues: marked } = withMarkedReferences(called, request);
  const cannot = textsOf(listed, "cannot");
  const wanted = textsOf(listed, "need_tools");
  const answers: AnsweredTask[] = [];
  const unread: unknown[] = [];
  const calls = listed.flatMap((each): CalledTask[] =>
    isRecord(each) && !isRemark(each) ? [{ answered: each, resource: byId.get(answeredId(each) ?? "") }] : [],
  );
  const waiting = request === undefined ? undefined : waitingTasks(calls, request);
  for (const each of listed) {
    if (isRemark(each)) continue;
    if (!isRecord(each)) unread.push(each);
    else {
      const earlier = answers.map(({ task }) => task);
      const isWaiting = waiting?.[answers.length];
      const answered = isWaiting === undefined ? each : { ...each, waits: isWaiting };
      const task = described(answeredTask(answered, earlier), byId);
      answers.push({ answered: each, task, resource: byId.get(answeredId(each) ?? "") });
    }
  }
  const isJudged = request !== undefined && unread.length === 0;
  const read = isJudged ? readFromEarlier(answers, request) : undefined;
  const found = read === undefined ? undefined : withLookUps(read.answers, request ?? "", resources);
  const asked = found === undefined ? undefined : keepWhatIsAsked(found.answers, request ?? "", resources);
  const tasks: readonly unknown[] = asked?.tasks ?? [...answers.map(({ task }) => task), ...unread];
  const values = new Map((asked?.tasks ?? []).map(({ task_id, arguments: given }) => [task_id, given]));
  const issues = listed
    .flatMap((each) => (isRecord(each) ? missingIn(each, byId) : []))
    .filter(({ task_id, argument_path: name = "" }) => !Object.hasOwn(Object(values.get(task_id)), name));
  const misread = listed.flatMap((each) => (isRecord(each) ? [...misreadFlow(each), ...unreadArguments(each)] : []));
  if (tasks.length > 0 && wanted.length === 0) {
    const left = cannot.map((text) => unresolved(`The model says that no resource does this: ${text}.`, "warning"));
    const said = [
      ...misread,
      ...issues,
      ...left,
      ...nested,
      ...marked,
      ...(read?.issues ?? []),
      ...(found?.issues ?? []),
      ...(asked?.issues ?? []),
    ];
    return { data: isRecord(data) ? { ...data, tasks } : tasks, ...(said.length > 0 && { issues: said }) };
  }
  if (wanted.length > 0) {
    const message = `The model wants resources that were not shown: ${wanted.join("; ")}.`;
    return { message, issues: [{ ...unresolved(message, "error"), actual: wanted.join("; ") }] };
  }
  if (cannot.length === 0) return { data };
  const message = `No resource does this: ${cannot.join("; ")}.`;
  return { message, issues: [unresolved(message, "error")], final: true };
}

function listIn(data: unknown): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data;
  if (!isRecord(data)) return undefined;
  if (Array.isArray(data.tasks)) return data.tasks;
  return isRemark(data) ? [data] : undefined;
}

/** An entry that is not a task: it has no id and says one of these. */
function isRemark(each: unknown): boolean {
  return (
    isRecord(each) &&
    each.task_id === undefined &&
    ["cannot", "need_tools"].some((field) => typeof each[field] === "string")
  );
}

function textsOf(listed: readonly unknown[], field: string): string[] {
  return listed.flatMap((each) => {
    const text = isRecord(each) && isRemark(each) ? each[field] : undefined;
    return typeof text === "string" && text.trim() !== "" ? [text.trim().replace(/\.$/, "").slice(0, maxText)] : [];
  });
}

/** Required arguments that are null: the model has nothing for them, so they are asked for. */
function missingIn(task: Record<string, unknown>, resources: ReadonlyMap<string, Resource>): PlanIssue[] {
  const { task_id } = task;
  if (!isRecord(task.arguments) || typeof task_id !== "string") return [];
  const schema = resources.get(answeredId(task) ?? "")?.input_schema;
  const given = task.arguments;
  return requiredOf(schema)
    .filter((name) => given[name] === null && !takesNull(propertiesOf(schema)[name]))
    .map((name) => ({
      ...unresolved(`The goal does not say \`${name}\` of task ${JSON.stringify(task_id)}.`, "warning"),
      task_id,
      argument_path: name,
    }));
}

/** What is wrong with arguments that are not an object: they cannot be read, and would be lost. */
function unreadArguments({ task_id, arguments: given }: Record<string, unknown>): PlanIssue[] {
  if (given === undefined || given === null || isRecord(given)) return [];
  const actual = Array.isArray(given) ? "a list" : `${typeof given} ${JSON.stringify(given).slice(0, 80)}`;
  const expected = 'an object, such as {"name": "value"}';
  const message = `Expected \`arguments\` of task ${JSON.stringify(task_id)} to be ${expected}, got ${actual}.`;
  const about = { ...(typeof task_id === "string" && { task_id }), argument_path: "arguments", expected, actual };
  return [{ code: IssueCode.UNREADABLE, severity: "error", message, ...about }];
}

function takesNull(schema: unknown): boolean {
  const { type, anyOf } = outlineOf(schema);
  return type === "null" || (Array.isArray(anyOf) && anyOf.some((each) => isRecord(each) && each.type === "null"));
}

function unresolved(message: string, severity: PlanIssue["severity"]): PlanIssue {
  return { code: IssueCode.UNRESOLVED, severity, message };
}

function described(task: Record<string, unknown>, resources: ReadonlyMap<string, Resource>): Record<string, unknown> {
  if (typeof task.description === "string" && task.description.trim() !== "") return task;
  const id = answeredId(task);
  const said = id === undefined ? "" : (resources.get(id)?.description ?? id);
  return { ...task, description: firstSentence(said) };
}

function firstSentence(text: string): string {
  const words = text.replaceAll(/\s+/g, " ").trim();
  const [sentence = ""] = words.split(/(?<=[.!?]) /, 1);
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence;
}
