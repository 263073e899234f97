import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { AnyObject } from "./records.ts";

/** What the server says of itself. `request-handler.ts` answers these, without a home. */
export const serverEndpoints = {
  live: {
    summary: "Whether the process answers.",
    tag: "server",
    scope: "open",
    reply: { status: 200, description: "It does.", schema: z.object({ status: z.literal("ok") }) },
  },
  ready: {
    summary: "Whether it takes requests: 503 while it starts and stops.",
    tag: "server",
    scope: "open",
    reply: { status: 200, description: "It does.", schema: z.object({ status: z.literal("ready") }) },
  },
  metrics: {
    summary: "Figures for Prometheus.",
    tag: "server",
    scope: "read",
    reply: { status: 200, description: "The text format of Prometheus.", type: "text/plain" },
  },
  openapi: {
    summary: "This document.",
    tag: "server",
    scope: "open",
    reply: { status: 200, description: "OpenAPI 3.1.", schema: AnyObject },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
