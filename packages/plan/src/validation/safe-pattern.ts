import { underWatchdog } from "./watchdog.ts";

/** How long one `pattern` may try one text, in milliseconds. */
const patternTimeoutMs = 100;
const maxPatternLength = 5_000;
/** Steps of the matcher that are taken without a watchdog: a few milliseconds. */
const maxSteps = 1_000_000;

interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * A regular expression from an untrusted schema that cannot hang the process. Where its shape bounds the steps that the text
 * can take (see `isQuick`), it runs directly. Everything else runs under a watchdog (0.2 ms a test). A text for which a pattern
 * takes too long is taken to match, since it cannot be checked, and so is from then on any that is more than half as long.
 * @throws SyntaxError for a pattern that is no regular expression or longer than 5,000 characters.
 */
export function safePattern(source: string, flags: string): Pattern {
  if (source.length > maxPatternLength) {
    throw new SyntaxError(`Expected a pattern of at most ${maxPatternLength} characters, got ${source.length}.`);
  }
  const expression = compilePattern(source, flags);
  const shape = patternShape(source);
  let tooLong = Number.POSITIVE_INFINITY;
  return {
    // ajv tells patterns apart by this.
    toString: () => String(expression),
    test(text) {
      if (isQuick(shape, text.length)) return expression.test(text);
      if (text.length > tooLong / 2) return true;
      try {
        return underWatchdog(() => expression.test(text), patternTimeoutMs);
      } catch {
        tooLong = text.length;
        return true;
      }
    },
  };
}

/** Many published schemas hold patterns that are only legal without the `u` flag, such as `[\w-.]`. */
function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source, flags.replaceAll(/[uv]/g, ""));
  }
}

/** What bounds the steps of a backtracking matcher. */
export interface PatternShape {
  /** Ways through the pattern, apart from how far unbounded quantifiers reach. */
  readonly choices: number;
  /** Most characters that the rest of the pattern takes on one way. */
  readonly span: number;
  /** Quantifiers without a limit. */
  readonly unbounded: number;
  /** It can only begin at the start of the text. */
  readonly anchored: boolean;
}

/**
 * The shape of a pattern, or `undefined` where nothing can be said cheaply: repeated groups, look-around, back references.
 * Linear in the pattern; errs on the side of more steps.
 */
export function patternShape(source: string): PatternShape | undefined {
  let choices = 1;
  let span = source.length;
  let unbounded = 0;
  let anchored = source.startsWith("^");
  /** Alternatives of each open group, the pattern itself first. */
  const alternatives = [1];
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    if (character === "\\") {
      if (/[1-9k]/.test(source[i + 1] ?? "")) return undefined;
      i++;
    } else if (character === "[") {
      for (i++; i < source.length && source[i] !== "]"; i++) if (source[i] === "\\") i++;
    } else if (character === "(") {
      if (source[i + 1] === "?") {
        if (source[i + 2] !== ":") return undefined;
        i += 2;
      }
      alternatives.push(1);
    } else if (character === ")") {
      choices *= alternatives.pop() ?? 1;
      if (/[*+{]/.test(source[i + 1] ?? "")) return undefined;
    } else if (character === "|") {
      alternatives[alternatives.length - 1]! += 1;
      if (alternatives.length === 1) anchored = false;
    } else if (character === "?") {
      choices *= 2;
    } else if (character === "*" || character === "+") {
      unbounded++;
    } else if (character === "{") {
      const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(i, i + 24)) ?? [];
      if (least === undefined) continue;
      const limit = comma === "" ? Number(least) : Number(most);
      if (comma !== "" && most === "") unbounded++;
      else choices *= Math.max(1, limit - Number(least) + 1);
      span += Math.max(Number(least), limit);
    }
  }
  return { choices: choices * alternatives[0]!, span, unbounded, anchored };
}

/** Whether a pattern of this shape takes at most a few milliseconds for a text of `length` UTF-16 units. */
export function isQuick(shape: PatternShape | undefined, length: number): boolean {
  if (shape === undefined) return false;
  const starts = shape.anchored ? 1 : length + 1;
  return starts * shape.choices * shape.span * (length + 1) ** shape.unbounded <= maxSteps;
}
