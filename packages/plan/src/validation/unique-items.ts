import type { Ajv, SchemaValidateFunction } from "ajv";
import { canonicalJson } from "../hashes/canonical-json.ts";

/** `uniqueItems` in time linear in the list; ajv's own compares every pair of objects. */
export function addUniqueItems(ajv: Ajv): void {
  const validate: SchemaValidateFunction = (wanted: boolean, list: unknown[]) => {
    if (!wanted) return true;
    const scalars = new Map<unknown, number>();
    const others = new Map<unknown, number>();
    for (const [index, item] of list.entries()) {
      const isScalar = typeof item !== "object" || item === null;
      const seen = isScalar ? scalars : others;
      const key = isScalar ? item : canonicalJson(item);
      const before = seen.get(key);
      if (before !== undefined) {
        const message = `must NOT have duplicate items (items ## ${before} and ${index} are identical)`;
        validate.errors = [{ keyword: "uniqueItems", message, params: { i: index, j: before } }];
        return false;
      }
      seen.set(key, index);
    }
    return true;
  };
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate });
}
