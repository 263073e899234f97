import type { ChecksumProblem } from "../journal/run-chain.ts";

/** A contradiction in the journal. */
export interface VerifyProblem {
  readonly code: /** A task ran though something it depends on was not completed. */
    | "dependency_missing"
    /** A task started before something it depends on had ended. */
    | "started_early"
    /** More tasks ran at once than a limit allows. */
    | "limit_exceeded"
    /** The journal has a task that the plan has not. */
    | "unknown_task"
    /** A task was skipped though all it depends on was completed, and its own resource was there. */
    | "skipped_needlessly"
    /** The bound or the ratio is not what the records give, or the achieved time is better than they give. */
    | "certificate_wrong"
    /** The run ended, and the journal has no certificate of it. */
    | "certificate_absent"
    /** The run is completed, and one of its tasks is neither completed nor skipped. */
    | "task_unfinished"
    /** A task was completed although people only denied it. */
    | "approval_denied"
    /** The output of a list is not what its elements gave. */
    | "element_wrong"
    /** The recorded outputs say that a task that ran should not have run, that a skipped one should have, or that a decision was another. */
    | "branch_wrong"
    /** A wait for a time was not as long as the plan asks. */
    | "wait_wrong"
    /** A signal was taken by a task that did not wait for it, or twice, or a task gave something else than it says. */
    | "signal_wrong"
    /** The input of a record is not the one its hash is of. */
    | "input_wrong"
    /** The journal's rows of the run cannot be read as a run. */
    | "unreadable"
    /** A checksum does not fit: see `ChecksumProblem`. */
    | ChecksumProblem["code"];
  readonly message: string;
  readonly task_id?: string;
}
