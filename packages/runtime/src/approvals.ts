import { planHashes } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import type { ApprovalAnswer, Journal, TaskRecord } from "./journal/journal.ts";
import { type WaitingCall, waitingCalls } from "./waiting-call.ts";

export interface AnswerOptions {
  readonly journal: Journal;
  /** Why; kept with the answer. */
  readonly note?: string;
}

/**
 * Says yes to a task that waits for approval, or will. What waits inside a task (a tool that an agent calls) is answered by
 * its own id, or by the task's for all that waits in it; the answer is heard when the run is resumed. A run that is running hears it (at once in this process, else with
 * the next renewal of its lease); any other goes on with `resume`. The answer holds for the task as it is planned now: it
 * is bound to its content hash.
 * @param runId the id, or a prefix that fits one run.
 * @throws RuntimeError RUN_NOT_FOUND, RUN_AMBIGUOUS, TASK_NOT_FOUND; NOT_WAITING for a task that has ended
 */
export function approve(runId: string, taskId: string, options: AnswerOptions): Promise<ApprovalAnswer> {
  return answer(runId, taskId, "approve", options);
}

/** Says no: the task and what depends on it are skipped. Otherwise as `approve`. */
export function deny(runId: string, taskId: string, options: AnswerOptions): Promise<ApprovalAnswer> {
  return answer(runId, taskId, "deny", options);
}

async function answer(
  prefix: string,
  taskId: string,
  said: ApprovalAnswer["answer"],
  { journal, note }: AnswerOptions,
): Promise<ApprovalAnswer> {
  const { run_id, plan } = await journal.getRun(prefix);
  const records = await journal.getTasks(run_id);
  const inner = waitingWithin(records, taskId);
  if (inner.length > 0) {
    const answers = inner.map(({ id, content_hash, uid }): ApprovalAnswer => {
      const about = { task_id: id, content_hash, answer: said, answered_at: new Date().toISOString() };
      return { ...about, ...(uid !== undefined && { uid }), ...(note !== undefined && { note }) };
    });
    for (const given of answers) await journal.addAnswer(run_id, given);
    return answers[0]!;
  }
  const hashes = planHashes(plan).get(taskId);
  if (hashes === undefined) {
    throw new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, `Run ${run_id} has no task "${taskId}".`, {
      details: { run_id, task_id: taskId },
    });
  }
  const record = records.find(({ task_id }) => task_id === taskId);
  if (record?.status === "completed" || record?.status === "failed") {
    throw new RuntimeError(
      RuntimeErrorCode.NOT_WAITING,
      `Task "${taskId}" of run ${run_id} has ${record.status} already; there is nothing to ${said}.`,
      { details: { run_id, task_id: taskId, status: record.status } },
    );
  }
  const given: ApprovalAnswer = {
    task_id: taskId,
    content_hash: hashes.content_hash,
    answer: said,
    answered_at: new Date().toISOString(),
    // With an input Stage 2 had chosen the resource, and the person saw which.
    ...(record?.status === "waiting_approval" && record.input_hash !== "" && { uid: record.uid ?? "" }),
    ...(note !== undefined && { note }),
  };
  await journal.addAnswer(run_id, given);
  liveRuns.get(journal)?.get(run_id)?.(given);
  return given;
}

/** What waits for an answer inside the task of this id, or itself has the id. */
function waitingWithin(records: readonly TaskRecord[], id: string): WaitingCall[] {
  return records.flatMap(({ task_id, status, error }) => {
    const waiting = status === "waiting_approval" ? waitingCalls(error) : [];
    return task_id === id ? waiting : waiting.filter((call) => call.id === id);
  });
}

type Hear = (answer: ApprovalAnswer) => void;

/** Runs of this process that can be told at once, by the journal they are kept in. */
const liveRuns = new WeakMap<Journal, Map<string, Hear>>();

/** @returns takes the listener away again. */
export function listenForAnswers(journal: Journal, runId: string, hear: Hear): () => void {
  const ofJournal = liveRuns.get(journal) ?? new Map<string, Hear>();
  liveRuns.set(journal, ofJournal);
  ofJournal.set(runId, hear);
  return () => ofJournal.delete(runId);
}
