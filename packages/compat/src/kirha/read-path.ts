import { isRecord } from "@planloom/plan";
import type { KirhaPath } from "@planloom/plan/internals";

/** Own values only; `undefined` where there is none. */
export function readKirhaPath(value: unknown, path: KirhaPath): unknown {
  let current = value;
  for (const segment of path) {
    const isIndex = typeof segment === "number";
    if (Array.isArray(current) ? !isIndex && !/^[0-9]+$/.test(segment) : isIndex || !isRecord(current))
      return undefined;
    const key = Array.isArray(current) ? Number(segment) : segment;
    if (!Object.hasOwn(current as object, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}
