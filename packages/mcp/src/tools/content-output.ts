import type { ContentBlock } from "@modelcontextprotocol/client";

/** The text blocks of an answer, one a line; other blocks are left out. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/**
 * The output of a tool without structured content.
 * - only text: the texts joined by newlines, or the value, where they are a JSON object or array together
 *   (numbers and words stay text: a postal code is not a number to compute with);
 * - anything else among it (images, audio, resources): the content blocks as they came;
 * - nothing: null.
 */
export function contentOutput(content: readonly ContentBlock[]): unknown {
  if (content.length === 0) return null;
  if (content.some((block) => block.type !== "text")) return content;
  const text = contentText(content);
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
