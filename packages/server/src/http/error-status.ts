import { callerStatus } from "planloom/coded-error";

/** The status of HTTP for each code of the server itself that a caller can meet. */
const ownStatuses: Readonly<Record<string, number>> = {
  SERVER_INVALID_REQUEST: 400,
  SERVER_NOT_JSON: 400,
  SERVER_UNAUTHENTICATED: 401,
  SERVER_SCOPE: 403,
  SERVER_ORIGIN: 403,
  SERVER_NOT_FOUND: 404,
  SERVER_METHOD: 405,
  SERVER_BODY_TIMEOUT: 408,
  SERVER_KEY_BUSY: 409,
  SERVER_BODY_TOO_LARGE: 413,
  SERVER_MEDIA_TYPE: 415,
  SERVER_HOST: 421,
  SERVER_KEY_REUSED: 422,
  SERVER_RATE_LIMITED: 429,
  SERVER_STOPPING: 503,
  SERVER_TOO_MANY_LISTENERS: 503,
};

/** The status for an error's code; `undefined` for one that is the server's own business. */
export function statusOf(code: string): number | undefined {
  return Object.hasOwn(ownStatuses, code) ? ownStatuses[code] : callerStatus(code);
}
