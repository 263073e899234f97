import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";

const maxDepth = 10_000;

/** What stands in the text: a value to write, at its depth, or text that is ready. */
type Pending = { readonly value: unknown; readonly depth: number } | string;

/**
 * JSON with the keys of every object sorted by UTF-16 units and no blanks, so that equal values give equal texts.
 * Properties that are `undefined` or functions are left out, as `JSON.stringify` does. No recursion.
 * @param replace is asked for each text and each object before it is written, in the order of the output.
 * @throws PlanError INVALID for what JSON cannot carry: a bigint, a cycle, nesting beyond 10,000 levels.
 */
export function canonicalJson(value: unknown, replace: (value: string | object) => unknown = (same) => same): string {
  const parts: string[] = [];
  const pending: Pending[] = [{ value, depth: 0 }];
  while (pending.length > 0) {
    const next = pending.pop()!;
    if (typeof next === "string") {
      parts.push(next);
      continue;
    }
    const { depth } = next;
    if (depth > maxDepth) throw notJson(`at most ${maxDepth} levels of nesting, got more (or a cycle)`);
    let current = next.value;
    if (typeof current === "string" || isRecord(current)) current = replace(current);
    if (typeof current === "bigint") throw notJson(`JSON, got the bigint ${current}`);
    if (Array.isArray(current)) {
      pending.push("]");
      for (let i = current.length - 1; i >= 0; i--) {
        pending.push({ value: current[i], depth: depth + 1 });
        if (i > 0) pending.push(",");
      }
      pending.push("[");
    } else if (isRecord(current)) {
      const record = current;
      const keys = Object.keys(record)
        .filter((key) => isWritten(record[key]))
        .sort();
      pending.push("}");
      for (let i = keys.length - 1; i >= 0; i--) {
        pending.push({ value: record[keys[i]!], depth: depth + 1 }, `${i > 0 ? "," : ""}${JSON.stringify(keys[i])}:`);
      }
      pending.push("{");
    } else {
      parts.push(isWritten(current) ? (JSON.stringify(current) ?? "null") : "null");
    }
  }
  return parts.join("");
}

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function notJson(expected: string): PlanError {
  return new PlanError(PlanErrorCode.INVALID, `Expected ${expected}; such a value cannot be hashed.`, {
    details: { issues: [{ path: "", message: expected }] },
  });
}
