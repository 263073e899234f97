import { type JsonSchema, validateValue } from "@planloom/plan";
import type { Parameter } from "./parameter.ts";

const local = new WeakMap<object, boolean>();

/**
 * False where the schema of the parameter forbids the value. A schema that points outside itself (`$ref`) is not asked:
 * validation of the whole plan sees to that.
 */
export function allows({ schema }: Parameter, value: unknown): boolean {
  let whole = local.get(schema);
  if (whole === undefined) {
    whole = !JSON.stringify(schema).includes('"$ref"');
    local.set(schema, whole);
  }
  return !whole || validateValue(value, schema as JsonSchema).every((issue) => issue.severity !== "error");
}
