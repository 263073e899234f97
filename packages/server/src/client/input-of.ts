import type { z } from "zod";
import type { Endpoints } from "../api/endpoints.ts";
import type { EndpointName } from "../api/routes.ts";

type Part<Name extends EndpointName, Key extends "params" | "query" | "body"> = Endpoints[Name] extends {
  readonly [Each in Key]: infer Schema extends z.ZodType;
}
  ? Schema
  : undefined;

type Params<Name extends EndpointName> =
  Part<Name, "params"> extends infer Schema extends z.ZodType ? z.input<Schema> : object;

/** Lists and objects are written into the query by the client. */
type Query<Name extends EndpointName> =
  Part<Name, "query"> extends infer Schema extends z.ZodType ? Partial<z.output<Schema>> : object;

type Body<Name extends EndpointName> =
  Part<Name, "body"> extends infer Schema extends z.ZodType ? z.input<Schema> : object;

/** What a method of the client takes: the ids in the path, the query and the body, in one object. */
export type EndpointInput<Name extends EndpointName> = Params<Name> & Query<Name> & Body<Name>;
