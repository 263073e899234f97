import { Code, isBlank } from "./loose-text.ts";

/** A span of text that starts with a bracket and may be a JSON value. */
export interface Span {
  readonly start: number;
  /** Just after the closing bracket, or after the last element that is surely whole. */
  readonly end: number;
  /** Something began after `end` and was cut off. */
  readonly cut: boolean;
  /** `whole` closes; `open` never does, and `end` is that of what is whole in it; `inside` lies in such a one, so it may be a part. */
  readonly kind: "whole" | "open" | "inside";
}

export interface Scan {
  readonly spans: Span[];
  /** True if the quotes of JSON itself are escaped, as if the whole text were inside a string. */
  readonly escaped: boolean;
}

interface Frame {
  readonly start: number;
  readonly closer: number;
  /** Closed spans directly inside. */
  readonly closed: Range[];
}
type Range = readonly [start: number, end: number];

const deepest = 1_000;

/** At most this many spans side by side are kept. */
export const maxSpans = 5_000;

/**
 * Finds the outermost bracketed spans of a text, quotes respected: a quote counts only inside brackets, a single
 * one only where a JSON string could begin. When a bracket never closes, the closed spans inside it are given
 * too, so that a single bracket in prose does not hide what follows. One pass, linear.
 */
export function scanValues(text: string): Scan {
  const scanner = new Scanner(text);
  for (let at = 0; at < text.length; at += 1) at = scanner.take(at);
  return { spans: scanner.spans(), escaped: scanner.escaped };
}

class Scanner {
  readonly #text: string;
  readonly #top: Range[] = [];
  readonly #frames: Frame[] = [];
  /** Last character that is not white space, outside strings. */
  #last = 0;
  #beforeLast = 0;
  /** Up to here everything is whole; exclusive. */
  #whole = 0;
  /** Something is to follow: a bracket or a comma was the last that is whole. */
  #isOpenEnded = false;
  /** Quotes of JSON itself are escaped. */
  escaped = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes the character at `at`, or the string that begins there. @returns where what it took ends */
  take(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (isBlank(code)) return at;
    const before = this.#last;
    switch (code) {
      case Code.OPEN_OBJECT:
        this.#open(at, Code.CLOSE_OBJECT);
        break;
      case Code.OPEN_LIST:
        this.#open(at, Code.CLOSE_LIST);
        break;
      case Code.CLOSE_OBJECT:
      case Code.CLOSE_LIST:
        if (close(this.#frames, this.#top, code, at + 1)) this.#isWholeTo(at + 1);
        break;
      case Code.COMMA:
        if (this.#frames.length > 0) this.#isWholeTo(at, true);
        break;
      case Code.DOUBLE:
      case Code.SINGLE:
        if (this.#beginsString(code)) return this.#string(at, code);
        break;
      default:
    }
    this.#beforeLast = before;
    this.#last = code;
    return at;
  }

  #isWholeTo(end: number, isOpenEnded = false): void {
    this.#whole = end;
    this.#isOpenEnded = isOpenEnded;
  }

  #open(start: number, closer: number): void {
    if (this.#frames.length >= deepest) return;
    this.#frames.push({ start, closer, closed: [] });
    this.#isWholeTo(start + 1, true);
  }

  #beginsString(quote: number): boolean {
    return this.#frames.length > 0 && (quote === Code.DOUBLE || beforeString.has(this.#last));
  }

  /** @returns where its closing quote is, or where the text ends */
  #string(start: number, quote: number): number {
    const before = this.#last;
    this.escaped ||= before === Code.BACKSLASH && beforeString.has(this.#beforeLast);
    let end = start + 1;
    for (; end < this.#text.length; end += 1) {
      const code = this.#text.charCodeAt(end);
      if (code === quote) break;
      if (code === Code.BACKSLASH) end += 1;
    }
    this.#beforeLast = before;
    this.#last = Code.DOUBLE;
    if (end < this.#text.length && isValuePlace(before, this.#frames.at(-1))) this.#isWholeTo(end + 1);
    return end;
  }

  spans(): Span[] {
    const spans: Span[] = this.#top.map(([start, end]) => ({ start, end, cut: false, kind: "whole" }));
    const outermost = this.#frames[0];
    if (outermost === undefined) return spans;
    const rest = this.#text.slice(this.#whole).replace(/```|<\/?\w{1,20}>|,/g, "");
    spans.push({
      start: outermost.start,
      end: this.#whole,
      cut: this.#isOpenEnded || rest.trim() !== "",
      kind: "open",
    });
    for (const [start, end] of this.#frames.flatMap((frame) => frame.closed)) {
      spans.push({ start, end, cut: false, kind: "inside" });
    }
    return spans;
  }
}

/** A single quote after one of these begins a string; after others it is an apostrophe. */
const beforeString: ReadonlySet<number> = new Set([
  Code.OPEN_OBJECT,
  Code.OPEN_LIST,
  Code.COMMA,
  Code.COLON,
  Code.OPEN,
]);

/** Whether a string at this place is a value, not a key. */
function isValuePlace(before: number, frame: Frame | undefined): boolean {
  return (
    before === Code.COLON || (frame?.closer === Code.CLOSE_LIST && (before === Code.OPEN_LIST || before === Code.COMMA))
  );
}

/** Closes the innermost frame that the bracket fits, and those left open inside it. */
function close(frames: Frame[], top: Range[], bracket: number, end: number): boolean {
  // A missing bracket or two is common; a longer search would make hostile text quadratic.
  const lowest = Math.max(0, frames.length - 4);
  for (let fitting = frames.length - 1; fitting >= lowest; fitting -= 1) {
    const frame = frames[fitting] as Frame;
    if (frame.closer !== bracket) continue;
    frames.length = fitting;
    const siblings = fitting === 0 ? top : (frames[fitting - 1] as Frame).closed;
    if (siblings.length < maxSpans) siblings.push([frame.start, end]);
    return true;
  }
  return false;
}
