// What all errors of Planloom extend, alone, for programs that load the rest later.

export { CodedError, type CodedErrorOptions } from "@planloom/plan/coded-error";
export { type CallerError, callerError, callerStatus, refusalFor } from "../caller-error.ts";
