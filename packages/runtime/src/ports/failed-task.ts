/** The task of an attempt or a binding that failed, within its run. */
export interface FailedTask {
  readonly taskId: string;
  /** Task ids from the outermost run to the nested plan that the task is of; empty for a task of the run's own plan. */
  readonly path: readonly string[];
  /** Absent where no resource was bound yet. */
  readonly uid?: string;
  /** 1 for the first; 0 for a binding. */
  readonly attempt: number;
}
