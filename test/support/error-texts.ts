import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

export interface ErrorText {
  /** Such as `packages/plan/src/issue.ts:12`. */
  readonly place: string;
  /** As it is in the source, with `${…}` where values are filled in. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Names of properties and variables whose texts people read when something is wrong. */
const named = /^(?:message|hint|advice|reason|why|problem|effect)$/i;
const thrown = /(?:Error|Failure)$/;
const failing = /(?:fail|refuse|invalid|issue|error|problem|fault|unknown)/i;

/**
 * Texts of errors, issues, warnings and hints in the sources of all packages, found by where they are: in `throw`, in `new …Error(…)`, in calls of
 * functions named after failing, and in what is called `message`, `hint` or the like.
 */
export function errorTexts(repository: string): ErrorText[] {
  const found: ErrorText[] = [];
  for (const name of readdirSync(join(repository, "packages"))) {
    const folder = join("packages", name, "src");
    for (const file of readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const place = join(folder, file);
      const source = readFileSync(join(repository, place), "utf8");
      const { program } = parseSync(place, source);
      collect(program, source, (start, text) => {
        found.push({ place: `${place}:${source.slice(0, start).split("\n").length}`, text });
      });
    }
  }
  return found;
}

function collect(value: unknown, source: string, add: (start: number, text: string) => void, inError = false): void {
  if (Array.isArray(value)) for (const each of value) collect(each, source, add, inError);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const node = value as Node;
  if (inError) {
    const isText = node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
    const text = isText ? source.slice(node.start, node.end) : "";
    if (text.includes(" ")) add(node.start, text);
  }
  const within = inError || saysWhatIsWrong(node);
  for (const [field, child] of Object.entries(node)) if (field !== "type") collect(child, source, add, within);
}

function saysWhatIsWrong(node: Node): boolean {
  switch (node.type) {
    case "ThrowStatement":
      return true;
    case "NewExpression":
      return thrown.test(nameOf(node.callee));
    case "CallExpression":
      return failing.test(nameOf(node.callee));
    case "Property":
      return named.test(nameOf(node.key));
    case "VariableDeclarator":
      return named.test(nameOf(node.id));
    default:
      return false;
  }
}

/** `c` of `a.b.c`; empty for what has no name. */
function nameOf(value: unknown): string {
  const { name, property } = value as { readonly name?: unknown; readonly property?: unknown };
  return typeof name === "string" ? name : property === undefined ? "" : nameOf(property);
}
