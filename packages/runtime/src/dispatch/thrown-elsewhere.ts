import { type ErrorSummary, errorSummary } from "../error-trace.ts";

/** What was thrown in a worker, on its way to `onError` of the run; JSON. */
export interface ThrownElsewhere {
  /** For a value that is not an object. */
  readonly text?: string;
  readonly error?: ErrorSummary;
}

export function describeThrown(thrown: unknown): ThrownElsewhere {
  const error = errorSummary(thrown);
  return typeof thrown === "object" && thrown !== null ? { error } : { text: error.message };
}

/** An error like the one that was thrown in another process: its name, message, code, status, stack and causes. */
export function restoreThrown({ text, error }: ThrownElsewhere): unknown {
  return error === undefined ? (text ?? "") : restore(error);
}

function restore({ name, message, code, status, stack, cause, errors }: ErrorSummary): Error {
  const options = cause === undefined ? {} : { cause: restore(cause) };
  const error =
    errors === undefined ? new Error(message, options) : new AggregateError(errors.map(restore), message, options);
  if (name !== undefined && name !== error.name) define(error, "name", name);
  define(error, "stack", stack ?? `${error.name}: ${message}`);
  return Object.assign(error, { ...(code !== undefined && { code }), ...(status !== undefined && { status }) });
}

/** As an error has them itself: not listed among its own fields. */
function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true });
}
