import { redact } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { cut } from "./cut.ts";
import { readRetryAfter } from "./retry-after.ts";

/** The bodies that came with errors, as far as they were read. */
const bodies = new WeakMap<ControllerError, string>();

/** The body that came with an error, of which its details have the beginning; `""` for an error of another origin. */
export function bodyOf(error: ControllerError): string {
  return bodies.get(error) ?? "";
}

/** Makes the error for a status of 3xx, 4xx or 5xx. `body` is cut and freed of `secrets`. */
export function statusError(
  url: string,
  response: { readonly status: number; readonly headers: Headers },
  body: string,
  secrets: readonly string[],
  now: number,
): ControllerError {
  const whole = redact(body.trim(), secrets);
  const error = errorOf(url, response, cut(whole), now);
  bodies.set(error, whole);
  return error;
}

function errorOf(
  url: string,
  response: { readonly status: number; readonly headers: Headers },
  shown: string,
  now: number,
): ControllerError {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers, now);
  const details = { url, status, body: shown, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const said = shown === "" ? "with an empty body" : `and the body ${shown}`;
  switch (true) {
    case status === 401 || status === 403:
      return new ControllerError(
        ControllerErrorCode.AUTH,
        `${url} refused the key (status ${status}) ${said}. ${checkKey(url)}`,
        { details },
      );
    case status === 429:
      return new ControllerError(
        ControllerErrorCode.RATE_LIMIT,
        `${url} has too many requests (status 429) ${said}. Wait, or lower the rate.`,
        { details },
      );
    case status >= 300 && status < 400:
      return new ControllerError(
        ControllerErrorCode.STATUS,
        `${url} redirects elsewhere (status ${status}); redirects are not followed. Configure the final URL.`,
        { details, retryable: false },
      );
    default: {
      const retryable = !isFinalStatus(status);
      const again = retryable ? "" : " The same request would be refused again: change what the answer names.";
      return new ControllerError(
        ControllerErrorCode.STATUS,
        `Expected an answer from ${url}, got status ${status} ${said}.${again}`,
        { details, retryable },
      );
    }
  }
}

/** Says what to do about a refused key. Providers of the AI SDK, which have a name in place of a URL, read their keys from variables of their own. */
export function checkKey(url: string): string {
  return `Check the API key${URL.canParse(url) ? " (OPENAI_API_KEY)" : ""} and what it may use.`;
}

/** Statuses of 4xx that speak of the moment, and not of the request: a timeout, a conflict, too early, too many. */
const momentary: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether a request that was refused with this status would be refused again. */
function isFinalStatus(status: number): boolean {
  return (status >= 400 && status < 500 && !momentary.has(status)) || status === 501;
}
