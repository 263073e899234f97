import { redact, redactCause } from "@planloom/plan";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { legible, TaskFailure, taskErrorFrom } from "../task-error.ts";
import type { SecretResolver } from "./secret-resolver.ts";

/** A value without the known secrets, for records and events; see `redact`. */
export function redacted(value: unknown, resolver: SecretResolver): unknown {
  const { texts } = resolver;
  if (texts.length === 0) return value;
  try {
    return redact(jsonCopy(value, { maxBytes: Number.POSITIVE_INFINITY }).value, texts);
  } catch (error) {
    // It is refused as an output for what it is, and recorded nowhere.
    if (error instanceof JsonCopyError) return value;
    throw error;
  }
}

/** The same for a thrown value: its class stays, its texts are blanked. */
export function redactedError(value: unknown, resolver: SecretResolver): unknown {
  const { texts } = resolver;
  const thrown = legible(value);
  if (texts.length === 0) return thrown;
  const { message, details } = taskErrorFrom(thrown, { stacks: true });
  const before = { message, ...(details !== undefined && { details }) };
  const after = redacted(before, resolver) as typeof before;
  if (JSON.stringify(after) === JSON.stringify(before)) return thrown;
  if (typeof thrown !== "object" || thrown === null) return after.message;
  const cause: unknown = Reflect.get(thrown, "cause");
  const errors: unknown = Reflect.get(thrown, "errors");
  const stack: unknown = Reflect.get(thrown, "stack");
  const own = (property: unknown) => ({ value: property, enumerable: true, configurable: true, writable: true });
  return Object.create(thrown, {
    message: own(after.message),
    ...(typeof stack === "string" && { stack: own(redact(stack, texts)) }),
    ...(cause !== undefined && { cause: own(redactCause(cause, texts)) }),
    ...(Array.isArray(errors) && { errors: own(errors.map((error) => redactCause(error, texts))) }),
    ...(thrown instanceof TaskFailure
      ? { details: own(after.details ?? {}) }
      : after.details?.error_code !== undefined && { code: own(after.details.error_code) }),
    ...(after.details?.error_name !== undefined && { name: own(after.details.error_name) }),
  }) as unknown;
}
