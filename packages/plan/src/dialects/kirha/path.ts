import type { PathSegment } from "../../references/reference.ts";

/** A path of this dialect: texts, and numbers for `[0]`. A text of digits indexes arrays too. */
export type KirhaPath = readonly (string | number)[];

const bracket = /\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/y;
const plain = /[^.[]+/y;

/**
 * `rows[0].id`, `rows.0.id`, `m["any key"]`, `m['k']`; dots too many are passed over, an unquoted bracket that is
 * not an index is a key, and an unclosed bracket is part of its key. Total and linear.
 */
export function parseKirhaPath(text: string): (string | number)[] {
  const path: (string | number)[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ".") {
      at += 1;
      continue;
    }
    bracket.lastIndex = at;
    const inBrackets = bracket.exec(text);
    if (inBrackets) {
      const [, double, single, bare = ""] = inBrackets;
      const quoted = double ?? single;
      path.push(quoted === undefined && /^[0-9]+$/.test(bare) ? Number(bare) : (quoted ?? bare));
      at = bracket.lastIndex;
      continue;
    }
    // A "[" that nothing closes belongs to the key that contains it.
    const start = at;
    if (text[at] === "[") at = text.length;
    plain.lastIndex = at;
    if (plain.test(text)) at = plain.lastIndex;
    path.push(text.slice(start, at));
  }
  return path;
}

/** `rows[0].id`; a key that would not read back is quoted: `m["x.y"]`. */
export function formatKirhaPath(path: KirhaPath): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (/^[^.[\]]+$/.test(segment)) text += text === "" ? segment : `.${segment}`;
    else text += segment.includes('"') ? `['${segment}']` : `["${segment}"]`;
  }
  return text;
}

export function toSegments(path: KirhaPath): PathSegment[] {
  return path.map((segment) => (typeof segment === "number" ? { index: segment } : { key: segment }));
}
