import { nameOf, type SchemaFault, schemaFault, types } from "./broken-schema.ts";
import { isMisspelling } from "./misspelling.ts";

/**
 * What is wrong with a JSON Schema that somebody writes for a resource of their own, or `undefined`. Of others' schemas (`brokenSchema`) as much as possible is read; of these a
 * keyword that has no effect is a mistake, which its author wants to hear of.
 */
export function writtenSchemaFault(schema: unknown): SchemaFault | undefined {
  return schemaFault(schema, oddKeyword);
}

type Part = Readonly<Record<string, unknown>>;

function oddKeyword(part: Part, root: Part): string | undefined {
  const keys = Object.keys(part);
  for (const key of keys) {
    if (part[key] === undefined) continue;
    const wanted = Object.hasOwn(expected, key) ? expected[key]! : undefined;
    if (wanted !== undefined && !wanted.accepts(part[key], root))
      return `expected \`${key}\` to be ${wanted.what}, got ${shown(part[key])},`;
  }
  const unknown = keys.filter((key) => !known.has(key));
  const slip = unknown.map((key) => [key, misspelt(key)] as const).find(([, meant]) => meant !== undefined);
  if (slip !== undefined) return `\`${slip[0]}\` is no keyword of JSON Schema, expected \`${slip[1]}\``;
  const looksLikeProperties =
    unknown.length > 0 && unknown.length === keys.length && keys.some((key) => isTyped(part[key]));
  if (!looksLikeProperties) return undefined;
  return `expected { type: "object", properties: { ${keys.slice(0, 3).join(", ")}${keys.length > 3 ? ", …" : ""} } }, got the properties alone`;
}

interface Expected {
  readonly what: string;
  readonly accepts: (value: unknown, root: Part) => boolean;
}

const number: Expected = { what: "a finite number", accepts: Number.isFinite };
const count: Expected = {
  what: "a whole number of at least 0",
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const text: Expected = { what: "a text", accepts: (value) => typeof value === "string" };
const flag: Expected = { what: "true or false", accepts: (value) => typeof value === "boolean" };
const values: Expected = {
  what: "a list of at least one",
  accepts: (value) => !Array.isArray(value) || value.length > 0,
};

/** What each keyword has to be, apart from the shape that `brokenSchema` looks at. */
const expected: Readonly<Record<string, Expected>> = {
  ...Object.fromEntries(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((key) => [key, number])),
  ...Object.fromEntries(
    ["Length", "Items", "Properties", "Contains"].flatMap((what) => [
      [`min${what}`, count],
      [`max${what}`, count],
    ]),
  ),
  type: {
    what: `one of ${[...types].join(", ")}, or a list of these`,
    accepts: (value) => {
      const all: unknown[] = Array.isArray(value) ? value : [value];
      return all.length > 0 && all.every((each) => typeof each === "string" && types.has(each));
    },
  },
  multipleOf: { what: "a number above 0", accepts: (value) => Number.isFinite(value) && (value as number) > 0 },
  pattern: { what: "a regular expression", accepts: isPattern },
  patternProperties: {
    what: "an object whose names are regular expressions",
    accepts: (value) => typeof value !== "object" || Object.keys(value ?? {}).every(isPattern),
  },
  format: text,
  title: text,
  description: text,
  uniqueItems: flag,
  enum: values,
  anyOf: values,
  oneOf: values,
  allOf: values,
  $ref: {
    what: "a reference within the schema (#/…), since nothing is fetched",
    accepts: (value, root) =>
      typeof value === "string" && (value.startsWith("#") || JSON.stringify(root).includes('"$id"')),
  },
};

/** All keywords, those of OpenAPI too. */
const known: ReadonlySet<string> = new Set([
  ...Object.keys(expected),
  ...["properties", "required", "items", "prefixItems", "additionalProperties", "additionalItems", "const"],
  ...[
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
  ],
  ...[
    "unevaluatedProperties",
    "unevaluatedItems",
    "$defs",
    "definitions",
    "$id",
    "id",
    "$schema",
    "$anchor",
    "$comment",
  ],
  ...[
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
    "$recursiveRef",
    "$recursiveAnchor",
    "default",
    "examples",
    "example",
  ],
  ...["readOnly", "writeOnly", "deprecated", "nullable", "discriminator", "xml", "externalDocs"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
]);

/** Finds the keyword that a name is meant to be, if it is close to one. */
function misspelt(key: string): string | undefined {
  if (key.startsWith("x-")) return undefined;
  return [...known].find((keyword) => keyword.length > 4 && isMisspelling(key, keyword));
}

function isTyped(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as Part).type === "string";
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value);
    return true;
  } catch {
    return false;
  }
}

function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : JSON.stringify(value).slice(0, 60);
  return nameOf(value);
}
