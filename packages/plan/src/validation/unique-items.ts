import type { Ajv, SchemaValidateFunction } from "ajv";
import { canonicalJson } from "../hashes/canonical-json.ts";

/** What ajv says of the first two equal items of a list, in time linear in the list. */
export function duplicateItems(
  list: readonly unknown[],
): { readonly params: { readonly i: number; readonly j: number }; readonly message: string } | undefined {
  const scalars = new Map<unknown, number>();
  const others = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const isScalar = typeof item !== "object" || item === null;
    const seen = isScalar ? scalars : others;
    const key = isScalar ? item : canonicalJson(item);
    const before = seen.get(key);
    if (before !== undefined) {
      const message = `must NOT have duplicate items (items ## ${before} and ${index} are identical)`;
      return { params: { i: index, j: before }, message };
    }
    seen.set(key, index);
  }
  return undefined;
}

/** `uniqueItems` in time linear in the list; ajv's own compares every pair of objects. */
export function addUniqueItems(ajv: Ajv): void {
  const validate: SchemaValidateFunction = (wanted: boolean, list: unknown[]) => {
    const same = wanted ? duplicateItems(list) : undefined;
    if (same === undefined) return true;
    validate.errors = [{ keyword: "uniqueItems", ...same }];
    return false;
  };
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate });
}
