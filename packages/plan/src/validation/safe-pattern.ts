import { createContext, Script } from "node:vm";

/** How long one `pattern` may try one text, in milliseconds; after that it is never tried again. */
const patternTimeoutMs = 100;
const maxPatternLength = 5_000;
/** So few characters cannot take any pattern long. */
const shortText = 12;

interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * A regular expression from an untrusted schema that cannot hang the process. Where no quantifier stands inside
 * another and at most one is unbounded, matching is near linear and runs directly. Everything else runs under
 * a watchdog (0.2 ms a test); a pattern that once took too long is from then on taken to match, since it cannot be checked.
 * @throws SyntaxError for a pattern that is no regular expression or longer than 5,000 characters.
 */
export function safePattern(source: string, flags: string): Pattern {
  if (source.length > maxPatternLength) {
    throw new SyntaxError(`Expected a pattern of at most ${maxPatternLength} characters, got ${source.length}.`);
  }
  const expression = compilePattern(source, flags);
  if (isPlainlyLinear(source)) return expression;
  let hostile = false;
  return {
    // ajv tells patterns apart by this.
    toString: () => String(expression),
    test(text) {
      if (text.length <= shortText) return expression.test(text);
      if (hostile) return true;
      try {
        return testUnderWatchdog(expression, text);
      } catch {
        hostile = true;
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

/** No groups, back references or look-around with quantifiers, and at most one `*`, `+`, `{n,}` outside of classes. */
export function isPlainlyLinear(source: string): boolean {
  let unbounded = 0;
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    if (character === "\\") {
      if (/[1-9k]/.test(source[i + 1] ?? "")) return false;
      i++;
    } else if (character === "[") {
      for (i++; i < source.length && source[i] !== "]"; i++) if (source[i] === "\\") i++;
    } else if (character === "(") {
      if (source[i + 1] === "?" && source[i + 2] !== ":") return false;
    } else if (character === ")") {
      if (/[*+{?]/.test(source[i + 1] ?? "")) return false;
    } else if (character === "*" || character === "+") {
      unbounded++;
    } else if (character === "{" && /^\{\d*(?:,\d*)?\}/.test(source.slice(i, i + 24))) {
      if (!/^\{\d{1,3}(?:,\d{1,2})?\}/.test(source.slice(i, i + 24))) unbounded++;
    }
  }
  return unbounded <= 1;
}

let watchdog: { script: Script; scope: { expression?: RegExp; text?: string } } | undefined;

function testUnderWatchdog(expression: RegExp, text: string): boolean {
  watchdog ??= { script: new Script("expression.test(text)"), scope: createContext({}) };
  watchdog.scope.expression = expression;
  watchdog.scope.text = text;
  return watchdog.script.runInContext(watchdog.scope, { timeout: patternTimeoutMs }) === true;
}
