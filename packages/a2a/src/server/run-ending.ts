import {
  type Planloom,
  type RunEvent,
  type RunResult,
  type RunStatus,
  RuntimeErrorCode,
  type TaskData,
  type WaitingCall,
} from "planloom";
import { effectiveDependencies } from "planloom/plan";
import { waitingFor } from "planloom/runtime";
import { pause } from "../client/pause.ts";

/** What became of a run: it ended, or it waits for somebody or something. */
export type Ending =
  | { readonly type: "completed"; readonly output: unknown }
  | { readonly type: "asks"; readonly waiting: readonly WaitingCall[] }
  /** For a time or a signal. */
  | { readonly type: "sleeps" }
  | { readonly type: "failed"; readonly reason: string; readonly why: string };

interface EndedTask {
  readonly task_id: string;
  readonly status: string;
  readonly error?: { readonly message: string } | undefined;
}

export async function endingOf(planloom: Planloom, result: RunResult): Promise<Ending> {
  const { end_reason: reason, output_data, stored_outputs, run_id, plan } = result;
  if (reason === "waiting_approval") return { type: "asks", waiting: await callsWaiting(planloom, run_id) };
  if (reason === "waiting") return { type: "sleeps" };
  if (reason !== "completed") return { type: "failed", reason, why: whyOf(result.results) };
  // Large outputs may be in the journal alone.
  if (stored_outputs !== undefined) return { type: "completed", output: await outputOf(planloom, run_id) };
  return { type: "completed", output: alone(lastOf(plan).flatMap(([name]) => ownEntry(output_data, name))) };
}

/**
 * Continues a run when a person has answered, or when what it sleeps for has come, and says what became of it. Another process may be the one that
 * continues it.
 */
export async function whenContinued(
  planloom: Planloom,
  runId: string,
  {
    signal,
    pollMs,
    onEvent,
  }: { readonly signal: AbortSignal; readonly pollMs: number; readonly onEvent: (event: RunEvent) => void },
): Promise<Ending> {
  const journal = await planloom.journal();
  const answersBefore = (await journal.getAnswers(runId)).length;
  for (;;) {
    await pause(pollMs, signal);
    const { status, tasks } = await planloom.runStatus(runId);
    if (status === "running") continue;
    const isAnswered = status === "waiting_approval" && (await journal.getAnswers(runId)).length > answersBefore;
    if (!isAnswered && status !== "waiting" && status !== "waiting_approval") {
      if (status === "completed") return { type: "completed", output: await outputOf(planloom, runId) };
      if (!open.has(status)) return { type: "failed", reason: status, why: whyOf(tasks) };
    }
    try {
      const due = isAnswered ? {} : { ifDueBy: Date.now() };
      return await endingOf(planloom, await planloom.resume(runId, { signal, onEvent, ...due }));
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== RuntimeErrorCode.NOT_DUE && code !== RuntimeErrorCode.RUN_LEASED) throw error;
    }
  }
}

/** A run with one of these statuses has not ended. */
const open: ReadonlySet<RunStatus> = new Set([
  "running",
  "interrupted",
  "waiting",
  "waiting_approval",
  "drained",
  "shut_down",
]);

/** What people are asked in a run; nothing for an unknown run. */
export async function callsWaiting(planloom: Planloom, runId: string): Promise<readonly WaitingCall[]> {
  const journal = await planloom.journal();
  return waitingFor(runId, { journal }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === RuntimeErrorCode.RUN_NOT_FOUND) return [];
    throw error;
  });
}

/** What a completed run gives, from the journal: of one output its value alone. */
export async function outputOf(planloom: Planloom, runId: string): Promise<unknown> {
  const journal = await planloom.journal();
  const { plan } = await journal.getRun(runId);
  const records = new Map((await journal.getTasks(runId)).map((record) => [record.task_id, record]));
  const completed = lastOf(plan).filter(([, id]) => records.get(id)?.status === "completed");
  return alone(completed.map(([name, id]) => [name, records.get(id)?.output ?? null] as const));
}

/** What a plan gives, each under one name, with the task that gives it: what its `outputs` name, else its last tasks. */
function lastOf(plan: TaskData): (readonly [name: string, taskId: string])[] {
  if (plan.outputs !== undefined) return Object.entries(plan.outputs);
  const needed = new Set(effectiveDependencies(plan).flat());
  return plan.planned_tasks.flatMap(({ task_id }) => (needed.has(task_id) ? [] : [[task_id, task_id] as const]));
}

function ownEntry(record: Readonly<Record<string, unknown>>, name: string): (readonly [string, unknown])[] {
  return Object.hasOwn(record, name) ? [[name, record[name]]] : [];
}

function alone(outputs: readonly (readonly [string, unknown])[]): unknown {
  return outputs.length === 1 ? outputs[0]![1] : Object.fromEntries(outputs);
}

function whyOf(tasks: readonly EndedTask[]): string {
  const first = tasks.find(({ status }) => status === "failed") ?? tasks.find(({ error }) => error !== undefined);
  return first?.error === undefined ? "" : ` ${first.task_id}: ${first.error.message}`;
}
