import { formatPath } from "./format-reference.ts";
import type { PathSegment } from "./reference.ts";

export type ReadPathResult =
  | { readonly found: true; readonly value: unknown }
  /** `at` is the path up to and including the segment that is absent, `rows[3].id` say. */
  | { readonly found: false; readonly at: string };

const arrayIndex = /^(?:0|[1-9][0-9]*)$/;

/**
 * Reads own properties only: no prototypes, no characters of strings, no `length` of arrays.
 * A map gives an array, nested maps nested arrays. One absent element makes the whole path absent, unless `optional`,
 * which puts null in its place; the elements that are there keep theirs.
 */
export function readPath(
  value: unknown,
  path: readonly PathSegment[],
  { optional = false }: { optional?: boolean } = {},
): ReadPathResult {
  return readFrom(value, path, 0, [], optional);
}

// Recursion is one level a map segment at most, and paths are limited to `maxPathSegments`.
function readFrom(
  start: unknown,
  path: readonly PathSegment[],
  from: number,
  prefix: readonly PathSegment[],
  optional: boolean,
): ReadPathResult {
  let value = start;
  for (let position = from; position < path.length; position += 1) {
    const segment = path[position] as PathSegment;
    const walked = () => [...prefix, ...path.slice(from, position)];
    if ("map" in segment) {
      const elements = elementsOf(value);
      if (elements === undefined) return absent([...walked(), segment]);
      const values: unknown[] = [];
      for (const [key, element] of elements) {
        const read = readFrom(element, path, position + 1, [], optional);
        if (read.found) values.push(read.value);
        else if (optional) values.push(null);
        else return absent([...walked(), key], read.at);
      }
      return { found: true, value: values };
    }
    const key = "index" in segment ? segment.index : segment.key;
    if (!hasOwnElement(value, key)) return absent([...walked(), segment]);
    value = (value as Record<string | number, unknown>)[key];
  }
  return value === undefined ? absent([...prefix, ...path.slice(from)]) : { found: true, value };
}

function elementsOf(value: unknown): [PathSegment, unknown][] | undefined {
  if (Array.isArray(value)) return Array.from(value, (element, index) => [{ index }, element]);
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).map(([key, element]) => [{ key }, element]);
}

function hasOwnElement(value: unknown, key: string | number): boolean {
  if (Array.isArray(value)) return (typeof key === "number" || arrayIndex.test(key)) && Object.hasOwn(value, key);
  return typeof value === "object" && value !== null && typeof key === "string" && Object.hasOwn(value, key);
}

function absent(path: readonly PathSegment[], rest = ""): ReadPathResult {
  const head = formatPath(path);
  return { found: false, at: rest === "" || rest.startsWith("[") ? head + rest : `${head}.${rest}` };
}
