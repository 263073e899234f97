import { isRecord, type JsonSchema } from "@planloom/plan";

/**
 * Whether the outside of a value fits a schema: its type, and for an object the required keys. What is inside is for
 * validation, which can say what is wrong; this only decides which of several values was meant.
 */
export function looksLike(value: unknown, schema: JsonSchema): boolean {
  if (!isRecord(schema)) {
    return schema !== false;
  }
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (branches !== undefined) {
    return branches.some(
      (branch: unknown) => (isRecord(branch) || typeof branch === "boolean") && looksLike(value, branch),
    );
  }
  if (!hasType(value, schema.type)) {
    return false;
  }
  return !isRecord(value) || requiredKeys(schema).every((key) => Object.hasOwn(value, key));
}

/** Names of a schema's required properties. */
export function requiredKeys(schema: JsonSchema): string[] {
  const required = isRecord(schema) ? schema.required : undefined;
  return Array.isArray(required) ? required.filter((key) => typeof key === "string") : [];
}

/** Names of a schema's properties. */
export function propertyKeys(schema: JsonSchema): string[] {
  const properties = isRecord(schema) ? schema.properties : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

function hasType(value: unknown, type: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.length === 0 || types.some((name) => isOfType(value, name));
}

function isOfType(value: unknown, name: unknown): boolean {
  switch (name) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === name;
  }
}
