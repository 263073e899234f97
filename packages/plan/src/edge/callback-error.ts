import { PlanError, PlanErrorCode } from "../errors.ts";

/**
 * What a function of the user's did wrong. `promise`: it gave a promise where its answer is needed at once. `answer`: what it gave
 * is not what was expected. `timeout`: it did not settle in time.
 */
export type CallbackProblem = "threw" | "promise" | "answer" | "timeout";

/** The error for a function of the user's that did something wrong; it names the function. */
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

/** The message of whatever was thrown, in one piece that can go at the end of a sentence. Never throws. */
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
