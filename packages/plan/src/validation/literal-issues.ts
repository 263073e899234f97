import { IssueCode, type PlanIssue, type Repair } from "../issue.ts";
import { isRecord } from "../json.ts";
import { formatPath } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import { collectSecrets, type FoundSecret, fillSecrets } from "../references/secret-object.ts";
import { acceptsPlainly } from "./accepts-plainly.ts";
import { inBoundedTime } from "./check-meter.ts";
import { compileSchema } from "./compile-schema.ts";
import { fieldText } from "./field-text.ts";
import { NotInterpreted } from "./interpret-schema.ts";
import { isMisspelling } from "./misspelling.ts";
import { nearestNames } from "./nearest-names.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { flatten, type SchemaNode, typeOfValue, typeText } from "./schema-node.ts";
import { listText, valueText, visibleText } from "./value-text.ts";
import type { Violation } from "./violation.ts";

/** Where a value is in its plan, for the message of an issue. */
export interface ValuePlace {
  readonly taskId?: string;
  /** Path of the value within the arguments; empty for the arguments as a whole. */
  readonly path: readonly PathSegment[];
  /** The path as text, where only that is known. */
  readonly pathText?: string;
  /** Whether that is a place in a field of the task other than its arguments, such as `wait.until`. */
  readonly inField?: boolean;
  /** What the whole value is where it is not the arguments of a task, such as "the output". */
  readonly what?: string;
}

/**
 * What is wrong with a value that holds no references. `given` are its secrets, by default all that looks like one. One issue a violation, in the schema's order.
 * Never throws.
 */
export function literalIssues(
  value: unknown,
  node: SchemaNode,
  place: ValuePlace,
  given?: readonly FoundSecret[],
): PlanIssue[] {
  if (acceptsPlainly(node.schema, value)) return [];
  const compiled = compileSchema(node);
  if ("broken" in compiled) {
    return [issueAt(place, IssueCode.RESOURCE_SCHEMA, `the schema cannot be read: ${compiled.broken}`, {})];
  }
  const secrets = given ?? collectSecrets(value);
  const checked = secrets.length === 0 ? value : withoutSecrets(value, secrets);
  const beyond = (why: string) => [issueAt(place, IssueCode.SCHEMA_BUDGET, `the schema cannot be applied: ${why}`, {})];
  try {
    const issues = inBoundedTime(compiled.history, compiled.sizeOf(checked), () =>
      wordsFor(compiled.check(checked), checked, secrets, node, place),
    );
    return (
      issues ?? beyond("it takes too long for this value; simplify it, or give it fewer patterns and alternatives")
    );
  } catch (error) {
    if (error instanceof NotInterpreted) return beyond(`${error.message}; make it smaller, or leave that keyword out`);
    if (error instanceof SyntaxError) {
      return [issueAt(place, IssueCode.RESOURCE_SCHEMA, `the schema cannot be read: ${error.message}`, {})];
    }
    if (error instanceof RangeError) return beyond("it contains itself, or the value is nested too deep");
    throw error;
  }
}

function wordsFor(
  found: readonly Violation[],
  checked: unknown,
  secrets: readonly FoundSecret[],
  node: SchemaNode,
  place: ValuePlace,
): PlanIssue[] {
  // Of a secret it is known that it is a text, and nothing more until it is filled in.
  const hidden = new Set(secrets.map(({ path }) => pointerOf(path)));
  const violations = found.filter(({ pointer, keyword }) => keyword === "type" || !hidden.has(pointer));
  // Issues of single branches add nothing to "none of the alternatives fits".
  const unions = violations.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const kept = violations.filter(
    (each) => unions.includes(each) || !unions.some((union) => isWithin(each.pointer, union.pointer)),
  );
  return kept.map((violation) => violationIssue(violation, checked, node, place));
}

/** A copy with a text in the place of each secret. */
function withoutSecrets(value: unknown, secrets: readonly FoundSecret[]): unknown {
  const [whole] = secrets;
  return whole?.path.length === 0
    ? `the secret ${whole.name}`
    : fillSecrets(structuredClone(value), secrets, ({ name }) => `the secret ${name}`);
}

function pointerOf(path: readonly PathSegment[]): string {
  return path
    .map((segment) => ("key" in segment ? segment.key : "index" in segment ? String(segment.index) : "*"))
    .map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

function violationIssue(violation: Violation, whole: unknown, node: SchemaNode, place: ValuePlace): PlanIssue {
  const { path, value } = follow(whole, violation.pointer);
  const at: ValuePlace = { ...place, path: [...place.path, ...path] };
  const { params } = violation;
  const target = nodeAtPath(node, path).node;
  switch (violation.keyword) {
    case "required":
      return missingArgument(at, String(params.missingProperty), target);
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownArgument(
        at,
        String(params.additionalProperty ?? params.unevaluatedProperty),
        target,
        value,
        "error",
      );
    case "enum": {
      const allowed = Array.isArray(params.allowedValues) ? params.allowedValues : [];
      return wrong(at, `one of ${listText(allowed)}`, valueText(value), replacing(allowed.slice(0, 10)));
    }
    case "const":
      return wrong(at, valueText(params.allowedValue), valueText(value), replacing([params.allowedValue]));
    case "type": {
      const expected = Array.isArray(params.type) ? params.type.join(" | ") : String(params.type);
      return wrong(at, expected, typeOfValue(value), undefined, valueText(value));
    }
    case "anyOf":
    case "oneOf": {
      const expected = typeText(target);
      const actual = typeOfValue(value);
      const fits = expected.split(" | ").includes(actual);
      return wrong(
        at,
        fits ? `one of the alternatives for ${expected}` : expected,
        actual,
        undefined,
        valueText(value),
      );
    }
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return wrong(at, `a number ${params.comparison} ${params.limit}`, valueText(value), replacing([params.limit]));
    case "minLength":
    case "maxLength":
      return wrong(at, `text of ${atLeast(violation)} ${params.limit} characters`, valueText(value));
    case "minItems":
    case "maxItems":
      return wrong(
        at,
        `${atLeast(violation)} ${params.limit} items`,
        `${Array.isArray(value) ? value.length : 0} items`,
      );
    case "format":
      return wrong(at, `text in the format ${params.format}`, valueText(value));
    case "pattern":
      return wrong(at, `text that matches ${valueText(params.pattern)}`, valueText(value));
    case "false schema":
      return wrong(at, "no value", valueText(value));
    case "propertyNames":
      return wrong(at, "only names of properties that the schema allows", valueText(params.propertyName));
    default:
      return wrong(at, `a value that ${violation.message}`, valueText(value));
  }
}

function atLeast({ keyword }: Violation): string {
  return keyword.startsWith("min") ? "at least" : "at most";
}

function replacing(candidates: readonly unknown[]): Repair {
  return { operation: "replace", candidates };
}

function wrong(at: ValuePlace, expected: string, actual: string, repair?: Repair, shown = actual): PlanIssue {
  const got = shown === actual ? actual : `${shown} (${actual})`;
  return issueAt(at, IssueCode.INVALID_ARGUMENT, `expected ${expected}, got ${got}`, {
    expected,
    actual,
    ...(repair && { repair }),
  });
}

/** A required property that is not there. `object` is the schema of what should hold it. */
export function missingArgument(at: ValuePlace, key: string, object: SchemaNode, repair?: Repair): PlanIssue {
  const property = nodeAtPath(object, [{ key }]);
  const expected = property.found === "yes" ? typeText(property.node) : "any";
  const values = property.found === "yes" ? flatten(property.node).values : undefined;
  const offered = repair ?? (values && { operation: "add" as const, candidates: values.slice(0, 10) });
  const choice = values ? `, one of ${listText(values)}` : expected === "any" ? "" : ` (${expected})`;
  return issueAt(
    { ...at, path: [...at.path, { key }] },
    IssueCode.MISSING_ARGUMENT,
    `is required${choice}, but missing`,
    {
      expected,
      ...(offered && offered.candidates.length > 0 && { repair: offered }),
    },
  );
}

/**
 * A property that the schema does not name; the parameters it does name are the way out, likeliest first.
 * @param given the object that has the argument: a name that it has already is not suggested
 * @param severity undefined: an error where the name is a misspelling of a parameter, which a tool would silently do without; else a warning
 */
export function unknownArgument(
  at: ValuePlace,
  key: string,
  object: SchemaNode,
  given: unknown,
  severity: PlanIssue["severity"] | undefined,
  extra: Partial<PlanIssue> = {},
): PlanIssue {
  const names = parameterNames(object);
  const free = [...names].filter((name) => !isRecord(given) || !Object.hasOwn(given, name));
  const near = nearestNames(key, free);
  const [unnamed, takes] =
    at.what === undefined
      ? ["is not a parameter of the resource", "it takes"]
      : ["is not a property of its schema", "it has"];
  const known = names.size > 0 ? `; ${takes} ${[...names].slice(0, 10).join(", ")}` : `; ${takes} none`;
  const guess = near.likely ? `; did you mean "${near.likely}"?` : known;
  const place = { ...at, path: [...at.path, { key }] };
  return {
    ...issueAt(place, IssueCode.UNKNOWN_ARGUMENT, `${unnamed}${guess}`, {
      ...extra,
      repair:
        near.names.length > 0
          ? { operation: "rename", candidates: near.names }
          : { operation: "remove", candidates: [key] },
    }),
    severity: severity ?? (near.likely !== undefined && isMisspelling(key, near.likely) ? "error" : "warning"),
  };
}

function parameterNames(object: SchemaNode, depth = 0): Set<string> {
  const flat = flatten(object);
  const names = new Set(flat.properties.keys());
  if (depth < 4) {
    for (const union of flat.unions)
      for (const branch of union) for (const name of parameterNames(branch, depth + 1)) names.add(name);
  }
  return names;
}

/** An error about the value at a place; `problem` completes "Task … argument …". */
export function issueAt(
  { taskId, path, pathText, inField = false, what }: ValuePlace,
  code: IssueCode,
  problem: string,
  extra: Partial<PlanIssue>,
): PlanIssue {
  const argument = pathText ?? formatPath(path);
  const owner = taskId === undefined ? "" : `Task ${valueText(taskId, 130)}: `;
  const subject = inField ? fieldText(argument) : subjectOf(argument, what);
  const text = /^(?:is|names|does not) /.test(problem) ? `${subject} ${problem}` : `${subject}: ${problem}`;
  const sentence = visibleText(`${owner}${text}`);
  return {
    code,
    severity: "error",
    message: `${sentence[0]?.toUpperCase() ?? ""}${sentence.slice(1)}${/[.?!]$/.test(sentence) ? "" : "."}`,
    ...(taskId !== undefined && { task_id: taskId }),
    ...(argument !== "" && { argument_path: argument }),
    ...extra,
  };
}

function subjectOf(path: string, what: string | undefined): string {
  if (path === "") return what ?? "the arguments";
  const place = valueText(path, 130);
  return what === undefined ? `argument ${place}` : `${place} in ${what}`;
}

/** Follows a JSON pointer through a value; numbers are indices where the value is an array. */
function follow(whole: unknown, pointer: string): { path: PathSegment[]; value: unknown } {
  const path: PathSegment[] = [];
  let value = whole;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(value) ? { index: Number(key) } : { key });
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return { path, value };
}
