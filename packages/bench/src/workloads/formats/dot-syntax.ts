import { malformed } from "./text-format.ts";

export type Attributes = Readonly<Record<string, string>>;

/** What a DOT text says of nodes and edges, defaults applied; positions, clusters and colours are left to those who draw. */
export interface DotGraph {
  readonly name: string;
  /** In order of first mention. */
  readonly nodes: ReadonlyMap<string, Attributes>;
  readonly edges: readonly { readonly from: string; readonly to: string; readonly attributes: Attributes }[];
}

interface Token {
  readonly text: string;
  /** Whether it is an id rather than punctuation; a keyword in quotes is an id as well. */
  readonly kind: "id" | "quoted" | "mark";
  readonly line: number;
}

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=^|\n[ \t]*)#[^\n]*|"((?:\\[\s\S]|[^"\\])*)"|(->|--|[{}[\];,=:+])|(-?(?:\.\d+|\d+(?:\.\d*)?)|[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)|<(?:[^<>]|<[^<>]*>)*>/gy;

const LETTERS = /^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/;
/** Subgraphs within one another. */
const MAX_DEPTH = 500;

/**
 * Reads the DOT language of Graphviz: directed graphs with attributes, defaults, subgraphs at either end of an edge, ports, comments, quoted and joined strings.
 * @throws OptimizerError `OPTIMIZER_INPUT` that names the line.
 */
export function readDot(text: string, name: string): DotGraph {
  return new Reader(tokensOf(text, name), name).graph();
}

function tokensOf(text: string, name: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null)
      throw malformed("DOT", name, `line ${line}`, "a word, a string or a mark", text.slice(at, at + 20));
    const [whole, quoted, mark, id] = found;
    if (quoted !== undefined)
      tokens.push({ text: quoted.replace(/\\\n/g, "").replaceAll(/\\(["\\])/g, "$1"), kind: "quoted", line });
    else if (mark !== undefined) tokens.push({ text: mark, kind: "mark", line });
    else if (id !== undefined) {
      const rest = /^\d/.test(id.replace(/^-?\.?/, ""))
        ? LETTERS.exec(text.slice(at + whole.length, at + whole.length + 20))
        : null;
      // Graphviz reads 5e9 as the two words 5 and e9, and warns of it.
      if (rest !== null)
        throw malformed("DOT", name, `line ${line}`, "quotes around what begins as a number", id + rest[0]);
      tokens.push({ text: id, kind: "id", line });
    } else if (whole.startsWith("<")) tokens.push({ text: whole, kind: "quoted", line });
    line += whole.split("\n").length - 1;
    at += whole.length;
  }
  return tokens;
}

/** Defaults of nodes and edges; a subgraph has those around it and adds its own. */
interface Scope {
  node: Record<string, string>;
  edge: Record<string, string>;
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #file: string;
  #at = 0;
  #depth = 0;
  readonly #nodes = new Map<string, Record<string, string>>();
  readonly #edges: { from: string; to: string; attributes: Attributes }[] = [];

  constructor(tokens: readonly Token[], file: string) {
    this.#tokens = tokens;
    this.#file = file;
  }

  graph(): DotGraph {
    this.#takeWord("strict");
    if (this.#isWord("graph")) throw this.#wrong("digraph, since edges without a direction order nothing,");
    if (!this.#takeWord("digraph")) throw this.#wrong("digraph");
    const name = this.#isMark("{") ? "" : this.#id("a name or {");
    this.#block({ node: {}, edge: {} });
    if (this.#at < this.#tokens.length) throw this.#wrong("the end of the text after one graph");
    return { name, nodes: this.#nodes, edges: this.#edges };
  }

  /** Statements in braces. @returns the nodes that are mentioned in them */
  #block(scope: Scope): string[] {
    if (++this.#depth > MAX_DEPTH) throw this.#wrong(`at most ${MAX_DEPTH} subgraphs within one another`);
    if (!this.#takeMark("{")) throw this.#wrong("{");
    const mentioned = new Set<string>();
    while (!this.#takeMark("}")) for (const node of this.#statement(scope)) mentioned.add(node);
    this.#depth--;
    return [...mentioned];
  }

  #statement(scope: Scope): string[] {
    if (this.#takeMark(";") || this.#takeMark(",")) return [];
    for (const kind of ["node", "edge", "graph"] as const) {
      if (!this.#isWord(kind)) continue;
      this.#at++;
      const attributes = this.#attributes();
      if (kind !== "graph") scope[kind] = { ...scope[kind], ...attributes };
      return [];
    }
    const next = this.#tokens[this.#at + 1];
    if (next?.kind === "mark" && next.text === "=") {
      this.#id("a name");
      this.#at++;
      this.#id("a value");
      return [];
    }
    return this.#edgeStatement(scope);
  }

  #edgeStatement(scope: Scope): string[] {
    const [single, first] = this.#endpoint(scope);
    const chain = [first];
    while (this.#takeMark("->")) chain.push(this.#endpoint(scope)[1]);
    if (this.#isMark("--")) throw this.#wrong("->, since an edge without a direction orders nothing,");
    const attributes = this.#attributes();
    if (chain.length === 1 && single) Object.assign(this.#nodes.get(first[0]!)!, attributes);
    for (let at = 1; at < chain.length; at++) {
      for (const from of chain[at - 1]!) {
        for (const to of chain[at]!) this.#edges.push({ from, to, attributes: { ...scope.edge, ...attributes } });
      }
    }
    return chain.flat();
  }

  /** A node or a subgraph. @returns whether it is one node, and the nodes */
  #endpoint(scope: Scope): [single: boolean, nodes: string[]] {
    const isNamed = this.#takeWord("subgraph");
    if (isNamed && !this.#isMark("{")) this.#id("a name or {");
    if (isNamed || this.#isMark("{")) return [false, this.#block({ ...scope })];
    const id = this.#id("a node, an edge or }");
    if (!this.#nodes.has(id)) this.#nodes.set(id, { ...scope.node });
    for (let port = 0; port < 2 && this.#takeMark(":"); port++) this.#id("a port");
    return [true, [id]];
  }

  #attributes(): Record<string, string> {
    // Without a prototype: names come from a file.
    const found: Record<string, string> = Object.create(null);
    while (this.#takeMark("[")) {
      while (!this.#takeMark("]")) {
        if (this.#takeMark(",") || this.#takeMark(";")) continue;
        const key = this.#id("an attribute or ]");
        found[key] = this.#takeMark("=") ? this.#id("a value") : "true";
      }
    }
    return found;
  }

  #id(expected: string): string {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === "mark") throw this.#wrong(expected);
    this.#at++;
    let text = token.text;
    while (token.kind === "quoted" && this.#isMark("+") && this.#tokens[this.#at + 1]?.kind === "quoted") {
      text += this.#tokens[this.#at + 1]!.text;
      this.#at += 2;
    }
    return text;
  }

  #isMark(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "mark" && token.text === text;
  }

  #takeMark(text: string): boolean {
    const isThere = this.#isMark(text);
    if (isThere) this.#at++;
    return isThere;
  }

  #isWord(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "id" && token.text.toLowerCase() === text;
  }

  #takeWord(text: string): boolean {
    const isThere = this.#isWord(text);
    if (isThere) this.#at++;
    return isThere;
  }

  #wrong(expected: string) {
    const token = this.#tokens[this.#at];
    const line = token?.line ?? this.#tokens.at(-1)?.line ?? 1;
    return malformed("DOT", this.#file, `line ${line}`, expected, token?.text ?? "");
  }
}
