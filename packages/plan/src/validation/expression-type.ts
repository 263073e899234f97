import { isRecord } from "../json.ts";

/** What an expression gives that surely gives neither true nor false, as a text of messages. */
export type OtherType = "a number" | "a text" | "a list" | "an object" | "null" | "nothing" | "a function";

/** Functions of JSONata by what they give where they give anything. Those that may give any value are not here. */
const given: Readonly<Record<string, OtherType>> = Object.fromEntries([
  ...namesOf(
    "sum count max min average length number abs floor ceil round power sqrt random millis toMillis parseInteger",
    "a number",
  ),
  ...namesOf(
    "string substring substringBefore substringAfter lowercase uppercase trim pad join replace base64encode base64decode encodeUrl encodeUrlComponent decodeUrl decodeUrlComponent formatNumber formatBase formatInteger now fromMillis type",
    "a text",
  ),
  ...namesOf("split zip", "a list"),
  ...namesOf("merge", "an object"),
]);

function namesOf(names: string, type: OtherType): [string, OtherType][] {
  return names.split(" ").map((name) => [name, type]);
}

const ofOperators: Readonly<Record<string, OtherType>> = {
  "+": "a number",
  "-": "a number",
  "*": "a number",
  "/": "a number",
  "%": "a number",
  "&": "a text",
};

const ofUnary: Readonly<Record<string, OtherType>> = { "-": "a number", "[": "a list", "{": "an object" };

/**
 * What an expression surely gives in the place of true or false, each once; empty where it may give one of them. Nothing is evaluated: what depends on values is
 * taken for possible.
 * @param ast what JSONata reads the expression as
 */
export function otherTypes(ast: unknown): readonly OtherType[] {
  const own = new Set<unknown>();
  collectOwnNames(ast, own);
  return [...new Set(typesOf(ast, own) ?? [])];
}

/** Undefined where it may give true or false. */
function typesOf(node: unknown, own: ReadonlySet<unknown>): readonly OtherType[] | undefined {
  if (!isRecord(node) || node.predicate !== undefined || node.group !== undefined) return undefined;
  switch (node.type) {
    case "string":
      return ["a text"];
    case "number":
      return ["a number"];
    case "value":
      return node.value === null ? ["null"] : undefined;
    case "regex":
    case "lambda":
    case "partial":
    case "transform":
      return ["a function"];
    case "unary":
      return only(ofUnary, node.value);
    case "binary":
      return only(ofOperators, node.value);
    case "function":
      return ofFunction(node.procedure, own);
    case "apply":
      return isRecord(node.rhs) && node.rhs.type === "function"
        ? ofFunction(node.rhs.procedure, own)
        : ofFunction(node.rhs, own);
    case "bind":
      return typesOf(node.rhs, own);
    case "block":
      return ofBlock(node.expressions, own);
    case "condition": {
      const met = typesOf(node.then, own);
      const otherwise = node.else === undefined ? (["nothing"] as const) : typesOf(node.else, own);
      return met && otherwise && [...met, ...otherwise];
    }
    default:
      return undefined;
  }
}

function ofBlock(expressions: unknown, own: ReadonlySet<unknown>): readonly OtherType[] | undefined {
  if (!Array.isArray(expressions)) return undefined;
  return expressions.length === 0 ? ["nothing"] : typesOf(expressions.at(-1), own);
}

function ofFunction(procedure: unknown, own: ReadonlySet<unknown>): readonly OtherType[] | undefined {
  if (!isRecord(procedure) || procedure.type !== "variable" || own.has(procedure.value)) return undefined;
  return only(given, procedure.value);
}

function only(types: Readonly<Record<string, OtherType>>, name: unknown): readonly OtherType[] | undefined {
  return typeof name === "string" && Object.hasOwn(types, name) ? [types[name]!] : undefined;
}

/** The names that the expression gives values to, which then do not mean functions of JSONata. */
function collectOwnNames(node: unknown, own: Set<unknown>): void {
  if (Array.isArray(node)) for (const each of node) collectOwnNames(each, own);
  if (!isRecord(node)) return;
  if (node.type === "bind" && isRecord(node.lhs)) own.add(node.lhs.value);
  if (node.type === "lambda" && Array.isArray(node.arguments))
    for (const argument of node.arguments as unknown[]) if (isRecord(argument)) own.add(argument.value);
  for (const part of Object.values(node)) if (typeof part === "object") collectOwnNames(part, own);
}
