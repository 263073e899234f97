import type { Draft } from "./draft.ts";

/** A part of a goal that the plan does not cover, and why. */
export interface Unresolved {
  readonly reason:
    | "no_resource"
    | "no_parameter"
    | "computation"
    | "missing_argument"
    | "first_only"
    | "condition"
    | "no_antecedent"
    | "several_resources"
    | "too_long";
  /** As it is written in the goal; the name of the argument for `missing_argument`. */
  readonly text: string;
  /** One sentence for people: what is open and the way out. */
  readonly message: string;
  /** The task it is about. */
  readonly task_id?: string;
}

/** One that is noted while the plan is made. */
export interface OpenPoint extends Unresolved {
  /** The call that it is about; it becomes `task_id` once the tasks have ids. */
  readonly draft?: Draft;
}

/** What no planned resource computes. */
export function computationPoint(text: string): Unresolved {
  const message = `"${text}" has to be computed from the data; the plan gets the data and leaves the figure to what comes after (an llm or agent resource, or the reader).`;
  return { reason: "computation", text, message };
}
