import { hashValue } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import type { AnswersById } from "./given-answer.ts";

/** @throws RuntimeError ALREADY_DENIED where one of the calls was denied: a later approval does not change that. */
export function refuseDenied(run_id: string, asked: readonly WaitingCall[], given: AnswersById): void {
  for (const { id, content_hash } of asked) {
    const denied = given.get(id)?.find((each) => each.content_hash === content_hash && each.answer === "deny");
    if (denied !== undefined) throw alreadyDenied(run_id, id, denied);
  }
}

/**
 * Refuses an answer to a question that was shown before and is not the one that is asked now.
 * @param contentHash of the question that was shown; `undefined` where the answer does not say
 * @throws RuntimeError QUESTION_CHANGED
 */
export function refuseOtherQuestion(
  run_id: string,
  asked: readonly WaitingCall[],
  contentHash: string | undefined,
): void {
  if (contentHash === undefined) return;
  const other = asked.find(({ content_hash }) => content_hash !== contentHash);
  if (other === undefined) return;
  const { id: task_id, content_hash: actual } = other;
  const message = `Task "${task_id}" of run ${run_id} asks about another call by now than the one that was answered. Look at what it asks now (\`waitingFor\`) and answer that.`;
  throw new RuntimeError(RuntimeErrorCode.QUESTION_CHANGED, message, {
    details: { run_id, task_id, expected: contentHash, actual },
  });
}

/**
 * Refuses an approval that would undo an earlier one with another input or output, unless it says so (`replace`).
 * @param answers what is about to be kept, one for each of `asked`.
 * @throws RuntimeError ALREADY_ANSWERED
 */
export function refuseUndoing(
  run_id: string,
  asked: readonly WaitingCall[],
  answers: readonly ApprovalAnswer[],
  given: AnswersById,
): void {
  for (const [index, call] of asked.entries()) {
    const last = given.get(call.id)?.findLast(({ content_hash, edited_from }) => {
      return content_hash === call.content_hash || edited_from === call.content_hash;
    });
    if (last !== undefined && isOwnWord(last) && saysOf(last) !== saysOf(answers[index]!))
      throw alreadyAnswered(run_id, last);
  }
}

/** True for a yes that says more than that the call may be made as it was shown. */
function isOwnWord(answer: ApprovalAnswer): boolean {
  return answer.edited_from !== undefined || "output" in answer;
}

function saysOf(answer: ApprovalAnswer): string {
  return hashValue({ hash: answer.content_hash, ...("output" in answer && { output: answer.output }) });
}

function alreadyAnswered(run_id: string, last: ApprovalAnswer): RuntimeError {
  const { task_id, by, answered_at, edited_from } = last;
  const who = by ?? "Somebody";
  const did = edited_from === undefined ? "said what the call gave" : "said yes with an edited input";
  const message = `${who} answered "${task_id}" of run ${run_id} at ${answered_at} and ${did}, which this answer would undo. Answer with \`replace: true\` (\`--replace\`) to replace that answer.`;
  return new RuntimeError(RuntimeErrorCode.ALREADY_ANSWERED, message, {
    details: {
      run_id,
      task_id,
      ...(by !== undefined && { by }),
      answered_at,
      ...(last.input !== undefined && { input: last.input }),
      ...("output" in last && { output: last.output }),
    },
  });
}

export function alreadyDenied(
  run_id: string,
  task_id: string,
  { by, answered_at }: Partial<ApprovalAnswer>,
): RuntimeError {
  const who = by === undefined ? "Somebody" : by;
  const when = answered_at === undefined ? "" : ` at ${answered_at}`;
  const message = `${who} said no to task "${task_id}" of run ${run_id}${when}, and a no is final. Fork the run, or run the plan again, to be asked again.`;
  return new RuntimeError(RuntimeErrorCode.ALREADY_DENIED, message, {
    details: { run_id, task_id, ...(by !== undefined && { by }), ...(answered_at !== undefined && { answered_at }) },
  });
}
