import { PlanError, PlanErrorCode } from "../errors.ts";

/** The error for text that is not in this dialect, or a plan that the dialect cannot express. */
export function dialectError(
  dialect: string,
  message: string,
  options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
): PlanError {
  return new PlanError(PlanErrorCode.DIALECT, message, { ...options, details: { dialect, ...options.details } });
}

/** A value for messages: its type and, if short, its JSON. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") {
    const keys = Object.keys(value);
    return keys.length === 0
      ? "an empty object"
      : `an object with the keys ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", …" : ""}`;
  }
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text} (${typeof value})`;
}
