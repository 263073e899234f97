const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * The first key that occurs twice in an object `depth` levels below the root, with its line; `JSON.parse` keeps the
 * last of them silently. `text` must be valid JSON. Linear.
 */
export function findDuplicateKey(text: string, path: readonly string[]): { key: string; line: number } | undefined {
  /** Keys seen per open object; `undefined` for arrays. */
  const open: { keys: Set<string> | undefined; current: string }[] = [];
  let lastString: { value: string; at: number } | undefined;
  for (const match of text.matchAll(token)) {
    const found = match[0];
    const top = open.at(-1);
    if (found === "{") open.push({ keys: new Set(), current: "" });
    else if (found === "[") open.push({ keys: undefined, current: "" });
    else if (found === "}" || found === "]") open.pop();
    else if (found !== ":") lastString = { value: found, at: match.index };
    else if (top?.keys && lastString) {
      const key: unknown = JSON.parse(lastString.value);
      top.current = String(key);
      const here = open.length === path.length + 1 && path.every((part, level) => open[level]?.current === part);
      if (here && top.keys.has(top.current)) {
        return { key: top.current, line: text.slice(0, lastString.at).split("\n").length };
      }
      top.keys.add(top.current);
    }
  }
  return undefined;
}
