import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";

const maxDepth = 10_000;

/** An entry of the output: a value still to be written, with its depth, or finished text. */
type Pending = { readonly value: unknown; readonly depth: number } | string;

/**
 * JSON with the keys of every object sorted by UTF-16 units and no blanks, so that equal values give equal texts.
 * Properties that are `undefined` or functions are left out, as `JSON.stringify` does. No recursion.
 * @param replace is asked for each text and each object before it is written, in the order of the output.
 * @throws PlanError INVALID for what JSON cannot carry: a bigint, a cycle, nesting beyond 10,000 levels.
 */
export function canonicalJson(value: unknown, replace?: (value: string | object) => unknown): string {
  if (replace !== undefined) return written(value, replace);
  // Values that need no change are written by JSON.stringify, which is ten times as fast.
  if (isCanonical(value, 0)) return JSON.stringify(value);
  return writtenAtOnce(value, 0) ?? written(value, (same) => same);
}

/** True for plain JSON whose objects all have their keys in order. */
function isCanonical(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth >= maxRecursion) return false;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (!isCanonical(element, depth + 1)) return false;
    }
    return !("toJSON" in value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return false;
  const record = value as Readonly<Record<string, unknown>>;
  let before: string | undefined;
  for (const key of Object.keys(record)) {
    if ((before !== undefined && before > key) || !isCanonical(record[key], depth + 1)) return false;
    before = key;
  }
  return true;
}

/** Nested deeper than this, a value is written without recursion. */
const maxRecursion = 200;

/** By recursion, which takes half the time; undefined for what is nested too deep for that, or a cycle. */
function writtenAtOnce(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return `${value}`;
  if (typeof value !== "object" || value === null) {
    if (typeof value === "bigint") throw notJson(`JSON, got the bigint ${value}`);
    return isWritten(value) ? (JSON.stringify(value) ?? "null") : "null";
  }
  if (depth >= maxRecursion) return undefined;
  let text = "";
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const element = writtenAtOnce(value[i], depth + 1);
      if (element === undefined) return undefined;
      text += i === 0 ? element : `,${element}`;
    }
    return `[${text}]`;
  }
  const record = value as Readonly<Record<string, unknown>>;
  for (const key of sortedKeys(record)) {
    const property = record[key];
    if (!isWritten(property)) continue;
    const own = writtenAtOnce(property, depth + 1);
    if (own === undefined) return undefined;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${own}`;
  }
  return `{${text}}`;
}

/** Most objects have their keys in few orders; sorting them when they are in order already costs more than looking. */
function sortedKeys(record: object): string[] {
  const keys = Object.keys(record);
  for (let i = 1; i < keys.length; i++) {
    if (keys[i - 1]! > keys[i]!) return keys.sort();
  }
  return keys;
}

/** Without recursion. */
function written(value: unknown, replace: (value: string | object) => unknown): string {
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
