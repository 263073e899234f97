import type { Resource } from "../ports/resource.ts";
import type { JsonSchemaValue } from "./json-schema-value.ts";

/** Where the types keep what a resource takes and gives. Nothing has this property at run time. */
declare const resourceTypes: unique symbol;

/** Something that executes tasks, whose input and output the compiler knows: what `defineTool` and its like make. */
export interface TypedResource<out Id extends string = string, out Input = unknown, out Output = unknown> {
  readonly resource: Resource & { readonly id: Id };
  readonly [resourceTypes]?: { readonly input: Input; readonly output: Output };
}

/** What can be called in a plan: a definition, or the description of a resource (that of an MCP tool, say), written out. */
export type Callable = TypedResource | Resource;

export type IdOf<C> = C extends { readonly resource: { readonly id: infer Id } }
  ? Id
  : C extends { readonly id: infer Id }
    ? Id
    : never;

/** What a call takes: any object, where the resource does not say. */
export type InputOf<C> = C extends { readonly resource: unknown; readonly [resourceTypes]?: infer Types }
  ? AnObject<Types extends { readonly input: infer Input } ? Input : unknown>
  : C extends { readonly input_schema: infer Schema }
    ? AnObject<JsonSchemaValue<Schema>>
    : AnyInput;

/** What a call gives; `unknown` where the resource does not say. */
export type OutputOf<C> = C extends { readonly resource: unknown; readonly [resourceTypes]?: infer Types }
  ? Types extends { readonly output: infer Output }
    ? Output
    : unknown
  : C extends { readonly output_schema: infer Schema }
    ? JsonSchemaValue<Schema>
    : unknown;

interface AnyInput {
  readonly [key: string]: unknown;
}
type AnObject<Input> = unknown extends Input ? AnyInput : Input;
