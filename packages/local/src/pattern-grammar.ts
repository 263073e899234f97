/** What a text of JSON has no escape for: a pattern that needs others is left to the code that checks the answer. */
const unsafe = /["\\\p{Cc}]/u;
/** Nothing that would end a text of JSON, or begin an escape. */
const neverInText = String.raw`"\\\x7F\x00-\x1F`;
const shorthands: Readonly<Record<string, string>> = { d: "0-9", w: "A-Za-z0-9_", s: " " };
/** llama.cpp writes repetitions out. */
const mostRepeats = 256;

/**
 * The expression of a GBNF grammar for the texts that match `pattern`, without their quotes. Undefined where the pattern is not anchored at both ends, or has more
 * in it than characters, classes, groups, alternatives and repetitions.
 */
export function patternGrammar(pattern: string): string | undefined {
  if (!pattern.startsWith("^") || !pattern.endsWith("$") || pattern.endsWith("\\$")) return undefined;
  try {
    const reader = new PatternReader(pattern.slice(1, -1));
    const expression = reader.alternatives();
    return reader.isAtEnd ? expression : undefined;
  } catch (error) {
    if (error instanceof UnknownPattern) return undefined;
    throw error;
  }
}

class UnknownPattern extends Error {}

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get isAtEnd(): boolean {
    return this.#at === this.#characters.length;
  }

  alternatives(): string {
    const all = [this.#sequence()];
    while (this.#peek() === "|") {
      this.#next();
      all.push(this.#sequence());
    }
    return all.length === 1 ? all[0]! : `(${all.join(" | ")})`;
  }

  #sequence(): string {
    const parts: string[] = [];
    while (!this.isAtEnd && this.#peek() !== "|" && this.#peek() !== ")")
      parts.push(`${this.#atom()}${this.#repeat()}`);
    return parts.length === 0 ? '""' : parts.join(" ");
  }

  #atom(): string {
    const character = this.#next();
    switch (character) {
      case "(": {
        if (this.#peek() === "?") {
          this.#next();
          if (this.#next() !== ":") throw new UnknownPattern();
        }
        const inner = this.alternatives();
        if (this.#next() !== ")") throw new UnknownPattern();
        return `(${inner})`;
      }
      case "[":
        return this.#characterClass();
      case ".":
        return `[^${neverInText}]`;
      case "\\": {
        const escaped = this.#escaped();
        return escaped.length > 1 || escaped === " " ? `[${escaped}]` : quoted(escaped);
      }
      case "^":
      case "$":
      case "*":
      case "+":
      case "?":
      case "{":
        throw new UnknownPattern();
      default:
        return quoted(character);
    }
  }

  #characterClass(): string {
    const isNegated = this.#peek() === "^";
    if (isNegated) this.#next();
    let inside = "";
    while (this.#peek() !== "]") {
      const character = this.#next();
      if (character === "\\") inside += classText(this.#escaped());
      else if (character === "-" && inside !== "" && this.#peek() !== "]") inside += "-";
      else inside += classText(character);
    }
    this.#next();
    if (inside === "") throw new UnknownPattern();
    return isNegated ? `[^${inside}${neverInText}]` : `[${inside}]`;
  }

  /** The characters of a shorthand, or the one that is meant by itself. */
  #escaped(): string {
    const character = this.#next();
    const known = Object.hasOwn(shorthands, character) ? shorthands[character] : undefined;
    if (known !== undefined) return known;
    if (/[A-Za-z0-9]/.test(character)) throw new UnknownPattern();
    return character;
  }

  #repeat(): string {
    const mark = this.#peek();
    if (mark === "*" || mark === "+" || mark === "?") {
      this.#next();
      if (this.#peek() === "?") throw new UnknownPattern();
      return mark;
    }
    if (mark !== "{") return "";
    const end = this.#characters.indexOf("}", this.#at);
    const found = /^\{(\d{1,3})(?:(,)(\d{1,3})?)?$/.exec(this.#characters.slice(this.#at, end).join(""));
    if (found === null) throw new UnknownPattern();
    const [, least = "", comma, most] = found;
    if (Number(most ?? least) > mostRepeats) throw new UnknownPattern();
    this.#at = end + 1;
    return comma === undefined ? `{${least}}` : `{${least},${most ?? ""}}`;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #next(): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new UnknownPattern();
    this.#at += 1;
    return character;
  }
}

function quoted(character: string): string {
  if (unsafe.test(character)) throw new UnknownPattern();
  return `"${character}"`;
}

/** Characters within brackets. A shorthand is one already. */
function classText(text: string): string {
  if (text.length > 1) return text;
  if (unsafe.test(text)) throw new UnknownPattern();
  return /[\]^-]/.test(text) ? `\\x${text.charCodeAt(0).toString(16)}` : text;
}
