import { jsonrepair } from "jsonrepair";

export interface Parsed {
  readonly value: unknown;
  /** The text was not JSON as it stood. */
  readonly repaired: boolean;
}

/** Values nested deeper are refused: nothing that plans is, and recursion further on must not overflow. */
const deepest = 200;

/**
 * Reads text that is JSON or nearly so: trailing commas, Python literals, comments, single or missing quotes, escaped
 * quotes. Never throws; `undefined` when it cannot be read.
 */
export function parseLoosely(text: string): Parsed | undefined {
  const strict = parseStrictly(text);
  if (strict !== undefined) {
    return strict;
  }
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    return isTooDeep(value) ? undefined : { value, repaired: true };
  } catch {
    // Whatever jsonrepair trips over, its own stack included, means the same: not readable.
    return undefined;
  }
}

/** Reads JSON; `undefined` when it is none. */
export function parseStrictly(text: string): Parsed | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : { value, repaired: false };
  } catch {
    return undefined;
  }
}

/**
 * Unwraps JSON that was written as a JSON string, twice at most.
 */
export function unwrapString(parsed: Parsed): Parsed {
  let current = parsed;
  for (let times = 0; times < 2 && typeof current.value === "string"; times += 1) {
    const inner = /^\s*[[{"]/.test(current.value) ? parseStrictly(current.value) : undefined;
    if (inner === undefined) {
      return current;
    }
    current = { value: inner.value, repaired: true };
  }
  return current;
}

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) {
      return true;
    }
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
