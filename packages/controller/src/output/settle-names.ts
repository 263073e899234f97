import { isRecord, type JsonSchema } from "@planloom/plan";
import type { RepairLog } from "./repairs.ts";

/**
 * Cuts names back to those on offer. Where a schema lists the texts that a value may be, and a text that had to be repaired
 * begins with one of them and continues with a quote, the repair read past the name's own end: `"click"[button="Back"]` is
 * `click`. A name that merely resembles one on offer stays as it is, for validation to report. Copies what it changes.
 */
export function settleNames(value: unknown, schema: unknown, log: RepairLog): unknown {
  if (!isRecord(schema)) return value;
  if (typeof value === "string") {
    const name = offeredName(value, schema);
    if (name === undefined || name === value) return value;
    log.add("name", value);
    return name;
  }
  if (Array.isArray(value))
    return isRecord(schema.items) ? value.map((item: unknown) => settleNames(item, schema.items, log)) : value;
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const settled = { ...value };
  for (const [key, inner] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key) || key === "__proto__") continue;
    settled[key] = settleNames(value[key], inner, log);
  }
  return settled;
}

/** The longest text on offer that `text` is, or begins with before a quote. */
function offeredName(text: string, schema: JsonSchema): string | undefined {
  const names = isRecord(schema) && Array.isArray(schema.enum) ? schema.enum : [];
  let longest: string | undefined;
  for (const name of names) {
    if (typeof name !== "string" || name === "" || name.length < (longest?.length ?? 0)) continue;
    if (text === name) return name;
    if (text.startsWith(name) && quotes.includes(text[name.length] as string)) longest = name;
  }
  return longest;
}

const quotes = "\"'`\\";
