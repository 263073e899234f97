import type { Ajv, ValidateFunction } from "ajv";
import { loadAjv, loadAjv2020, loadAjvFormats } from "#lazy/ajv";
import { isRecord } from "../json.ts";
import { expandedSize } from "./expanded-size.ts";
import { safePattern } from "./safe-pattern.ts";
import type { SchemaNode } from "./schema-node.ts";
import { addUniqueItems } from "./unique-items.ts";
import { isOutOfTime, underWatchdog } from "./watchdog.ts";

/** One violation, in JSON Schema's words. */
export interface Violation {
  readonly keyword: string;
  /** JSON pointer to the offending value. */
  readonly pointer: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What is wrong with a value; `undefined` when that takes too long to find out. */
type Check = (value: unknown) => readonly Violation[] | undefined;

/** A compiled schema, or why the schema cannot be read. */
export type Compiled = { readonly check: Check } | { readonly broken: string };

const compiled = new WeakMap<object, WeakMap<object, Compiled>>();
/** Violations kept of one value; a long list of rows can break the same rule in each. */
const maxViolations = 20;
/** A schema of at most so many parts takes no longer for a value than reading it does. */
const plainSize = 1_000;
/** How long any other may look at one value, in milliseconds; after that it looks at none any more. */
const checkTimeoutMs = 2_000;

/** Compiles a schema on first use and remembers it by its object. Never throws; `broken` says what ajv said. */
export function compileSchema({ schema, root }: SchemaNode): Compiled {
  if (schema === true) return { check: () => [] };
  if (schema === false) {
    return { check: () => [{ keyword: "false schema", pointer: "", params: {}, message: "must not be there" }] };
  }
  const document = isRecord(root) ? root : schema;
  let known = compiled.get(document);
  if (!known) {
    known = new WeakMap();
    compiled.set(document, known);
  }
  let result = known.get(schema);
  if (!result) {
    result = compile(schema, document);
    known.set(schema, result);
  }
  return result;
}

function compile(schema: Record<string, unknown>, root: Record<string, unknown>): Compiled {
  const errors: string[] = [];
  for (const draft of draftsFor(root)) {
    try {
      const validate = compileWith(draft, schema, root);
      const isPlain = expandedSize(schema, root, plainSize) <= plainSize;
      return { check: isPlain ? (value) => violations(validate, value) : watched(validate) };
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { broken: errors[0] ?? "unreadable" };
}

function violations(validate: ValidateFunction, value: unknown): readonly Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? []).slice(0, maxViolations).map((error) => ({
    keyword: error.keyword,
    pointer: error.instancePath,
    params: error.params,
    message: error.message ?? error.keyword,
  }));
}

/** The same, ended when it takes too long: schemas whose `$ref`s meet again and again take time exponential in their number. */
function watched(validate: ValidateFunction): Check {
  let hostile = false;
  return (value) => {
    if (hostile) return undefined;
    try {
      return underWatchdog(() => violations(validate, value), checkTimeoutMs);
    } catch (error) {
      if (!isOutOfTime(error)) throw error;
      hostile = true;
      return undefined;
    }
  };
}

type Draft = "2020-12" | "draft-07";

/** What `$schema` says; without it 2020-12, then draft-07, whose tuples and `definitions` 2020-12 refuses. */
function draftsFor(root: Record<string, unknown>): readonly Draft[] {
  const { $schema } = root;
  if (typeof $schema !== "string") return ["2020-12", "draft-07"];
  return /draft-0[4-7]/.test($schema) ? ["draft-07"] : ["2020-12", "draft-07"];
}

let documents = 0;

function compileWith(draft: Draft, schema: Record<string, unknown>, root: Record<string, unknown>): ValidateFunction {
  const ajv = validator(draft);
  if (schema === root || !mentionsReference(schema)) {
    const own = withoutSchemaKeyword(schema);
    try {
      return ajv.compile(own);
    } finally {
      ajv.removeSchema(own);
    }
  }
  // A part of a document whose references point elsewhere in it: the document is known under a name for a moment.
  const name = `planloom-document-${documents++}`;
  const { $id: _id, ...document } = root;
  const part = pointInto(schema, name) as Record<string, unknown>;
  try {
    ajv.addSchema(withoutSchemaKeyword(document), name);
    return ajv.compile(part);
  } finally {
    ajv.removeSchema(name);
    ajv.removeSchema(part);
  }
}

/** ajv looks `$schema` up as a meta-schema by its exact spelling; the draft is chosen already. */
function withoutSchemaKeyword(schema: Record<string, unknown>): Record<string, unknown> {
  if (!Object.hasOwn(schema, "$schema")) return schema;
  const { $schema: _schema, ...rest } = schema;
  return rest;
}

function mentionsReference(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > 100) return false;
  if (Array.isArray(value)) return value.some((item) => mentionsReference(item, depth + 1));
  return Object.entries(value).some(
    ([key, item]) => (key === "$ref" && typeof item === "string") || mentionsReference(item, depth + 1),
  );
}

/** A copy with `#…` references pointing into the document `name`. Values (`const`, `enum`, …) are no schemas. */
function pointInto(value: unknown, name: string, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((item) => pointInto(item, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "$ref" && typeof item === "string" && item.startsWith("#")) return [key, `${name}${item}`];
      if (key === "const" || key === "enum" || key === "default" || key === "examples") return [key, item];
      return [key, pointInto(item, name, depth + 1)];
    }),
  );
}

const validators = new Map<Draft, Ajv>();

/** ajv costs 20-60 ms to load, so it is loaded when a literal first needs it. Nothing is ever fetched. */
function validator(draft: Draft): Ajv {
  let ajv = validators.get(draft);
  if (!ajv) {
    const Constructor: new (options: object) => Ajv = draft === "2020-12" ? loadAjv2020() : loadAjv();
    ajv = new Constructor({
      allErrors: true,
      strict: false,
      // Compiling the meta-schema costs more than most plans do; `brokenSchema` has looked at the shape.
      meta: false,
      validateSchema: false,
      ownProperties: true,
      logger: false,
      unicodeRegExp: true,
      code: { optimize: false, regExp: Object.assign(safePattern, { code: "safePattern" }) },
    });
    loadAjvFormats()(ajv);
    addUniqueItems(ajv);
    validators.set(draft, ajv);
  }
  return ajv;
}
