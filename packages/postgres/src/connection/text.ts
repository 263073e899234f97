import { hash } from "node:crypto";

/** Characters of a key that are stored as they are; an index of Postgres takes keys of 2,700 bytes at most. */
const longestKey = 200;

/**
 * A text as Postgres can store it: it has neither NUL nor halves of surrogate pairs, which JavaScript's texts may have. Texts without these
 * and without a backslash, nearly all, are stored as they are. JSON needs none of this: it has escapes of its own.
 */
export function encodeText(text: string): string {
  if (!text.includes("\\") && !text.includes("\0") && text.isWellFormed()) return text;
  return text.replaceAll(/[\\\0]|\p{Surrogate}/gu, (each) => `\\${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text that `encodeText` was given. */
export function decodeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The key of a text in an index: the text itself, or its beginning and its SHA-256 if it is long. */
export function keyOf(text: string): string {
  const encoded = encodeText(text);
  // Nothing that is encoded contains a backslash before an x.
  return encoded.length <= longestKey ? encoded : `${encoded.slice(0, 100).toWellFormed()}\\x${hash("sha256", text)}`;
}
