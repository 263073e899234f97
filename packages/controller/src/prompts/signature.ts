import { isRecord, type JsonSchema, type Resource } from "@planloom/plan";
import { requiredKeys } from "../output/looks-like.ts";

const maxDescription = 160;
const maxChoices = 8;

/** A resource in one line: `id(city: string, limit?: integer) -> {items: {id}[]}: what it does`. Untrusted text, as in its record. */
export function signatureOf({ id, kind, input_schema, output_schema, description }: Resource): string {
  const required = new Set(input_schema === undefined ? [] : requiredKeys(input_schema));
  const parameters = Object.entries(propertiesOf(input_schema)).map(
    ([name, schema]) => `${name}${required.has(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  const output = output_schema === undefined ? "" : ` -> ${typeOf(output_schema, 3)}`;
  const what = (description ?? "").replaceAll(/\s+/g, " ").trim();
  const short = what.length > maxDescription ? `${what.slice(0, maxDescription - 1)}…` : what;
  return `${kind} ${JSON.stringify(id)}(${parameters.join(", ")})${output}${short === "" ? "" : `: ${short}`}`;
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

/** A type as a programmer would write it; objects down to `depth` levels. */
function typeOf(schema: JsonSchema | unknown, depth = 1): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum) && schema.enum.length <= maxChoices) {
    return schema.enum.map((value) => JSON.stringify(value)).join("|");
  }
  const type = Array.isArray(schema.type) ? schema.type.join("|") : schema.type;
  if (type === "array") return `${typeOf(schema.items, depth)}[]`;
  const names = Object.entries(propertiesOf(schema));
  if (names.length > 0 && depth > 0) {
    return `{${names.map(([name, inner]) => (isPlain(inner) ? name : `${name}: ${typeOf(inner, depth - 1)}`)).join(", ")}}`;
  }
  const format = typeof schema.format === "string" ? ` ${schema.format}` : "";
  return typeof type === "string" ? `${type}${format}` : "any";
}

function isPlain(schema: unknown): boolean {
  return !isRecord(schema) || (schema.type !== "array" && Object.keys(propertiesOf(schema)).length === 0);
}
