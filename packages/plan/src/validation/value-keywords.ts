import { canonicalJson } from "../hashes/canonical-json.ts";
import type { Violation } from "./violation.ts";

// Keywords that look at a value alone, and at no schema inside theirs. Each function adds what it finds to `place.found`.

export const maxViolations = 20;

export type Schema = Readonly<Record<string, unknown>>;
/** The members of an object that is checked. */
export type Properties = Readonly<Record<string, unknown>>;

export interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** Where violations are kept; absent where only it counts whether there is one. */
  readonly found: Violation[] | undefined;
}

export function fail(place: Place, keyword: string, params: Readonly<Record<string, unknown>>, message: string): false {
  if (!isFull(place)) place.found?.push({ keyword, pointer: place.pointer, params, message });
  return false;
}

export const isFull = ({ found }: Place): boolean => found === undefined || found.length >= maxViolations;
/** Whether a check would find the property: `undefined` is not JSON. */
export const hasProperty = (value: Properties, key: string): boolean =>
  Object.hasOwn(value, key) && value[key] !== undefined;

export function typeHolds(schema: Schema, value: unknown, place: Place): boolean {
  const { type, nullable } = schema;
  if (type === undefined || (nullable === true && value === null)) return true;
  const types = Array.isArray(type) ? type : [type];
  return types.some((each) => isOf(each, value)) || fail(place, "type", { type }, `must be ${types.join(",")}`);
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

export function valuesHold(schema: Schema, value: unknown, place: Place): boolean {
  let holds = true;
  if (Array.isArray(schema.enum) && !isAmong(value, schema.enum)) {
    const message = "must be equal to one of the allowed values";
    holds = fail(place, "enum", { allowedValues: schema.enum }, message);
  }
  if (Object.hasOwn(schema, "const") && !isAmong(value, [schema.const]))
    holds = fail(place, "const", { allowedValue: schema.const }, "must be equal to constant");
  return holds;
}

/** Equal as JSON is. */
function isAmong(value: unknown, allowed: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null) return allowed.includes(value);
  const text = canonicalJson(value);
  return allowed.some((each) => typeof each === "object" && each !== null && canonicalJson(each) === text);
}

const comparisons = [
  ["maximum", "<=", (value: number, limit: number) => value <= limit],
  ["minimum", ">=", (value: number, limit: number) => value >= limit],
  ["exclusiveMaximum", "<", (value: number, limit: number) => value < limit],
  ["exclusiveMinimum", ">", (value: number, limit: number) => value > limit],
] as const;

export function numberHolds(schema: Schema, value: unknown, place: Place): boolean {
  if (typeof value !== "number") return true;
  let holds = true;
  for (const [keyword, comparison, compare] of comparisons) {
    const limit = schema[keyword];
    if (typeof limit === "number" && !compare(value, limit))
      holds = fail(place, keyword, { comparison, limit }, `must be ${comparison} ${limit}`);
  }
  const { multipleOf } = schema;
  if (typeof multipleOf === "number" && !Number.isInteger(value / multipleOf))
    holds = fail(place, "multipleOf", { multipleOf }, `must be multiple of ${multipleOf}`);
  return holds;
}

const units = { Length: "characters", Items: "items", Properties: "properties" } as const;

/** `maxLength` and `minLength`, and the same of items and properties. */
export function sizeHolds(schema: Schema, what: keyof typeof units, size: number, place: Place): boolean {
  const most = schema[`max${what}`];
  const least = schema[`min${what}`];
  let holds = true;
  if (typeof most === "number" && size > most)
    holds = fail(place, `max${what}`, { limit: most }, `must NOT have more than ${most} ${units[what]}`);
  if (typeof least === "number" && size < least)
    holds = fail(place, `min${what}`, { limit: least }, `must NOT have fewer than ${least} ${units[what]}`);
  return holds;
}

export function requiredHold({ required }: Schema, value: Properties, place: Place): boolean {
  let holds = true;
  for (const key of Array.isArray(required) ? (required as unknown[]) : []) {
    if (typeof key === "string" && !hasProperty(value, key))
      holds = fail(place, "required", { missingProperty: key }, `must have required property '${key}'`);
    if (!holds && isFull(place)) return false;
  }
  return holds;
}

/** `wanted` are the properties that an object with `property` must have too. */
export function dependentHold(property: string, wanted: readonly unknown[], value: Properties, place: Place): boolean {
  const deps = wanted.join(", ");
  const message = `must have ${wanted.length === 1 ? "property" : "properties"} ${deps} when property ${property} is present`;
  let holds = true;
  for (const missingProperty of wanted.filter((each) => !hasProperty(value, String(each))))
    holds = fail(place, "dependentRequired", { property, missingProperty, depsCount: wanted.length, deps }, message);
  return holds;
}

/** Code points; a surrogate without its other half counts as one. */
export function characters(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
