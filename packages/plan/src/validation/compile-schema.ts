import type { Ajv, ValidateFunction } from "ajv";
import { loadAjv, loadAjv2020, loadAjvFormats } from "#lazy/ajv";
import { isRecord } from "../json.ts";
import { affords, type CheckHistory, requireWatchdog, sizeOfValue } from "./check-meter.ts";
import { expandedSize } from "./expanded-size.ts";
import { NotInterpreted, SchemaInterpreter } from "./interpret-schema.ts";
import { safePattern } from "./safe-pattern.ts";
import type { SchemaNode } from "./schema-node.ts";
import { addUniqueItems } from "./unique-items.ts";
import type { Violation } from "./violation.ts";

/** A schema that values can be checked with. */
export interface Checkable {
  /** What is wrong with a value. To be called `inBoundedTime`, with `history`. */
  readonly check: (value: unknown) => readonly Violation[];
  readonly history: CheckHistory;
  /** The value's size as `history` counts it. */
  readonly sizeOf: (value: unknown) => number;
}

/** A compiled schema, or why the schema cannot be read. */
export type Compiled = Checkable | { readonly broken: string };

const compiled = new WeakMap<object, WeakMap<object, Compiled>>();
/** Violations kept of one value; a long list of rows can break the same rule in each. */
const maxViolations = 20;
/** A document of at most so many parts is compiled, in some 50 ms at most; compiling costs the square of the size. */
const maxCompiledParts = 600;
/** Parts of a schema, with `$ref`s written out, times parts of a value that are looked at without a watchdog. */
const plainWork = 500_000;
const maxValueSize = 10_000_000;

/** Compiles a schema on first use and remembers it by its object. Never throws; `broken` says what ajv said. */
export function compileSchema({ schema, root }: SchemaNode): Compiled {
  if (schema === true) return always([]);
  if (schema === false) {
    return always([{ keyword: "false schema", pointer: "", params: {}, message: "must not be there" }]);
  }
  const document = isRecord(root) ? root : schema;
  let known = compiled.get(document);
  if (!known) {
    known = new WeakMap();
    compiled.set(document, known);
  }
  let result = known.get(schema);
  if (!result) {
    result = isLarge(document) ? interpreted(schema, document) : compile(schema, document);
    known.set(schema, result);
  }
  return result;
}

function compile(schema: Record<string, unknown>, root: Record<string, unknown>): Compiled {
  const errors: string[] = [];
  for (const draft of draftsFor(root)) {
    try {
      const validate = compileWith(draft, schema, root);
      const parts = expandedSize(schema, root, plainWork);
      let heavy: Checkable["check"] | undefined;
      const check = (value: unknown) => {
        const work = parts * sizeOfValue(value, plainWork);
        if (work <= plainWork && affords(work)) return violations(validate, value);
        // Compiled before the watchdog begins, which must not end it half-way.
        heavy ??= checkHeavy(draft, schema, root, validate);
        requireWatchdog();
        return heavy(value);
      };
      return { check, history: unused(), sizeOf };
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { broken: errors[0]! };
}

/** For large values: ajv up to the first violation, and from there on who stops at twenty; ajv itself keeps millions. */
function checkHeavy(
  draft: Draft,
  schema: Record<string, unknown>,
  root: Record<string, unknown>,
  validate: ValidateFunction,
): Checkable["check"] {
  const first = compileWith(draft, schema, root, "first");
  const interpreter = new SchemaInterpreter(root, validator(draft, "first").formats);
  return (value) => {
    if (first(value) === true) return [];
    try {
      return interpreter.violations(schema, value);
    } catch (error) {
      if (error instanceof NotInterpreted) return violations(validate, value);
      throw error;
    }
  };
}

const unused = (): CheckHistory => ({ watchedFrom: Number.POSITIVE_INFINITY, tooLong: Number.POSITIVE_INFINITY });

function violations(validate: ValidateFunction, value: unknown): readonly Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? []).slice(0, maxViolations).map((error) => ({
    keyword: error.keyword,
    pointer: error.instancePath,
    params: error.params,
    message: error.message ?? error.keyword,
  }));
}

const sizeOf = (value: unknown): number => sizeOfValue(value, maxValueSize);

function always(found: readonly Violation[]): Checkable {
  return {
    check: () => found,
    history: unused(),
    sizeOf: () => 1,
  };
}

const large = new WeakMap<object, boolean>();

/** Whether a document has too many parts to be compiled. */
function isLarge(document: Record<string, unknown>): boolean {
  let answer = large.get(document);
  if (answer === undefined) {
    answer = sizeOfValue(document, maxCompiledParts + 1) > maxCompiledParts;
    large.set(document, answer);
  }
  return answer;
}

function interpreted(schema: Record<string, unknown>, root: Record<string, unknown>): Compiled {
  const interpreter = new SchemaInterpreter(root, validator("2020-12", "first").formats);
  const history = { watchedFrom: 0, tooLong: Number.POSITIVE_INFINITY };
  return { check: (value) => interpreter.violations(schema, value), history, sizeOf };
}

type Draft = "2020-12" | "draft-07";

/** What `$schema` says; without it 2020-12, then draft-07, whose tuples and `definitions` 2020-12 refuses. */
function draftsFor(root: Record<string, unknown>): readonly Draft[] {
  const { $schema } = root;
  const isOld = typeof $schema === "string" && /draft-0[4-7]/.test($schema);
  return isOld ? ["draft-07"] : ["2020-12", "draft-07"];
}

let documents = 0;

function compileWith(
  draft: Draft,
  schema: Record<string, unknown>,
  root: Record<string, unknown>,
  wanted: Wanted = "all",
): ValidateFunction {
  const ajv = validator(draft, wanted);
  if (schema === root || !mentionsReference(schema)) {
    try {
      return ajv.compile(schema);
    } finally {
      ajv.removeSchema(schema);
    }
  }
  // A part of a document whose references point elsewhere in it: the document is known under a name for a moment.
  const name = `planloom-document-${documents++}`;
  const { $id: _id, ...document } = root;
  const part = pointInto(schema, name) as Record<string, unknown>;
  try {
    ajv.addSchema(document, name);
    return ajv.compile(part);
  } finally {
    ajv.removeSchema(name);
    ajv.removeSchema(part);
  }
}

const mentionsReference = (schema: object): boolean => JSON.stringify(schema).includes('"$ref"');

/** Keywords whose members are schemas under names that a schema chooses. */
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);

/** A copy with `#…` references pointing into the document `name`. Values (`const`, `enum`) are not schemas. */
function pointInto(value: unknown, name: string, isMap = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pointInto(item, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (isMap) return [key, pointInto(item, name)];
      if (key === "$ref" && typeof item === "string" && item.startsWith("#")) return [key, `${name}${item}`];
      return [key, key === "const" || key === "enum" ? item : pointInto(item, name, maps.has(key))];
    }),
  );
}

/** Which violations of a value are found: all of them, or the first. */
type Wanted = "all" | "first";
const validators = new Map<string, Ajv>();

/** ajv costs 20-60 ms to load, so it is loaded when a literal first needs it. Nothing is ever fetched. */
function validator(draft: Draft, wanted: Wanted): Ajv {
  let ajv = validators.get(`${draft} ${wanted}`);
  if (!ajv) {
    const Constructor: new (options: object) => Ajv = draft === "2020-12" ? loadAjv2020() : loadAjv();
    ajv = new Constructor({
      allErrors: wanted === "all",
      strict: false,
      // JSON has no other numbers.
      strictNumbers: true,
      // Compiling the meta-schema costs more than most plans do; `brokenSchema` has looked at the shape.
      meta: false,
      validateSchema: false,
      ownProperties: true,
      logger: false,
      unicodeRegExp: true,
      // Written out in each place, a schema that is referred to often would be compiled as often.
      inlineRefs: 20,
      code: { optimize: false, regExp: Object.assign(safePattern, { code: "safePattern" }) },
    });
    loadAjvFormats()(ajv);
    addUniqueItems(ajv);
    validators.set(`${draft} ${wanted}`, ajv);
  }
  return ajv;
}
