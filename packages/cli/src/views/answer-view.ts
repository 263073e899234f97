import type { ApprovalAnswer } from "planloom";
import { plainLine, plainText, type Style } from "../terminal/style.ts";

/** What an answer means, in a few words. */
export function answerWord({ answer, input, output }: ApprovalAnswer, style: Style): string {
  if (answer === "deny") return style.paint("red", "denied");
  const words =
    output !== undefined ? "taken as done, not called" : input !== undefined ? "approved, edited" : "approved";
  return style.paint("green", words);
}

/** Who gave the answer, when and why, and the input or output that it brought, whole. */
export function answerView(given: ApprovalAnswer, style: Style): string {
  const { by, answered_at, note, input, output } = given;
  const who = by === undefined ? "" : ` by ${plainLine(by)}`;
  const why = note === undefined ? "" : `: ${plainLine(note)}`;
  const about = style.paint("dim", `${who} at ${plainLine(answered_at)}${why}`);
  return [
    `    ${answerWord(given, style)}${about}\n`,
    input === undefined ? "" : `    ${style.paint("dim", "it will be called with")}\n${whole(input)}`,
    output === undefined ? "" : `    ${style.paint("dim", "its output will be")}\n${whole(output)}`,
  ].join("");
}

function whole(value: unknown): string {
  const lines = plainText(JSON.stringify(value, null, 2)).split("\n");
  return lines.map((line) => `    ${line}\n`).join("");
}
