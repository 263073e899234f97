import { isRecord } from "@planloom/plan";

export interface Difference {
  /** Where: `rows[3].id`; empty for the values themselves. */
  readonly path: string;
  /** The value at that place; `undefined` where the value is missing. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The first place where two JSON values differ, depth first in the order of `expected`'s keys. */
export function firstDifference(expected: unknown, actual: unknown, path = ""): Difference | undefined {
  if (Object.is(expected, actual) || expected === actual) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    for (let index = 0; index < length; index++) {
      const found = firstDifference(expected[index], actual[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isRecord(expected) || !isRecord(actual)) return { path, expected, actual };
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [left, right] = [ownValue(expected, key), ownValue(actual, key)];
    const found = firstDifference(left, right, path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownValue(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
