import { isRecord } from "@planloom/plan";

const maxErrorLength = 200;

/**
 * The value of a tool's raw result: content blocks of text become their text, and text that is a JSON object or array
 * becomes that. Other text, numbers, and objects that are not tool results stay as they are.
 */
export function extractToolResult(raw: unknown): unknown {
  if (typeof raw === "string") return parseStructured(raw);
  if (isToolResult(raw)) return extractToolResult(raw.content);
  if (!isTextBlocks(raw)) return raw;
  return parseStructured(joinText(raw));
}

/** Whether a raw result says that the tool failed: `isError` on it or on one of its blocks. */
export function isErrorResult(raw: unknown): boolean {
  if (Array.isArray(raw)) return raw.some((block) => isRecord(block) && block.isError === true);
  if (!isRecord(raw)) return false;
  return raw.isError === true || (Array.isArray(raw.content) && isErrorResult(raw.content));
}

/** What a failed result says, at most 200 characters. */
export function errorTextOf(raw: unknown): string {
  const text = textOf(raw);
  const characters = [...text];
  return characters.length > maxErrorLength ? `${characters.slice(0, maxErrorLength).join("")}...` : text;
}

function textOf(raw: unknown): string {
  if (typeof raw === "string") return raw;
  if (isTextBlocks(raw)) return joinText(raw);
  if (isToolResult(raw)) return textOf(raw.content);
  if (isRecord(raw) && typeof raw.error === "string") return raw.error;
  if (isRecord(raw) && typeof raw.text === "string") return raw.text;
  if (Array.isArray(raw) && raw.length === 1) return textOf(raw[0]);
  return JSON.stringify(raw) ?? "";
}

/** An MCP tool result: content blocks, or text beside `isError`. An ordinary object with a `content` key is none. */
function isToolResult(raw: unknown): raw is { content: unknown } {
  if (!isRecord(raw) || !Object.hasOwn(raw, "content")) return false;
  const isBlocks = Array.isArray(raw.content) && raw.content.every((block) => isRecord(block) && "type" in block);
  return isBlocks || typeof raw.isError === "boolean";
}

function isTextBlocks(raw: unknown): raw is { text: string }[] {
  if (!Array.isArray(raw) || raw.length === 0) return false;
  return raw.every((block) => isRecord(block) && block.type === "text" && typeof block.text === "string");
}

function joinText(blocks: readonly { text: string }[]): string {
  return blocks.map(({ text }) => text).join("\n");
}

function parseStructured(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
