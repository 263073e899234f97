import { loadRe2js } from "#lazy/re2js";
import { affords, requireWatchdog } from "./check-meter.ts";

const maxPatternLength = 5_000;
/** Steps of the matcher that one text may take. */
const maxSteps = 1_000_000;

interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * A regular expression from an untrusted schema that cannot hang the process. Where its shape bounds the steps that the text
 * can take (see `stepsOf`), it runs directly. Everything else runs under the watchdog of the whole check, on an engine whose time
 * is linear in the text; only look-around and back references, which that engine does not know, are left to backtracking.
 * @throws SyntaxError for a pattern that is not a regular expression or longer than 5,000 characters.
 */
export function safePattern(source: string, flags: string): Pattern {
  if (source.length > maxPatternLength) {
    throw new SyntaxError(`Expected a pattern of at most ${maxPatternLength} characters, got ${source.length}.`);
  }
  const expression = compilePattern(source, flags);
  const shape = patternShape(source);
  let linear: ((text: string) => boolean) | undefined;
  return {
    // ajv distinguishes patterns by this.
    toString: () => String(expression),
    test(text) {
      const steps = stepsOf(shape, text.length);
      if (isQuick(steps) && affords(steps)) return expression.test(text);
      // Loaded before the watchdog runs, which would count what loading takes as time of the check.
      loadRe2js();
      requireWatchdog();
      linear ??= linearTest(source) ?? ((tried) => expression.test(tried));
      return linear(text);
    },
  };
}

/** `undefined` for a pattern that does not describe a regular language, or too large for a machine without backtracking. */
function linearTest(source: string): ((text: string) => boolean) | undefined {
  const { RE2JS } = loadRe2js();
  try {
    const machine = RE2JS.compile(RE2JS.translateRegExp(source));
    return (text) => machine.matcher(text).find();
  } catch {
    return undefined;
  }
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
    if (isUncertain(source, i)) return undefined;
    switch (source[i]) {
      case "\\":
        i++;
        break;
      case "[":
        i = endOfClass(source, i);
        break;
      case "(":
        if (source[i + 1] === "?") i += 2;
        alternatives.push(1);
        break;
      case ")":
        choices *= alternatives.pop() ?? 1;
        break;
      case "|":
        alternatives[alternatives.length - 1]! += 1;
        if (alternatives.length === 1) anchored = false;
        break;
      case "?":
        choices *= 2;
        break;
      case "*":
      case "+":
        unbounded++;
        break;
      case "{": {
        const { least = 0, most = 0, isOpen = false } = countAt(source, i) ?? {};
        if (isOpen) unbounded++;
        else choices *= Math.max(1, most - least + 1);
        span += Math.max(least, most);
      }
    }
  }
  return { choices: choices * alternatives[0]!, span, unbounded, anchored };
}

/** True where a back reference, a repeated group, look-around or a named group begins at `i`. */
function isUncertain(source: string, i: number): boolean {
  const next = source[i + 1] ?? "";
  switch (source[i]) {
    case "\\":
      return /[1-9k]/.test(next);
    case "(":
      return next === "?" && source[i + 2] !== ":";
    case ")":
      return /[*+{]/.test(next);
    default:
      return false;
  }
}

/** Where the character class ends that begins at `start`. */
function endOfClass(source: string, start: number): number {
  let i = start + 1;
  for (; i < source.length && source[i] !== "]"; i++) if (source[i] === "\\") i++;
  return i;
}

/**
 * How often the quantifier in braces at `i` lets something be repeated. `undefined` where the brace is a character of the text.
 * `isOpen`: it has no upper limit, and `most` is 0.
 */
function countAt(source: string, i: number): { least: number; most: number; isOpen: boolean } | undefined {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(i, i + 24)) ?? [];
  if (least === undefined) return undefined;
  return { least: Number(least), most: Number(comma === "" ? least : most), isOpen: comma !== "" && most === "" };
}

/** Most steps that a pattern of this shape takes for a text of `length` UTF-16 units; `Infinity` where the number is unknown. */
export function stepsOf(shape: PatternShape | undefined, length: number): number {
  if (shape === undefined) return Number.POSITIVE_INFINITY;
  const starts = shape.anchored ? 1 : length + 1;
  return starts * shape.choices * shape.span * (length + 1) ** shape.unbounded;
}

/** Whether a matcher takes so many steps in a few milliseconds. */
export const isQuick = (steps: number): boolean => steps <= maxSteps;
