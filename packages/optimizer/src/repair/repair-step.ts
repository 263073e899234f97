/** One thing that was put right. Lists of tasks are cut after a few; `total` counts all. */
export interface RepairStep {
  readonly code: /** The candidate was not a grouping; every task was missing. */
    | "unreadable"
    /** Ids that no task has were dropped. */
    | "unknown-task"
    /** Tasks in several groups stay in the one that holds most of their neighbours. */
    | "duplicate-task"
    /** Tasks in no group joined a dependency's group where that fits; the others form groups alone. */
    | "missing-task"
    /** Groups without tasks were dropped. */
    | "empty-group"
    /** Groups that waited for one another were cut into runs. */
    | "cycle-split"
    /** Groups that waited for one another became one, which ends earlier than cutting them. */
    | "cycle-merge"
    /** Groups beyond a limit of the environment were cut. */
    | "limit-split";
  readonly message: string;
  readonly tasks: readonly string[];
  readonly total: number;
}

/** How many tasks a step names at the most. */
export const maxNamedTasks = 5;
