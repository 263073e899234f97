import type { z } from "zod";
import { approvalEndpoints } from "./approval-endpoints.ts";
import { controllerEndpoints } from "./controller-endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageEndpoints } from "./page-endpoints.ts";
import { planEndpoints } from "./plan-endpoints.ts";
import type { EndpointName } from "./routes.ts";
import { runEndpoints } from "./run-endpoints.ts";
import { serverEndpoints } from "./server-endpoints.ts";

/** All endpoints by name. */
export const endpoints = {
  ...controllerEndpoints,
  ...serverEndpoints,
  ...pageEndpoints,
  ...planEndpoints,
  ...runEndpoints,
  ...approvalEndpoints,
} as const satisfies Readonly<Record<EndpointName, Endpoint>>;

export type Endpoints = typeof endpoints;

type Read<Name extends EndpointName, Part extends "params" | "query" | "body", Fallback> = Endpoints[Name] extends {
  readonly [Key in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : Fallback;

/** The checked parts of a request. */
export interface RequestOf<Name extends EndpointName> {
  readonly params: Read<Name, "params", object>;
  readonly query: Read<Name, "query", object>;
  readonly body: Read<Name, "body", undefined>;
}

/** What the endpoint answers, as JSON. */
export type ReplyOf<Name extends EndpointName> = Endpoints[Name]["reply"] extends {
  readonly schema: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : never;
