import { IssueCode, isRecord, nameWords, type PlanIssue, type Resource } from "@planloom/plan";
import { propertiesOf, requiredOf } from "../answers/schema-outline.ts";
import { idsIn, type Task } from "./drafted-plan.ts";
import type { OpenArgument } from "./sides.ts";
import { groundedIn, wordsIn } from "./words.ts";

/**
 * Tells whether a model made a value up that a resource needs. Such a value is not one of a few, reads no other task, and the request says nothing of it that the resource does not
 * say of itself. A text of several words is not made up where the request asks for one to be written. "record_1" for the records that are to be deleted is made up, a statement that names a table of the request is not.
 * @param request what was asked for, in words
 */
export function madeUpIn(
  request: string,
  resources: ReadonlyMap<string, Resource>,
): (callee: string, name: string, value: unknown) => boolean {
  const isGrounded = groundedIn(request);
  const isComposed = (value: unknown) => typeof value === "string" && /\S\s+\S/.test(value) && wantsText.test(request);
  return (callee, name, value) => {
    const resource = resources.get(callee);
    const schema = propertiesOf(resource?.input_schema)[name];
    if (resource === undefined || !requiredOf(resource.input_schema).includes(name)) return false;
    if (isChoice(schema) || idsIn(value).length > 0 || isComposed(value)) return false;
    const said = isRecord(schema) && typeof schema.description === "string" ? schema.description : "";
    return !isGrounded(value, wordsIn([whatItSays(resource), ...nameWords(name), said].join(" ")));
  };
}

/** "write a joke", "come up with three names": a text that the request cannot have. */
const wantsText =
  /\b(?:write|compose|draft|generate|invent|make up|come up with|suggest|phrase)\s+(?:me\s+|us\s+)?(?:an?|some|the|two|three|four|five|\d+)\s+\p{L}/iu;

/** What a resource says of itself. */
export const whatItSays = ({ id, name = "", description = "" }: Resource): string =>
  [...nameWords(`${id} ${name}`), description].join(" ");

/** Whether an argument is one of a few values. */
function isChoice(schema: unknown): boolean {
  return isRecord(schema) && (Array.isArray(schema.enum) || schema.type === "boolean" || "const" in schema);
}

/** A call of the model alone without what it made up, which is added to `open`. */
export function withoutMadeUp(
  task: Task,
  callee: string,
  isMadeUp: ReturnType<typeof madeUpIn>,
  open: OpenArgument[],
): Task {
  const given = isRecord(task.arguments) ? task.arguments : {};
  const madeUp = Object.keys(given).filter((name) => isMadeUp(callee, name, given[name]));
  if (madeUp.length === 0) return task;
  open.push(...madeUp.map((name) => ({ task_id: String(task.task_id), name })));
  const left = Object.entries(given).filter(([name]) => !madeUp.includes(name));
  return { ...task, arguments: Object.fromEntries(left) };
}

/** What is left to be asked, as issues. */
export function questionsFor(open: readonly OpenArgument[]): PlanIssue[] {
  return open.map(({ task_id, name }) => ({
    code: IssueCode.UNRESOLVED,
    severity: "warning",
    message: `The goal does not say \`${name}\` of task ${JSON.stringify(task_id)}.`,
    task_id,
    argument_path: name,
  }));
}
