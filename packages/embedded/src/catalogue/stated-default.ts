import type { JsonType } from "./json-schema.ts";

const stated =
  /\bdefault(?:s to|(?: value)? is|(?: value)?\s?[:=])?\s+(?:'([^'\n]{1,60})'|"([^"\n]{1,60})"|`([^`\n]{1,60})`|([^\s,;()'"`]{1,30}))/i;

/**
 * The default that a description states in words: "Default is 52.", "defaults to 'km'". A text counts only in quotation
 * marks: "default unit: hours" is none.
 */
export function statedDefault(description: string, types: ReadonlySet<JsonType>): unknown {
  const found = stated.exec(description);
  if (found === null) return undefined;
  const quoted = found[1] ?? found[2] ?? found[3];
  const word = quoted ?? (found[4] ?? "").replace(/\.$/, "");
  if (types.has("integer") || types.has("number")) {
    const value = /^[-+]?\d+(?:\.\d+)?$/.test(word) ? Number(word) : Number.NaN;
    return Number.isNaN(value) || (!types.has("number") && !Number.isInteger(value)) ? undefined : value;
  }
  if (types.has("boolean")) return /^(?:true|false)$/i.test(word) ? word.toLowerCase() === "true" : undefined;
  return types.has("string") ? quoted : undefined;
}
