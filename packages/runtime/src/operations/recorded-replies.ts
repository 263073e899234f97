import { hashValue, isRecord } from "@planloom/plan";
import type { CallRecord, TaskRecord } from "../journal/journal.ts";
import { type Difference, firstDifference } from "./first-difference.ts";

/** What models and agents replied for each task of the run's own plan, the last time that counts. */
export class RecordedReplies {
  readonly #steps = new Map<string, CallRecord>();
  readonly #answers = new Map<string, CallRecord>();

  constructor(calls: readonly CallRecord[]) {
    for (const call of calls) {
      const [taskId] = call.path;
      if (taskId === undefined || call.path.length > 1 || call.reply === undefined) continue;
      if (call.purpose === "step") this.#steps.set(taskId, call);
      if (call.purpose === "execute") this.#answers.set(taskId, call);
    }
  }

  /** The places where the record differs from the replies that it was made from. */
  difference(record: TaskRecord): Difference | undefined {
    return this.#stepDifference(record) ?? this.#answerDifference(record);
  }

  /** Stage 2's answer is what was executed. */
  #stepDifference({ task_id, uid, input, input_hash }: TaskRecord): Difference | undefined {
    const step = this.#steps.get(task_id)?.reply;
    if (!isRecord(step) || input_hash === "") return undefined;
    if (uid !== undefined && step.uid !== uid) return { path: "uid", expected: step.uid, actual: uid };
    if (hashValue(step.input_data) === input_hash) return undefined;
    return (
      firstDifference(step.input_data, input) ?? { path: "", expected: step.input_data, actual: { sha256: input_hash } }
    );
  }

  /** The output is what a model wrote, or an agent answered. */
  #answerDifference({ task_id, status, output }: TaskRecord): Difference | undefined {
    const reply = this.#answers.get(task_id)?.reply;
    if (status !== "completed" || !isRecord(reply)) return undefined;
    if (typeof reply.text === "string" && isRecord(output) && typeof output.text === "string") {
      return reply.text === output.text ? undefined : { path: "text", expected: reply.text, actual: output.text };
    }
    if (reply.success !== true) return undefined;
    const data = reply.data ?? null;
    return hashValue(data) === hashValue(output ?? null) ? undefined : firstDifference(data, output ?? null);
  }
}
