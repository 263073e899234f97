import type { z } from "zod";
import type { Scope } from "../access/tokens.ts";

/** What an endpoint takes and gives. Requests are checked by these schemas, and the OpenAPI document is made of them. */
export interface Endpoint {
  readonly summary: string;
  readonly tag: "controller" | "plans" | "runs" | "approvals" | "server";
  /** The scope that a token needs; `open` needs no token. */
  readonly scope: Scope | "open";
  /** The ids in the path. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Whether a request without a body is taken as `{}`. @default false */
  readonly bodyOptional?: true;
  /** It starts something, so that a repeated request with one idempotency key does it once. */
  readonly starts?: true;
  readonly reply: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    /** Absent where the answer is not JSON; `type` has its media type then. */
    readonly schema?: z.ZodType;
    readonly type?: string;
  };
}
