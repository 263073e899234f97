import type { TaskData, WaitingCall } from "planloom";
import { repeatText } from "planloom/plan";
import { plainLine, plainText, type Style } from "../terminal/style.ts";

type Asked = Pick<
  WaitingCall,
  "uid" | "input" | "parameters" | "convertor_code" | "retry_until" | "revision" | "begun_at" | "confirm_error"
>;

/** What a person is asked to approve: all that the executor will get, never cut. */
export function askedView(asked: Asked, style: Style): string {
  const { input, parameters, convertor_code, retry_until, revision, begun_at, confirm_error } = asked;
  const parts = [
    begun_at === undefined ? "" : `    ${style.paint("yellow", unknownOutcome(begun_at))}\n`,
    input === undefined ? "" : whole(input),
    parameters === undefined ? "" : `    ${style.paint("dim", "parameters")}\n${whole(parameters)}`,
    convertor_code === undefined ? "" : converterLine(convertor_code, 4, style),
    retry_until === undefined ? "" : `    ${style.paint("yellow", plainLine(repeatText(retry_until)))}\n`,
    revision === undefined ? "" : `    ${style.paint("dim", `plan revision ${plainLine(revision)}`)}\n`,
    confirm_error === undefined ? "" : `    ${style.paint("yellow", plainLine(confirm_error))}\n`,
  ];
  return parts.join("");
}

/** Of a call that may have an effect. */
export const unknownOutcome = (begunAt: string): string =>
  `begun at ${plainLine(begunAt)}; it is unknown whether it was carried out`;

/** The expression that makes a task's input of its arguments, whole. */
export function converterLine(code: string, indent: number, style: Style): string {
  return `${" ".repeat(indent)}${style.paint("yellow", "convertor_code")} ${plainLine(code)}\n`;
}

/** Tasks whose arguments are not what they are called with, those within lists too. */
export function converterList({ planned_tasks }: Pick<TaskData, "planned_tasks">, style: Style): string {
  return planned_tasks
    .flatMap(({ task_id, convertor_code, for_each }) => [
      convertor_code ? `  ${style.paint("bold", plainLine(task_id))}${converterLine(convertor_code, 2, style)}` : "",
      for_each?.tasks === undefined ? "" : converterList({ planned_tasks: for_each.tasks }, style),
    ])
    .join("");
}

function whole(value: unknown): string {
  const lines = plainText(JSON.stringify(value, null, 2)).split("\n");
  return lines.map((line) => `    ${line}\n`).join("");
}
