import type { Ajv } from "ajv";
import { isRecord } from "../json.ts";
import { safePattern } from "./safe-pattern.ts";
import { resolvePointer } from "./schema-node.ts";
import { duplicateItems } from "./unique-items.ts";
import {
  characters,
  dependentHold,
  fail,
  hasProperty,
  isFull,
  maxViolations,
  numberHolds,
  type Place,
  type Properties,
  requiredHold,
  type Schema,
  sizeHolds,
  typeHolds,
  valuesHold,
} from "./value-keywords.ts";
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
const notInterpreted = ["$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems"];

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
    const { minLength, maxLength, pattern } = schema;
    const isBounded = typeof minLength === "number" || typeof maxLength === "number";
    let holds = !isBounded || sizeHolds(schema, "Length", characters(value), place);
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
    let holds = sizeHolds(schema, "Items", value.length, place);
    const same = schema.uniqueItems === true ? duplicateItems(value) : undefined;
    if (same !== undefined) holds = fail(place, "uniqueItems", same.params, same.message);
    holds = this.#items(schema, value, place) && holds;
    if (!holds && place.found === undefined) return false;
    return this.#contains(schema, value, place) && holds;
  }

  #items(schema: Schema, value: readonly unknown[], place: Place): boolean {
    const { first, rest, restKeyword } = itemSchemas(schema);
    let holds = true;
    // Without a tuple, each item that is not allowed is a violation of its own.
    const isClosed = rest === false && first.length > 0;
    if (isClosed && value.length > first.length)
      holds = fail(place, restKeyword, { limit: first.length }, `must NOT have more than ${first.length} items`);
    const checked = isClosed || rest === undefined || rest === true ? value.slice(0, first.length) : value;
    for (const [index, item] of checked.entries()) {
      const inner = index < first.length ? first[index] : rest;
      if (inner !== true && !this.#holds(inner, item, within(place, String(index)))) holds = false;
      if (!holds && place.found === undefined) return false;
    }
    return holds;
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
    let holds = sizeHolds(schema, "Properties", Object.keys(value).length, place);
    holds = requiredHold(schema, value, place) && holds;
    if (!holds && isFull(place)) return false;
    holds = this.#dependencies(schema, value, place) && holds;
    holds = this.#propertyNames(schema, value, place) && holds;
    if (!holds && isFull(place)) return false;
    return this.#properties(schema, value, place) && holds;
  }

  #dependencies(schema: Schema, value: Properties, place: Place): boolean {
    let holds = true;
    for (const [key, wanted] of dependencies(schema)) {
      if (!hasProperty(value, key)) continue;
      const each = Array.isArray(wanted)
        ? dependentHold(key, wanted, value, place)
        : this.#holds(wanted, value, { ...place, depth: place.depth + 1 });
      holds = each && holds;
    }
    return holds;
  }

  #propertyNames({ propertyNames }: Schema, value: Properties, place: Place): boolean {
    if (propertyNames === undefined) return true;
    let holds = true;
    for (const propertyName of Object.keys(value)) {
      if (!this.#holds(propertyNames, propertyName, place))
        holds = fail(place, "propertyNames", { propertyName }, "property name must be valid");
    }
    return holds;
  }

  #properties(schema: Schema, value: Properties, place: Place): boolean {
    const patterns = isRecord(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
    let holds = true;
    for (const key of Object.keys(value)) {
      holds = this.#property(schema, patterns, key, value[key], place) && holds;
      if (!holds && isFull(place)) return false;
    }
    return holds;
  }

  /** One property against the schema of its name, those of patterns that fit it, or else that of all others. */
  #property(schema: Schema, patterns: [string, unknown][], key: string, value: unknown, place: Place): boolean {
    const { properties, additionalProperties } = schema;
    const isNamed = isRecord(properties) && Object.hasOwn(properties, key);
    let holds = !isNamed || value === undefined || this.#holds(properties[key], value, within(place, key));
    let isKnown = isNamed;
    for (const [source, member] of patterns) {
      if (!this.#pattern(source).test(key)) continue;
      isKnown = true;
      holds = this.#holds(member, value, within(place, key)) && holds;
    }
    if (isKnown || additionalProperties === undefined) return holds;
    if (additionalProperties === false)
      return fail(place, "additionalProperties", { additionalProperty: key }, "must NOT have additional properties");
    return this.#holds(additionalProperties, value, within(place, key)) && holds;
  }

  #combined(schema: Schema, value: unknown, place: Place): boolean {
    let holds = true;
    const { allOf, anyOf, oneOf, not } = schema;
    const inner = { ...place, depth: place.depth + 1 };
    const quiet = silent(place);
    for (const part of Array.isArray(allOf) ? allOf : []) holds = this.#holds(part, value, inner) && holds;
    if (Array.isArray(anyOf) && !anyOf.some((branch) => this.#holds(branch, value, quiet)))
      holds = fail(place, "anyOf", {}, "must match a schema in anyOf");
    if (Array.isArray(oneOf)) holds = this.#oneOf(oneOf, value, place) && holds;
    if (not !== undefined && this.#holds(not, value, quiet)) holds = fail(place, "not", {}, "must NOT be valid");
    if (schema.if !== undefined) {
      const failingKeyword = this.#holds(schema.if, value, quiet) ? "then" : "else";
      if (schema[failingKeyword] !== undefined && !this.#holds(schema[failingKeyword], value, inner))
        holds = fail(place, "if", { failingKeyword }, `must match "${failingKeyword}" schema`);
    }
    return holds;
  }

  #oneOf(branches: readonly unknown[], value: unknown, place: Place): boolean {
    const quiet = silent(place);
    const passing: number[] = [];
    for (const [index, branch] of branches.entries()) {
      if (this.#holds(branch, value, quiet)) passing.push(index);
      if (passing.length > 1) break;
    }
    if (passing.length === 1) return true;
    const passingSchemas = passing.length === 0 ? null : passing;
    return fail(place, "oneOf", { passingSchemas }, "must match exactly one schema in oneOf");
  }
}

const silent = ({ pointer, depth }: Place): Place => ({ pointer, depth: depth + 1, found: undefined });

/** Paths are for violations alone. */
function within({ pointer, depth, found }: Place, key: string): Place {
  const step = found === undefined ? "" : `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return { pointer: pointer + step, depth: depth + 1, found };
}

function dependencies(schema: Schema): (readonly [string, unknown])[] {
  const members = [schema.dependentRequired, schema.dependentSchemas, schema.dependencies];
  return members.flatMap((each) => (isRecord(each) ? Object.entries(each) : []));
}

/** The schemas of the first items, and of all others, in either way of writing a tuple. */
function itemSchemas({ items, prefixItems, additionalItems }: Schema) {
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return Array.isArray(items)
    ? { first, rest: additionalItems, restKeyword: "additionalItems" }
    : { first, rest: items, restKeyword: "items" };
}
