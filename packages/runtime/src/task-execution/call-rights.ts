import type { Admission, CallRequest } from "../admission/admission.ts";
import type { CallPermitSource } from "../admission/call-permit.ts";

/** Where the permits for the calls of a plan come from. */
export interface CallRights {
  /** Whether this process gives the permits, and so counts calls and notes them before they are made. */
  readonly areOwn: boolean;
  /** Chooses `here` where this process has the admission of the run, and `elsewhere` where another process is asked before each call. */
  choose<Way>(ways: { here(): Way; elsewhere(permits: CallPermitSource): Way }): Way;
  /** A value that inputs may take numbers from. */
  learn(value: unknown): void;
  /** The same, of the output of a task. @param isNested the task is in a nested plan */
  learnOutput(output: unknown, isNested: boolean): void;
  /** A call that was let in is not at its end, and will be made again. */
  withdraw(call: Pick<CallRequest, "prepared" | "attempt" | "nested">): void;
}

/** The rights where the admission of the run is in this process. */
export function ownRights(admission: Admission): CallRights {
  return {
    areOwn: true,
    choose: ({ here }) => here(),
    learn: (value) => admission.learn(value),
    learnOutput: (output) => admission.learn(output),
    withdraw: ({ prepared, ...call }) => admission.withdraw(prepared, call),
  };
}

/** The rights in a worker, which asks the process of the run. */
export function askedRights(permits: CallPermitSource): CallRights {
  return {
    areOwn: false,
    choose: ({ elsewhere }) => elsewhere(permits),
    learn: (value) => permits.learn(value),
    learnOutput(output, isNested) {
      // Outputs of the run's own tasks are reported anyway.
      if (isNested) permits.learn(output);
    },
    // The permit itself says so.
    withdraw() {},
  };
}
