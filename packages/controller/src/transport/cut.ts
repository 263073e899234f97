import { redact } from "@planloom/plan";
import { ControllerError } from "../errors.ts";

/** The first `limit` characters of `text`, with a mark when something is left out. */
export function cut(text: string, limit = 500): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** The same error with every secret blanked, in its message and in its details; its cause is left out then. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof ControllerError)) {
    return error;
  }
  const details = redact(error.details, secrets);
  const message = redact(error.message, secrets);
  return message === error.message && details === error.details
    ? error
    : new ControllerError(error.code, message, { details });
}
