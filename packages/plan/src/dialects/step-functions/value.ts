import { isRecord } from "../../json.ts";
import { escapeText, formatReference, formatTemplate } from "../../references/format-reference.ts";
import { joinTexts } from "../../references/map-references.ts";
import type { PathSegment, Reference } from "../../references/reference.ts";
import { isBound, replaceNames } from "./names-in-code.ts";

/**
 * What is known of a value before a state machine runs. States hand data to one another by rewriting it (`Parameters`, `ResultPath`, `Output`); a
 * plan has references. So data is followed through the states, and each task gets what it would be given.
 */
export type Value =
  | { readonly kind: "reference"; readonly reference: Reference }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  /** With `base`: the fields are put into an object that is known only at run time. Where `makesBase`, there may be none: it is made then. */
  | {
      readonly kind: "object";
      readonly base?: Value;
      readonly makesBase?: true;
      readonly fields: ReadonlyMap<string, Value>;
    }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "text"; readonly parts: readonly Value[] }
  /** What it is depends on a decision: the value of the first branch that was chosen. */
  | { readonly kind: "choice"; readonly options: readonly ChoiceOption[] }
  /** A JSONata expression, and what the variables in it are. Where `isWhole`, it is a value of its own, and fails where it gives nothing. */
  | {
      readonly kind: "code";
      readonly code: string;
      readonly variables: ReadonlyMap<string, Value>;
      readonly isWhole?: true;
      /** The expression as the state machine has it, for messages. @default `code` */
      readonly said?: string;
    };

export interface ChoiceOption {
  /** Fields of a decision's output, one of which is true in this branch. */
  readonly chosen: readonly Reference[];
  readonly value: Value;
}

export const emptyObject: Value = { kind: "object", fields: new Map() };

export function referenceTo(name: string, path: readonly PathSegment[] = []): Value {
  return { kind: "reference", reference: { name, path, optional: false } };
}

/** JSON as a value. `leaf` may read a text as something else. */
export function valueOfJson(json: unknown, leaf: (text: string) => Value | undefined = () => undefined): Value {
  if (typeof json === "string") return leaf(json) ?? { kind: "literal", value: json };
  if (Array.isArray(json)) return { kind: "list", items: json.map((item) => valueOfJson(item, leaf)) };
  if (isRecord(json))
    return {
      kind: "object",
      fields: new Map(Object.entries(json).map(([key, each]) => [key, valueOfJson(each, leaf)])),
    };
  return { kind: "literal", value: json as number | boolean | null };
}

/** A part of a value; undefined where it is known to be absent. */
export function select(value: Value, path: readonly PathSegment[]): Value | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  switch (value.kind) {
    case "reference":
      return { kind: "reference", reference: { ...value.reference, path: [...value.reference.path, ...path] } };
    case "object": {
      const field = "key" in first ? value.fields.get(first.key) : undefined;
      if (field !== undefined) return select(field, rest);
      return value.base === undefined ? undefined : select(value.base, path);
    }
    case "list": {
      if ("index" in first) return value.items[first.index] && select(value.items[first.index]!, rest);
      if (!("map" in first)) return undefined;
      const items = value.items.map((item) => select(item, rest));
      return items.includes(undefined) ? undefined : { kind: "list", items: items as Value[] };
    }
    case "choice": {
      const options = value.options.map(({ chosen, value: own }) => ({ chosen, value: select(own, path) ?? absent }));
      return options.every((each) => each.value === absent) ? undefined : oneOf(options);
    }
    case "code":
      return { kind: "code", code: `$value${codePath(path)}`, variables: new Map([["value", value]]), isWhole: true };
    default:
      return undefined;
  }
}

/** In a branch in which there is no such value. */
const absent: Value = {
  kind: "code",
  code: '$error("The branch that was chosen gives no such value.")',
  variables: new Map(),
};

/** One value for what several branches give. */
export function oneOf(options: readonly ChoiceOption[]): Value {
  const texts = options.map(({ value }) => asCode(value, formatReference));
  return texts.every((text) => text === texts[0]) ? options[0]!.value : { kind: "choice", options };
}

/** The value with another one put in at a path of keys; the objects on the way are made where they are missing. */
export function put(base: Value, keys: readonly string[], value: Value): Value {
  const [first, ...rest] = keys;
  if (first === undefined) return value;
  const inner = rest.length === 0 ? value : made(put(select(base, [{ key: first }]) ?? emptyObject, rest, value));
  if (base.kind === "choice")
    return { kind: "choice", options: base.options.map((each) => ({ ...each, value: put(each.value, keys, value) })) };
  if (base.kind === "object") return { ...base, fields: new Map([...base.fields, [first, inner]]) };
  if (base.kind === "literal" || base.kind === "text" || base.kind === "list")
    return { kind: "object", fields: new Map([[first, inner]]) };
  return { kind: "object", base, fields: new Map([[first, inner]]) };
}

/** An object on the way to what was put in. */
function made(value: Value): Value {
  if (value.kind === "choice")
    return { kind: "choice", options: value.options.map((each) => ({ ...each, value: made(each.value) })) };
  return value.kind === "object" && value.base?.kind === "reference" ? { ...value, makesBase: true } : value;
}

/** The value as arguments have it; undefined where it needs to be computed. */
export function asTemplate(value: Value): unknown {
  switch (value.kind) {
    case "reference":
      return formatReference(value.reference);
    case "literal":
      return typeof value.value === "string" ? escapeText(value.value) : value.value;
    case "text": {
      const parts = value.parts.map((part) =>
        part.kind === "reference" ? part.reference : part.kind === "literal" ? String(part.value) : undefined,
      );
      if (parts.includes(undefined)) return undefined;
      const joined = joinTexts(parts as (string | Reference)[]);
      const text = formatTemplate({ parts: joined });
      return joined.length === 1 && typeof joined[0] !== "string" ? { $text: text } : text;
    }
    case "list": {
      const items = value.items.map(asTemplate);
      return items.includes(undefined) ? undefined : items;
    }
    case "object": {
      if (value.base !== undefined) return undefined;
      const fields = [...value.fields].map(([key, field]) => [key, asTemplate(field)] as const);
      return fields.some(([, field]) => field === undefined) ? undefined : Object.fromEntries(fields);
    }
    case "choice":
    case "code":
      return undefined;
  }
}

/**
 * The value as a JSONata expression.
 * @param bind gives the expression for a reference
 */
export function asCode(value: Value, bind: Bind): string {
  switch (value.kind) {
    case "reference":
      return bind(value.reference);
    case "literal":
      return JSON.stringify(value.value);
    case "text":
      return `(${value.parts.map((part) => `$string(${asCode(part, bind)})`).join(" & ")})`;
    case "list":
      return asList(value.items, bind);
    case "object":
      return asObject(value, bind);
    case "choice": {
      const options = value.options.map(
        ({ chosen, value: own }) =>
          `${chosen.map((each) => `${bind({ ...each, optional: true })} = true`).join(" or ")} ? ${asGiven(own, ofBranch(bind))} : `,
      );
      return `(${options.join("")}null)`;
    }
    case "code": {
      const bindings: string[] = [];
      let { code } = value;
      for (const [name, each] of value.variables) {
        // A variable that is a reference is replaced by it, so that a machine which was written is read as the same plan.
        if (each.kind === "reference" && !isBound(code, name))
          code = replaceNames(code, name, () => bind(each.reference));
        else bindings.push(`$${name} := ${asGiven(each, bind)}; `);
      }
      return `(${bindings.join("")}${code})`;
    }
  }
}

type Bind = (reference: Reference) => string;
type ObjectValue = Extract<Value, { readonly kind: "object" }>;
/** An object that may have to be made: where it would be, and the expression for that place. */
interface MadeBase {
  readonly reference: Reference;
  readonly code: string;
}

/** @param around the object that this one is in, where it may have to be made, too */
function asObject({ base, makesBase, fields }: ObjectValue, bind: Bind, around?: MadeBase): string {
  const made = makesBase && base?.kind === "reference" ? madeBase(base.reference, bind, around) : undefined;
  const codes = [...fields].map(([key, field]) => {
    const code = made !== undefined && field.kind === "object" ? asObject(field, bind, made) : asGiven(field, bind);
    return `${JSON.stringify(key)}: ${code}`;
  });
  const own = `{${codes.join(", ")}}`;
  if (base === undefined) return own;
  if (made === undefined) return `$merge([${asGiven(base, bind)}, ${own}])`;
  return `$merge([$exists(${made.code}) and ${made.code} != null ? ${made.code} : {}, ${own}])`;
}

/** Read from what the object would be in, which is there. */
function madeBase(reference: Reference, bind: Bind, around: MadeBase | undefined): MadeBase {
  const { path } = reference;
  if (around !== undefined && isWithin(reference, around.reference))
    return { reference, code: `${around.code}${codePath(path.slice(around.reference.path.length))}` };
  const code = `${bind({ ...reference, path: path.slice(0, -1) })}${codePath(path.slice(-1))}`;
  return { reference, code };
}

function isWithin({ name, path }: Reference, outer: Reference): boolean {
  const begins = (segment: PathSegment, place: number) => JSON.stringify(segment) === JSON.stringify(path[place]);
  return name === outer.name && outer.path.every(begins);
}

/**
 * References of a branch: tasks of the others were skipped, and what is read of them is absent. A part that is absent in the branch that was taken is
 * an error, as it is elsewhere.
 */
function ofBranch(bind: Bind): Bind {
  return ({ name, path, optional }) => {
    const whole = bind({ name, path: [], optional: true });
    if (path.length === 0 || optional) return `${whole}${codePath(path)}`;
    const message = JSON.stringify(`There is no value at ${formatReference({ name, path, optional: false })}`);
    return `($given := ${whole}${codePath(path)}; $exists($given) ? $given : $error(${message}))`;
  };
}

/** The same within another value, where JSONata leaves out what an expression gives nothing for, and a state machine fails. */
export function asGiven(value: Value, bind: Bind): string {
  const code = asCode(value, bind);
  if (value.kind !== "code" || value.isWhole !== true) return code;
  const message = JSON.stringify(`An expression gives nothing: ${(value.said ?? value.code).slice(0, 200)}`);
  return `($given := ${code}; $exists($given) ? $given : $error(${message}))`;
}

/** In `[a, b]` JSONata puts the elements of a list in the place of the list, unless it is written out, too. */
function asList(items: readonly Value[], bind: Bind): string {
  if (items.every(isWritten)) return `[${items.map((item) => asCode(item, bind)).join(", ")}]`;
  return joinedLists(
    items.map((item) =>
      isWritten(item)
        ? `[${asCode(item, bind)}]`
        : `($item := ${asGiven(item, bind)}; $type($item) = "array" ? [[$item]] : [$item])`,
    ),
  );
}

/** Whether a value is written out, if it is a list at all. */
function isWritten(value: Value): boolean {
  if (value.kind === "list") return value.items.every(isWritten);
  return value.kind === "literal" || value.kind === "text" || value.kind === "object";
}

/** One list of several: calls within calls only as deep as needed. */
function joinedLists(codes: readonly string[]): string {
  const [first = "[]", second] = codes;
  if (second === undefined) return first;
  const middle = Math.ceil(codes.length / 2);
  return `$append(${joinedLists(codes.slice(0, middle))}, ${joinedLists(codes.slice(middle))})`;
}

/** A path in JSONata. */
export function codePath(path: readonly PathSegment[]): string {
  return path
    .map((segment) =>
      "map" in segment ? "[]" : "index" in segment ? `[${segment.index}]` : `.${codeKey(segment.key)}`,
    )
    .join("");
}

function codeKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && !["and", "or", "in", "true", "false", "null"].includes(key) ? key : `\`${key}\``;
}
