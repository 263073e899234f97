import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ModelUsage } from "../model.ts";

/** The error for a call whose own limit of time has passed. @param usage of an answer that was being written */
export function timedOut(
  url: string,
  timeoutMs: number,
  { cause, usage }: { readonly cause: unknown; readonly usage?: ModelUsage | undefined },
): ControllerError {
  const got =
    usage === undefined ? "got none" : `but it was still being written, about ${usage.outputTokens} tokens so far`;
  return new ControllerError(
    ControllerErrorCode.TIMEOUT,
    `Expected an answer from ${url} within ${timeoutMs} ms, ${got}. Raise \`timeoutMs\` of the model (--model-timeout), or choose a faster model.`,
    { details: { url, timeoutMs, ...(usage && { usage }) }, cause },
  );
}
