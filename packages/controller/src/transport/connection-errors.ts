import { redact } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { cut } from "./cut.ts";

/** Nothing answered: refused, no such host, or a connection that broke before an answer began. */
export function unreachable(url: string, cause: unknown, secrets: readonly string[] = []): ControllerError {
  return new ControllerError(
    ControllerErrorCode.UNREACHABLE,
    `Expected an answer from ${url}, but ${cut(redact(reason(cause), secrets))}. Is the server running, and the URL right?`,
    { details: { url }, cause },
  );
}

/** The connection broke, or was closed, within an answer. */
export function brokenOff(url: string, cause: unknown, secrets: readonly string[] = []): ControllerError {
  return new ControllerError(
    ControllerErrorCode.UNREACHABLE,
    `The answer from ${url} broke off: ${cut(redact(reason(cause), secrets))}. Where that happens each time, look for a limit of the server, or of a proxy in between, on how long an answer takes.`,
    { details: { url, brokenOff: true }, cause },
  );
}

/** fetch says "fetch failed" and hides the reason in `cause`. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const inner = error.cause;
  if (inner instanceof Error) {
    const code = "code" in inner ? String(inner.code) : "";
    return inner.message || code || error.message;
  }
  return error.message;
}
