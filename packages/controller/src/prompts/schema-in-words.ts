import type { JsonSchema } from "@planloom/plan";

/** Describes the form of the answer to a model that knows neither response formats nor tools. */
export function schemaInWords(schema: JsonSchema): string {
  return [
    "Answer with one JSON value that fits this JSON Schema, and with nothing else: no code fence, no comment, no prose.",
    JSON.stringify(schema),
  ].join("\n");
}
