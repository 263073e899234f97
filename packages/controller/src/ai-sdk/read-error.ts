import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { brokenOff, unreachable } from "../transport/connection-errors.ts";
import { cut, shown } from "../transport/cut.ts";
import { statusError } from "../transport/status-error.ts";
import { webPageError } from "../transport/web-page.ts";

/**
 * What an error of the AI SDK means here, so that it is judged as one of any endpoint. The error itself is not kept as the cause, since it
 * carries the whole request.
 * @param source the provider, for messages
 * @param hide takes keys out of a text
 */
export function readSdkError(
  error: unknown,
  source: string,
  { now, hide }: { readonly now: number; readonly hide: (text: string) => string },
): ControllerError {
  if (error instanceof ControllerError) return error;
  const name = error instanceof Error ? error.name : "";
  const message = hide(error instanceof Error ? error.message : typeof error === "string" ? error : shown(error));
  const fields = isRecord(error) || error instanceof Error ? (error as unknown as Record<string, unknown>) : {};
  const status = Number(fields.statusCode ?? fields.status);
  if (status >= 300 && status <= 599)
    return statusError(source, { status, headers: headersOf(fields) }, hide(bodyOf(fields, message)), [], now);
  if (name === "AI_LoadAPIKeyError" || name === "AI_LoadSettingError" || name === "AI_NoSuchModelError") {
    return new ControllerError(ControllerErrorCode.CONFIG, `The model of ${source} cannot be used: ${cut(message)}`, {
      details: { option: "model" },
    });
  }
  // The provider cannot write such a request: as if its endpoint had refused it.
  if (name === "AI_UnsupportedFunctionalityError") {
    return statusError(
      source,
      { status: 400, headers: new Headers() },
      JSON.stringify({ error: { message } }),
      [],
      now,
    );
  }
  const body = typeof fields.responseBody === "string" ? hide(fields.responseBody) : message;
  const page = webPageError(body, source);
  if (page !== undefined) return page;
  if (name === "AI_APICallError" || isOfConnection(error)) {
    // 200 with a body that is not an answer comes as such an error too.
    if (fields.isRetryable === false) return noAnswer(source, message);
    const cause = new Error(message);
    return message === "terminated" ? brokenOff(source, cause) : unreachable(source, cause);
  }
  if (isRecord(error) && /overloaded|rate.?limit|server_error|api_error/i.test(String(error.type ?? message))) {
    return statusError(
      source,
      { status: /rate/i.test(String(error.type)) ? 429 : 503, headers: new Headers() },
      hide(JSON.stringify({ error })),
      [],
      now,
    );
  }
  return noAnswer(source, message);
}

const connectionCodes = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)$/;

/** Whether a connection failed, or broke within an answer: `fetch` says so in words, what is below it by a code. */
function isOfConnection(error: unknown): boolean {
  if (error instanceof TypeError && /fetch|^terminated$|network/i.test(error.message)) return true;
  if (!(error instanceof Error)) return false;
  return connectionCodes.test(String((error as { code?: unknown }).code)) || isOfConnection(error.cause);
}

function noAnswer(source: string, message: string): ControllerError {
  return new ControllerError(
    ControllerErrorCode.PROTOCOL,
    `Expected an answer from ${source}, got an error: ${cut(message)}`,
    {
      details: { url: source, body: cut(message) },
    },
  );
}

function headersOf({ responseHeaders }: Readonly<Record<string, unknown>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(isRecord(responseHeaders) ? responseHeaders : {})) {
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

function bodyOf({ responseBody }: Readonly<Record<string, unknown>>, message: string): string {
  return typeof responseBody === "string" && responseBody !== ""
    ? responseBody
    : JSON.stringify({ error: { message } });
}
