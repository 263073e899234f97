import type { PlanQuestion, TaskData } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import type { PlanningSession } from "./session.ts";
import { styleFor } from "./terminal/style.ts";
import { questionLine, questionText } from "./views/questions-view.ts";

/** `TASK.ARGUMENT=VALUE` as answers; the value stays text, to be read by the type of its argument. @throws CliError USAGE */
export function parseAnswers(pairs: readonly string[]): Record<string, string> {
  return readPairs(pairs, "--set", "TASK.ARGUMENT=VALUE", 0);
}

/** `TASK=TOOL` as choices of tools. @throws CliError USAGE */
export function parseTools(pairs: readonly string[]): Record<string, string> {
  return readPairs(pairs, "--tool", "TASK=TOOL", 1);
}

/** @param least characters that must follow the sign */
function readPairs(pairs: readonly string[], option: string, form: string, least: number): Record<string, string> {
  const read = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1 || pair.length - at - 1 < least) {
      throw new CliError(CliErrorCode.USAGE, `Expected ${option} ${form}, got ${JSON.stringify(pair)}.`, {
        details: { option },
      });
    }
    read.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return Object.fromEntries(read);
}

/**
 * Asks for each argument that a plan lacks, until all are given or the person leaves one open. A value that does not fit is asked for again. Credentials are
 * not asked for, since what is typed here would be kept with the plan.
 * @returns the plan with the answers
 */
export async function askQuestions(
  plan: TaskData,
  questions: readonly PlanQuestion[],
  { planloom }: PlanningSession,
  io: CliIo,
): Promise<TaskData> {
  const { ask } = io;
  const style = styleFor(io.stdout, io.env);
  let answered = plan;
  for (const question of ask === undefined ? [] : questions) {
    if (question.secret === true) continue;
    io.stdout.write(questionText(question, style));
    for (;;) {
      const said = await ask?.(questionLine(question));
      if (said === undefined) return answered;
      if (said.trim() === "") break;
      try {
        answered = planloom.answer(answered, { [question.name]: said.trim() }, { asText: true });
        break;
      } catch (error) {
        if (!(error instanceof Error) || !("code" in error) || error.code !== "PLANNER_ANSWER_INVALID") throw error;
        io.stdout.write(`  ${style.paint("yellow", error.message)}\n`);
      }
    }
  }
  return answered;
}
