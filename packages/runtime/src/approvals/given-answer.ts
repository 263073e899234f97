import type { ApprovalAnswer } from "../journal/journal.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";

/** Answers of a run, in the order of coming, by the id of the call that each is about. */
export type AnswersById = ReadonlyMap<string, readonly ApprovalAnswer[]>;

export function answersById(answers: readonly ApprovalAnswer[]): AnswersById {
  return Map.groupBy(answers, ({ task_id }) => task_id);
}

/**
 * The stored answer to a call that counts, where the run has not gone on with it yet: a no is final; of several yeses the last, unless it has
 * expired. What was said about a begun call does not expire.
 * @param expiresAfterMs how long the run takes a yes after it was given
 */
export function answerTo(
  { id, content_hash, begun_at }: WaitingCall,
  answers: AnswersById,
  expiresAfterMs = Number.POSITIVE_INFINITY,
): ApprovalAnswer | undefined {
  const given = (answers.get(id) ?? []).filter((each) => {
    return each.content_hash === content_hash || each.edited_from === content_hash;
  });
  const no = given.find(({ answer }) => answer === "deny");
  if (no !== undefined) return no;
  const last = given.at(-1);
  if (last === undefined || begun_at !== undefined) return last;
  return Date.now() - Date.parse(last.answered_at) > expiresAfterMs ? undefined : last;
}
