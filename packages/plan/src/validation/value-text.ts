/** A value for a message: JSON of at most `limit` characters, control characters escaped. Never throws. */
export function valueText(value: unknown, limit = 80): string {
  // JSON would say null.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  let text: string;
  try {
    text = JSON.stringify(typeof value === "string" ? value.slice(0, limit + 1) : value) ?? String(value);
  } catch {
    text = Array.isArray(value) ? "an array" : "an object";
  }
  text = visibleText(text);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** Values of an enum as in prose: `pending, in_transit, 3`. */
export function listText(values: readonly unknown[], limit = 20): string {
  const shown = values.slice(0, limit).map((value) => {
    const quoted = valueText(value, 60);
    return typeof value === "string" && quoted === `"${value}"` ? value : quoted;
  });
  if (values.length > limit) shown.push(`… ${values.length - limit} more`);
  return shown.join(", ");
}

/** Control characters and bidirectional overrides as escapes, so that no text of a model can steer a terminal. */
export function visibleText(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
