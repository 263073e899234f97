import { isRecord, type JsonSchema } from "@planloom/plan";
import { parseLoosely, parseStrictly } from "./parse-loosely.ts";
import { scanValues } from "./scan-values.ts";

/** Longest text that is searched; what is this broken and longer is not read. */
const maxCharacters = 256 * 1024;

/**
 * Reads an object out of text too broken for a bracket reader by what must be in it: the keys of its schema. Each
 * known key's value runs up to the next known key. A value that is cut off at the end of the text is left out.
 * @returns `undefined` when a required key is missing or no key is legible.
 */
export function readByKeys(text: string, schema: JsonSchema): Record<string, unknown> | undefined {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : undefined;
  if (properties === undefined || text.length > maxCharacters) {
    return undefined;
  }
  const found = new Map<string, unknown>();
  const marks = findKeys(text, Object.keys(properties));
  for (const [index, { key, end }] of marks.entries()) {
    const stop = marks[index + 1]?.start ?? text.length;
    const value = readValue(text.slice(end, stop), properties[key], stop === text.length);
    // The first mention counts: what follows an answer is often an example or a second thought.
    if (value !== undefined && !found.has(key)) {
      found.set(key, value);
    }
  }
  const required = isRecord(schema) && Array.isArray(schema.required) ? schema.required : [];
  const complete = found.size > 0 && required.every((key) => found.has(String(key)));
  return complete ? Object.fromEntries(found) : undefined;
}

interface Mark {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** A key counts at the start of a line or after a comma, brace or quote; its quotes may be lacking or wrong. */
function findKeys(text: string, keys: readonly string[]): Mark[] {
  if (keys.length === 0) {
    return [];
  }
  const names = keys.map((key) => key.replace(/[^\w]/g, "\\$&")).sort((left, right) => right.length - left.length);
  const mark = new RegExp(`(?<=^|[\\n,{}\\[\\]"'\`\\s@])(${names.join("|")})[\\\\"'\`*]{0,4}[ \\t]{0,8}:`, "g");
  return [...text.matchAll(mark)].map((match) => ({
    key: match[1] ?? "",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function readValue(span: string, schema: unknown, last: boolean): unknown {
  const trimmed = span.trim();
  const type = isRecord(schema) ? schema.type : undefined;
  if (type === "object" || type === "array") {
    const [span] = scanValues(trimmed).spans;
    const parsed = span === undefined || span.cut ? undefined : parseLoosely(trimmed.slice(span.start, span.end));
    const fits = type === "array" ? Array.isArray(parsed?.value) : isRecord(parsed?.value);
    return fits ? parsed?.value : undefined;
  }
  if (type === "string") {
    return readText(trimmed, last);
  }
  const scalar = /^["']?(-?\d+(?:\.\d+)?|true|false|null)\b/i.exec(trimmed)?.[1];
  return scalar === undefined ? undefined : parseStrictly(scalar.toLowerCase())?.value;
}

const quotes = "\"'`";
const closed = /^["'`]([^"'`\n]{0,200})["'`]\s*(?:[,}\n]|$)/;

/** A string whose quotes may be missing on either side; an opened one that the text's end cuts off is none. */
function readText(text: string, last: boolean): string | undefined {
  const short = closed.exec(text)?.[1];
  if (short !== undefined) {
    return short.trim();
  }
  const opened = /^["'`]/.test(text);
  const line = last ? (text.split("\n", 1)[0] ?? "") : text;
  const bare = trimEndOf(line.replace(/^["'`\s]+/, ""), " \t\r\n,{}");
  const ended = quotes.includes(bare.at(-1) ?? " ") || line.length < text.length || !last;
  // The opening quote of the next key may be at the end too.
  const value = trimEndOf(bare, `${quotes} \t\r\n,{}`);
  return value === "" || (opened && !ended) ? undefined : value;
}

/** Without regular expressions: those that end in `+$` are quadratic. */
function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? "")) {
    end -= 1;
  }
  return text.slice(0, end);
}
