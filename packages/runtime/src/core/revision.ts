import type { PlanView } from "@planloom/plan";

/**
 * A plan that takes the place of the running one. Tasks keep their numbers, new ones follow them. `view` has the edges by
 * which tasks were or will be started: those of tasks that have begun, and of replaced ones, as they were; all others as the
 * plan has them now.
 */
export interface Revision {
  readonly view: PlanView;
  /** Numbers of the tasks that are removed; they do not run. */
  readonly replaced: readonly number[];
  /** Of the new tasks, in order. */
  readonly kindGroup: Int32Array;
  readonly resourceGroup: Int32Array;
  readonly halts: Uint8Array;
  /** `JoinRule` of each new task. @default each needs all of its dependencies */
  readonly joins?: Uint8Array;
  /** New tasks that do not start yet. @default none */
  readonly held?: readonly number[];
  /** Tasks that wait for a person and have to ask again, since their content or their inputs have changed. */
  readonly asksAgain: readonly number[];
}
