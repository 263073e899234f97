import type { JsonType } from "./json-schema.ts";

const stated =
  /\bdefault(?:s to|(?: value)? is|(?: value)?\s?[:=])?\s+(?:'([^'\n]{1,60})'|"([^"\n]{1,60})"|`([^`\n]{1,60})`|([^\s,;()'"`]{1,30}))/i;

/**
 * The default that a description states in words: "Default is 52.", "defaults to 'km'". A text counts only in quotation
 * marks: "default unit: hours" is none.
 */
export function statedDefault(description: string, types: ReadonlySet<JsonType>): unknown {
  const found = stated.exec(description);
  if (found === null) return types.has("string") ? standIn(description) : undefined;
  const quoted = found[1] ?? found[2] ?? found[3];
  const word = quoted ?? (found[4] ?? "").replace(/\.$/, "");
  if (types.has("integer") || types.has("number")) {
    const value = /^[-+]?\d+(?:\.\d+)?$/.test(word) ? Number(word) : Number.NaN;
    return Number.isNaN(value) || (!types.has("number") && !Number.isInteger(value)) ? undefined : value;
  }
  if (types.has("boolean")) return /^(?:true|false)$/i.test(word) ? word.toLowerCase() === "true" : undefined;
  return types.has("string") ? quoted : undefined;
}

/** What is there anyway: "the connection the server was configured with", "the primary calendar", "the current user". */
const usual =
  /\b(?:default|primary|main|current(?:ly)?|authenticated|active|logged[- ]in|signed[- ]in|(?:was|is|are|pre)[- ]?configured|own)\b/i;
const quotedFor =
  /(?:\buse|\bor|\bpass|\bspecify|\bset to|[,;(])\s+(?:use\s+)?(?:the (?:keyword|value|string|alias)\s+)?(?:'([\w@.-]{1,30})'|"([\w@.-]{1,30})"|`([\w@.-]{1,30})`)\s+(?:for|to (?:use|mean|refer to|access|indicate|get)|means|is)\s+([^.;\n]{1,90})/i;

/** "Use 'UTC' as local timezone if no timezone is provided" */
const withoutOne =
  /\b[Uu]se (?:'([^'\n]{1,60})'|"([^"\n]{1,60})"|`([^`\n]{1,60})`)[^.\n]{0,60} (?:if (?:no|none|not|nothing|omitted)|when (?:no|none|not|nothing)|unless)\b/;

/** The value that a description offers for what is there anyway: `Calendar id, or "primary" for the main calendar of the user`. */
function standIn(description: string): string | undefined {
  const without = withoutOne.exec(description);
  if (without !== null) return without[1] ?? without[2] ?? without[3];
  const found = quotedFor.exec(description);
  if (found === null || !usual.test(found[4] ?? "")) return undefined;
  return found[1] ?? found[2] ?? found[3];
}
