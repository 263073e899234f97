import { PlanError, PlanErrorCode } from "../errors.ts";
import { describeValue } from "./dialect-error.ts";

/** Limit of a plan text, in bytes: 32 MiB. */
export const maxPlanBytes = 32 * 1024 * 1024;

/**
 * Most places of a text at which a JSON value is tried, and how often its length may be scanned in all; keeps hostile texts
 * linear.
 */
const maxAttempts = 64;
const maxScans = 8;

/** @throws PlanError INVALID, TOO_LARGE */
export function checkTextSize(text: unknown, maxBytes = maxPlanBytes): asserts text is string {
  if (typeof text !== "string") {
    const details = { issues: [{ path: "", message: "Expected a text." }] };
    throw new PlanError(PlanErrorCode.INVALID, `Expected the text of a plan, got ${describeValue(text)}.`, { details });
  }
  // A UTF-16 unit is at most 3 bytes, so most texts need not be measured.
  if (text.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new PlanError(
    PlanErrorCode.TOO_LARGE,
    `Expected a plan of at most ${maxBytes} bytes, got ${bytes}. Split the plan, keep it as JSON, or raise maxBytes.`,
    { details: { bytes, maxBytes } },
  );
}

/** A text that could be one JSON value: from a bracket to the bracket that closes it. */
export interface JsonCandidate {
  readonly text: string;
  readonly start: number;
}

/**
 * The balanced objects and arrays of a text, outermost first, in order, quotes respected; prose around them and
 * unclosed brackets are passed over. The whole text comes first if it is nothing else. At most 64.
 */
export function* jsonCandidates(text: string): Generator<JsonCandidate> {
  let from = 0;
  let budget = Math.max(1 << 16, text.length * maxScans);
  for (let attempt = 0; attempt < maxAttempts && budget > 0; attempt += 1) {
    const start = nextBracket(text, from);
    if (start === -1) return;
    const { end, stopped } = closingBracket(text, start);
    budget -= stopped - start;
    if (end !== -1) yield { text: text.slice(start, end + 1), start };
    from = end === -1 ? start + 1 : end + 1;
  }
}

/** The first value that `parse` accepts; undefined if there is none. `parse` throws to refuse. */
export function firstJsonValue<T>(text: string, parse: (text: string) => T): { value: T } | undefined {
  for (const candidate of jsonCandidates(text)) {
    try {
      return { value: parse(candidate.text) };
    } catch {
      // Not JSON, or not what the caller looks for: the next one may be.
    }
  }
  return undefined;
}

function nextBracket(text: string, from: number): number {
  const object = text.indexOf("{", from);
  const array = text.indexOf("[", from);
  return object === -1 || array === -1 ? Math.max(object, array) : Math.min(object, array);
}

/** `end` is -1 if nothing closes the bracket at `start`; `stopped` is how far the search went. */
function closingBracket(text: string, start: number): { end: number; stopped: number } {
  const open: number[] = [];
  const pastEnd = { end: -1, stopped: text.length };
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === codes.doubleQuote || code === codes.singleQuote) {
      at = closingQuote(text, at, code);
    } else if (code === codes.slash && text.charCodeAt(at + 1) === codes.star) {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return pastEnd;
      at = end + 1;
    } else if (code === codes.slash && text.charCodeAt(at + 1) === codes.slash) {
      const end = text.indexOf("\n", at);
      if (end === -1) return pastEnd;
      at = end;
    } else if (code === codes.openBrace || code === codes.openBracket) {
      // In ASCII a bracket's closing one is two after it.
      open.push(code + 2);
    } else if (code === codes.closeBrace || code === codes.closeBracket) {
      if (open.pop() !== code) return { end: -1, stopped: at };
      if (open.length === 0) return { end: at, stopped: at };
    }
  }
  return pastEnd;
}

/** The length of the text if nothing closes it. */
function closingQuote(text: string, start: number, quote: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === codes.backslash) at += 1;
    else if (code === quote) return at;
  }
  return text.length;
}

const codes = {
  doubleQuote: 34,
  singleQuote: 39,
  star: 42,
  slash: 47,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;
