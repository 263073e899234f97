import { loadJsonata } from "#lazy/jsonata";
import { isRecord } from "../json.ts";
import { type OtherType, otherTypes } from "./expression-type.ts";

/** A value of its input that an expression reads at the root: `output.state` is the name `output` and the path `["state"]`. */
export interface RootName {
  readonly name: string;
  /** The fields after it, up to the first step that is more than a field. */
  readonly path: readonly string[];
}

export interface ReadExpression {
  /** Why the expression cannot be read. */
  readonly fault?: string;
  /** In the order of the text, each once. Names within steps, filters and functions are of other values than the input, and left out. */
  readonly names: readonly RootName[];
  /** What it gives that is neither true nor false; empty where it may be one of them. */
  readonly gives: readonly OtherType[];
}

const nothing: ReadExpression = { names: [], gives: [] };
/** By source. A patch is checked with `$` in the place of conversions. */
const read = new Map<string, ReadExpression>([["$", nothing]]);
const mostRead = 1_000;
/** Longer sources, and brackets nested deeper, are refused when they are evaluated. */
const longestSource = 10_000;

/** Reads a JSONata expression without evaluating it. */
export function readExpression(source: string): ReadExpression {
  const known = read.get(source);
  if (known !== undefined) return known;
  const found = source.length > longestSource ? nothing : parse(source);
  if (read.size >= mostRead) read.clear();
  read.set(source, found);
  return found;
}

function parse(source: string): ReadExpression {
  try {
    const expression = loadJsonata()(source, { RegexEngine: AnyPattern as unknown as RegExpConstructor });
    const ast = expression.ast();
    return { names: rootNames(ast), gives: otherTypes(ast) };
  } catch (error) {
    if (error instanceof RangeError) return { fault: "its brackets are nested too deep", names: [], gives: [] };
    const { message } = error as { message?: unknown };
    return { fault: `${String(message ?? error).replace(/\.$/, "")}${otherLanguage(source)}`, names: [], gives: [] };
  }
}

/** Patterns are read by an engine of linear time when the expression is evaluated. */
class AnyPattern {}

/** Operators of other languages, and how JSONata writes them. */
const otherOperators: readonly (readonly [pattern: RegExp, written: string, instead: string])[] = [
  [/!==?/, "!=", "`!=` is written once"],
  [/===?/, "==", "two values are compared by one `=`"],
  [/&&/, "&&", "`and` stands for `&&`"],
  [/\|\|/, "||", "`or` stands for `||`"],
  [/!(?!=)/, "!", "`$not(…)` stands for `!`"],
];

/** ` (in JSONata two values are compared by one "=")`, where the text looks like another language. */
function otherLanguage(source: string): string {
  const code = source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""').replaceAll(/!=(?!=)/g, "<>");
  const hints = otherOperators.filter(([pattern]) => pattern.test(code)).map(([, , instead]) => instead);
  return hints.length === 0 ? "" : ` (in JSONata ${hints.join(", and ")})`;
}

function rootNames(ast: unknown): RootName[] {
  const found = new Map<string, RootName>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (!isRecord(node)) return;
    if (node.type === "path") {
      const [first] = Array.isArray(node.steps) ? (node.steps as unknown[]) : [];
      if (isRecord(first) && first.type === "name") addPath(node.steps as unknown[], found);
      else visit(first);
      return;
    }
    if (node.type === "lambda") return;
    for (const part of partsAtRoot) visit(node[part]);
  };
  visit(ast);
  return [...found.values()];
}

/** What of a node is evaluated with the same input as the node itself. */
const partsAtRoot = ["lhs", "rhs", "expressions", "arguments", "condition", "then", "else", "expression"] as const;

function addPath(steps: readonly unknown[], found: Map<string, RootName>): void {
  const names: string[] = [];
  for (const step of steps) {
    if (!isRecord(step) || step.type !== "name" || typeof step.value !== "string") break;
    names.push(step.value);
    if (step.stages !== undefined || step.predicate !== undefined || step.index !== undefined) break;
  }
  const [name = "", ...path] = names;
  found.set(names.join("\0"), { name, path });
}
