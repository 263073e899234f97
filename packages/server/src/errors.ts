/** Codes of `ServerError`, and of what the server itself refuses. Errors of the library keep their own codes in answers. */
export const ServerErrorCode = {
  /** An option of `createServer` or `serve` is unknown or out of its range; `details.option`. */
  OPTION: "SERVER_OPTION",
  /** It would listen beyond this machine without a token; nothing was bound; `details.host`. */
  UNPROTECTED: "SERVER_UNPROTECTED",
  /** The address cannot be listened on: the port is taken, or not allowed; `details.host`, `details.port`, `cause`. */
  LISTEN: "SERVER_LISTEN",
  /** The request is not what this endpoint takes; `details.issues` lists `{ in, path, message }`. */
  INVALID_REQUEST: "SERVER_INVALID_REQUEST",
  /** The body is not JSON in UTF-8, or the connection was closed in the middle of it. */
  NOT_JSON: "SERVER_NOT_JSON",
  /** The body is of another type than `application/json`; `details.content_type`. */
  MEDIA_TYPE: "SERVER_MEDIA_TYPE",
  /** The body is larger than the server takes; the connection is closed; `details.max_bytes`. */
  BODY_TOO_LARGE: "SERVER_BODY_TOO_LARGE",
  /** The body took too long; the connection is closed; `details.timeout_ms`. */
  BODY_TIMEOUT: "SERVER_BODY_TIMEOUT",
  /** There is no token, or an unknown one. */
  UNAUTHENTICATED: "SERVER_UNAUTHENTICATED",
  /** The token does not have the scope that is needed; `details.scope`. */
  SCOPE: "SERVER_SCOPE",
  /** The `Host` header names another server than this one, as after DNS rebinding; `details.host`. */
  HOST: "SERVER_HOST",
  /** A page of another origin makes the request, and that origin is not allowed; `details.origin`. */
  ORIGIN: "SERVER_ORIGIN",
  /** Too many requests; `details.retry_after_ms`, and the header `retry-after` in seconds. */
  RATE_LIMITED: "SERVER_RATE_LIMITED",
  /** There is no such path; `details.path`. */
  NOT_FOUND: "SERVER_NOT_FOUND",
  /** The path does not take this method; `details.allowed`. */
  METHOD: "SERVER_METHOD",
  /** The idempotency key was used for another request; `details.key`. */
  KEY_REUSED: "SERVER_KEY_REUSED",
  /** The first request with this idempotency key is still being answered; `details.key`. */
  KEY_BUSY: "SERVER_KEY_BUSY",
  /** The server is stopping and takes no more requests. */
  STOPPING: "SERVER_STOPPING",
  /** Something failed that the caller cannot mend; the server's log has the cause under `details.request_id`. */
  INTERNAL: "SERVER_INTERNAL",
} as const;
export type ServerErrorCode = (typeof ServerErrorCode)[keyof typeof ServerErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ServerErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
