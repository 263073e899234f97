import { isRecord, planHashes } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import type { ApprovalAnswer, Journal, TaskRecord } from "./journal/journal.ts";
import { loadRun } from "./journal/load-run.ts";
import { LiveRuns } from "./live-runs.ts";
import { type WaitingCall, waitingCalls } from "./waiting-call.ts";

export interface AnswerOptions {
  readonly journal: Journal;
  /** Why; kept with the answer. */
  readonly note?: string;
}

/**
 * Says yes to a task that waits for approval, or will. What waits inside a task (a tool that an agent calls) is answered by
 * its own id, or by the task's for all that waits in it. A run that is running hears it (at once in this process, else with
 * the next renewal of its lease, and before it ends waiting); any other goes on with `resume`. The answer holds for the task as it is planned now: it
 * is bound to its content hash.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND, TASK_NOT_FOUND; NOT_WAITING for a task that has ended
 */
export function approve(runId: string, taskId: string, options: AnswerOptions): Promise<ApprovalAnswer> {
  return answer(runId, taskId, "approve", options);
}

/** Says no: the task and what depends on it are skipped. Otherwise as `approve`. */
export function deny(runId: string, taskId: string, options: AnswerOptions): Promise<ApprovalAnswer> {
  return answer(runId, taskId, "deny", options);
}

/**
 * What people are asked: tasks that wait, and what waits inside of tasks.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND
 */
export async function waitingFor(
  runId: string,
  { journal }: Pick<AnswerOptions, "journal">,
): Promise<readonly WaitingCall[]> {
  const { run_id, plan } = await loadRun(journal, runId);
  const records = await journal.getTasks(run_id);
  const inner = await innerCalls(run_id, records, journal);
  // Of tasks that were replaced nobody asks any more.
  const planned = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
  const waiting = records.filter(({ status, task_id }) => status === "waiting_approval" && planned.has(task_id));
  const own = waiting.filter(({ error }) => waitingCalls(error).length === 0);
  const hashes = own.length > 0 ? planHashes(plan) : undefined;
  const asked = own.map(({ task_id, uid, input }): WaitingCall => {
    const about = { id: task_id, content_hash: hashes?.get(task_id)?.content_hash ?? "" };
    return { ...about, ...(uid !== undefined && { uid }), ...(isRecord(input) && { input }) };
  });
  return [...asked, ...inner];
}

async function answer(
  runId: string,
  taskId: string,
  said: ApprovalAnswer["answer"],
  { journal, note }: AnswerOptions,
): Promise<ApprovalAnswer> {
  const { run_id, plan } = await loadRun(journal, runId);
  const records = await journal.getTasks(run_id);
  const inner = waitingWithin(await innerCalls(run_id, records, journal), records, taskId);
  if (inner.length > 0) {
    const answers = inner.map(({ id, content_hash, uid }): ApprovalAnswer => {
      const about = { task_id: id, content_hash, answer: said, answered_at: new Date().toISOString() };
      return { ...about, ...(uid !== undefined && { uid }), ...(note !== undefined && { note }) };
    });
    for (const given of answers) await keep(run_id, given, journal);
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
  await keep(run_id, given, journal);
  return given;
}

async function keep(runId: string, given: ApprovalAnswer, journal: Journal): Promise<void> {
  await journal.addAnswer(runId, given);
  answeredRuns.find(journal, runId)?.(given);
}

/** What waits for an answer inside the task of this id, or itself has the id. */
function waitingWithin(waiting: readonly WaitingCall[], records: readonly TaskRecord[], id: string): WaitingCall[] {
  const own = waiting.filter((call) => call.id === id);
  if (own.length > 0) return own;
  const suspended = records.find(({ task_id, status }) => task_id === id && status === "waiting_approval");
  return waitingCalls(suspended?.error);
}

/** What waits inside tasks, by the journal's word. */
async function innerCalls(runId: string, records: readonly TaskRecord[], journal: Journal): Promise<WaitingCall[]> {
  const calls = new Map<string, WaitingCall>();
  const ended = new Set<string>();
  for (const { task_id, status, error } of records) {
    if (status === "completed" || status === "skipped") ended.add(task_id);
    for (const call of status === "waiting_approval" ? waitingCalls(error) : []) calls.set(call.id, call);
  }
  // A plan that goes on beside its gate has not suspended its task yet.
  for (const { path, record, content_hash } of await journal.getNestedTasks(runId)) {
    const id = [...path, record.task_id].join("/");
    const { status, uid, input, error } = record;
    if (content_hash === undefined || ended.has(path[0] ?? "") || waitingCalls(error).length > 0) continue;
    if (status !== "waiting_approval" || calls.has(id)) continue;
    calls.set(id, { id, content_hash, ...(uid !== undefined && { uid }), ...(isRecord(input) && { input }) });
  }
  return [...calls.values()];
}

/** Runs that hear answers at once. */
export const answeredRuns = new LiveRuns<(answer: ApprovalAnswer) => void>();
