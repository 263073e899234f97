import { setTimeout as wait } from "node:timers/promises";
import { ControllerError, ControllerErrorCode } from "../errors.ts";

export interface RetryOptions {
  /** Attempts after the first, at least 0. */
  readonly maxRetries: number;
  /** Attempts made already in another form; they count in `details.tries`. @default 0 */
  readonly triesBefore?: number;
  /** Wait before the first retry, in milliseconds; doubles with each. */
  readonly initialDelayMs: number;
  /** Longest wait, in milliseconds. Where the server asks for a longer one, nothing is waited for. */
  readonly maxDelayMs: number;
  /** What is left of the time for all attempts, in milliseconds. */
  readonly leftMs: () => number;
  readonly signal: AbortSignal;
  /** In [0, 1). */
  readonly random: () => number;
  isTransient(error: ControllerError): boolean;
}

/**
 * Calls `attempt` until it succeeds or fails finally. The waits: the server's Retry-After, else an exponential
 * backoff of which half is random. Rejects with the last error, `details.tries` saying how often was tried, or with the
 * signal's reason on abort. An error that asks for a longer wait than there may be is final, for all who might ask again: an earlier request
 * would be refused again.
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxRetries, signal, triesBefore = 0 } = options;
  for (let retries = 0; ; retries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (thrown) {
      if (signal.aborted) {
        throw signal.reason;
      }
      const error =
        thrown instanceof ControllerError && options.isTransient(thrown) ? notSoon(thrown, options) : thrown;
      if (
        !(error instanceof ControllerError) ||
        retries >= maxRetries ||
        !error.retryable ||
        !options.isTransient(error)
      ) {
        const tries = triesBefore + retries + 1;
        throw tries === 1 || !(error instanceof ControllerError) ? error : withTries(error, tries);
      }
      await pause(delayMs(error, retries, options), signal);
    }
  }
}

/** The same error, final where the server asks for a longer wait than there may be. */
function notSoon(error: ControllerError, { maxDelayMs, leftMs }: RetryOptions): ControllerError {
  const { retryAfterMs: asked } = error.details;
  const most = Math.min(maxDelayMs, leftMs());
  if (typeof asked !== "number" || asked <= most) return error;
  const limit = most < maxDelayMs ? "what is left of `timeoutMs`" : "`maxRetryDelayMs`";
  const message = `${error.message} It asks for a wait of ${durationOf(asked)}, which is longer than ${limit} (${durationOf(most)}), so it was not asked again.`;
  const { code, details, cause } = error;
  return new ControllerError(code, message, { details, retryable: false, ...(cause !== undefined && { cause }) });
}

function durationOf(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.ceil(milliseconds)} ms` : `${Math.ceil(milliseconds / 1_000)} s`;
}

/** The error with how often was asked. */
export function withTries(error: ControllerError, tries: number): ControllerError {
  return new ControllerError(error.code, error.message, {
    details: { ...error.details, tries },
    retryable: error.retryable,
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  });
}

function delayMs(error: ControllerError, retries: number, options: RetryOptions): number {
  const asked = error.details.retryAfterMs;
  if (typeof asked === "number") return asked;
  const ceiling = options.initialDelayMs * 2 ** retries;
  // Half of the backoff is fixed, so that a retry never follows at once.
  const backoff = ceiling / 2 + (ceiling / 2) * options.random();
  return Math.min(options.maxDelayMs, backoff);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Worth another attempt at a model: no connection, silence, 408, 409, 429, and 5xx except 501. */
export function isTransientForModels(error: ControllerError): boolean {
  switch (error.code) {
    case ControllerErrorCode.UNREACHABLE:
    case ControllerErrorCode.RATE_LIMIT:
      return true;
    case ControllerErrorCode.TIMEOUT:
      return error.details.idle === true;
    case ControllerErrorCode.STATUS: {
      const status = Number(error.details.status);
      return status === 408 || status === 409 || (status >= 500 && status !== 501);
    }
    default:
      return false;
  }
}
