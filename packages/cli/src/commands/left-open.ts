import type { PlanQuestion, TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { styleFor } from "../terminal/style.ts";
import { answerWords, questionsView } from "../views/questions-view.ts";
import { nextSteps } from "./next-steps.ts";

/**
 * Saves a draft, and prints what it lacks and how to give it. With `json` one value: the plan's id, the questions, and the words of the command that continues.
 * @param words options to give again
 */
export async function leftOpen(
  plan: TaskData,
  questions: readonly PlanQuestion[],
  { json, words }: { readonly json: boolean; readonly words: readonly string[] },
  io: CliIo,
): Promise<number> {
  const file = await savePlanAtHome(io, plan);
  const again = ["run", plan.task_id, ...answerWords(questions), ...words];
  if (json) {
    const { task_id: plan_id } = plan;
    writeJson(io, { plan_id, status: "questions", questions, plan, next: [[commandName(io), ...again]] });
    return ExitCode.WAITING;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(questionsView(questions, style));
  const saved = style.paint("dim", `(${file})`);
  io.stdout.write(`\nNothing was run. Saved as the draft ${style.paint("bold", plan.task_id)} ${saved}\n`);
  io.stdout.write(nextSteps([{ words: again, means: "with your values" }], style, io));
  return ExitCode.WAITING;
}
