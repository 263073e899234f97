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
  const top: Range[] = [];
  const frames: Frame[] = [];
  let quote = 0;
  /** Last character that is not white space, outside strings. */
  let last = 0;
  let beforeLast = 0;
  let lastBeforeString = 0;
  /** Up to here everything is whole; exclusive. */
  let whole = 0;
  let openEnded = false;
  let escaped = false;

  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === Code.BACKSLASH) {
        at += 1;
      } else if (code === quote) {
        quote = 0;
        last = Code.DOUBLE;
        if (isValuePlace(lastBeforeString, frames.at(-1))) {
          whole = at + 1;
          openEnded = false;
        }
      }
      continue;
    }
    switch (code) {
      case Code.OPEN_OBJECT:
      case Code.OPEN_LIST:
        if (frames.length < deepest) {
          frames.push({
            start: at,
            closer: code === Code.OPEN_OBJECT ? Code.CLOSE_OBJECT : Code.CLOSE_LIST,
            closed: [],
          });
          whole = at + 1;
          openEnded = true;
        }
        break;
      case Code.CLOSE_OBJECT:
      case Code.CLOSE_LIST:
        if (close(frames, top, code, at + 1)) {
          whole = at + 1;
          openEnded = false;
        }
        break;
      case Code.COMMA:
        if (frames.length > 0) {
          whole = at;
          openEnded = true;
        }
        break;
      case Code.DOUBLE:
      case Code.SINGLE:
        if (frames.length > 0 && (code === Code.DOUBLE || beforeString.has(last))) {
          escaped ||= last === Code.BACKSLASH && beforeString.has(beforeLast);
          quote = code;
          lastBeforeString = last;
        }
        break;
      default:
    }
    if (!isBlank(code)) {
      beforeLast = last;
      last = code;
    }
  }

  const spans: Span[] = top.map(([start, end]) => ({ start, end, cut: false, kind: "whole" }));
  const outermost = frames[0];
  if (outermost !== undefined) {
    const rest = text.slice(whole).replace(/```|<\/?\w{1,20}>|,/g, "");
    spans.push({
      start: outermost.start,
      end: whole,
      cut: openEnded || rest.trim() !== "",
      kind: "open",
    });
    for (const [start, end] of frames.flatMap((frame) => frame.closed)) {
      spans.push({ start, end, cut: false, kind: "inside" });
    }
  }
  return { spans, escaped };
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
