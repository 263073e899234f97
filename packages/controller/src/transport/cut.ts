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
