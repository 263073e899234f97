const blanks = /[ \t\r\n]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const other = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/**
 * Where a text that `JSON.parse` refused stops being JSON: the offset of the first token that is not allowed there. The engine
 * names the place only in some of its messages. Iterative and linear.
 */
export function jsonErrorOffset(json: string): number {
  const open: ("{" | "[")[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(json)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const skipText = (): boolean => {
    const end = json[at] === '"' ? endOfText(json, at) : -1;
    if (end !== -1) at = end;
    return end !== -1;
  };
  const take = (character: string): boolean => {
    skip(blanks);
    if (json[at] !== character) return false;
    at += 1;
    return true;
  };
  const key = (): boolean => {
    skip(blanks);
    return skipText() && take(":");
  };
  for (;;) {
    skip(blanks);
    let closed = true;
    if (take("{")) {
      open.push("{");
      closed = take("}");
      if (!closed && !key()) return at;
    } else if (take("[")) {
      open.push("[");
      closed = take("]");
    } else if (!skipText() && !skip(other)) {
      return at;
    } else {
      open.push("[");
    }
    // A value has ended: close what it ends, up to the next value.
    while (closed) {
      open.pop();
      const container = open.at(-1);
      if (container === undefined) {
        skip(blanks);
        return at;
      }
      if (take(",")) {
        if (container === "{" && !key()) return at;
        closed = false;
      } else if (!take(container === "{" ? "}" : "]")) {
        return at;
      }
    }
  }
}

/** The offset after the closing quote, -1 for a text that is not closed or not well formed. Without a regular expression, since texts may be long. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') return at + 1;
    if (character === "\n" || character === "\r" || character === "\t") return -1;
    if (character === "\\") {
      escapeSequence.lastIndex = at;
      if (!escapeSequence.test(json)) return -1;
      at = escapeSequence.lastIndex - 1;
    }
  }
  return -1;
}

/** Line and column of an offset, both from 1; columns in UTF-16 units. */
export function placeOf(document: string, offset: number): { line: number; column: number } {
  const before = document.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: offset - lastBreak };
}
