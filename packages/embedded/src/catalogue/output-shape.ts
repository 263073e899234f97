import { identifierFields, identifierWords } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import { leadsIn } from "./code-leads.ts";
import { readExamples } from "./examples.ts";
import { branches, type JsonType, propertiesOf, requiredOf, textOf, typesOf } from "./json-schema.ts";
import { type Medium, mediumOf } from "./medium.ts";

/** A field of what a resource returns. */
export interface OutputField {
  readonly name: string;
  readonly stems: readonly string[];
  readonly about: ReadonlySet<string>;
  readonly types: ReadonlySet<JsonType>;
  /** Nouns (singular) without the words that only say "identifier". */
  readonly entity: readonly string[];
  readonly isIdentifier: boolean;
  readonly medium: Medium | undefined;
  /** The texts that its schema lists, or that its description names; empty: any. */
  readonly values: readonly string[];
  /** It holds a day or a moment. */
  readonly holdsDay: boolean;
  /** How codes begin that its schema or description gives as examples: "s-" of "as S-100". */
  readonly leads: readonly string[];
}

/** Where the rows of an output are, and what each holds. */
export interface OutputShape {
  /** No schema: the shape is a guess. */
  readonly known: boolean;
  /** Path to the rows, as the text after the task's name: "" for the output itself, ".rows" for a wrapped list. */
  readonly rows: string;
  /** The output is (or wraps) a list of rows. */
  readonly many: boolean;
  readonly fields: readonly OutputField[];
  /** The field that names a row, if one does. */
  readonly identity?: OutputField;
  /** Types of the whole output. */
  readonly types: ReadonlySet<JsonType>;
  /** Rows are plain values, not objects. */
  readonly plain: boolean;
}

/**
 * Reads an output schema. A list of objects is rows; an object with one list of objects among its properties wraps
 * rows; any other object is one row.
 * @param entity nouns (singular) of the resource's own noun, to find `ward_id` as the identity of wards
 * @param plural what to guess without a schema
 */
export function readOutput(schema: unknown, entity: readonly string[], plural: boolean): OutputShape {
  const [whole] = branches(schema, schema);
  const record = whole ?? {};
  const types = typesOf(record);
  if (types.size === 0) {
    return { known: false, rows: "", many: plural, fields: [], types, plain: false };
  }
  if (types.has("array")) return shapeOfRows(record.items, schema, "", true, entity, types);
  if (!types.has("object")) return { known: true, rows: "", many: false, fields: [], types, plain: true };
  const wrapped = propertiesOf(record).filter(([, part]) =>
    branches(part, schema).some((shape) => typesOf(shape).has("array") && isObjects(shape.items, schema)),
  );
  const own = wrapped.length === 1 ? wrapped : wrapped.filter(([name]) => named(name, entity) || rowNames.has(name));
  const [list] = own;
  const hasIdentity = propertiesOf(record).some(([name]) => name === "id");
  if (list !== undefined && !hasIdentity) {
    const [shape] = branches(list[1], schema).filter((each) => typesOf(each).has("array"));
    return shapeOfRows(shape?.items, schema, path(list[0]), true, entity, types);
  }
  return shapeOfRows(record, schema, "", false, entity, types);
}

const rowNames: ReadonlySet<string> = new Set([
  "items",
  "results",
  "result",
  "data",
  "rows",
  "records",
  "entries",
  "content",
  "list",
]);

/** `.name`, or `["a name"]` where it is not an identifier. */
export function path(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isObjects(items: unknown, root: unknown): boolean {
  return branches(items, root).some((shape) => typesOf(shape).has("object"));
}

function named(name: string, entity: readonly string[]): boolean {
  const last = splitName(name).at(-1);
  return last !== undefined && singular(last) === entity.at(-1);
}

function shapeOfRows(
  schema: unknown,
  root: unknown,
  rows: string,
  many: boolean,
  entity: readonly string[],
  types: ReadonlySet<JsonType>,
): OutputShape {
  const [row] = branches(schema, root);
  const record = row ?? {};
  const fields = propertiesOf(record).map(([name, part]): OutputField => {
    const [shape] = branches(part, root);
    const parts = splitName(name);
    const about = textOf(shape ?? {}, "description");
    return {
      name,
      stems: parts.map(stem),
      about: new Set(splitName(about).slice(0, 40).map(stem)),
      types: typesOf(shape ?? {}),
      entity: parts.filter((word) => !identifierWords.has(word)).map(singular),
      isIdentifier: identifierWords.has(parts.at(-1) ?? ""),
      medium: mediumOf(parts, shape?.contentMediaType),
      values: valuesOf(shape ?? {}, about),
      leads: leadsIn(shape ?? {}, about),
      holdsDay: textOf(shape ?? {}, "format").startsWith("date") || dayNames.test(parts.join("_")),
    };
  });
  const identity = findIdentity(fields, entity, requiredOf(record));
  const plain = many && fields.length === 0 && !typesOf(record).has("object") && typesOf(record).size > 0;
  return { known: true, rows, many, fields, ...(identity && { identity }), types, plain };
}

const dayNames = /(?:^|_)(?:date|datetime|day|timestamp|at|on)$|^(?:date|when|day)(?:_|$)/;

function valuesOf(shape: Record<string, unknown>, description: string): string[] {
  const listed: readonly unknown[] = Array.isArray(shape.enum) ? shape.enum : [shape.const];
  const texts = listed.filter((each) => typeof each === "string");
  return texts.length > 0 ? texts : readExamples(description);
}

/** `id`; else `<entity>_id`; else an identifier by its description; else the only bare identifier. */
function findIdentity(
  fields: readonly OutputField[],
  entity: readonly string[],
  required: ReadonlySet<string>,
): OutputField | undefined {
  for (const name of identifierFields) {
    const bare = fields.find((field) => field.entity.length === 0 && field.name.toLowerCase() === name);
    if (bare !== undefined) return bare;
    if (name === "id") {
      const own = fields.find((field) => field.isIdentifier && isEntity(field.entity, entity));
      if (own !== undefined) return own;
    }
  }
  const described = fields.filter((field) => ["id", "identifi", "uniqu"].some((word) => field.about.has(word)));
  if (described.length > 0) return described.find((field) => required.has(field.name)) ?? described[0];
  const bare = fields.filter((field) => field.isIdentifier);
  return bare.length === 1 ? bare[0] : undefined;
}

/** The nouns of a field or parameter name the entity: all are among its nouns, the head with them. */
export function isEntity(nouns: readonly string[], entity: readonly string[]): boolean {
  const head = entity.at(-1);
  return head !== undefined && nouns.includes(head) && nouns.every((noun) => entity.includes(noun));
}
