import { isRecord, nameWords, redact, redactCause } from "@planloom/plan";
import { isCredential } from "@planloom/plan/internals";
import { ControllerError } from "../errors.ts";

/** The first `limit` characters of `text`, with a mark when something is left out. */
export function cut(text: string, limit = 500): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** A value as a message shows it: JSON, cut. What is nested too deep for that is only named. */
export function shown(value: unknown): string {
  try {
    return cut(JSON.stringify(value) ?? "nothing");
  } catch {
    return Array.isArray(value) ? "an array that is nested too deep" : "an object that is nested too deep";
  }
}

/** What of headers must not show up anywhere: of "Bearer KEY" the key alone is a secret as well. */
export function headerSecrets(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(" ")]);
}

const secretHeader = /auth|key|token|secret|cookie/i;

/** Those of headers that hold keys, by their names. */
export function secretHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      secretHeader.test(name) && typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
}

const deepest = 4;

/** Keys among the parameters of a request, by their names: `api_key`, or `authorization` of the headers that a proxy is to send. */
export function credentialsIn(parameters: unknown, depth = 0): string[] {
  if (!isRecord(parameters) || depth > deepest) return [];
  return Object.entries(parameters).flatMap(([name, value]) => {
    if (typeof value !== "string") return credentialsIn(value, depth + 1);
    return isCredential(nameWords(name), "", {}) ? headerSecrets({ [name]: value }) : [];
  });
}

/** The keys that are looked for in answers too: those that no word can be. A local server's key is "ollama" most often, of which a plan may speak. */
export function unmistakableKeys(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => key.length >= 12 && /^\S*\d\S*$/.test(key) && /\p{L}/u.test(key));
}

/** The same error with every secret blanked, in its message, its details and its causes. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof ControllerError)) {
    return error;
  }
  const details = redact(error.details, secrets);
  const message = redact(error.message, secrets);
  const cause = redactCause(error.cause, secrets);
  return message === error.message && details === error.details && cause === error.cause
    ? error
    : new ControllerError(error.code, message, { details, cause, retryable: error.retryable });
}
