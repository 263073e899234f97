import { recordSchemas } from "planloom/plan";
import { z } from "zod";
import type { Endpoint } from "./api/endpoint.ts";
import { endpoints } from "./api/endpoints.ts";
import { type EndpointName, routeOf } from "./api/routes.ts";

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of the server, made of the schemas that its requests are checked by. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const { method, path } = routeOf(name as EndpointName);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Planloom", version: "0.1.0", description: "Plans, runs, approvals and events of Planloom." },
    paths,
    components: {
      schemas: { ...records(), Problem: schemaOf(problem, "output") },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

const problem = z.object({
  error: z.object({
    code: z.string().describe("What kind of error it is: docs/errors.md lists all."),
    message: z.string().describe("For people: what was expected, what came, what to do."),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

function operation(name: string, endpoint: Endpoint): Json {
  const { summary, tag, scope, params, query, body, starts, reply } = endpoint;
  const content =
    reply.schema === undefined
      ? { [reply.type ?? "text/plain"]: { schema: { type: "string" } } }
      : { "application/json": { schema: schemaOf(reply.schema, "output") } };
  return {
    operationId: name,
    summary,
    tags: [tag],
    ...(scope !== "open" && { security: [{ token: [scope] }] }),
    parameters: [
      ...parametersOf("path", params),
      ...parametersOf("query", query),
      ...(starts === true ? [idempotencyKey] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: { "application/json": { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      [reply.status]: { description: reply.description, content },
      default: {
        description: "It was refused or failed.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", maxLength: 255 },
  description: "A request that is sent again with the same key starts nothing again: it gets the first answer.",
};

function parametersOf(where: "path" | "query", schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...own }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: own,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as Json;
  return own;
}

/** The library's records. Their own definitions are within each, so they are referred to by their place. */
function records(): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(recordSchemas).map(([name, schema]) => {
      const { $schema: _, $id: __, ...own } = schema as Json;
      return [name, moved(own, `#/components/schemas/${name}`) as Json];
    }),
  );
}

/** References within a schema, for its new place. */
function moved(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((each) => moved(each, place));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isReference = key === "$ref" && typeof each === "string" && each.startsWith("#");
      return [key, isReference ? place + each.slice(1) : moved(each, place)];
    }),
  );
}
