/** A piece of TypeScript in a page. */
export interface Snippet {
  /** Line of its first line in the page, from 1. */
  readonly line: number;
  readonly code: string;
}

/** Every fenced block of a page that is marked as TypeScript or JavaScript, in the order in which they come. */
export function snippetsOf(page: string): Snippet[] {
  const snippets: Snippet[] = [];
  for (const block of page.matchAll(/^([ \t]*)```(?:ts|tsx|typescript|js|javascript)\b.*\n([\s\S]*?)^\1```[ \t]*$/gm)) {
    const [, indent = "", code = ""] = block;
    const before = page.slice(0, block.index).split("\n").length;
    snippets.push({ line: before + 1, code: code.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
  }
  return snippets;
}
