import { ControllerError } from "../errors.ts";

/** The first `limit` characters of `text`, with a mark when something is left out. */
export function cut(text: string, limit = 500): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** Blanks every secret that stands in `text`: servers like to echo a refused key. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    // Shorter strings are no keys, and blanking them would garble ordinary words.
    if (secret.length >= 6) {
      clean = clean.replaceAll(secret, "[redacted]");
    }
  }
  return clean;
}

/** The same error with every secret blanked, in its message and in its details; its cause is left out then. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof ControllerError)) {
    return error;
  }
  const details = JSON.stringify(error.details);
  const cleanDetails = redact(details, secrets);
  const message = redact(error.message, secrets);
  return message === error.message && details === cleanDetails
    ? error
    : new ControllerError(error.code, message, { details: JSON.parse(cleanDetails) as Record<string, unknown> });
}
