import { isRecord, type JsonSchema } from "@planloom/plan";
import { patternGrammar } from "./pattern-grammar.ts";

/** Rules that each grammar may use: JSON without blanks but for one after a comma or colon, so that no tokens go into layout. */
const common: Readonly<Record<string, string>> = {
  comma: '"," " "?',
  colon: '":" " "?',
  char: String.raw`[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})`,
  string: String.raw`"\"" char* "\""`,
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  number: 'integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?',
  boolean: '"true" | "false"',
  null: '"null"',
  value: "object | array | string | number | boolean | null",
  object: '"{" (string colon value (comma string colon value)*)? "}"',
  array: '"[" (value (comma value)*)? "]"',
  date: '[0-9]{4} "-" [0-1] [0-9] "-" [0-3] [0-9]',
  time: '[0-2] [0-9] ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})? ("Z" | [-+] [0-2] [0-9] ":" [0-5] [0-9])',
};
const formats: Readonly<Record<string, string>> = {
  date: String.raw`"\"" date "\""`,
  time: String.raw`"\"" time "\""`,
  "date-time": String.raw`"\"" date "T" time "\""`,
};
/** llama.cpp writes repetitions out, so long ones are not bounded. */
const maxBound = 256;
const deepest = 64;

/**
 * A GBNF grammar of llama.cpp that allows the JSON texts of a schema: types, constants, alternatives, required and optional properties in
 * the schema's order, lengths, plain patterns, `$ref` within the schema. What a grammar cannot say (other patterns, ranges of numbers) is left to
 * the code that checks the answer. One rule a part: linear in the schema.
 */
export function jsonGrammar(schema: JsonSchema): string {
  return new Grammar(schema).text();
}

class Grammar {
  readonly #root: JsonSchema;
  readonly #rules = new Map<string, string>();
  readonly #references = new Map<string, string>();
  #count = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  text(): string {
    const root = this.#expression(this.#root, 0);
    const own = [["root", root] as const, ...this.#rules, ...Object.entries(common)];
    return `${own.map(([name, rule]) => `${name} ::= ${rule}`).join("\n")}\n`;
  }

  #rule(expression: string): string {
    const name = `r${this.#count++}`;
    this.#rules.set(name, expression);
    return name;
  }

  #expression(schema: unknown, depth: number): string {
    if (!isRecord(schema) || depth > deepest) return "value";
    if (typeof schema.$ref === "string") return this.#reference(schema.$ref, depth);
    if ("const" in schema) return literal(schema.const);
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return `(${schema.enum.map(literal).join(" | ")})`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices) && choices.length > 0) {
      return this.#rule(choices.map((each) => this.#expression(each, depth + 1)).join(" | "));
    }
    if (Array.isArray(schema.allOf) && schema.type === undefined)
      return this.#expression(merged(schema.allOf), depth + 1);
    const { type } = schema;
    if (Array.isArray(type)) {
      return this.#rule(type.map((each) => this.#expression({ ...schema, type: each }, depth + 1)).join(" | "));
    }
    switch (type ?? (isRecord(schema.properties) ? "object" : undefined)) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(schema, depth);
      case "string":
        return stringOf(schema);
      case "integer":
      case "number":
      case "boolean":
      case "null":
        return String(type);
      default:
        return "value";
    }
  }

  /** A rule of its own, so that a schema may refer to itself. */
  #reference(reference: string, depth: number): string {
    const known = this.#references.get(reference);
    if (known !== undefined) return known;
    const name = `ref${this.#references.size}`;
    this.#references.set(reference, name);
    let target: unknown = this.#root;
    for (const part of reference
      .replace(/^#\/?/, "")
      .split("/")
      .filter((each) => each !== "")) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    this.#rules.set(name, this.#expression(target, depth + 1));
    return name;
  }

  #object(schema: Readonly<Record<string, unknown>>, depth: number): string {
    const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
    if (properties.length === 0) {
      const { additionalProperties: others = true } = schema;
      if (others === false) return '"{}"';
      if (!isRecord(others)) return "object";
      const pair = `string colon ${this.#expression(others, depth + 1)}`;
      return this.#rule(`"{" (${pair} (comma ${pair})*)? "}"`);
    }
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    // What may follow each property, without and with one before it; from the last to the first.
    let [first, later] = ['""', '""'];
    for (const [name, property] of properties.reverse()) {
      const pair = this.#rule(`${literal(name)} colon ${this.#expression(property, depth + 1)}`);
      const isOptional = !required.has(name);
      const [begun, gone] = [`${pair} ${later}`, `comma ${pair} ${later}`];
      [first, later] = isOptional
        ? [this.#rule(`${begun} | ${first}`), this.#rule(`${gone} | ${later}`)]
        : [this.#rule(begun), this.#rule(gone)];
    }
    return this.#rule(`"{" ${first} "}"`);
  }

  #array(schema: Readonly<Record<string, unknown>>, depth: number): string {
    const item = this.#expression(schema.items, depth + 1);
    const least = numberOf(schema.minItems) ?? 0;
    const most = numberOf(schema.maxItems);
    if (most === 0) return '"[]"';
    const upper = most !== undefined && most <= maxBound ? String(most - 1) : "";
    const list = `${item} (comma ${item}){${Math.max(0, least - 1)},${upper}}`;
    return this.#rule(least > 0 ? `"[" ${list} "]"` : `"[" (${list})? "]"`);
  }
}

function stringOf({ minLength, maxLength, format, pattern }: Readonly<Record<string, unknown>>): string {
  const shaped = typeof pattern === "string" ? patternGrammar(pattern) : undefined;
  if (shaped !== undefined) return String.raw`("\"" ${shaped} "\"")`;
  if (typeof format === "string" && Object.hasOwn(formats, format)) return `(${formats[format]})`;
  const [least, most] = [numberOf(minLength) ?? 0, numberOf(maxLength)];
  const upper = most !== undefined && most <= maxBound ? String(most) : "";
  if (least === 0 && upper === "") return "string";
  return String.raw`("\"" char{${Math.min(least, maxBound)},${upper}} "\"")`;
}

/** A text as the answer has it. */
function literal(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  return `"${json.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function merged(parts: readonly unknown[]): JsonSchema {
  const properties: Record<string, unknown> = {};
  const required: unknown[] = [];
  for (const part of parts) {
    if (!isRecord(part)) continue;
    if (isRecord(part.properties)) Object.assign(properties, part.properties);
    if (Array.isArray(part.required)) required.push(...part.required);
  }
  const [only] = parts;
  return Object.keys(properties).length === 0 && parts.length === 1
    ? (only as JsonSchema)
    : { type: "object", properties, required };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}
