import type { Ajv } from "ajv";
import { canonicalJson } from "../hashes/canonical-json.ts";
import { isRecord } from "../json.ts";
import { safePattern } from "./safe-pattern.ts";
import { resolvePointer } from "./schema-node.ts";
import { duplicateItems } from "./unique-items.ts";
import type { Violation } from "./violation.ts";

/** Thrown for a keyword that only a compiled schema can be checked for. */
export class NotInterpreted extends Error {
  readonly keyword: string;
  constructor(keyword: string) {
    super(`\`${keyword}\` is checked in schemas of moderate size alone`);
    this.keyword = keyword;
  }
}

/** How many schemas may be applied to one another's place (`$ref`, `allOf`, …), and how deep a value may be. */
const maxDepth = 400;
const maxViolations = 20;
const notInterpreted = ["$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems"];

type Schema = Readonly<Record<string, unknown>>;
interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** Where violations are kept; absent where only it counts whether there is one. */
  readonly found: Violation[] | undefined;
}

/**
 * Checks values against a large schema without compiling it: what compiling costs is the square of a schema's size, and what
 * this costs is what the value makes it look at. Keywords, their order and their words are ajv's (2020-12 and draft-07); the
 * tests compare the two. Recursive, so that a schema that contains itself ends in an error.
 * @throws NotInterpreted; SyntaxError for an invalid pattern; RangeError for a schema that contains itself in one place
 */
export class SchemaInterpreter {
  readonly #root: Schema;
  readonly #formats: Ajv["formats"];
  readonly #patterns = new Map<string, { test(text: string): boolean }>();

  constructor(root: Schema, formats: Ajv["formats"]) {
    this.#root = root;
    this.#formats = formats;
  }

  /** At most 20 violations. */
  violations(schema: unknown, value: unknown): Violation[] {
    const found: Violation[] = [];
    this.#holds(schema, value, { pointer: "", depth: 0, found });
    return found.slice(0, maxViolations);
  }

  #holds(schema: unknown, value: unknown, place: Place): boolean {
    if (schema === true || (place.found !== undefined && place.found.length >= maxViolations)) return true;
    if (schema === false) return fail(place, "false schema", {}, "boolean schema is false");
    if (!isRecord(schema)) return true;
    if (place.depth > maxDepth) throw new RangeError("The schema contains itself, or the value is too deep.");
    for (const keyword of notInterpreted) if (Object.hasOwn(schema, keyword)) throw new NotInterpreted(keyword);
    let holds = true;
    for (const check of this.#checks) {
      if (!check(schema, value, place)) holds = false;
      if (!holds && place.found === undefined) return false;
    }
    return holds;
  }

  readonly #checks: readonly ((schema: Schema, value: unknown, place: Place) => boolean)[] = [
    (schema, value, place) => this.#reference(schema, value, place),
    typeHolds,
    valuesHold,
    numberHolds,
    (schema, value, place) => this.#text(schema, value, place),
    (schema, value, place) => this.#list(schema, value, place),
    (schema, value, place) => this.#object(schema, value, place),
    (schema, value, place) => this.#combined(schema, value, place),
  ];

  #reference(schema: Schema, value: unknown, place: Place): boolean {
    if (typeof schema.$ref !== "string") return true;
    const target = resolvePointer(this.#root, schema.$ref);
    if (target === undefined) throw new NotInterpreted(`$ref: ${schema.$ref.slice(0, 100)}`);
    return this.#holds(target, value, { ...place, depth: place.depth + 1 });
  }

  #text(schema: Schema, value: unknown, place: Place): boolean {
    if (typeof value === "number") return this.#format(schema, value, place);
    if (typeof value !== "string") return true;
    let holds = true;
    const { minLength, maxLength, pattern } = schema;
    if (typeof minLength === "number" || typeof maxLength === "number") {
      const length = characters(value);
      if (typeof maxLength === "number" && length > maxLength)
        holds = fail(place, "maxLength", { limit: maxLength }, `must NOT have more than ${maxLength} characters`);
      if (typeof minLength === "number" && length < minLength)
        holds = fail(place, "minLength", { limit: minLength }, `must NOT have fewer than ${minLength} characters`);
    }
    if (typeof pattern === "string" && !this.#pattern(pattern).test(value))
      holds = fail(place, "pattern", { pattern }, `must match pattern "${pattern}"`);
    return this.#format(schema, value, place) && holds;
  }

  #format(schema: Schema, value: string | number, place: Place): boolean {
    const { format } = schema;
    const known =
      typeof format === "string" && Object.hasOwn(this.#formats, format) ? this.#formats[format] : undefined;
    if (known === undefined || known === true) return true;
    const type = typeof known === "object" && "type" in known ? (known.type ?? "string") : "string";
    if (type !== typeof value) return true;
    const test = typeof known === "function" || known instanceof RegExp ? known : known.validate;
    const holds =
      test instanceof RegExp ? test.test(String(value)) : (test as (value: unknown) => unknown)(value) === true;
    return holds || fail(place, "format", { format }, `must match format "${format}"`);
  }

  #pattern(source: string): { test(text: string): boolean } {
    let pattern = this.#patterns.get(source);
    if (pattern === undefined) {
      pattern = safePattern(source, "u");
      this.#patterns.set(source, pattern);
    }
    return pattern;
  }

  #list(schema: Schema, value: unknown, place: Place): boolean {
    if (!Array.isArray(value)) return true;
    let holds = true;
    const { minItems, maxItems, uniqueItems } = schema;
    if (typeof maxItems === "number" && value.length > maxItems)
      holds = fail(place, "maxItems", { limit: maxItems }, `must NOT have more than ${maxItems} items`);
    if (typeof minItems === "number" && value.length < minItems)
      holds = fail(place, "minItems", { limit: minItems }, `must NOT have fewer than ${minItems} items`);
    const same = uniqueItems === true ? duplicateItems(value) : undefined;
    if (same !== undefined) holds = fail(place, "uniqueItems", same.params, same.message);
    const { items, prefixItems } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? schema.additionalItems : items;
    const keyword = Array.isArray(items) ? "additionalItems" : "items";
    if (rest === false && value.length > tuple.length && tuple.length > 0) {
      holds = fail(place, keyword, { limit: tuple.length }, `must NOT have more than ${tuple.length} items`);
    }
    for (const [index, item] of value.entries()) {
      const inner = index < tuple.length ? tuple[index] : rest === false && tuple.length > 0 ? true : (rest ?? true);
      if (inner !== true && !this.#holds(inner, item, within(place, String(index)))) holds = false;
      if (!holds && place.found === undefined) return false;
    }
    return this.#contains(schema, value, place) && holds;
  }

  #contains(schema: Schema, value: readonly unknown[], place: Place): boolean {
    if (schema.contains === undefined) return true;
    const min = typeof schema.minContains === "number" ? schema.minContains : 1;
    const max = typeof schema.maxContains === "number" ? schema.maxContains : undefined;
    const count = value.filter((item) => this.#holds(schema.contains, item, silent(place))).length;
    if (count >= min && (max === undefined || count <= max)) return true;
    const params = max === undefined ? { minContains: min } : { minContains: min, maxContains: max };
    const range =
      max === undefined ? `at least ${min} valid item(s)` : `at least ${min} and no more than ${max} valid item(s)`;
    return fail(place, "contains", params, `must contain ${range}`);
  }

  #object(schema: Schema, value: unknown, place: Place): boolean {
    if (!isRecord(value)) return true;
    let holds = true;
    const keys = Object.keys(value);
    const { minProperties, maxProperties, required, properties, patternProperties, propertyNames } = schema;
    if (typeof maxProperties === "number" && keys.length > maxProperties)
      holds = fail(
        place,
        "maxProperties",
        { limit: maxProperties },
        `must NOT have more than ${maxProperties} properties`,
      );
    if (typeof minProperties === "number" && keys.length < minProperties)
      holds = fail(
        place,
        "minProperties",
        { limit: minProperties },
        `must NOT have fewer than ${minProperties} properties`,
      );
    for (const key of Array.isArray(required) ? (required as unknown[]) : []) {
      if (typeof key === "string" && !has(value, key))
        holds = fail(place, "required", { missingProperty: key }, `must have required property '${key}'`);
      if (!holds && isFull(place)) return false;
    }
    for (const [key, wanted] of dependencies(schema)) {
      if (!has(value, key)) continue;
      if (!Array.isArray(wanted)) holds = this.#holds(wanted, value, { ...place, depth: place.depth + 1 }) && holds;
      else
        for (const missingProperty of wanted.filter((each) => !has(value, String(each))))
          holds = fail(
            place,
            "dependentRequired",
            { property: key, missingProperty, depsCount: wanted.length, deps: wanted.join(", ") },
            `must have ${wanted.length === 1 ? "property" : "properties"} ${wanted.join(", ")} when property ${key} is present`,
          );
    }
    if (propertyNames !== undefined)
      for (const propertyName of keys) {
        if (!this.#holds(propertyNames, propertyName, place))
          holds = fail(place, "propertyNames", { propertyName }, "property name must be valid");
      }
    const patterns = isRecord(patternProperties) ? Object.entries(patternProperties) : [];
    for (const key of keys) {
      let isNamed = false;
      if (isRecord(properties) && Object.hasOwn(properties, key)) {
        isNamed = true;
        if (value[key] !== undefined) holds = this.#holds(properties[key], value[key], within(place, key)) && holds;
      }
      for (const [source, member] of patterns) {
        if (!this.#pattern(source).test(key)) continue;
        isNamed = true;
        holds = this.#holds(member, value[key], within(place, key)) && holds;
      }
      const { additionalProperties } = schema;
      if (!isNamed && additionalProperties === false)
        holds = fail(place, "additionalProperties", { additionalProperty: key }, "must NOT have additional properties");
      else if (!isNamed && additionalProperties !== undefined)
        holds = this.#holds(additionalProperties, value[key], within(place, key)) && holds;
      if (!holds && isFull(place)) return false;
    }
    return holds;
  }

  #combined(schema: Schema, value: unknown, place: Place): boolean {
    let holds = true;
    const { allOf, anyOf, oneOf, not } = schema;
    const inner = { ...place, depth: place.depth + 1 };
    const quiet = silent(place);
    for (const part of Array.isArray(allOf) ? allOf : []) holds = this.#holds(part, value, inner) && holds;
    if (Array.isArray(anyOf) && !anyOf.some((branch) => this.#holds(branch, value, quiet)))
      holds = fail(place, "anyOf", {}, "must match a schema in anyOf");
    if (Array.isArray(oneOf)) {
      const passing: number[] = [];
      for (const [index, branch] of oneOf.entries()) {
        if (this.#holds(branch, value, quiet)) passing.push(index);
        if (passing.length > 1) break;
      }
      const passingSchemas = passing.length === 0 ? null : passing;
      if (passing.length !== 1)
        holds = fail(place, "oneOf", { passingSchemas }, "must match exactly one schema in oneOf");
    }
    if (not !== undefined && this.#holds(not, value, quiet)) holds = fail(place, "not", {}, "must NOT be valid");
    if (schema.if !== undefined) {
      const failingKeyword = this.#holds(schema.if, value, quiet) ? "then" : "else";
      if (schema[failingKeyword] !== undefined && !this.#holds(schema[failingKeyword], value, inner))
        holds = fail(place, "if", { failingKeyword }, `must match "${failingKeyword}" schema`);
    }
    return holds;
  }
}

function fail(place: Place, keyword: string, params: Readonly<Record<string, unknown>>, message: string): false {
  if (!isFull(place)) place.found?.push({ keyword, pointer: place.pointer, params, message });
  return false;
}

const isFull = ({ found }: Place): boolean => found === undefined || found.length >= maxViolations;
const silent = ({ pointer, depth }: Place): Place => ({ pointer, depth: depth + 1, found: undefined });
const has = (value: Readonly<Record<string, unknown>>, key: string): boolean =>
  Object.hasOwn(value, key) && value[key] !== undefined;

/** Paths are for violations alone. */
function within({ pointer, depth, found }: Place, key: string): Place {
  const step = found === undefined ? "" : `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return { pointer: pointer + step, depth: depth + 1, found };
}

function dependencies(schema: Schema): (readonly [string, unknown])[] {
  const members = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies];
  return members.flatMap((each) => (isRecord(each) ? Object.entries(each) : []));
}

function typeHolds(schema: Schema, value: unknown, place: Place): boolean {
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

function valuesHold(schema: Schema, value: unknown, place: Place): boolean {
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

function numberHolds(schema: Schema, value: unknown, place: Place): boolean {
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

/** Code points; a surrogate without its other half counts as one. */
function characters(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
