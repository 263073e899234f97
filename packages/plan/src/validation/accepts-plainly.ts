import { isRecord } from "../json.ts";
import { isQuick, type PatternShape, patternShape, stepsOf } from "./safe-pattern.ts";

/**
 * True only if `value` is valid under `schema` beyond doubt: the schema uses nothing but the common keywords and all of
 * them hold. False says nothing; then ajv decides, and words what is wrong. This spares most plans the 20-60 ms that
 * loading ajv and compiling cost.
 */
export function acceptsPlainly(schema: unknown, value: unknown, depth = 0): boolean {
  if (depth === 0) stepsLeft = maxSteps;
  if (schema === true) return true;
  if (!isRecord(schema) || depth > 50) return false;
  for (const keyword of Object.keys(schema)) {
    const test = keywords.get(keyword);
    if (test === undefined || !affords(1) || !test(schema[keyword], value, schema, depth)) return false;
  }
  return true;
}

/** What one look may take: some 30 ms. A schema and a value that need more are left to what can be ended. */
const maxSteps = 2_000_000;
let stepsLeft = maxSteps;

function affords(steps: number): boolean {
  stepsLeft -= steps;
  return stepsLeft >= 0;
}

type KeywordTest = (operand: unknown, value: unknown, schema: Record<string, unknown>, depth: number) => boolean;
const always: KeywordTest = () => true;

const keywords: ReadonlyMap<string, KeywordTest> = new Map<string, KeywordTest>([
  ["title", (operand) => typeof operand === "string"],
  ["description", (operand) => typeof operand === "string"],
  ["default", always],
  ["examples", Array.isArray],
  [
    "type",
    (operand, value) => (Array.isArray(operand) ? operand.some((type) => isOf(type, value)) : isOf(operand, value)),
  ],
  [
    "enum",
    (operand, value) =>
      Array.isArray(operand) && isPrimitive(value) && affords(operand.length / 8) && operand.includes(value),
  ],
  ["const", (operand, value) => isPrimitive(value) && operand === value],
  ["minimum", number((limit, value) => value >= limit)],
  ["maximum", number((limit, value) => value <= limit)],
  ["exclusiveMinimum", number((limit, value) => value > limit)],
  ["exclusiveMaximum", number((limit, value) => value < limit)],
  ["minLength", length((limit, value) => value.length >= limit)],
  ["maxLength", length((limit, value) => value.length <= limit)],
  ["format", formatHolds],
  ["pattern", patternHolds],
  ["minItems", array((limit, value) => value.length >= limit)],
  ["maxItems", array((limit, value) => value.length <= limit)],
  [
    "items",
    (operand, value, schema, depth) =>
      !Object.hasOwn(schema, "prefixItems") &&
      (!Array.isArray(value) || value.every((item) => acceptsPlainly(operand, item, depth + 1))),
  ],
  ["properties", propertiesHold],
  ["required", requiredHold],
  ["additionalProperties", additionalHold],
  [
    "anyOf",
    (operand, value, _schema, depth) =>
      Array.isArray(operand) && operand.some((branch) => acceptsPlainly(branch, value, depth + 1)),
  ],
]);

function propertiesHold(operand: unknown, value: unknown, _schema: unknown, depth: number): boolean {
  if (!isRecord(operand)) return false;
  if (!isRecord(value)) return true;
  const keys = Object.keys(operand);
  if (!affords(keys.length)) return false;
  for (const key of keys) {
    if (Object.hasOwn(value, key) && !acceptsPlainly(operand[key], value[key], depth + 1)) return false;
  }
  return true;
}

function requiredHold(operand: unknown, value: unknown): boolean {
  if (!Array.isArray(operand)) return false;
  return (
    !isRecord(value) ||
    (affords(operand.length) &&
      operand.every((key) => typeof key === "string" && Object.hasOwn(value, key) && value[key] !== undefined))
  );
}

function additionalHold(operand: unknown, value: unknown, schema: Record<string, unknown>, depth: number): boolean {
  if (operand === true || !isRecord(value)) return true;
  const { properties } = schema;
  return Object.keys(value).every(
    (key) =>
      (isRecord(properties) && Object.hasOwn(properties, key)) ||
      (operand !== false && acceptsPlainly(operand, value[key], depth + 1)),
  );
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return false;
  }
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function number(holds: (limit: number, value: number) => boolean): KeywordTest {
  return (operand, value) => typeof operand === "number" && (typeof value !== "number" || holds(operand, value));
}

/** Lengths count characters, not UTF-16 units; with surrogates in the text the answer is left to ajv. */
function length(holds: (limit: number, value: string) => boolean): KeywordTest {
  return (operand, value) =>
    typeof operand === "number" &&
    (typeof value !== "string" || (holds(operand, value) && !/[\ud800-\udfff]/.test(value)));
}

/** Stricter than the formats' own definitions: what passes here passes everywhere. */
const plainFormats: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ["date", isPlainDate],
  [
    "date-time",
    (text) => /^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/.test(text) && isPlainDate(text.slice(0, 10)),
  ],
  ["uuid", (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)],
  ["email", (text) => text.length < 200 && /^[a-z0-9]+(?:[._-][a-z0-9]+)*@[a-z0-9]+(?:\.[a-z0-9]+)+$/i.test(text)],
]);

function isPlainDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return (
    parts !== null && Number(parts[2]) >= 1 && Number(parts[2]) <= 12 && Number(parts[3]) >= 1 && Number(parts[3]) <= 28
  );
}

/** Formats of numbers; whether another format speaks of numbers, ajv knows. */
const numberFormats: ReadonlyMap<unknown, (value: number) => boolean> = new Map<unknown, (value: number) => boolean>([
  ["int32", (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31],
  ["int64", (value) => Number.isInteger(value)],
  ["float", () => true],
  ["double", () => true],
]);

function formatHolds(operand: unknown, value: unknown): boolean {
  if (typeof value === "number") return numberFormats.get(operand)?.(value) === true;
  return typeof value !== "string" || plainFormats.get(operand)?.(value) === true;
}

/** Patterns are remembered by their text, so only so many of them. */
const maxPatterns = 1000;
const patterns = new Map<string, { readonly expression: RegExp; readonly shape: PatternShape } | undefined>();

function patternHolds(operand: unknown, value: unknown): boolean {
  if (typeof operand !== "string" || typeof value !== "string") return typeof operand === "string";
  if (!patterns.has(operand) && patterns.size < maxPatterns) patterns.set(operand, readPattern(operand));
  const pattern = patterns.get(operand);
  if (pattern === undefined) return false;
  const steps = stepsOf(pattern.shape, value.length);
  return isQuick(steps) && affords(steps) && pattern.expression.test(value);
}

function readPattern(source: string): { expression: RegExp; shape: PatternShape } | undefined {
  const shape = source.length > 200 ? undefined : patternShape(source);
  if (shape === undefined) return undefined;
  try {
    return { expression: new RegExp(source, "u"), shape };
  } catch {
    return undefined;
  }
}

function array(holds: (limit: number, value: readonly unknown[]) => boolean): KeywordTest {
  return (operand, value) => typeof operand === "number" && (!Array.isArray(value) || holds(operand, value));
}
