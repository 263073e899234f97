/** Whether a GBNF grammar of llama.cpp derives a text, by trying all ways: for small texts of tests, and the part of GBNF that is used here. */
export function matches(grammar: string, text: string): boolean {
  const rules = new Map<string, Node>();
  for (const line of grammar.trim().split("\n")) {
    const [, name = "", body = ""] = /^(\S+) ::= (.*)$/.exec(line) ?? [];
    rules.set(name, new Reader(body).choice());
  }
  const known = new Map<string, ReadonlySet<number>>();
  /** Where it may end that begins at `at`. */
  const ends = (node: Node, at: number): ReadonlySet<number> => {
    switch (node.type) {
      case "text":
        return new Set(text.startsWith(node.text, at) ? [at + node.text.length] : []);
      case "class":
        return new Set(at < text.length && node.has(text[at]!) ? [at + 1] : []);
      case "rule": {
        const key = `${node.name} ${at}`;
        const before = known.get(key);
        if (before !== undefined) return before;
        const rule = rules.get(node.name);
        if (rule === undefined) throw new Error(`The grammar has no rule ${node.name}.`);
        known.set(key, new Set());
        const found = ends(rule, at);
        known.set(key, found);
        return found;
      }
      case "choice":
        return new Set(node.of.flatMap((each) => [...ends(each, at)]));
      case "sequence":
        return node.of.reduce((from, each) => endsFrom(from, each), new Set([at]) as ReadonlySet<number>);
      case "repeat": {
        const all = new Set<number>(node.least === 0 ? [at] : []);
        let from: ReadonlySet<number> = new Set([at]);
        for (let count = 1; count <= node.most && from.size > 0 && count <= text.length + 1; count++) {
          from = new Set([...endsFrom(from, node.of)].filter((end) => count <= node.least || !all.has(end)));
          if (count >= node.least) for (const end of from) all.add(end);
        }
        return all;
      }
      default:
        return node satisfies never;
    }
  };
  const endsFrom = (starts: ReadonlySet<number>, node: Node) =>
    new Set([...starts].flatMap((start) => [...ends(node, start)]));
  return ends({ type: "rule", name: "root" }, 0).has(text.length);
}

type Node =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "class"; has(character: string): boolean }
  | { readonly type: "rule"; readonly name: string }
  | { readonly type: "choice" | "sequence"; readonly of: readonly Node[] }
  | { readonly type: "repeat"; readonly of: Node; readonly least: number; readonly most: number };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  choice(): Node {
    const of = [this.#sequence()];
    while (this.#eat("|")) of.push(this.#sequence());
    return { type: "choice", of };
  }

  #sequence(): Node {
    const of: Node[] = [];
    for (this.#blanks(); this.#at < this.#text.length && !"|)".includes(this.#text[this.#at]!); this.#blanks())
      of.push(this.#repeated());
    return { type: "sequence", of };
  }

  #repeated(): Node {
    const of = this.#atom();
    const [whole, sign, least, range, most] = /^(?:([?*+])|\{(\d+)(,(\d*))?\})/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) return of;
    this.#at += whole.length;
    const bounds =
      sign === "?"
        ? [0, 1]
        : sign === "*"
          ? [0, Infinity]
          : sign === "+"
            ? [1, Infinity]
            : [Number(least), range === undefined ? Number(least) : most ? Number(most) : Infinity];
    return { type: "repeat", of, least: bounds[0]!, most: bounds[1]! };
  }

  #atom(): Node {
    if (this.#eat("(")) {
      const inner = this.choice();
      if (!this.#eat(")")) throw new Error(`Expected ) in ${this.#text}`);
      return inner;
    }
    const rest = this.#text.slice(this.#at);
    const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(rest) ?? [];
    if (quoted !== undefined) {
      this.#at += quoted.length;
      return { type: "text", text: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
    }
    const [listed] = /^\[(?:[^\]\\]|\\.)+\]/.exec(rest) ?? [];
    if (listed !== undefined) {
      this.#at += listed.length;
      const pattern = new RegExp(`^${listed}$`);
      return { type: "class", has: (character) => pattern.test(character) };
    }
    const [name] = /^[\w-]+/.exec(rest) ?? [];
    if (name === undefined) throw new Error(`Cannot read ${rest}`);
    this.#at += name.length;
    return { type: "rule", name };
  }

  #blanks(): void {
    while (this.#text[this.#at] === " ") this.#at++;
  }

  #eat(sign: string): boolean {
    this.#blanks();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }
}
