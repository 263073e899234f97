import type { DraftedCall, Task } from "./drafted-plan.ts";

/** The two plans, and what is known of them. */
export interface Sides {
  readonly draft: readonly DraftedCall[];
  readonly model: readonly AnsweredCall[];
  readonly pairs: ReadonlyMap<DraftedCall, AnsweredCall>;
  /** Whether the model's calls are those of the plan. */
  readonly isTrusted: boolean;
  /** The names of what a resource takes. */
  readonly parameters: (callee: string) => readonly string[];
  /** Whether an argument of a resource is one of a few values. */
  readonly isChoice: (callee: string, name: string) => boolean;
  /** Whether the request says a value, word for word. */
  readonly isSaid: (value: unknown) => boolean;
  /** Whether the request gives any reason for a value. */
  readonly isGrounded: (value: unknown) => boolean;
}

/** Where a task of the plan comes from. */
export type Origin = "draft" | "model" | "both";

export interface SettledPlan {
  readonly tasks: readonly Task[];
  readonly origins: ReadonlyMap<string, Origin>;
  /** By the id that the model gave a task: what it is called in the plan. */
  readonly names: ReadonlyMap<string, string>;
}

/** A call of the model's plan. */
export interface AnsweredCall {
  readonly task: Task;
  readonly id: string;
  readonly callee: string;
  /** The words of the request that it is for. */
  readonly words: ReadonlySet<string>;
}
