import type { Admission, CallRequest } from "../admission/admission.ts";
import type { CallPermitSource } from "../admission/call-permit.ts";

/** Who gives the right to the calls of a plan. */
export interface CallRights {
  /** Calls are counted, and noted before they are made, by whoever gives the right to them: true where that is this process. */
  readonly areOwn: boolean;
  /** What is done where the run's admission is here, and where somebody else is to be asked before each call. */
  choose<Way>(ways: { here(): Way; elsewhere(permits: CallPermitSource): Way }): Way;
  /** A value that inputs may take numbers from. */
  learn(value: unknown): void;
  /** The same, of the output of a task. @param isNested the task is in a nested plan */
  learnOutput(output: unknown, isNested: boolean): void;
  /** A call that was let in is not at its end, and will be made again. */
  withdraw(call: Pick<CallRequest, "prepared" | "attempt" | "nested">): void;
}

/** The run's admission is in this process. */
export function ownRights(admission: Admission): CallRights {
  return {
    areOwn: true,
    choose: ({ here }) => here(),
    learn: (value) => admission.learn(value),
    learnOutput: (output) => admission.learn(output),
    withdraw: ({ prepared, ...call }) => admission.withdraw(prepared, call),
  };
}

/** The run's process is another one, and is asked. */
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
