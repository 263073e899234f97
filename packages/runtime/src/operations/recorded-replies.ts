import { hashValue, isRecord } from "@planloom/plan";
import type { CallRecord, TaskRecord } from "../journal/journal.ts";
import { type Difference, firstDifference } from "./first-difference.ts";

/** What models and agents replied for each task, the last time that counts. */
export class RecordedReplies {
  readonly #steps = new Map<string, CallRecord>();
  readonly #answers = new Map<string, CallRecord>();

  constructor(calls: readonly CallRecord[]) {
    for (const call of calls) {
      if (call.reply === undefined) continue;
      const task = JSON.stringify(call.path);
      if (call.purpose === "step") this.#steps.set(task, call);
      if (call.purpose === "execute") this.#answers.set(task, call);
    }
  }

  /** The places where the record differs from the replies that it was made from. @param path ids of the tasks that its task is in */
  difference(record: TaskRecord, path: readonly string[]): Difference | undefined {
    const task = JSON.stringify([...path, record.task_id]);
    return this.#stepDifference(record, task) ?? this.#answerDifference(record, task);
  }

  /** Stage 2's answer is what was executed. */
  #stepDifference({ uid, input, input_hash }: TaskRecord, task: string): Difference | undefined {
    const step = this.#steps.get(task)?.reply;
    if (!isRecord(step) || input_hash === "") return undefined;
    if (uid !== undefined && step.uid !== uid) return { path: "uid", expected: step.uid, actual: uid };
    if (hashValue(step.input_data) === input_hash) return undefined;
    return (
      firstDifference(step.input_data, input) ?? { path: "", expected: step.input_data, actual: { sha256: input_hash } }
    );
  }

  /** The output is what a model wrote, or an agent answered. */
  #answerDifference({ status, output }: TaskRecord, task: string): Difference | undefined {
    const reply = this.#answers.get(task)?.reply;
    if (status !== "completed" || !isRecord(reply)) return undefined;
    if (typeof reply.text === "string" && isRecord(output) && typeof output.text === "string") {
      return reply.text === output.text ? undefined : { path: "text", expected: reply.text, actual: output.text };
    }
    if (reply.success !== true) return undefined;
    const data = reply.data ?? null;
    return hashValue(data) === hashValue(output ?? null) ? undefined : firstDifference(data, output ?? null);
  }
}
