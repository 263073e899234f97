/** The exit codes of the process. */
export const ExitCode = {
  DONE: 0,
  /** The work was tried and failed: a task failed, a server did not answer, a journal could not be written. */
  FAILED: 1,
  /** Bad usage, or a plan that is not valid. */
  USAGE: 2,
  /** A person has to act: approval gates remain, or the plan lacks arguments. */
  WAITING: 3,
  /** The run was stopped before it was done and can be resumed: another process drained it, or its program shut down. */
  STOPPED: 4,
  /** Another process cancelled the run (`planloom cancel`). */
  CANCELLED: 5,
  /** Every remaining task waits for a time or a signal; the run continues when it is due. */
  ASLEEP: 6,
  /** Ctrl-C. The program itself says 143 for SIGTERM and 129 for SIGHUP. */
  INTERRUPTED: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
