/**
 * Reads a list or an object as people type it: JSON, and what comes near it: single quotes, names without quotes, words as
 * texts, a comma too many, `True` and `None`.
 * @returns undefined where the text is nothing of the kind
 */
export function readLiteral(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const reader = new LiteralReader(text);
    return reader.whole();
  }
}

/** Lists and objects may lie so deep in one another. */
const maxDepth = 40;

class LiteralReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): { readonly value: unknown } | undefined {
    const found = this.#value(0);
    this.#skip();
    return this.#at === this.#text.length ? found : undefined;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): { readonly value: unknown } | undefined {
    if (depth > maxDepth) return undefined;
    if (this.#take("[")) return this.#list(depth);
    if (this.#take("{")) return this.#object(depth);
    const quoted = this.#quoted();
    if (quoted !== undefined) return { value: quoted };
    const word = /^[^,[\]{}]+/.exec(this.#text.slice(this.#at, this.#at + maxWord))?.[0].trim();
    if (word === undefined || word === "") return undefined;
    this.#at += this.#text.slice(this.#at).indexOf(word) + word.length;
    return { value: readWord(word) };
  }

  #list(depth: number): { readonly value: unknown } | undefined {
    const items: unknown[] = [];
    while (!this.#take("]")) {
      const item = this.#value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item.value);
      if (!this.#take(",") && this.#text[this.#at] !== "]") return undefined;
    }
    return { value: items };
  }

  #object(depth: number): { readonly value: unknown } | undefined {
    const fields: [string, unknown][] = [];
    while (!this.#take("}")) {
      this.#skip();
      const name = this.#quoted() ?? this.#name();
      if (name === undefined || !(this.#take(":") || this.#take("="))) return undefined;
      const field = this.#value(depth + 1);
      if (field === undefined) return undefined;
      fields.push([name, field.value]);
      if (!this.#take(",") && this.#text[this.#at] !== "}") return undefined;
    }
    return { value: Object.fromEntries(fields) };
  }

  #name(): string | undefined {
    const [name] = /^[\p{L}\p{N}_$.-]+/u.exec(this.#text.slice(this.#at, this.#at + maxWord)) ?? [];
    this.#at += name?.length ?? 0;
    return name;
  }

  #quoted(): string | undefined {
    this.#skip();
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote) end += this.#text[end] === "\\" ? 2 : 1;
    if (end >= this.#text.length) return undefined;
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return unescaped(inner, quote);
  }
}

/** A word without quotes is at most so long. */
const maxWord = 10_000;

/** The text between two quotes: a backslash before a quote or another backslash is left out. */
export function unescaped(inner: string, quote: string): string {
  return inner.replaceAll(/\\([\s\S])/g, (both, next: string) => (next === quote || next === "\\" ? next : both));
}

/** A number, `true`, `false` or `null` as JSON and Python write them; else the text itself. */
export function readWord(word: string): unknown {
  if (/^(?:true|True)$/.test(word)) return true;
  if (/^(?:false|False)$/.test(word)) return false;
  if (/^(?:null|None)$/.test(word)) return null;
  return isNumeric(word) ? Number(word) : word;
}

/** A number as JSON and as people write it: "-3", ".5", "1e6". */
export function isNumeric(text: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
}
