import { PlanError, PlanErrorCode } from "../errors.ts";

/** Limit of a plan text, in bytes: 32 MiB. */
export const maxPlanBytes = 32 * 1024 * 1024;

/** Most places of a text at which a JSON value is tried; keeps hostile texts linear. */
const maxAttempts = 64;

/** @throws PlanError TOO_LARGE */
export function checkTextSize(text: string, maxBytes = maxPlanBytes): void {
  // A UTF-16 unit is at most 3 bytes, so most texts need not be measured.
  if (text.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new PlanError(
    PlanErrorCode.TOO_LARGE,
    `Expected a plan of at most ${maxBytes} bytes, got ${bytes}. Split the plan, or raise maxBytes.`,
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
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const start = nextBracket(text, from);
    if (start === -1) return;
    const end = closingBracket(text, start);
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

function closingBracket(text: string, start: number): number {
  const open: string[] = [];
  for (let position = start; position < text.length; position += 1) {
    const character = text[position] as string;
    if (character === '"' || character === "'") {
      position = closingQuote(text, position);
      if (position === -1) return -1;
    } else if (character === "/" && text[position + 1] === "*") {
      const end = text.indexOf("*/", position + 2);
      if (end === -1) return -1;
      position = end + 1;
    } else if (character === "/" && text[position + 1] === "/") {
      const end = text.indexOf("\n", position);
      if (end === -1) return -1;
      position = end;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? "}" : "]");
    } else if (character === "}" || character === "]") {
      if (open.pop() !== character) return -1;
      if (open.length === 0) return position;
    }
  }
  return -1;
}

function closingQuote(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === "\\") position += 1;
    else if (text[position] === text[start]) return position;
  }
  return -1;
}
