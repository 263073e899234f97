import type { PathSegment } from "../../references/reference.ts";

/** A path of JSONPath as state machines have them: `$.a.b[0]`, `$$.Execution.Input.a` (of the context), `$name.a` (of a variable). */
export interface JsonPath {
  /** `""` for the state's input, `"$"` for the context object, else the name of a variable. */
  readonly root: string;
  readonly path: readonly PathSegment[];
}

const step = /\.([\p{L}\p{N}_-]+)|\[(\d+)\]|\[\*\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;

/** Undefined for anything else: filters, slices, `..`. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const root = /^\$(\$|[A-Za-z_]\w*)?/.exec(text);
  if (root === null) return undefined;
  const path: PathSegment[] = [];
  let at = root[0].length;
  while (at < text.length) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (match === null) return undefined;
    const [whole, key, index, single, double] = match;
    const quoted = single ?? double;
    if (key !== undefined) path.push({ key });
    else if (index !== undefined) path.push({ index: Number(index) });
    else if (quoted !== undefined) path.push({ key: quoted.replaceAll(/\\(.)/g, "$1") });
    else path.push({ map: true });
    at += whole.length;
  }
  return { root: root[1] ?? "", path };
}
