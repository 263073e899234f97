/**
 * The TypeScript type of the values that a JSON Schema accepts, as far as it can be read from a schema that is written out (`as const`, or
 * inline where a function takes it as `const`): `type`, `properties`, `required`, `items`, `prefixItems`, `enum`, `const`, `anyOf`, `oneOf` and
 * `additionalProperties`. What it cannot read, a schema of the type `JsonSchema` included, is `unknown`.
 */
export type JsonSchemaValue<Schema> = Schema extends false
  ? never
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly type: infer Type }
        ? ValueOfType<Type extends readonly (infer Each)[] ? Each : Type, Schema>
        : Schema extends { readonly anyOf: readonly (infer Each)[] } | { readonly oneOf: readonly (infer Each)[] }
          ? EachValue<Each>
          : Schema extends { readonly properties: unknown }
            ? ObjectValue<Schema>
            : unknown;

/** One schema of a union after the other. */
type EachValue<Schema> = Schema extends unknown ? JsonSchemaValue<Schema> : never;

type ValueOfType<Type, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? (Places<Schema> | ItemsValue<Schema>)[]
          : Type extends "object"
            ? ObjectValue<Schema>
            : unknown;

/** What a list may have at the places for which it has schemas of their own (`prefixItems`). */
type Places<Schema> = Schema extends { readonly prefixItems: readonly (infer Each)[] } ? EachValue<Each> : never;
type ItemsValue<Schema> = Schema extends { readonly items: infer Items } ? JsonSchemaValue<Items> : unknown;

type ObjectValue<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Key in keyof Properties as Key extends Required<Schema> ? Key : never]: JsonSchemaValue<
          Properties[Key]
        >;
      } & {
        -readonly [Key in keyof Properties as Key extends Required<Schema> ? never : Key]?: JsonSchemaValue<
          Properties[Key]
        >;
      }
    >
  : Schema extends { readonly additionalProperties: infer Values }
    ? { [key: string]: Values extends object ? JsonSchemaValue<Values> : unknown }
    : { [key: string]: unknown };

type Required<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** An intersection as one object, so that editors and errors show its fields. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
