/** What encloses a value, which decides what may follow it. */
export type Place = "object" | "list";

/** Character codes, as a scan compares them. */
export const Code = {
  TAB: 9,
  LINE: 10,
  RETURN: 13,
  SPACE: 32,
  DOUBLE: 34,
  HASH: 35,
  SINGLE: 39,
  OPEN: 40,
  CLOSE: 41,
  STAR: 42,
  PLUS: 43,
  COMMA: 44,
  MINUS: 45,
  DOT: 46,
  SLASH: 47,
  COLON: 58,
  EQUALS: 61,
  GREATER: 62,
  OPEN_LIST: 91,
  BACKSLASH: 92,
  CLOSE_LIST: 93,
  TICK: 96,
  OPEN_OBJECT: 123,
  CLOSE_OBJECT: 125,
  NO_BREAK: 0xa0,
  CURLY_SINGLE: 0x2018,
  CURLY_SINGLE_END: 0x2019,
  CURLY_DOUBLE: 0x201c,
  CURLY_DOUBLE_END: 0x201d,
  MARK: 0xfeff,
} as const;

export function isBlank(code: number): boolean {
  return code <= Code.SPACE
    ? code === Code.SPACE || code === Code.LINE || code === Code.RETURN || code === Code.TAB
    : code === Code.NO_BREAK || code === Code.MARK;
}

/** The next place that is not blank; the text's length if the rest is blank. */
export function skipBlank(text: string, at: number): number {
  let next = at;
  while (next < text.length && isBlank(text.charCodeAt(next))) next += 1;
  return next;
}

export function isQuote(code: number): boolean {
  return (
    code === Code.DOUBLE ||
    code === Code.SINGLE ||
    code === Code.TICK ||
    (code >= Code.CURLY_SINGLE && code <= Code.CURLY_DOUBLE_END && code !== 0x201a && code !== 0x201b)
  );
}

/** Whether a string opened with `open` may end with `code`. */
export function closesQuote(open: number, code: number): boolean {
  if (open === code) return true;
  if (open === Code.TICK) return code === Code.SINGLE;
  if (open >= Code.CURLY_DOUBLE)
    return code === Code.DOUBLE || (code >= Code.CURLY_DOUBLE && code <= Code.CURLY_DOUBLE_END);
  return open >= Code.CURLY_SINGLE && (code === Code.SINGLE || code === Code.CURLY_SINGLE_END);
}

const shortKey = /["'`‘’“”]?([\w$@.\u0080-\u2017\u201e-\uffff-]{1,64})["'`‘’“”]{0,2}[ \t]{0,8}:(?!\/\/)/y;
const quotedKey = /"(?:[^"\\\n]|\\.){0,1000}"\s{0,20}:|'(?:[^'\\\n]|\\.){0,1000}'\s{0,20}:/y;

/** The key at `at` that is a plain name, with or without its quotes, and where its colon ends. */
export function shortKeyAt(text: string, at: number): { key: string; end: number } | undefined {
  shortKey.lastIndex = at;
  const found = shortKey.exec(text);
  return found === null ? undefined : { key: found[1] as string, end: shortKey.lastIndex };
}

export function isKeyAt(text: string, at: number): boolean {
  shortKey.lastIndex = at;
  if (shortKey.test(text)) return true;
  return isQuotedKeyAt(text, at);
}

export function isQuotedKeyAt(text: string, at: number): boolean {
  quotedKey.lastIndex = at;
  return quotedKey.test(text);
}

export function isCommentAt(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== Code.SLASH) return false;
  const next = text.charCodeAt(at + 1);
  return next === Code.SLASH || next === Code.STAR;
}

/** Whether a comma before `at` parts the members of an object; in prose it does not. */
export function isMemberAfterComma(text: string, at: number): boolean {
  const next = skipBlank(text, at);
  const code = text.charCodeAt(next);
  return (
    next >= text.length ||
    code === Code.CLOSE_OBJECT ||
    code === Code.COMMA ||
    isCommentAt(text, next) ||
    isKeyAt(text, next)
  );
}

/** The character that an escape means, by the code of its letter. */
function escapedText(code: number): string | undefined {
  switch (code) {
    case Code.LINE:
      return "";
    case 98: // b
      return "\b";
    case 102: // f
      return "\f";
    case 110: // n
      return "\n";
    case 114: // r
      return "\r";
    case 116: // t
      return "\t";
    default:
      return undefined;
  }
}

/**
 * Undoes escapes; `\_` and the like are the character alone, a code point that is not whole stays as it is. It is done without one, since a regular
 * expression's callback costs several times as much on a text of marks.
 */
export function unescaped(raw: string): string {
  let mark = raw.indexOf("\\");
  if (mark === -1) return raw;
  let plain = "";
  let kept = 0;
  while (mark !== -1) {
    if (mark > kept) plain += raw.slice(kept, mark);
    const letter = raw.charCodeAt(mark + 1);
    const digits = letter === 117 ? 4 : letter === 120 ? 2 : 0;
    let next = mark + 2;
    // The character behind the mark stays, unless it says otherwise.
    kept = mark + 1;
    if (digits > 0) {
      const code = hexAt(raw, next, digits);
      if (Number.isNaN(code)) kept = mark;
      else {
        plain += String.fromCharCode(code);
        next += digits;
        kept = next;
      }
    } else {
      const text = escapedText(letter);
      if (text !== undefined) {
        plain += text;
        kept = next;
      }
    }
    mark = raw.indexOf("\\", next);
  }
  return plain + raw.slice(kept);
}

/** Reads hexadecimal digits as a number; NaN if they are not hexadecimal. */
function hexAt(text: string, start: number, digits: number): number {
  let value = start + digits <= text.length ? 0 : Number.NaN;
  for (let at = start; at < start + digits; at += 1) {
    const digit = "0123456789abcdef".indexOf(text.charAt(at).toLowerCase());
    value = digit === -1 ? Number.NaN : 16 * value + digit;
  }
  return value;
}

const json = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const loose = /^[+-]?(?:\d+\.|\.\d+|(?:0|[1-9]\d*)(?:\.\d+)?)$/;
const words = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
  ["TRUE", true],
  ["FALSE", false],
  ["NULL", null],
  ["undefined", null],
]);
const strictWords: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** The number, truth value or null that a word is, and whether JSON writes it so; `undefined` for any other word. */
export function readLiteral(word: string): { value: unknown; strict: boolean } | undefined {
  if (!mayBeLiteral(word.charCodeAt(0))) return undefined;
  const digit = word.length === 1 ? word.charCodeAt(0) - 48 : -1;
  if (digit >= 0 && digit <= 9) return { value: digit, strict: true };
  if (words.has(word)) return { value: words.get(word), strict: strictWords.has(word) };
  if (json.test(word)) return { value: Number(word), strict: true };
  return loose.test(word) ? { value: Number(word), strict: false } : undefined;
}

/** Whether a literal may begin so: with a sign, a point, a digit, or the first letter of one of the words. */
function mayBeLiteral(code: number): boolean {
  if (code <= 57) return code >= Code.PLUS;
  switch (code) {
    case 70: // F
    case 78: // N
    case 84: // T
    case 102: // f
    case 110: // n
    case 116: // t
    case 117: // u
      return true;
    default:
      return false;
  }
}
