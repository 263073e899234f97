import type { ApprovalAnswer, WaitingCall } from "planloom";
import type { StoredRun } from "planloom/runtime";
import type { CliIo } from "../io.ts";
import { withJournal } from "./recorded-runs.ts";

/** A call that a person is asked about, with the stored answer that the run has not read yet, if there is one. */
export interface Question extends WaitingCall {
  readonly answer?: ApprovalAnswer;
}

/** The questions to people in a run. */
export async function questionsIn({ run_id, options }: StoredRun, io: CliIo): Promise<readonly Question[]> {
  const { waitingFor } = await import("planloom/runtime");
  const found = await withJournal(io, async (journal) => {
    const waiting = await waitingFor(run_id, { journal });
    if (waiting.length === 0) return [];
    const answers = await journal.getAnswers(run_id);
    return waiting.map((call): Question => {
      const answer = answerTo(call, answers, options.approval_expires_after_ms);
      return answer === undefined ? call : { ...call, answer };
    });
  });
  return found ?? [];
}

/** The one that counts: a no is final; of several yeses the last, unless it has expired. What was said about a begun call does not expire. */
function answerTo(
  { id, content_hash, begun_at }: WaitingCall,
  answers: readonly ApprovalAnswer[],
  expiresAfterMs = Number.POSITIVE_INFINITY,
): ApprovalAnswer | undefined {
  const given = answers.filter((each) => {
    return each.task_id === id && (each.content_hash === content_hash || each.edited_from === content_hash);
  });
  const no = given.find(({ answer }) => answer === "deny");
  if (no !== undefined) return no;
  const last = given.at(-1);
  if (last === undefined || begun_at !== undefined) return last;
  return Date.now() - Date.parse(last.answered_at) > expiresAfterMs ? undefined : last;
}
