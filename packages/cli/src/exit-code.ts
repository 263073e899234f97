/** What the process exits with. */
export const ExitCode = {
  DONE: 0,
  /** The work was tried and failed: a task failed, a server did not answer, a journal could not be written. */
  FAILED: 1,
  /** Bad usage, or a plan that is not valid. */
  USAGE: 2,
  /** Only approval gates remain. */
  WAITING: 3,
  /** Ctrl-C. The program itself says 143 for SIGTERM and 129 for SIGHUP. */
  INTERRUPTED: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
