import { executionKinds, isRecord, largestUsage } from "@planloom/plan";
import type { ToParent } from "./worker-messages.ts";

type Test = (value: unknown) => boolean;

const text: Test = (value) => typeof value === "string";
const number: Test = (value) => typeof value === "number" && value >= 0;
const amount: Test = (value) => number(value) && (value as number) <= largestUsage;
const list: Test = Array.isArray;
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const record =
  (fields: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, test]) => test(value[name]));

/** Whether it reports the usage of calls in valid amounts. */
export const isTaskUsage = record({ calls: amount, tokens: amount, cost: amount, seconds: amount });
const estimate = record({ duration_ms: optional(number), tokens: optional(number), cost: optional(number) });
const taskError = record({ code: text, message: text });
const statuses = ["completed", "failed", "skipped", "cancelled", "waiting_approval", "waiting", "pending"];
const result = record({
  task_id: text,
  status: oneOf(...statuses),
  uid: optional(text),
  error: optional(taskError),
  attempts: number,
  started_ms: number,
  duration_ms: number,
});
const wait = record({
  id: text,
  content_hash: text,
  begun_at: number,
  due_at: optional(number),
  event: optional(text),
  key: optional(text),
  polls: optional(number),
});
const question = record({ content_hash: text, planned_hash: text, kind: oneOf(...executionKinds) });
const path = listOf(text);

/** The fields that the run reads of each message; all others are data. */
const messages = {
  ready: () => true,
  pong: () => true,
  broken: record({ message: text }),
  failed: record({
    message: text,
    problem: optional(oneOf("too_large", "too_deep", "malformed")),
    max_bytes: optional(number),
  }),
  event: record({ event: record({ type: text }) }),
  ask: record({
    id: number,
    call: record({
      task_id: text,
      outer_task_id: text,
      path,
      kind: oneOf(...executionKinds),
      resource: record({ id: text }),
      input: record({}),
      attempt: number,
      timeout_ms: optional(number),
      used: optional(isTaskUsage),
      estimate: optional(estimate),
      planned: optional(estimate),
    }),
  }),
  note: record({ id: number, used: isTaskUsage }),
  lend: record({ id: number, used: isTaskUsage }),
  settle: record({ id: number, used: isTaskUsage }),
  withdraw: record({ id: number, used: isTaskUsage }),
  calls: record({ id: number, calls: listOf(record({ path, purpose: text })) }),
  learn: () => true,
  threw: record({
    thrown: record({ text: optional(text), error: optional(isSummary) }),
    about: record({ taskId: text, path, uid: optional(text), attempt: number }),
  }),
  report: record({
    id: number,
    report: record({
      result,
      usage: optional(isTaskUsage),
      spans: optional(listOf(list)),
      slot_ms: optional(number),
      path_ms: optional(number),
      question: optional(question),
    }),
  }),
  nested: record({ id: number, records: listOf(record({ path, scope: text, record: record({ task_id: text }) })) }),
  find: record({ id: number, key: text }),
  keep: record({ id: number, key: text, cached: record({ stored_at: number }) }),
  secret: record({ id: number, name: text, resource: record({ kind: oneOf(...executionKinds), id: text }) }),
  abandoned: record({
    call: record({
      task_id: text,
      outer_task_id: text,
      kind: optional(oneOf(...executionKinds)),
      uid: optional(text),
      limit: oneOf("attempt", "idle", "total", "bind", "budget", "stop"),
      timeout_ms: optional(number),
    }),
  }),
  done: record({ reply: isDispatchReply }),
} satisfies Record<ToParent["type"], Test>;

/** Whether what came from a worker is a message of ours: its tools could write to the same line. */
export function isFromWorker(value: unknown): value is ToParent {
  if (!isRecord(value) || typeof value.type !== "string" || !Object.hasOwn(messages, value.type)) return false;
  return messages[value.type as ToParent["type"]](value);
}

const isUsage = record({
  attempts: amount,
  input_tokens: amount,
  output_tokens: amount,
  cached_input_tokens: optional(amount),
  reasoning_tokens: optional(amount),
  cost: optional(amount),
  estimated: optional((value) => value === true),
});

/** Whether it is what a dispatcher has to give. */
export function isDispatchReply(value: unknown): boolean {
  return (
    isRecord(value) &&
    listOf(result)(value.results) &&
    isUsage(value.usage) &&
    optional(listOf(wait))(value.waits) &&
    optional((given) => isRecord(given) && Object.values(given).every(isTaskUsage))(value.task_usage)
  );
}

function isSummary(value: unknown): boolean {
  return record({
    message: text,
    name: optional(text),
    code: optional(text),
    status: optional((status) => typeof status === "number"),
    stack: optional(text),
    cause: optional(isSummary),
    errors: optional(listOf(isSummary)),
  })(value);
}
