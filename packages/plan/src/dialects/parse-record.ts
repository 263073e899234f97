import type { z } from "zod";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { formatPath } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import { describeValue } from "./dialect-error.ts";

/**
 * Parses with a record's schema.
 * @param at path to the value in its document, for messages.
 * @throws PlanError INVALID; `details.issues` lists `{path, message, expected?, got}`.
 */
export function parseRecord<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  at: readonly PathSegment[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 20).map((issue) => {
    const segments = issue.path.map(
      (key): PathSegment => (typeof key === "number" ? { index: key } : { key: String(key) }),
    );
    const expected = "expected" in issue ? String(issue.expected) : undefined;
    return {
      path: formatPath([...at, ...segments]),
      message: issue.message,
      ...(expected !== undefined && { expected }),
      got: describeValue(valueAt(value, issue.path)),
    };
  });
  throw invalidRecord(what, issues);
}

export interface RecordIssue {
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly got: string;
}

export function invalidRecord(what: string, issues: readonly RecordIssue[]): PlanError {
  const lines = issues.map(({ path, message, got }) => `at ${path === "" ? "the top" : path}: ${message} (got ${got})`);
  return new PlanError(PlanErrorCode.INVALID, `Expected ${what}: ${lines.join("; ")}.`, { details: { issues } });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
