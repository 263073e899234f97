import type { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { invalidRequest, type RequestIssue } from "./invalid-request.ts";

export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** As parsed from JSON; `undefined` without one. */
  readonly body: unknown;
}

/** Checks the parts of a request by the schemas of its endpoint. @throws ServerError INVALID_REQUEST with all that is wrong */
export function checkRequest(endpoint: Endpoint, raw: RawRequest): { params: unknown; query: unknown; body: unknown } {
  const issues: RequestIssue[] = [];
  const read = (where: RequestIssue["in"], schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined;
    const result = schema.safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    for (const issue of result.error.issues) issues.push(...issuesOf(where, issue));
    return undefined;
  };
  const body = raw.body === undefined && endpoint.bodyOptional === true ? {} : raw.body;
  if (endpoint.body !== undefined && body === undefined)
    throw invalidRequest([{ in: "body", path: "", message: "expected JSON, got nothing" }]);
  const checked = {
    params: read("path", endpoint.params, raw.params) ?? {},
    query: read("query", endpoint.query, raw.query) ?? {},
    body: read("body", endpoint.body, body),
  };
  if (issues.length > 0) throw invalidRequest(issues);
  return checked;
}

function issuesOf(where: RequestIssue["in"], issue: z.core.$ZodIssue): RequestIssue[] {
  // A text of the address that is read as a list has no items of its own.
  const path = (where === "query" ? issue.path.slice(0, 1) : issue.path).join(".");
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      in: where,
      path: path === "" ? key : `${path}.${key}`,
      message: "unknown field",
    }));
  const message = issue.message.replace(/^Invalid (?:input|option): /, "");
  const expected = issue.code === "custom" ? `expected ${message}` : lowerFirst(message);
  return [{ in: where, path, message: `${expected}${cameInstead(issue)}` }];
}

/** What came, as the end of a message that does not say it: a number, a truth value or the beginning of a text. */
function cameInstead({ code, input, message }: z.core.$ZodIssue): string {
  if (code === "custom" || message.includes("received")) return "";
  const isPlain = typeof input === "string" || typeof input === "number" || typeof input === "boolean";
  if (!isPlain) return "";
  return `, got ${JSON.stringify(typeof input === "string" ? input.slice(0, 60) : input)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
