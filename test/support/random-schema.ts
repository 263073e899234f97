import type { JsonSchema } from "@planloom/plan";
import fc from "fast-check";
import { number, object, text } from "./checked-tools.ts";

const leaf: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  text,
  number,
  { type: "integer", minimum: 0 },
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { enum: ["a", "b", 1] },
  { const: true },
  { type: "string", minLength: 1, maxLength: 3 },
  { type: "string", format: "date" },
  { type: "string", format: "email" },
  { type: "string", pattern: "^[a-c]" },
  true,
  {},
);
/** JSON schemas, some of them nested. */
export const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc
      .tuple(
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")),
        fc.subarray(["a", "b"]),
        fc.constantFrom(true, false, undefined),
      )
      .map(([properties, required, additional]) =>
        object(properties, { required, ...(additional !== undefined && { additionalProperties: additional }) }),
      ),
  ),
})).schema;
