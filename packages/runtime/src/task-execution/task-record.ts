import { hashValue } from "@planloom/plan";
import { canonicalJson, hashText } from "@planloom/plan/internals";
import { storedQuestion } from "../approvals/question.ts";
import type { RunState } from "../core/run-state.ts";
import type { TaskRecord } from "../journal/journal.ts";
import { largeValue } from "./task-outputs.ts";
import type { TaskTable } from "./task-table.ts";
import { timingOf, toStoredTime } from "./task-timing.ts";

/** Inputs above this are recorded by their hash alone: they mostly repeat outputs, which are stored whole. */
const largestInput = 64 * 1024;

export function makeRecord(
  task: number,
  status: TaskRecord["status"],
  state: RunState,
  table: TaskTable,
  startedAt: number,
): TaskRecord {
  const prepared = table.prepared[task];
  const step = prepared?.step;
  const askedHash = prepared?.bindInput === undefined ? table.askedHashes.get(task) : hashValue(prepared.bindInput);
  const epochMs = performance.timeOrigin + startedAt;
  const timing = timingOf(table, task, epochMs);
  const started = table.startedMs[task]!;
  const error = table.errors[task];
  const blame = state.blame[task]!;
  const usage = table.usage.get(task);
  const asked = table.questions.get(task);
  const uid = step?.uid ?? table.uids[task] ?? asked?.uid;
  const question = status === "completed" ? undefined : asked;
  const input = step?.input_data ?? question?.input;
  const inputText = input === undefined ? "" : canonicalJson(input);
  return {
    task_id: table.tasks[task]!.task_id,
    input_hash: input === undefined ? "" : hashText(inputText),
    status,
    attempts: Number.isNaN(started) ? 0 : state.attempts[task]!,
    started_at: toStoredTime(epochMs, Number.isNaN(started) ? 0 : started),
    duration_ms: table.durationMs[task]!,
    ...(uid !== undefined && { uid }),
    // A person who is asked sees all of it.
    ...(input !== undefined && (isSmall(inputText, task, table) || question !== undefined) && { input }),
    ...(status === "completed" && { output: table.outputs.get(task) }),
    ...(status !== "completed" && error !== undefined && { error }),
    ...(usage !== undefined && { usage }),
    ...(timing !== undefined && { timing }),
    ...(askedHash !== undefined && { asked_hash: askedHash }),
    ...(question !== undefined && { question: storedQuestion(question) }),
    ...(status === "skipped" && blame !== -1 && blame !== task && { skipped_because: table.tasks[blame]!.task_id }),
  };
}

function isSmall({ length }: string, task: number, { inputBytes }: TaskTable): boolean {
  if (length >= largeValue) inputBytes.set(task, length);
  return length <= largestInput;
}
