import { isRecord } from "../../json.ts";
import { escapeText, formatReference } from "../../references/format-reference.ts";
import type { Reference } from "../../references/reference.ts";
import { refusal } from "./refusal.ts";
import { expressionIn, type Sight, valueAtPath, valueOfCode } from "./templates.ts";
import { asCode, asGiven, codePath, select } from "./value.ts";

type Rule = Readonly<Record<string, unknown>>;

/** The condition of a rule of a Choice state, as a plan has it: JSONata in which references are values. @throws PlanError DIALECT */
export function conditionOf(rule: Rule, field: string, jsonata: boolean, sight: Sight): string {
  return template((bind) => {
    const { Next: _, Comment: __, ...test } = rule;
    if (!jsonata) return comparison(test, field, sight, bind);
    const unknown = Object.keys(test).find((each) => each !== "Condition");
    if (unknown !== undefined) throw refusal(sight.state, `${field}.${unknown}`, "cannot be converted in a rule.");
    if (typeof test.Condition === "boolean") return String(test.Condition);
    const code = expressionIn(test.Condition);
    if (code === undefined) throw refusal(sight.state, `${field}.Condition`, "is expected to be `{% … %}`.");
    return expression(code, `${field}.Condition`, sight, bind);
  });
}

type Bind = (reference: Reference) => string;

/** Code with references in it, which `bind` gives a place each; everything else in it is text. */
export function template(write: (bind: Bind) => string): string {
  const references: string[] = [];
  // No text of JSON or of an expression has this character in it.
  const code = write((reference) => `\u0000${references.push(formatReference(reference)) - 1}\u0000`);
  return code
    .split("\u0000")
    .map((part, place) => (place % 2 === 0 ? escapeText(part) : references[Number(part)]!))
    .join("");
}

/** References take the place of paths; where the expression asks whether something is there (`$exists`), only of what that would be in. */
function expression(code: string, field: string, sight: Sight, bind: Bind): string {
  const whole = valueOfCode(code, field, sight);
  if (whole.kind !== "code") return asCode(whole, bind);
  const path =
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*(?!\s*\()|\.`[^`]*`|\[\d+\])*)(?!\w*\s*\()/g;
  // What is asked about once may be absent wherever else it is read.
  const asked = new Set([...code.matchAll(path)].filter(({ index }) => isAskedAt(code, index)).map(([text]) => text));
  return code.replaceAll(path, (text: string, name: string | undefined, rest: string | undefined) => {
    const from = name === undefined ? undefined : sight.variables.get(name);
    if (from === undefined) return text;
    const steps = [...(rest ?? "").matchAll(/\.([A-Za-z_]\w*)|\.`([^`]*)`|\[(\d+)\]/g)].map(
      ([, plain, ticked, index]) => (index === undefined ? { key: (plain ?? ticked)! } : { index: Number(index) }),
    );
    // What may be absent is looked for in the value that a task gave.
    const known = asked.has(text)
      ? steps.findIndex((_, count) => select(from, steps.slice(0, count))?.kind === "reference")
      : -1;
    const found = select(from, known === -1 ? steps : steps.slice(0, known));
    if (known !== -1) return `${asCode(found!, bind)}${codePath(steps.slice(known))}`;
    if (found === undefined)
      throw refusal(
        sight.state,
        field,
        `refers to ${text}, which is not there, or is a part of the context that a plan does not have.`,
      );
    return found.kind === "reference" ? bind(found.reference) : `(${asCode(found, bind)})`;
  });
}

const isAskedAt = (code: string, at: number): boolean => /\$exists\s*\(\s*$/.test(code.slice(0, at));

const order: Readonly<Record<string, string>> = {
  Equals: "=",
  LessThan: "<",
  GreaterThan: ">",
  LessThanEquals: "<=",
  GreaterThanEquals: ">=",
};
const operator =
  /^(String|Numeric|Boolean|Timestamp)(Equals|LessThan|GreaterThan|LessThanEquals|GreaterThanEquals)(Path)?$/;
const typeOf: Readonly<Record<string, string>> = {
  String: "string",
  Numeric: "number",
  Boolean: "boolean",
  Timestamp: "string",
};
const typeTest: Readonly<Record<string, string>> = {
  IsNumeric: "number",
  IsString: "string",
  IsBoolean: "boolean",
  IsNull: "null",
};

/** @param present paths that are there wherever this rule is asked: a rule before it says so */
function comparison(
  rule: Rule,
  field: string,
  sight: Sight,
  bind: Bind,
  present: ReadonlySet<unknown> = new Set(),
): string {
  const { And, Or, Not } = rule;
  const all = And ?? Or;
  if (all !== undefined || Not !== undefined) {
    const parts = Not === undefined ? all : [Not];
    if (Object.keys(rule).length !== 1 || !Array.isArray(parts) || parts.length === 0)
      throw refusal(sight.state, field, "is expected to have And, Or or Not alone, with rules.");
    const name = And !== undefined ? "And" : Or !== undefined ? "Or" : "Not";
    const known = new Set(present);
    const codes = parts.map((part: unknown, place) => {
      if (!isRecord(part)) throw refusal(sight.state, `${field}.${name}`, "is expected to hold rules.");
      const code = comparison(part, `${field}.${name}${Not === undefined ? `[${place}]` : ""}`, sight, bind, known);
      // The rules after it are asked where this one is true (And), or where it is false (Or).
      if (part.IsPresent === (name === "And")) known.add(part.Variable);
      return code;
    });
    return Not !== undefined ? `$not(${codes[0]})` : `(${codes.join(And !== undefined ? " and " : " or ")})`;
  }
  const { Variable, ...test } = rule;
  const [name, more] = Object.keys(test);
  if (typeof Variable !== "string" || name === undefined || more !== undefined)
    throw refusal(sight.state, field, "is expected to have a Variable and one comparison.");
  const at = `${field}.${name}`;
  if (name === "IsPresent") return wanted(`$exists(${presence(Variable, at, sight, bind)})`, test[name], at, sight);
  // Where it is absent after all, what is before this rule has decided already, or the comparison is false.
  const left = present.has(Variable)
    ? presence(Variable, at, sight, bind)
    : asGiven(valueAtPath(Variable, `${field}.Variable`, sight), bind);
  if (Object.hasOwn(typeTest, name)) return wanted(`$type(${left}) = "${typeTest[name]}"`, test[name], at, sight);
  if (name === "StringMatches")
    return `($type(${left}) = "string" and $contains(${left}, ${glob(test[name], at, sight)}))`;
  const [, sort = "", relation = "", path] = operator.exec(name) ?? [];
  if (sort === "" || (sort === "Boolean" && relation !== "Equals"))
    throw refusal(sight.state, at, "is a comparison that cannot be converted.");
  const operand = test[name];
  const type = typeOf[sort]!;
  if (path === undefined && typeof operand !== type)
    throw refusal(sight.state, at, `is expected to be compared with a ${type}.`);
  const right = path === undefined ? JSON.stringify(operand) : asGiven(valueAtPath(operand, at, sight), bind);
  const sign = order[relation]!;
  if (sort === "Timestamp") return `$toMillis(${left}) ${sign} $toMillis(${right})`;
  if (relation === "Equals") return `${left} = ${right}`;
  // A value of another type is not greater or less, and no error.
  const both = path === undefined ? [left] : [left, right];
  return `(${both.map((each) => `$type(${each}) = "${type}"`).join(" and ")} and ${left} ${sign} ${right})`;
}

function wanted(code: string, operand: unknown, field: string, sight: Sight): string {
  if (typeof operand !== "boolean") throw refusal(sight.state, field, "is expected to be true or false.");
  return operand ? code : `$not(${code})`;
}

/** A path whose last key may be absent. */
function presence(path: string, field: string, sight: Sight, bind: Bind): string {
  const [, parent, key] = /^(\$.*)\.([\p{L}\p{N}_-]+)$/u.exec(path) ?? [];
  if (parent === undefined)
    throw refusal(sight.state, field, `cannot be converted for ${path}: only a key can be absent.`);
  return `${asCode(valueAtPath(parent, field, sight), bind)}${codePath([{ key: key! }])}`;
}

/** `*` is any text, `\\*` the character. */
function glob(pattern: unknown, field: string, sight: Sight): string {
  if (typeof pattern !== "string") throw refusal(sight.state, field, "is expected to be a text.");
  const parts = pattern.match(/\\.|\*|[^\\*]+/gs) ?? [];
  const source = parts.map((part) =>
    part === "*" ? "[\\s\\S]*" : part.replace(/^\\(.)$/s, "$1").replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"),
  );
  return `/^${source.join("")}$/`;
}
