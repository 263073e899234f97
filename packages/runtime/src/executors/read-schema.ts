import type { JsonSchema, JsonSchemaValue, PlanIssue } from "@planloom/plan";
import { isRecord, validateValue } from "@planloom/plan";
import { writtenSchemaFault } from "@planloom/plan/internals";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { z } from "zod";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** A zod schema, any Standard Schema, or a JSON Schema. */
export type AnySchema = StandardSchemaV1 | JsonSchema;

/** What an object of the schema is after parsing. */
export type SchemaOutput<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : AnObject<JsonSchemaValue<Schema>>;

/** What an object of the schema is before parsing: defaults may be left out, and what is transformed is as it is written. */
export type SchemaInput<Schema> = AnObject<SchemaValue<Schema>>;

/** What a value of the schema is before parsing; `unknown` where the schema does not say. */
export type SchemaValue<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : JsonSchemaValue<Schema>;

/**
 * What a resource gives whose output has the schema: a value before parsing, since outputs are handed on as they are. A schema that takes
 * anything (`z.ZodType<Tree>`, `z.coerce.number()`) says with what it makes of it what is meant.
 */
export type SchemaResult<Schema> =
  unknown extends SchemaValue<Schema>
    ? Schema extends StandardSchemaV1
      ? StandardSchemaV1.InferOutput<Schema>
      : unknown
    : SchemaValue<Schema>;

/** What is left of a value when it is copied as JSON. */
export type AsJson<Value> = unknown extends Value
  ? unknown
  : Value extends string | number | boolean | null
    ? Value
    : Value extends { toJSON(): infer Written }
      ? AsJson<Written>
      : Value extends readonly (infer Item)[]
        ? number extends Value["length"]
          ? AsJson<Item>[]
          : { -readonly [Place in keyof Value]: AsJson<Value[Place]> }
        : Value extends (...given: never) => unknown
          ? never
          : Value extends object
            ? { [Key in keyof Value]: AsJson<Value[Key]> }
            : Value extends undefined
              ? Value
              : never;

type AnObject<Value> = unknown extends Value ? Record<string, unknown> : Value;

export interface ReadSchema {
  /** For prompts, plans and validation; absent where the library cannot give it. */
  readonly jsonSchema?: JsonSchema;
  /** The value with defaults and transforms applied, or what is wrong with it. */
  parse(value: unknown): Promise<{ ok: true; value: unknown } | { ok: false; message: string; issues: unknown[] }>;
}

/**
 * Reads a schema of any of the three sorts.
 * @param side which side of a transforming schema the JSON Schema is to describe.
 * @throws RuntimeError INVALID_DEFINITION
 */
export function readSchema(schema: AnySchema, side: "input" | "output", owner: string): ReadSchema {
  if (typeof schema === "boolean") return fromJsonSchema(schema, side);
  if (Array.isArray(schema)) throw notASchema(owner, side, undefined);
  if (typeof schema !== "object" && typeof schema !== "function") throw notASchema(owner, side, undefined);
  if ("~standard" in schema) {
    return fromStandard(schema as StandardSchemaV1, jsonSchemaOf(schema as StandardSchemaV1, side, owner));
  }
  if (!isRecord(schema)) throw notASchema(owner, side, undefined);
  const fault = writtenSchemaFault(schema);
  if (fault !== undefined) throw brokenSchema(owner, side, fault);
  const { type } = schema;
  if (side === "input" && type !== undefined && ![type].flat().includes("object"))
    throw brokenSchema(owner, side, {
      text: `expected \`type\` to be "object", since what is given has names, got ${JSON.stringify(type)}, at "/"`,
      path: "",
    });
  return fromJsonSchema(schema, side);
}

function fromJsonSchema(schema: JsonSchema, side: "input" | "output"): ReadSchema {
  const what = side === "output" ? "the output" : undefined;
  return {
    jsonSchema: schema,
    async parse(value) {
      const issues = validateValue(value, schema, { what }).filter(({ severity }) => severity === "error");
      return issues.length === 0 ? { ok: true, value } : { ok: false, message: issueText(issues), issues };
    },
  };
}

function fromStandard(schema: StandardSchemaV1, jsonSchema: JsonSchema | undefined): ReadSchema {
  return {
    ...(jsonSchema !== undefined && { jsonSchema }),
    async parse(value) {
      const result = await schema["~standard"].validate(value);
      if (result.issues === undefined) return { ok: true, value: result.value };
      const issues = result.issues.map(({ message, path }) => ({ message, path: pathText(path) }));
      const message = issues
        .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
        .join("; ");
      return { ok: false, message, issues };
    },
  };
}

function jsonSchemaOf(schema: StandardSchemaV1, side: "input" | "output", owner: string): JsonSchema | undefined {
  try {
    if ("_zod" in schema) {
      const { $schema: _, ...rest } = z.toJSONSchema(schema as unknown as z.core.$ZodType, {
        io: side,
        unrepresentable: "any",
      });
      return rest;
    }
    // The Standard JSON Schema extension, where the library has it.
    const standard = schema["~standard"] as { jsonSchema?: Record<string, (options: { target: string }) => unknown> };
    const made = standard.jsonSchema?.[side]?.({ target: "draft-2020-12" });
    return isRecord(made) ? made : undefined;
  } catch (cause) {
    throw notASchema(owner, side, cause);
  }
}

function pathText(path: StandardSchemaV1.Issue["path"]): string {
  return (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
}

export function issueText(issues: readonly PlanIssue[]): string {
  return issues
    .slice(0, 10)
    .map(({ message }) => message)
    .join("; ");
}

function brokenSchema(owner: string, side: string, { text, path }: { text: string; path: string }): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.INVALID_DEFINITION,
    `The ${side} schema of "${owner}" cannot be used: ${text}.`,
    { details: { id: owner, option: side, path } },
  );
}

function notASchema(owner: string, side: string, cause: unknown): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.INVALID_DEFINITION,
    `Expected the ${side} of "${owner}" to be a zod schema, another Standard Schema, or a JSON Schema object.`,
    { details: { id: owner }, cause },
  );
}
