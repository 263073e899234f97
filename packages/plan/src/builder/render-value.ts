import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import { escapeText, formatPath, formatReference, formatTemplate } from "../references/format-reference.ts";
import { joinTexts } from "../references/map-references.ts";
import { maxArgumentDepth, type PathSegment, type Reference } from "../references/reference.ts";
import { valueText } from "../validation/value-text.ts";
import { type Symbolic, symbolicOf, type Target } from "./symbolic.ts";

/** Gives what a reference begins with its name at the place where the reference is. @throws PlanError INVALID where it means nothing there */
export type NameOf = (target: Target) => string;

/**
 * A value as a plan says it: references, texts and secrets in their written form, texts with their `${` escaped. Properties that are
 * `undefined` are left out.
 * @param at where the value is, for messages: `arguments of "books"`
 * @throws PlanError INVALID for what is not JSON, and for an object that a plan would read as a reference
 */
export function renderValue(value: unknown, nameOf: NameOf, at: string, path: readonly PathSegment[] = []): unknown {
  const symbolic = symbolicOf(value);
  if (symbolic !== undefined) return renderSymbolic(symbolic, nameOf, at, path);
  if (typeof value === "string") return escapeText(value);
  if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return value;
  if (path.length >= maxArgumentDepth)
    throw notJson(at, [], `nested at most ${maxArgumentDepth} levels deep, got deeper ones (or a cycle)`);
  if (Array.isArray(value))
    return value.map((element, index) => renderValue(element, nameOf, at, [...path, { index }]));
  if (!isRecord(value) || !isPlain(value)) throw notJson(at, path, `JSON, got ${valueText(value)}`);
  const entries = Object.entries(value).filter(([, element]) => element !== undefined);
  const [only, second] = entries;
  if (only !== undefined && second === undefined && ownForms.has(only[0]) && typeof only[1] === "string") {
    const problem = `data, got an object whose only key is ${only[0]}, which a plan reads as a reference. Use what the builder makes, or put the data into a plan variable`;
    throw notJson(at, path, problem);
  }
  return Object.fromEntries(
    entries.map(([key, element]) => [key, renderValue(element, nameOf, at, [...path, { key }])]),
  );
}

/** A text as a field of a task has it that is read as text whatever it refers to. @throws PlanError INVALID */
export function renderText(value: unknown, nameOf: NameOf, at: string): unknown {
  const symbolic = symbolicOf(value);
  if (symbolic?.kind !== "text") return renderValue(value, nameOf, at);
  return formatTemplate({ parts: joinTexts(textParts(symbolic.parts, nameOf, at)) });
}

/** The text of a condition: references in it stay references, and values become literals of JSONata. @throws PlanError INVALID */
export function renderExpression(value: unknown, nameOf: NameOf, at: string): string {
  const symbolic = symbolicOf(value);
  if (symbolic?.kind === "reference") return formatReference(referenceOf(symbolic, nameOf));
  if (symbolic?.kind !== "expression") {
    const message = `Expected ${at} to be a reference or made by t.expression\`…\`, got ${valueText(value)}.`;
    throw new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [{ path: at, message }] } });
  }
  return formatTemplate({ parts: expressionParts(symbolic.parts, nameOf, at) });
}

const ownForms: ReadonlySet<string> = new Set(["$ref", "$text", "$secret"]);

function renderSymbolic(symbolic: Symbolic, nameOf: NameOf, at: string, path: readonly PathSegment[]): unknown {
  switch (symbolic.kind) {
    case "reference":
      return formatReference(referenceOf(symbolic, nameOf));
    case "text": {
      const parts = joinTexts(textParts(symbolic.parts, nameOf, at));
      const text = formatTemplate({ parts });
      return parts.length === 1 && typeof parts[0] !== "string" ? { $text: text } : text;
    }
    case "secret":
      return { $secret: symbolic.name };
    case "expression":
      throw notJson(at, path, "a value, got an expression, which only conditions are");
    case "computed":
      throw notJson(at, path, "a value, got what `t.computed` makes, which is all arguments of a call");
  }
}

/** The reference with the name of its target. A list of all elements of a list is the list. */
export function referenceOf(
  { target, path, optional }: Extract<Symbolic, { readonly kind: "reference" }>,
  nameOf: NameOf,
): Reference {
  let end = path.length;
  while (end > 0 && "map" in path[end - 1]!) end -= 1;
  return { name: nameOf(target), path: path.slice(0, end), optional };
}

function textParts(parts: readonly unknown[], nameOf: NameOf, at: string): (string | Reference)[] {
  return parts.flatMap((part) => {
    const symbolic = symbolicOf(part);
    if (symbolic?.kind === "reference") return [referenceOf(symbolic, nameOf)];
    if (symbolic?.kind === "text") return textParts(symbolic.parts, nameOf, at);
    if (typeof part === "string" || typeof part === "number" || typeof part === "boolean") return [String(part)];
    throw notJson(at, [], `a text of references, texts and numbers, got ${valueText(symbolic?.kind ?? part)}`);
  });
}

/** Text of the program itself is in `Source`; every other value is written as a literal. */
function expressionParts(parts: readonly unknown[], nameOf: NameOf, at: string): (string | Reference)[] {
  const read = parts.flatMap((part): (string | Reference)[] => {
    if (part instanceof Source) return [part.text];
    const symbolic = symbolicOf(part);
    if (symbolic?.kind === "reference") return [referenceOf(symbolic, nameOf)];
    if (symbolic?.kind === "expression") return ["(", ...expressionParts(symbolic.parts, nameOf, at), ")"];
    if (symbolic !== undefined) throw notJson(at, [], `an expression of references and values, got a ${symbolic.kind}`);
    // What JSON writes, JSONata reads as the same value.
    return [JSON.stringify(renderValue(part, nameOf, at))];
  });
  return joinTexts(read);
}

/** A literal part of an expression. */
export class Source {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function notJson(at: string, path: readonly PathSegment[], problem: string): PlanError {
  const place = path.length === 0 ? at : `${formatPath(path)} in the ${at}`;
  const message = `Expected ${place} to be ${problem}.`;
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [{ path: formatPath(path), message }] } });
}
