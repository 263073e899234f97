import type { PlanQuestion } from "planloom";
import { escapedOdd } from "../io.ts";
import { plainLine, type Style } from "../terminal/style.ts";
import { wrapped } from "../terminal/wrap.ts";
import { section } from "./heading.ts";

/** Choices shown before "… and N more". */
const maxShown = 12;

/** The arguments that a plan lacks, each with its type, what it is for, choices and suggestions. */
export function questionsView(questions: readonly PlanQuestion[], style: Style): string {
  const remark = questions.length === 1 ? "the plan lacks an argument" : `the plan lacks ${questions.length} arguments`;
  return section("Questions", remark, style) + questions.map((each) => questionText(each, style)).join("");
}

/** One question, without the line that takes the answer. */
export function questionText(question: PlanQuestion, style: Style): string {
  const { name, type, tool, description, secret } = question;
  const head = `  ${style.paint("bold", plainLine(name))}  ${style.paint("dim", `${plainLine(type)}, of ${plainLine(tool)}`)}\n`;
  const about = description === "" ? [] : wrapped(description, style.width - 8);
  const asSecret = 'a credential: give it as a secret, --set NAME=\'{"$secret": "SECRET"}\' and --secret SECRET';
  const offered = secret === true ? asSecret : offerOf(question);
  return head + [...about, ...(offered === "" ? [] : wrapped(offered, style.width - 8))].map(indented).join("");
}

const indented = (line: string) => `      ${line}\n`;

/** "one of open, closed", "e.g. facebook, react", or nothing. */
function offerOf({ choices, suggestions }: PlanQuestion): string {
  const values = choices ?? suggestions ?? [];
  if (values.length === 0) return "";
  const more = values.length > maxShown ? ` … and ${values.length - maxShown} more` : "";
  const shown = values.slice(0, maxShown).map(valueText).join(", ");
  return `${choices === undefined ? "e.g." : "one of"} ${shown}${more}`;
}

/** The line at which the answer is typed. */
export function questionLine({ name }: PlanQuestion): string {
  return `  ${plainLine(name)} (Enter leaves it open): `;
}

/**
 * `--set NAME=VALUE` for each, with the likeliest value that the goal or a task gives or the only one that is allowed, else the argument's name
 * in capitals for the reader to replace: which of several choices is meant is not guessed in a line that is made to be copied.
 */
export function answerWords(questions: readonly PlanQuestion[]): string[] {
  return questions.flatMap(({ name, argument_path, choices, suggestions, secret }) => {
    const [value] = (choices?.length === 1 ? choices : suggestions) ?? [];
    const place = argument_path.replace(/\W+/g, "_").toUpperCase();
    if (secret === true) return ["--set", `${name}={"$secret": "${place}"}`, "--secret", place];
    return ["--set", `${name}=${value === undefined ? place : valueText(value)}`];
  });
}

function valueText(value: unknown): string {
  return plainLine(typeof value === "string" ? value : escapedOdd(JSON.stringify(value) ?? ""));
}
