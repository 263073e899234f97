import { CodedError } from "planloom/coded-error";

/** Codes of `ServerError`, and of what the server itself refuses. Errors of the library keep their own codes in answers. */
export const ServerErrorCode = {
  /** An option of `createServer`, `serve` or a client is unknown or out of its range; `details.option`. Cure: Give the option as its documentation says. */
  OPTION: "SERVER_OPTION",
  /**
   * It would listen beyond this machine, or let pages of any origin in, without a token; nothing was bound; `details.host` or `details.cors`.
   * Cure: Give the server tokens, or let it listen on 127.0.0.1 and name the origins.
   */
  UNPROTECTED: "SERVER_UNPROTECTED",
  /**
   * The address cannot be listened on: the port is taken, or not allowed; `details.host`, `details.port`, `cause`. Cure: Take another port; 0 is
   * any that is free.
   */
  LISTEN: "SERVER_LISTEN",
  /**
   * The file of the server's store cannot be opened; `details.file`, `cause`. Cure: Check that the folder exists and that the program may write
   * to it.
   */
  STORE: "SERVER_STORE",
  /**
   * The request is not what this endpoint takes; `details.issues` lists `{ in, path, message }`. Cure: Mend the fields that `details.issues`
   * names; `/openapi.json` has the schemas.
   */
  INVALID_REQUEST: "SERVER_INVALID_REQUEST",
  /** The body is not JSON in UTF-8, is deeper than `details.max_depth` levels, or the connection was closed in the middle of it. Cure: Send flatter JSON in UTF-8, to its end. */
  NOT_JSON: "SERVER_NOT_JSON",
  /**
   * The body is of another type than `application/json`; `details.content_type`. Cure: Send `content-type: application/json`; with curl,
   * `--json`.
   */
  MEDIA_TYPE: "SERVER_MEDIA_TYPE",
  /**
   * The body is larger than the server takes, and the connection is closed; `details.max_bytes`. Where a plan may be sent it is PLAN_TOO_LARGE,
   * as for a file. Cure: Send less, or raise `maxBodyBytes`.
   */
  BODY_TOO_LARGE: "SERVER_BODY_TOO_LARGE",
  /** The body took too long; the connection is closed; `details.timeout_ms`. Cure: Send the body at once, or raise `bodyTimeoutMs`. */
  BODY_TIMEOUT: "SERVER_BODY_TIMEOUT",
  /** There is no token, or an unknown one. Cure: Send the header `authorization: Bearer TOKEN` with a token of the server. */
  UNAUTHENTICATED: "SERVER_UNAUTHENTICATED",
  /** The token does not have the scope that is needed; `details.scope`. Cure: Use a token with that scope. */
  SCOPE: "SERVER_SCOPE",
  /**
   * The `Host` header names another server than this one, as after DNS rebinding; `details.host`. Cure: Use the server's own name, or add the
   * name to `allowedHosts` (`--allowed-host`).
   */
  HOST: "SERVER_HOST",
  /** A page of another origin makes the request, and that origin is not allowed; `details.origin`. Cure: Add the origin to `cors` (`--cors`). */
  ORIGIN: "SERVER_ORIGIN",
  /** Too many requests; `details.retry_after_ms`, and the header `retry-after` in seconds. Cure: Wait as long as `retry-after` says. */
  RATE_LIMITED: "SERVER_RATE_LIMITED",
  /**
   * As many clients listen to events as the server serves at once; `details.max`, `details.retry_after_ms`. Cure: Wait as long as `retry-after`
   * says, end streams that nobody reads, or raise `maxListeners`.
   */
  TOO_MANY_LISTENERS: "SERVER_TOO_MANY_LISTENERS",
  /** A client's error: nothing answers at its address, or the connection broke within the answer; `details.url`, `cause`. Cure: Start the server, or give the client its address. */
  UNREACHABLE: "SERVER_UNREACHABLE",
  /** There is no such path; `details.path`. Cure: `/openapi.json` lists the paths. */
  NOT_FOUND: "SERVER_NOT_FOUND",
  /** The path does not take this method; `details.allowed`. Cure: Use one of `details.allowed`. */
  METHOD: "SERVER_METHOD",
  /** The idempotency key was used for another request; `details.key`. Cure: Take a new key for each thing that is to be started. */
  KEY_REUSED: "SERVER_KEY_REUSED",
  /** The first request with this idempotency key is still being answered; `details.key`. Cure: Send the request again in a moment. */
  KEY_BUSY: "SERVER_KEY_BUSY",
  /** The server is stopping and takes no more requests. Cure: Send the request again when the server is back. */
  STOPPING: "SERVER_STOPPING",
  /**
   * Something failed that the caller cannot mend; the server's log has the cause under `details.request_id`. Cure: Look at the server's log
   * under `details.request_id`.
   */
  INTERNAL: "SERVER_INTERNAL",
} as const;
export type ServerErrorCode = (typeof ServerErrorCode)[keyof typeof ServerErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class ServerError extends CodedError<ServerErrorCode> {
  override readonly name = "ServerError";
}
