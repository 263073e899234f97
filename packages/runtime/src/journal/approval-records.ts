import type { ExecutionKind, JsonSchema, PlannerTask } from "@planloom/plan";

/** A person's answer at an approval gate. Plain JSON. */
export interface ApprovalAnswer {
  /** Within the whole run: the ids of the tasks it is in, from the outside in, and its own, joined by `/`. */
  readonly task_id: string;
  /** SHA-256 of what was asked: plan content, resource, input. The answer holds for exactly this; of an edited input, for the edited one. */
  readonly content_hash: string;
  readonly answer: "approve" | "deny";
  /** The resource that was asked about. */
  readonly uid?: string;
  /** The name of the person who answered, as the program that took the answer gave it. */
  readonly by?: string;
  readonly note?: string;
  /** The input that is to be used instead of the one that was asked about. Only with `approve` and `edited_from`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The `content_hash` of the question whose input was edited. */
  readonly edited_from?: string;
  /** The result of a call whose outcome was unknown: it was carried out, and is not made again. Only with `approve`. */
  readonly output?: unknown;
  /** ISO 8601, UTC. */
  readonly answered_at: string;
}

/** What a person was asked about a task, beside `uid` and `input` of its record. Plain JSON. */
export interface AskedQuestion {
  /** SHA-256 of what was asked; what an answer is bound to. */
  readonly content_hash: string;
  /** The task's content hash within its plan then. */
  readonly planned_hash: string;
  readonly kind: ExecutionKind;
  /** The task's parameters with references resolved; absent where it has none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly output_module?: string;
  /** Stage 2's reasoning, if it gave one. */
  readonly plan?: string;
  /** The expression that made the input of the task's arguments. */
  readonly convertor_code?: string;
  /** The call is made again until the condition holds. A yes is one to all of these calls, as often as it says. */
  readonly retry_until?: NonNullable<PlannerTask["retry_until"]>;
  /** The plan's revision; absent where the plan was never changed. */
  readonly revision?: string;
  /** The input schema of the resource, for a person who edits the input. */
  readonly input_schema?: JsonSchema;
  /** Why the call is asked about although `confirm` did not say so: it threw, or gave neither `true` nor `false`. */
  readonly confirm_error?: string;
}
