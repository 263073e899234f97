const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/;
const quotedHere = new RegExp(quoted, "y");

/** The names of the variables that a JSONata expression reads or binds. */
export function namesIn(code: string): Set<string> {
  const bare = code.replaceAll(new RegExp(quoted, "g"), "");
  return new Set([...bare.matchAll(/\$([A-Za-z_]\w*)/g)].map(([, name]) => name!));
}

/** Whether the expression gives the variable a value of its own, by `:=` or as the parameter of a function. */
export function isBound(code: string, name: string): boolean {
  const bare = code.replaceAll(new RegExp(quoted, "g"), "");
  return new RegExp(`\\$${name}\\s*:=|(?:function|λ)\\s*\\([^)]*\\$${name}\\b|[@#]\\$${name}\\b`).test(bare);
}

/** The expression with something else in the place of a variable, or of a path from one (`states.input`). Texts in it stay. */
export function replaceNames(code: string, name: string, make: () => string): string {
  const path = name.replaceAll(".", "\\.");
  const pattern = new RegExp(`${quoted.source}|\\$${path}(?![\\w])`, "g");
  return code.replaceAll(pattern, (found) => (found.startsWith("$") ? make() : found));
}

/** An expression without brackets around all of it, which reading puts there. */
export function withoutBrackets(code: string): string {
  let inner = code;
  while (inner.startsWith("(") && isOneExpression(inner.slice(1))) inner = inner.slice(1, -1).trim();
  return inner;
}

/** Whether a text after an opening bracket is one expression, and the bracket that closes it is its end. */
function isOneExpression(text: string): boolean {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    quotedHere.lastIndex = at;
    if (quotedHere.test(text)) {
      at = quotedHere.lastIndex - 1;
      continue;
    }
    const character = text[at]!;
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character) && --depth === 0) return at === text.length - 1;
    else if (character === ";" && depth === 1) return false;
  }
  return false;
}
