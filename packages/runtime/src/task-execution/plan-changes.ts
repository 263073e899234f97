import type { CoreEvent } from "../core/core-event.ts";
import type { TaskError } from "../task-error.ts";

/** What a run offers the code that changes its plan. */
export interface ReplanningHost {
  feed(event: CoreEvent): void;
  /** No event waits to be handled. */
  isQuiet(): boolean;
  /** The run cannot continue. */
  fatal(error: unknown): void;
}

/** How an element of a list ended. */
export type ElementEnd =
  | { readonly error: TaskError; readonly output?: never }
  | { readonly output: unknown; readonly error?: never };

/** Changes of a run's plan during the run, as its shell sees them. */
export interface PlanChanges {
  begin(host: ReplanningHost): void;
  /** Before the core hears that the task was completed. */
  completing(task: number): void;
  /** The core has heard how the task ended. */
  ended(task: number): void;
  /** Before the core hears of it. @returns whether what depends on the task is held back */
  failed(task: number, error: TaskError): boolean;
  /** How a task ends without being executed: it is what an element of a list was that has ended, and nothing was put in its place. */
  endedBefore(task: number): ElementEnd | undefined;
  /** A task waits for a person. */
  suspended(): void;
  /** Nothing more is asked for. */
  cancel(reason: unknown): void;
  /** Resolves when no call of `replan` is under way. */
  settled(): Promise<void>;
}
