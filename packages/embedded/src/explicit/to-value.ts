import { isRecord } from "@planloom/plan";
import { branches, type JsonType, propertiesOf, typesOf } from "../catalogue/json-schema.ts";
import { isNumeric, readLiteral, readWord } from "./read-literal.ts";

/** The text of an argument as a goal writes it. */
export interface WrittenValue {
  /** Without the quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** UTF-16 offset in the text. */
  readonly start: number;
  /** It is in a sentence ("with labels a and b"), so "and" may separate items. */
  readonly inSentence: boolean;
}

/**
 * The value that a schema makes of a written text: an allowed value, a number, a switch, a list, an object, else the text. What
 * is quoted is a text wherever the schema takes one. A text that fits nothing is returned as it is: validation says why.
 */
export function toValue(written: WrittenValue, schema: unknown, root: unknown): unknown {
  const { text, isQuoted } = written;
  const shapes = branches(schema, root);
  const types = new Set(shapes.flatMap((shape) => [...typesOf(shape)]));
  const choices = shapes.flatMap((shape) => [
    ...(Array.isArray(shape.enum) ? (shape.enum as unknown[]) : []),
    ...(Object.hasOwn(shape, "const") ? [shape.const] : []),
  ]);
  const lower = text.toLowerCase();
  const choice =
    choices.find((each) => String(each) === text) ?? choices.find((each) => String(each).toLowerCase() === lower);
  if (choice !== undefined) return choice;
  if (isQuoted && (types.size === 0 || types.has("string"))) return text;
  if (/^[[{]/.test(text) && (types.size === 0 || types.has("object") || types.has("array"))) {
    const literal = readLiteral(text);
    if (literal !== undefined) return fitted(literal.value, schema, root);
  }
  if (types.size === 0) return readWord(text);
  if (types.has("null") && /^(?:null|none)$/i.test(text)) return null;
  if (types.has("boolean") && /^(?:true|yes|on)$/i.test(text)) return true;
  if (types.has("boolean") && /^(?:false|no|off)$/i.test(text)) return false;
  const number = types.has("number") || types.has("integer") ? toNumber(text, types) : undefined;
  if (number !== undefined) return number;
  if (types.has("array") && !types.has("string")) return toList(written, shapes, root);
  return text;
}

/** "5", "5." at the end of a sentence, "1,200". */
function toNumber(text: string, types: ReadonlySet<JsonType>): number | undefined {
  const plain = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  if (!isNumeric(plain)) return undefined;
  const number = Number(plain);
  return types.has("number") || Number.isInteger(number) || !types.has("string") ? number : undefined;
}

function toList(written: WrittenValue, shapes: readonly Record<string, unknown>[], root: unknown): unknown {
  const items = shapes.find((shape) => typesOf(shape).has("array"))?.items ?? {};
  return cutList(written).map((item) => toValue(item, items, root));
}

/** "a, b", "'x y', z"; in a sentence "a and b" too. Commas between quotes or brackets separate nothing. */
function cutList(written: WrittenValue): WrittenValue[] {
  const { text, start, inSentence } = written;
  const items: WrittenValue[] = [];
  let from = 0;
  let depth = 0;
  let quote = "";
  const add = (to: number) => {
    const raw = text.slice(from, to);
    const item = raw.trim();
    if (item === "") return;
    const [, inner] = /^"([^"]*)"$|^'([^']*)'$/.exec(item) ?? [];
    const content = inner ?? /^'([^']*)'$/.exec(item)?.[1];
    items.push({
      ...written,
      text: content ?? item,
      isQuoted: content !== undefined,
      start: start + from + raw.indexOf(item),
    });
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if ((character === '"' || character === "'") && /^\s*$/.test(text.slice(from, at))) quote = character;
    else if (/[[{(]/.test(character)) depth += 1;
    else if (/[\]})]/.test(character)) depth -= 1;
    else if (depth === 0) {
      const separator = character === "," ? /^,\s*(?:and\s)?/ : inSentence ? /^\sand\s/ : undefined;
      const found = separator?.exec(text.slice(at, at + 12))?.[0];
      if (found === undefined) continue;
      add(at);
      from = at + found.length;
      at = from - 1;
    }
  }
  add(text.length);
  return items;
}

/** A value as its schema wants it: "5" as a number, one value as a list of one; also within lists and objects. */
export function fitted(value: unknown, schema: unknown, root: unknown): unknown {
  const shapes = branches(schema, root);
  const types = new Set(shapes.flatMap((shape) => [...typesOf(shape)]));
  if (Array.isArray(value)) {
    const items = shapes.find((shape) => shape.items !== undefined)?.items;
    return items === undefined ? value : value.map((each) => fitted(each, items, root));
  }
  if (isRecord(value)) {
    if (types.size > 0 && !types.has("object") && types.has("array")) return [fitted(value, itemsOf(shapes), root)];
    const properties = new Map(shapes.flatMap(propertiesOf));
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        properties.has(name) ? fitted(each, properties.get(name), root) : each,
      ]),
    );
  }
  if (types.size === 0) return value;
  if (typeof value === "string" && !types.has("string"))
    return toValue({ text: value, isQuoted: false, start: 0, inSentence: false }, schema, root);
  if (typeof value === "number" && !types.has("number") && !types.has("integer")) {
    if (types.has("string")) return String(value);
    if (types.has("array")) return [fitted(value, itemsOf(shapes), root)];
  }
  return value;
}

const itemsOf = (shapes: readonly Record<string, unknown>[]) =>
  shapes.find((shape) => shape.items !== undefined)?.items ?? {};
