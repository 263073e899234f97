import { executionKinds, isRecord } from "@planloom/plan";
import type { ToParent } from "./worker-messages.ts";

type Test = (value: unknown) => boolean;

const text: Test = (value) => typeof value === "string";
const number: Test = (value) => typeof value === "number" && value >= 0;
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

const usage = record({ calls: number, tokens: number, cost: number, seconds: number });
const taskError = record({ code: text, message: text });
const statuses = ["completed", "failed", "skipped", "cancelled", "waiting_approval", "pending"];
const result = record({
  task_id: text,
  status: oneOf(...statuses),
  uid: optional(text),
  error: optional(taskError),
  attempts: number,
  started_ms: number,
  duration_ms: number,
});
const path = listOf(text);

/** What the run reads of each message; whatever else stands in it is data. */
const messages = {
  ready: () => true,
  broken: record({ message: text }),
  failed: record({ message: text }),
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
      used: optional(usage),
    }),
  }),
  note: record({ id: number, used: usage }),
  lend: record({ id: number, used: usage }),
  settle: record({ id: number, used: usage }),
  withdraw: record({ id: number, used: usage }),
  calls: record({ id: number, calls: listOf(record({ path, purpose: text })) }),
  learn: () => true,
  report: record({
    id: number,
    report: record({ result, usage: optional(usage), spans: optional(listOf(list)), slot_ms: optional(number) }),
  }),
  nested: record({ id: number, records: listOf(record({ path, scope: text, record: record({ task_id: text }) })) }),
  find: record({ id: number, key: text }),
  keep: record({ id: number, key: text, cached: record({ stored_at: number }) }),
  secret: record({ id: number, name: text, resource: record({ kind: oneOf(...executionKinds), id: text }) }),
  done: record({ reply: isDispatchReply }),
} satisfies Record<ToParent["type"], Test>;

/** Whether what came from a worker is a message of ours: its tools could write to the same line. */
export function isFromWorker(value: unknown): value is ToParent {
  if (!isRecord(value) || typeof value.type !== "string" || !Object.hasOwn(messages, value.type)) return false;
  return messages[value.type as ToParent["type"]](value);
}

/** Whether it is what a dispatcher has to give. */
export function isDispatchReply(value: unknown): boolean {
  return (
    isRecord(value) &&
    listOf(result)(value.results) &&
    record({ attempts: number, input_tokens: number, output_tokens: number })(value.usage) &&
    optional((given) => isRecord(given) && Object.values(given).every(usage))(value.task_usage)
  );
}
