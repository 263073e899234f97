import { unescaped } from "./read-literal.ts";

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "«": "»", "„": "“" };

/**
 * A quotation that begins at an offset. Its end is the first closing mark after which a word cannot continue, so that
 * an apostrophe inside ends nothing; a backslash before the mark keeps it.
 * @param asCode between parentheses `\n` is a new line, as in code, but for the paths of Windows
 * @returns the text between the marks, and the offset after the closing one
 */
export function quotationAt(
  text: string,
  at: number,
  limit: number,
  asCode = false,
): { text: string; end: number } | undefined {
  const close = closing[text[at] ?? ""];
  if (close === undefined) return undefined;
  for (let end = at + 1; end < limit; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === close && /^(?:[\s,;:.!?)\]}]|$)/.test(text.slice(end + 1, Math.min(end + 2, limit))))
      return { text: (asCode ? codeText : unescaped)(text.slice(at + 1, end), close), end: end + 1 };
  }
  return undefined;
}

function codeText(inner: string, quote: string): string {
  if (quote !== '"' || /^[a-z]:\\(?!\\)/i.test(inner)) return unescaped(inner, quote);
  try {
    return JSON.parse(`"${inner.replaceAll("\n", "\\n")}"`) as string;
  } catch {
    return unescaped(inner, quote);
  }
}

/** The offset after the bracket that closes the one at an offset; quotations in between are skipped. */
export function bracketEnd(text: string, at: number, limit: number): number | undefined {
  const open: string[] = [];
  for (let each = at; each < limit; each += 1) {
    const character = text[each]!;
    if (character === '"' || character === "'") {
      const opens = /[[{(,:=\s]/.test(text[each - 1] ?? " ");
      const quotation = opens ? quotationAt(text, each, limit) : undefined;
      if (quotation !== undefined) each = quotation.end - 1;
    } else if (/[[{(]/.test(character)) open.push(character === "[" ? "]" : character === "{" ? "}" : ")");
    else if (/[\]})]/.test(character)) {
      if (open.pop() !== character) return undefined;
      if (open.length === 0) return each + 1;
    }
  }
  return undefined;
}
