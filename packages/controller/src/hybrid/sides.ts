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
  /** Whether the request says a value, word for word. */
  readonly isSaid: (value: unknown) => boolean;
  /** Whether the model made a value up that a resource needs. Such a value is not one of a few, reads no task, and the request says nothing of it that is not said of the resource itself. */
  readonly isMadeUp: (callee: string, name: string, value: unknown) => boolean;
}

/** Where a task of the plan comes from. */
export type Origin = "draft" | "model" | "both";

export interface SettledPlan {
  readonly tasks: readonly Task[];
  readonly origins: ReadonlyMap<string, Origin>;
  /** What the model made up, by task and argument: it is not in the tasks. */
  readonly open: readonly OpenArgument[];
  /** By the id that the model gave a task: what it is called in the plan. */
  readonly names: ReadonlyMap<string, string>;
}

/** A required argument that is left to be asked. */
export interface OpenArgument {
  readonly task_id: string;
  readonly name: string;
}

/** A call of the model's plan. */
export interface AnsweredCall {
  readonly task: Task;
  readonly id: string;
  readonly callee: string;
  /** The words of the request that it is for. */
  readonly words: ReadonlySet<string>;
}
