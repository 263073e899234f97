import { isRecord } from "./json.ts";

/** Shorter texts are no keys, and blanking them would garble ordinary words. */
const minSecretLength = 6;

/**
 * Blanks every secret in the texts of a JSON value, keys included: programs and servers like to echo a refused key.
 * Secrets of fewer than 6 characters are left. What holds none is returned as it is.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const sought = secrets.filter((secret) => secret.length >= minSecretLength).sort((a, b) => b.length - a.length);
  return sought.length === 0 ? value : (redacted(value, sought) as T);
}

function redacted(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") {
    return secrets.reduce(
      (text, secret) => (text.includes(secret) ? text.replaceAll(secret, "[redacted]") : text),
      value,
    );
  }
  if (Array.isArray(value)) {
    const copy = value.map((item) => redacted(item, secrets));
    return copy.some((item, index) => item !== value[index]) ? copy : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const copy = entries.map(([key, item]) => [redacted(key, secrets) as string, redacted(item, secrets)] as const);
  const isSame = copy.every(([key, item], index) => key === entries[index]![0] && item === entries[index]![1]);
  return isSame ? value : Object.fromEntries(copy);
}
