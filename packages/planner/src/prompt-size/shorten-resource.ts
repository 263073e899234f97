import { isRecord, type JsonSchema, type Resource } from "@planloom/plan";
import { cutText } from "../prompts/cut-text.ts";

/** How much of each resource is shown, in characters. */
export interface Detail {
  readonly description: number;
  /** Of each text within a schema: `description`, `title`, `$comment`. */
  readonly schemaText: number;
  /** Of each schema's JSON. */
  readonly schema: number;
}

/** From the most to the least. Even the last says what a resource is for and what it takes. */
export const details: readonly Detail[] = [
  { description: 1_000, schemaText: 300, schema: 40_000 },
  { description: 400, schemaText: 120, schema: 10_000 },
  { description: 160, schemaText: 60, schema: 4_000 },
];

/** Of tags, skills and traits: how many, and how long each. */
const maxLabels = 12;
const maxLabel = 60;
const maxName = 200;
const maxDepth = 64;

/** The resource with its texts and schemas cut; its id and kind stay. */
export function shortenResource(resource: Resource, detail: Detail): Resource {
  const { name, description, tags, skills, traits, input_schema, output_schema } = resource;
  return {
    ...resource,
    description: cutText(description, detail.description),
    ...(name !== undefined && { name: cutText(name, maxName) }),
    ...(tags !== undefined && { tags: labels(tags) }),
    ...(skills !== undefined && { skills: labels(skills) }),
    ...(traits !== undefined && { traits: labels(traits) }),
    ...(input_schema !== undefined && { input_schema: shortenSchema(input_schema, detail) }),
    ...(output_schema !== undefined && { output_schema: shortenSchema(output_schema, detail) }),
  };
}

function labels(texts: readonly string[]): readonly string[] {
  return texts.slice(0, maxLabels).map((text) => cutText(text, maxLabel));
}

/** The schema with its texts cut; where it is still too long, without what lies deep, and at last without optional properties. */
function shortenSchema(schema: JsonSchema, detail: Detail): JsonSchema {
  for (const depth of [maxDepth, 6, 4, 2, 1]) {
    const short = copySchema(schema, detail.schemaText, depth);
    if (JSON.stringify(short).length <= detail.schema) return short as JsonSchema;
  }
  return fewProperties(copySchema(schema, 0, 1), detail.schema);
}

/** Keywords whose values are not schemas: what is in them is meant literally. */
const literal: ReadonlySet<string> = new Set(["enum", "const", "default", "required"]);
const texts: ReadonlySet<string> = new Set(["description", "title", "$comment"]);
const samples: ReadonlySet<string> = new Set(["examples", "example"]);
/** Their values are schemas by name, so their keys are not keywords. */
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** @param depth how many levels of schemas are kept; a schema below them says its `type` alone */
function copySchema(schema: unknown, textCharacters: number, depth: number): unknown {
  if (Array.isArray(schema)) return schema.map((each) => copySchema(each, textCharacters, depth));
  if (!isRecord(schema)) return schema;
  if (depth < 0) return schema.type === undefined ? {} : { type: schema.type };
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (samples.has(key)) return [];
    if (texts.has(key) && typeof value === "string")
      return textCharacters === 0 ? [] : [[key, cutText(value, textCharacters)]];
    if (literal.has(key) || typeof value !== "object" || value === null) return [[key, value]];
    if (!named.has(key) || !isRecord(value)) return [[key, copySchema(value, textCharacters, depth - 1)]];
    const inner = Object.entries(value).map(([name, each]) => [name, copySchema(each, textCharacters, depth - 1)]);
    return [[key, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(entries);
}

/** The top level alone: types of required properties, then of others, as many as fit. */
function fewProperties(schema: unknown, maxCharacters: number): JsonSchema {
  const { type, properties, required } = isRecord(schema) ? schema : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(isRecord(properties) ? properties : {});
  const ordered = [...all.filter(([name]) => needed.has(name)), ...all.filter(([name]) => !needed.has(name))];
  let left = maxCharacters - 200;
  const kept = ordered.filter(([name, value]) => {
    const characters = JSON.stringify([name, value]).length;
    if (characters > left) return false;
    left -= characters;
    return true;
  });
  const names = kept.map(([name]) => name).filter((name) => needed.has(name));
  return {
    ...(type !== undefined && { type }),
    $comment: `Too large to be shown whole: ${all.length - kept.length} properties are left out.`,
    properties: Object.fromEntries(kept),
    required: names,
  } as JsonSchema;
}
