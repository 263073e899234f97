import { isRecord } from "../json.ts";

/**
 * True only if `value` is valid under `schema` beyond doubt: the schema uses nothing but the common keywords and all of
 * them hold. False says nothing; then ajv decides, and words what is wrong. This spares most plans the 20-60 ms that
 * loading ajv and compiling cost.
 */
export function acceptsPlainly(schema: unknown, value: unknown, depth = 0): boolean {
  if (schema === true) return true;
  if (!isRecord(schema) || depth > 50) return false;
  for (const keyword of Object.keys(schema)) {
    const test = keywords.get(keyword);
    if (test === undefined || !test(schema[keyword], value, schema, depth)) return false;
  }
  return true;
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
  ["enum", (operand, value) => Array.isArray(operand) && isPrimitive(value) && operand.includes(value)],
  ["const", (operand, value) => isPrimitive(value) && operand === value],
  ["minimum", number((limit, value) => value >= limit)],
  ["maximum", number((limit, value) => value <= limit)],
  ["exclusiveMinimum", number((limit, value) => value > limit)],
  ["exclusiveMaximum", number((limit, value) => value < limit)],
  ["minLength", length((limit, value) => value.length >= limit)],
  ["maxLength", length((limit, value) => value.length <= limit)],
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
  for (const key of Object.keys(operand)) {
    if (Object.hasOwn(value, key) && !acceptsPlainly(operand[key], value[key], depth + 1)) return false;
  }
  return true;
}

function requiredHold(operand: unknown, value: unknown): boolean {
  if (!Array.isArray(operand)) return false;
  return (
    !isRecord(value) ||
    operand.every((key) => typeof key === "string" && Object.hasOwn(value, key) && value[key] !== undefined)
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

function array(holds: (limit: number, value: readonly unknown[]) => boolean): KeywordTest {
  return (operand, value) => typeof operand === "number" && (!Array.isArray(value) || holds(operand, value));
}
