import type { ApprovalAnswer, Journal } from "../journal/journal.ts";
import { type AnswersById, answersById } from "./given-answer.ts";

/**
 * Keeps answers that are judged by those that were given before; where the journal can (`addAnswers`), by all of them: what came
 * between the two is judged too.
 * @param judge makes the answers, or throws where those before forbid them.
 */
export async function keepAnswers(
  runId: string,
  journal: Journal,
  judge: (given: AnswersById) => readonly ApprovalAnswer[],
): Promise<readonly ApprovalAnswer[]> {
  for (;;) {
    const given = await journal.getAnswers(runId);
    const answers = judge(answersById(given));
    if (journal.addAnswers === undefined) {
      for (const answer of answers) await journal.addAnswer(runId, answer);
      return answers;
    }
    // Each repetition means that another answer was added, so the loop ends.
    if (await journal.addAnswers(runId, answers, given.length)) return answers;
  }
}
