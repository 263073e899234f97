/**
 * What sort of failure an attempt met, for retry policies. `client`: the request itself was refused (HTTP 4xx), which
 * another attempt will not change.
 */
export const errorClasses = ["timeout", "rate_limit", "network", "server", "client", "other"] as const;
export type ErrorClass = (typeof errorClasses)[number];

const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_SOCKET",
]);
const timeoutCodes: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "CONTROLLER_TIMEOUT",
]);
/** Codes of a model's adapter: of errors before anything is sent, without a status, or whose status says too little. */
const refusedCodes: ReadonlySet<string> = new Set([
  "CONTROLLER_OPTION",
  "CONTROLLER_CONFIG",
  "CONTROLLER_AUTH",
  "CONTROLLER_SCRIPT",
  "CONTROLLER_QUOTA",
  "CONTROLLER_MODEL_NOT_FOUND",
  "CONTROLLER_CONTEXT_EXCEEDED",
  "CONTROLLER_CONTENT_FILTER",
  "CONTROLLER_REFUSED",
  "CONTROLLER_LENGTH",
]);
/** How many causes within causes are looked at. */
const deepestCause = 4;

/** Reads the class from `status` (also in `details`) or `statusCode`, `code` and `name` of what was thrown, or of its causes. Never throws. */
export function errorClassOf(thrown: unknown): ErrorClass {
  let error = thrown;
  for (let depth = 0; depth < deepestCause && typeof error === "object" && error !== null; depth++) {
    const found = ownClass(error);
    if (found !== undefined) return found;
    error = read(error, "cause");
  }
  return "other";
}

/** How long the other side asked to wait (`retryAfterMs` on the error or in its `details`), in milliseconds. */
export function retryAfterMs(thrown: unknown): number | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  const given = read(thrown, "retryAfterMs") ?? detail(thrown, "retryAfterMs");
  return typeof given === "number" && given >= 0 && Number.isFinite(given) ? given : undefined;
}

function ownClass(error: object): ErrorClass | undefined {
  const code = read(error, "code");
  if (typeof code === "string" && refusedCodes.has(code)) return "client";
  const status = read(error, "status") ?? read(error, "statusCode") ?? detail(error, "status");
  if (typeof status === "number") {
    if (status === 429) return "rate_limit";
    if (status === 408 || status === 504) return "timeout";
    if (status >= 500 && status <= 599) return "server";
    if (status >= 400 && status <= 499 && status !== 425) return "client";
  }
  if (typeof code === "string") {
    if (networkCodes.has(code)) return "network";
    if (timeoutCodes.has(code)) return "timeout";
    if (code === "rate_limit_exceeded") return "rate_limit";
  }
  return read(error, "name") === "TimeoutError" ? "timeout" : undefined;
}

/** Errors of models say more in their `details`. */
function detail(error: object, key: string): unknown {
  const details = read(error, "details");
  return typeof details === "object" && details !== null ? read(details, key) : undefined;
}

function read(error: object, key: string): unknown {
  try {
    return (error as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
