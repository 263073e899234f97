/** Any value that survives `JSON.parse(JSON.stringify(value))`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON Schema document (2020-12; draft-07 is read too). `true` accepts everything. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** True for objects written as `{}` in JSON: no arrays, no null, no class instances that matter here. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
