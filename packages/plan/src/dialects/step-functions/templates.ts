import { isRecord } from "../../json.ts";
import type { PathSegment } from "../../references/reference.ts";
import { parseJsonPath } from "./json-path.ts";
import { isBound, namesIn, replaceNames } from "./names-in-code.ts";
import { refusal } from "./refusal.ts";
import { select, type Value, valueOfJson } from "./value.ts";

/** What a field of a state may refer to. */
export interface Sight {
  readonly state: string;
  /** What `$` is in JSONPath. */
  readonly input: Value;
  /** Variables by name; `states` has the input, the context, and the result where there is one. */
  readonly variables: ReadonlyMap<string, Value>;
}

/** The value at a JSONPath. @throws PlanError DIALECT */
export function valueAtPath(text: unknown, field: string, sight: Sight): Value {
  const parsed = typeof text === "string" ? parseJsonPath(text) : undefined;
  if (parsed === undefined)
    throw refusal(
      sight.state,
      field,
      `is ${JSON.stringify(text)}, which cannot be converted: only paths of keys, places and [*] can.`,
    );
  const { root, path } = parsed;
  if (path.filter((segment) => "map" in segment).length > 1)
    throw refusal(
      sight.state,
      field,
      `is ${String(text)}, which cannot be converted: a path has one [*] at most, since a plan keeps lists within lists, and JSONPath makes one list of them.`,
    );
  const from = root === "" ? sight.input : root === "$" ? contextOf(sight) : sight.variables.get(root);
  const found = from && select(from, path);
  if (found === undefined)
    throw refusal(
      sight.state,
      field,
      `refers to ${String(text)}, which is not there, or is a part of the context that a plan does not have.`,
    );
  return found;
}

/** A payload template of JSONPath: keys that end in `.$` have paths or intrinsic functions. @throws PlanError DIALECT */
export function valueOfPayload(payload: unknown, field: string, sight: Sight): Value {
  if (Array.isArray(payload)) return { kind: "list", items: payload.map((item) => valueOfPayload(item, field, sight)) };
  if (!isRecord(payload)) return valueOfJson(payload);
  const fields = Object.entries(payload).map(([key, each]): [string, Value] =>
    key.endsWith(".$")
      ? [key.slice(0, -2), valueOfDynamic(each, `${field}.${key}`, sight)]
      : [key, valueOfPayload(each, `${field}.${key}`, sight)],
  );
  return { kind: "object", fields: new Map(fields) };
}

function valueOfDynamic(text: unknown, field: string, sight: Sight): Value {
  if (typeof text !== "string" || !text.startsWith("States.")) return valueAtPath(text, field, sight);
  const call = /^States\.(\w+)\(([\s\S]*)\)$/.exec(text);
  const args = call === null ? undefined : argumentsOf(call[2]!, field, sight);
  if (call?.[1] === "Array" && args !== undefined) return { kind: "list", items: args };
  if (call?.[1] === "Format" && args !== undefined) {
    const [template, ...values] = args;
    const text = template?.kind === "literal" && typeof template.value === "string" ? template.value.split("{}") : [];
    if (text.length === values.length + 1)
      return {
        kind: "text",
        parts: text.flatMap((part, at) => [{ kind: "literal", value: part } as const, ...values.slice(at, at + 1)]),
      };
  }
  throw refusal(
    sight.state,
    field,
    `is ${text}: of the intrinsic functions only States.Format and States.Array can be converted.`,
  );
}

/** Arguments of an intrinsic function: texts in single quotes, numbers, true, false, null and paths. */
function argumentsOf(text: string, field: string, sight: Sight): Value[] | undefined {
  const pattern = /\s*(?:'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?)|(true|false|null)|(\$[^,()\s]*))\s*(,|$)/uy;
  const values: Value[] = [];
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const [, quoted, number, word, path] = match;
    if (quoted !== undefined) values.push({ kind: "literal", value: quoted.replaceAll(/\\(.)/g, "$1") });
    else if (path !== undefined) values.push(valueAtPath(path, field, sight));
    else values.push({ kind: "literal", value: JSON.parse((number ?? word)!) as number | boolean | null });
  }
  return values;
}

/** JSON in which texts `{% … %}` are JSONata. @throws PlanError DIALECT */
export function valueOfJsonata(json: unknown, field: string, sight: Sight): Value {
  return valueOfJson(json, (text) => {
    const code = expressionIn(text);
    if (code === undefined) return undefined;
    const value = valueOfCode(code, field, sight);
    return value.kind === "code" ? { ...value, isWhole: true } : value;
  });
}

/** The expression in `{% … %}`. */
export function expressionIn(text: unknown): string | undefined {
  return typeof text === "string" ? /^\{%([\s\S]*)%\}$/.exec(text)?.[1]?.trim() : undefined;
}

export function valueOfCode(code: string, field: string, sight: Sight): Value {
  const literal = literalIn(code);
  if (literal !== undefined) return literal;
  const parts = textParts(code);
  if (parts !== undefined) return { kind: "text", parts: parts.map((part) => valueOfCode(part, field, sight)) };
  const path = parseCodePath(/^\[(\$[^[\]]*\[\][\s\S]*)\]$/.exec(code)?.[1] ?? code);
  if (path !== undefined) {
    const from = sight.variables.get(path.variable);
    const found = from && select(from, path.path);
    if (found !== undefined) return found;
    throw refusal(
      sight.state,
      field,
      `refers to ${code}, which is not there, or is a part of the context that a plan does not have.`,
    );
  }
  const bare = code.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, "");
  if (/\$states\.(?:errorOutput|context(?!\.(?:Execution\.Input|Map\.Item\.(?:Value|Index))\b))/.test(bare))
    throw refusal(sight.state, field, `uses a part of $states that a plan does not have: ${code}`);
  const variables = new Map<string, Value>();
  const states = sight.variables.get("states");
  const named = states === undefined ? code : withNamedParts(code, states, variables);
  for (const name of namesIn(named)) {
    const value = variables.has(name) ? undefined : sight.variables.get(name);
    if (value !== undefined) variables.set(name, name === "states" ? onlyUsed(value, bare) : value);
  }
  return { kind: "code", code: named, variables, ...(named !== code && { said: code }) };
}

/** Parts of `$states`, each with the variable that an expression has in its place. */
const partNames: readonly (readonly [part: string, variable: string])[] = [
  ["input", "state_input"],
  ["result", "state_result"],
  ["context.Execution.Input", "execution_input"],
  ["context.Map.Item.Value", "map_item"],
  ["context.Map.Item.Index", "map_index"],
];

/** The expression with variables of their own for the parts of `$states` that it reads, so that `$states` itself need not be another there. */
function withNamedParts(code: string, states: Value, variables: Map<string, Value>): string {
  if (isBound(code, "states")) return code;
  let named = code;
  for (const [part, variable] of partNames) {
    const value = select(
      states,
      part.split(".").map((key) => ({ key })),
    );
    if (value === undefined || namesIn(code).has(variable)) continue;
    const replaced = replaceNames(named, `states.${part}`, () => `$${variable}`);
    if (replaced !== named) variables.set(variable, value);
    named = replaced;
  }
  return named;
}

/** Of `$states`, and of the context in it, what an expression mentions. */
function onlyUsed(states: Value, code: string, path = "$states"): Value {
  if (states.kind !== "object") return states;
  const used = [...states.fields].filter(([name]) => code.includes(`${path}.${name}`));
  const context = "$states.context";
  return {
    ...states,
    fields: new Map(used.map(([name, each]) => [name, name === "context" ? onlyUsed(each, code, context) : each])),
  };
}

function literalIn(code: string): Value | undefined {
  if (!/^(?:-?\d+(?:\.\d+)?|true|false|null|"(?:[^"\\]|\\.)*")$/.test(code)) return undefined;
  try {
    return { kind: "literal", value: JSON.parse(code) as string | number | boolean | null };
  } catch {
    return undefined;
  }
}

/** The parts of `"text" & $string($a.b) & …`. */
function textParts(code: string): string[] | undefined {
  const part = /\s*(?:("(?:[^"\\]|\\.)*")|\$string\((\[?\$[^()]*)\))\s*(&|$)/y;
  const parts: string[] = [];
  for (let at = 0; at < code.length; at = part.lastIndex) {
    part.lastIndex = at;
    const match = part.exec(code);
    if (match === null) return undefined;
    parts.push((match[1] ?? match[2])!);
  }
  return parts;
}

const codeStep = /\.(?:([A-Za-z_]\w*)|`([^`]*)`|"((?:[^"\\]|\\.)*)")|\[(\d+)\]|\[\]/y;

/**
 * `$name.a.b[0]`, with `[]` after a list whose elements the rest is of. Undefined for a path into lists within lists, of which JSONata makes one, and for
 * a place after `[]`, which is one in the whole list: a reference means others.
 */
function parseCodePath(code: string): { variable: string; path: PathSegment[] } | undefined {
  const head = /^\$([A-Za-z_]\w*)/.exec(code);
  if (head === null) return undefined;
  const path: PathSegment[] = [];
  for (let at = head[0].length; at < code.length; at = codeStep.lastIndex) {
    codeStep.lastIndex = at;
    const match = codeStep.exec(code);
    if (match === null) return undefined;
    const [, plain, ticked, quoted, index] = match;
    const key = plain ?? ticked ?? quoted;
    path.push(key !== undefined ? { key } : index !== undefined ? { index: Number(index) } : { map: true });
  }
  const maps = path.flatMap((segment, at) => ("map" in segment ? [at] : []));
  if (maps.length > 1 || maps.some((at) => path[at + 1] !== undefined && "index" in path[at + 1]!)) return undefined;
  return { variable: head[1]!, path };
}

function contextOf({ variables }: Sight): Value | undefined {
  const states = variables.get("states");
  return states && select(states, [{ key: "context" }]);
}
