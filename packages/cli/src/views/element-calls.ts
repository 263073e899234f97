import type { TaskData } from "planloom";
import { repeatText, withoutCallText } from "planloom/plan";
import { escapedOdd } from "../io.ts";
import { plainLine, type Style } from "../terminal/style.ts";
import { wrapped } from "../terminal/wrap.ts";
import { converterLine } from "./asked-view.ts";

type Task = TaskData["planned_tasks"][number];

/** The condition on which a task is executed, whole; nothing for one without. */
export function onlyWhen(task: Pick<Task, "when"> | undefined, indent: number, style: Style): string {
  if (task?.when === undefined) return "";
  const lines = wrapped(escapedOdd(`only when ${task.when.condition}`), style.width - indent - 2);
  return lines
    .map((line, at) => `${" ".repeat(at === 0 ? indent : indent + 2)}${style.paint("yellow", line)}\n`)
    .join("");
}

/** What its executor gets beside the arguments, and how often the call is made where it is repeated, whole. */
export function moreOfCall(
  task: Pick<Task, "parameters" | "retry_until"> | undefined,
  indent: number,
  style: Style,
): string {
  // The id of the resource is shown by itself.
  const { uid: _, ...parameters } = task?.parameters ?? {};
  const lines = [
    ...(Object.keys(parameters).length > 0 ? [`parameters: ${JSON.stringify(parameters)}`] : []),
    ...(task?.retry_until === undefined ? [] : [repeatText(task.retry_until)]),
  ];
  return lines
    .flatMap((words) => wrapped(escapedOdd(words), style.width - indent - 2))
    .map((line) => `${" ".repeat(indent)}${style.paint("yellow", line)}\n`)
    .join("");
}

/**
 * What a task does for each element of its list: the list, and every call of its own tasks (`for_each.tasks`), at any depth, with the
 * arguments whole. Nothing for a task without `for_each`.
 * @param destructive ids of resources to mark
 */
export function elementCalls(
  task: Task | undefined,
  style: Style,
  destructive: ReadonlySet<string>,
  indent = 6,
): string {
  const { for_each } = task ?? {};
  if (for_each === undefined) return "";
  const text = (words: string, at: number) =>
    wrapped(escapedOdd(words), style.width - at - 2)
      .map((line, number) => `${" ".repeat(number === 0 ? at : at + 2)}${line}\n`)
      .join("");
  const calls = (for_each.tasks ?? []).map((inner) => {
    const { task_id, tool_id, function_id, agent_id, parameters, arguments: given, convertor_code } = inner;
    if (inner.status === "completed") {
      const words = `not called, its output is in the plan: ${JSON.stringify(inner.output)}`;
      return `${" ".repeat(indent + 2)}${style.paint("bold", plainLine(task_id))}\n${text(words, indent + 6)}`;
    }
    const uid = tool_id ?? function_id ?? agent_id ?? parameters.uid;
    const isGroup = inner.for_each?.tasks !== undefined;
    const resource = withoutCallText(inner) ?? (typeof uid === "string" ? uid : "chosen later");
    const name = isGroup ? "" : `  ${style.paint("dim", plainLine(resource))}`;
    const danger = destructive.has(String(uid)) ? `  ${style.paint("red", "destructive")}` : "";
    const head = `${" ".repeat(indent + 2)}${style.paint("bold", plainLine(task_id))}${name}${danger}\n`;
    const values = Object.entries(given).map(([key, value]) => text(`${key}: ${JSON.stringify(value)}`, indent + 6));
    const code = convertor_code ? converterLine(convertor_code, indent + 6, style) : "";
    return (
      head +
      onlyWhen(inner, indent + 6, style) +
      values.join("") +
      code +
      moreOfCall(inner, indent + 6, style) +
      elementCalls(inner, style, destructive, indent + 6)
    );
  });
  return text(`for each of ${JSON.stringify(for_each.items)}`, indent) + calls.join("");
}
