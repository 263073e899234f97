import { isRecord, type JsonSchema, type TaskData } from "@planloom/plan";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type {
  ApprovalAnswer,
  CallRecord,
  NestedRecord,
  PendingUsage,
  StoredCertificate,
  StoredEvent,
  TaskTiming,
} from "./journal.ts";
import type { StoredWait } from "./stored-wait.ts";

/** Whether what a journal holds as a certificate is one: a journal may come from elsewhere. */
export function isCertificate(value: unknown): value is StoredCertificate {
  if (!isRecord(value) || !isRecord(value.limits)) return false;
  const { began_at, limits, lower_bound_ms, achieved_ms, ratio, waits, regroupings } = value;
  return (
    [began_at, lower_bound_ms, achieved_ms, ratio].every(isNumber) &&
    (limits.concurrency === null || isNumber(limits.concurrency)) &&
    isNumbers(limits.kinds) &&
    isNumbers(limits.resources) &&
    (regroupings === undefined || isNumber(regroupings)) &&
    (waits === undefined || isNumbers(waits))
  );
}

/** Whether what a journal holds as a task's times are times. */
export function isTiming(value: unknown): value is TaskTiming {
  if (!isRecord(value)) return false;
  const { ended_at, spans, slot_ms, path_ms } = value;
  const isSpan = (span: unknown) => Array.isArray(span) && span.length === 2 && span.every(isNumber);
  return (
    isNumber(ended_at) &&
    (slot_ms === undefined || isNumber(slot_ms)) &&
    (path_ms === undefined || isNumber(path_ms)) &&
    (spans === undefined || (Array.isArray(spans) && spans.every(isSpan)))
  );
}

/** A row holds something that no journal of ours has written there. */
export class IllegibleRow extends Error {
  override readonly name = "IllegibleRow";

  /** @param expected such as `an answer` */
  constructor(text: unknown, expected: string, options?: ErrorOptions) {
    // A damaged schema has columns of other names: a value is missing then.
    super(`a row holds ${String(text ?? "nothing").slice(0, 40)} where ${expected} should be`, options);
  }
}

/** The value that a row holds as JSON. @throws IllegibleRow for a text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IllegibleRow(text, "JSON", { cause });
  }
}

/** The record that a row holds as JSON. @throws IllegibleRow for any other value */
export function parseRecord<T extends object>(text: string): T {
  const value = parseJson(text);
  if (!isRecord(value)) throw new IllegibleRow(text, "a record");
  return value as T;
}

/** The plan that a row holds, without its tasks or, up to format 7, with them. @throws IllegibleRow for any other value */
export function parsePlanRow(text: string): TaskData {
  const plan = parseRecord<TaskData>(text);
  if (Array.isArray(plan.planned_tasks)) return plan;
  throw new IllegibleRow(text, "a plan");
}

/** The tasks of a plan that a row holds. @throws IllegibleRow for any other value */
export function parseTasksRow(text: string): TaskData["planned_tasks"] {
  const tasks = parseJson(text);
  if (Array.isArray(tasks) && tasks.every(isRecord)) return tasks as TaskData["planned_tasks"];
  throw new IllegibleRow(text, "tasks of a plan");
}

/** @throws IllegibleRow for a row that is not a revision */
export function parseRevision(text: string): StoredRevision {
  const revision = parseRecord<StoredRevision>(text);
  const { patch }: { readonly patch?: unknown } = revision;
  const isPatch = isRecord(patch) && Array.isArray(patch.tasks) && Array.isArray(patch.replacements);
  if (isPatch && typeof patch.patch_id === "string" && typeof patch.base === "string") return revision;
  throw new IllegibleRow(text, "a revision of the plan");
}

/** @throws IllegibleRow for a row that is not an answer */
export function parseAnswer(text: string): ApprovalAnswer {
  const answer = parseRecord<ApprovalAnswer>(text);
  const isAnswer = typeof answer.task_id === "string" && typeof answer.content_hash === "string";
  if (isAnswer && (answer.answer === "approve" || answer.answer === "deny")) return answer;
  throw new IllegibleRow(text, "an answer");
}

/** @throws IllegibleRow for a row that is not a wait */
export function parseWait(text: string): StoredWait {
  const wait = parseRecord<StoredWait>(text);
  const { id, content_hash, begun_at, due_at, polls } = wait;
  const isWait = typeof id === "string" && typeof content_hash === "string" && isNumber(begun_at);
  if (isWait && [due_at, polls].every((each) => each === undefined || isNumber(each))) return wait;
  throw new IllegibleRow(text, "a wait");
}

/** @throws IllegibleRow for a row that is not a list of schemas */
export function parseSchemas(text: string): JsonSchema[] {
  const schemas = parseJson(text);
  if (Array.isArray(schemas) && schemas.every(isRecord)) return schemas;
  throw new IllegibleRow(text, "schemas of signals");
}

/** @throws IllegibleRow for a row that is not a call under way */
export function parsePending(text: string): PendingUsage {
  const pending = parseRecord<PendingUsage>(text);
  if (Array.isArray(pending.path) && typeof pending.task_id === "string" && isRecord(pending.usage)) return pending;
  throw new IllegibleRow(text, "a call under way");
}

/** @throws IllegibleRow for a row that is not a call */
export function parseCall(text: string): CallRecord {
  const call = parseRecord<CallRecord>(text);
  if (Array.isArray(call.path) && typeof call.purpose === "string") return call;
  throw new IllegibleRow(text, "a model call");
}

/** The record of a task of a nested plan that a row holds. @throws IllegibleRow for any other value */
export function parseNested(text: string): NestedRecord {
  const nested = parseRecord<NestedRecord>(text);
  const { path, record }: { readonly path: unknown; readonly record: unknown } = nested;
  if (Array.isArray(path) && isRecord(record) && typeof record.task_id === "string") return nested;
  throw new IllegibleRow(text, "the record of a nested task");
}

/** The event that a row holds. Up to format 8 the event of a completed task has `output: null` for any output. @throws IllegibleRow for any other value */
export function parseEvent(text: string): StoredEvent {
  const event = parseRecord<StoredEvent & { output?: unknown }>(text);
  if (typeof event.type !== "string") throw new IllegibleRow(text, "an event");
  if (event.type === "task-end") delete event.output;
  return event;
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isNumbers(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isNumber);
}
