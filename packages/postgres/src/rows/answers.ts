import type { ApprovalAnswer } from "@planloom/runtime";
import { sealedText } from "@planloom/runtime/journal-parts";
import { encodeText } from "../connection/text.ts";
import type { LockedRun } from "./locked-run.ts";

export async function countAnswers(run: LockedRun): Promise<number> {
  const text = `SELECT count(*) AS known FROM ${run.schema}.answers WHERE run_id = $1`;
  const [row] = await run.query<{ known: number }>(text);
  return row?.known ?? 0;
}

export async function insertAnswers(run: LockedRun, answers: readonly ApprovalAnswer[]): Promise<void> {
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    await run.query(
      `INSERT INTO ${run.schema}.answers (run_id, task_id, answer) VALUES ($1, $2, $3)`,
      encodeText(answer.task_id),
      text,
    );
    run.seal(sealedText("answers", answer.task_id, text));
  }
}
