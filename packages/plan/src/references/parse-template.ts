import { isFault, type ReadReference, type ReferenceFault, readReference, syntaxError } from "./parse-reference.ts";
import type { Reference, Template } from "./reference.ts";

/**
 * Splits a text into literal parts and references, in one pass.
 *
 * Dollars right before a brace count in pairs: `${a}` is a reference, `$${` is a literal `${`, `$$${a}` a literal `$`
 * and a reference; so any text can be written. Dollars elsewhere are literal.
 * @throws PlanError REFERENCE_SYNTAX where a `${` begins no well-formed reference, an unclosed one included:
 *   `details.at` is the offset in `text`. Nothing else on any input.
 */
export function parseTemplate(text: string): Template {
  return splitTemplate(text, (fault) => {
    throw syntaxError(text, fault);
  });
}

/** As `parseTemplate`, but a `${` that begins no well-formed reference is kept as text. It never throws, and is linear too. */
export function parseTemplateLeniently(text: string): Template {
  return splitTemplate(text, () => {});
}

function splitTemplate(text: string, onMalformed: (fault: ReferenceFault) => void): Template {
  const parts: (string | Reference)[] = [];
  let literal = "";
  let copied = 0;
  for (let brace = text.indexOf("${"); brace !== -1; ) {
    let first = brace;
    while (first > copied && text[first - 1] === "$") first -= 1;
    const dollars = brace + 1 - first;
    literal += text.slice(copied, first) + "$".repeat(dollars >> 1);
    if (dollars % 2 === 0) {
      literal += "{";
      copied = brace + 2;
    } else {
      const read = readInBraces(text, brace + 2);
      if (isFault(read)) {
        onMalformed(read);
        literal += "${";
        copied = brace + 2;
      } else {
        if (literal !== "") parts.push(literal);
        literal = "";
        parts.push(read.reference);
        copied = read.end + 1;
      }
    }
    brace = text.indexOf("${", copied);
  }
  literal += text.slice(copied);
  if (literal !== "") parts.push(literal);
  return { parts };
}

/** Returns the reference if the text is exactly one, so that the value's type is kept; `undefined` otherwise, also for malformed text. */
export function wholeReference(text: string): Reference | undefined {
  if (!text.startsWith("${")) return undefined;
  const read = readInBraces(text, 2);
  return isFault(read) || read.end !== text.length - 1 ? undefined : read.reference;
}

/** `end` is the offset of the closing brace. */
function readInBraces(text: string, start: number): ReadReference | ReferenceFault {
  const read = readReference(text, start);
  if (isFault(read) || text[read.end] === "}") return read;
  return { at: read.end, expected: 'a closing "}"' };
}
