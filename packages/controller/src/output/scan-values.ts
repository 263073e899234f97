/** A stretch of text that starts with a bracket and may be a JSON value. */
export interface Stretch {
  readonly start: number;
  /** Just after the closing bracket, or after the last element that is surely whole. */
  readonly end: number;
  /** Brackets missing at the end; `""` when the stretch closes by itself. */
  readonly closers: string;
  /** Something began after `end` and was cut off. */
  readonly cut: boolean;
  /** Lies inside a stretch that never closes, so it may be a part only. */
  readonly inside: boolean;
}

interface Frame {
  readonly start: number;
  readonly closer: "}" | "]";
  /** Closed stretches directly inside. */
  readonly closed: Range[];
}
type Range = readonly [start: number, end: number];

const deepest = 1_000;

/**
 * Finds the outermost bracketed stretches of a text, quotes respected: a quote counts only inside brackets, a single
 * one only where a JSON string could begin. When a bracket never closes, the closed stretches inside it are given
 * too, for a stray bracket in prose is not to hide what follows. One pass, linear.
 */
export function scanValues(text: string): Stretch[] {
  const top: Range[] = [];
  const frames: Frame[] = [];
  let quote = "";
  /** Last character that is no white space, outside strings. */
  let last = "";
  let lastBeforeString = "";
  /** Up to here everything is whole; exclusive. */
  let whole = 0;
  let openEnded = false;

  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") {
        at += 1;
      } else if (character === quote) {
        quote = "";
        last = '"';
        if (isValuePlace(lastBeforeString, frames.at(-1))) {
          whole = at + 1;
          openEnded = false;
        }
      }
      continue;
    }
    switch (character) {
      case "{":
      case "[":
        if (frames.length < deepest) {
          frames.push({ start: at, closer: character === "{" ? "}" : "]", closed: [] });
          whole = at + 1;
          openEnded = true;
        }
        break;
      case "}":
      case "]":
        if (close(frames, top, character, at + 1)) {
          whole = at + 1;
          openEnded = false;
        }
        break;
      case ",":
        if (frames.length > 0) {
          whole = at;
          openEnded = true;
        }
        break;
      case '"':
      case "'":
        if (frames.length > 0 && (character === '"' || "{[,:(".includes(last))) {
          quote = character;
          lastBeforeString = last;
        }
        break;
      default:
    }
    if (character.trim() !== "") {
      last = character;
    }
  }

  const stretches: Stretch[] = top.map(([start, end]) => ({ start, end, closers: "", cut: false, inside: false }));
  const outermost = frames[0];
  if (outermost !== undefined) {
    const rest = text.slice(whole).replace(/```|<\/?\w{1,20}>|,/g, "");
    const closers = frames.map((frame) => frame.closer).reverse();
    stretches.push({
      start: outermost.start,
      end: whole,
      closers: closers.join(""),
      cut: openEnded || rest.trim() !== "",
      inside: false,
    });
    for (const [start, end] of frames.flatMap((frame) => frame.closed)) {
      stretches.push({ start, end, closers: "", cut: false, inside: true });
    }
  }
  return stretches;
}

/** Whether a string at this place is a value, not a key. */
function isValuePlace(before: string, frame: Frame | undefined): boolean {
  return before === ":" || (frame?.closer === "]" && (before === "[" || before === ","));
}

/** Closes the innermost frame that the bracket fits, and those left open inside it. */
function close(frames: Frame[], top: Range[], bracket: "}" | "]", end: number): boolean {
  let fitting = frames.length - 1;
  // A missing bracket or two is common; a longer search would make hostile text quadratic.
  const lowest = Math.max(0, frames.length - 4);
  while (fitting >= lowest && frames[fitting]?.closer !== bracket) {
    fitting -= 1;
  }
  const frame = frames[fitting];
  if (fitting < lowest || frame === undefined) {
    return false;
  }
  frames.length = fitting;
  (frames.at(-1)?.closed ?? top).push([frame.start, end]);
  return true;
}
