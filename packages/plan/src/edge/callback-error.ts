import { PlanError, PlanErrorCode } from "../errors.ts";

/**
 * How a function of the user's failed. `promise`: it returned a promise where its result is needed at once. `answer`: it returned an unexpected
 * value. `timeout`: it did not settle in time.
 */
export type CallbackProblem = "threw" | "promise" | "answer" | "timeout";

/** The error for a function of the user's that failed; it names the function. */
export function callbackError(
  callback: string,
  problem: CallbackProblem,
  message: string,
  options: { readonly cause?: unknown } = {},
): PlanError {
  return new PlanError(PlanErrorCode.CALLBACK, message, { ...options, details: { callback, problem } });
}

export function isCallbackError(error: unknown): error is PlanError {
  return error instanceof PlanError && error.code === PlanErrorCode.CALLBACK;
}

/** The message of a thrown value, on one line, to end a sentence with. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    if (typeof thrown === "string") return thrown;
    const { message } = thrown as { message?: unknown };
    if (typeof message === "string" && message !== "") return message.slice(0, 2_000);
    return String(thrown).slice(0, 2_000);
  } catch {
    return "something that cannot be shown";
  }
}
