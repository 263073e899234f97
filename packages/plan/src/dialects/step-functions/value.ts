import { isRecord } from "../../json.ts";
import { escapeText, formatReference, formatTemplate } from "../../references/format-reference.ts";
import { joinTexts } from "../../references/map-references.ts";
import type { PathSegment, Reference } from "../../references/reference.ts";

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
  /** A JSONata expression, and what the variables in it are. */
  | { readonly kind: "code"; readonly code: string; readonly variables: ReadonlyMap<string, Value> };

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
      return { kind: "code", code: `$value${codePath(path)}`, variables: new Map([["value", value]]) };
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
export function asCode(value: Value, bind: (reference: Reference) => string): string {
  switch (value.kind) {
    case "reference":
      return bind(value.reference);
    case "literal":
      return JSON.stringify(value.value);
    case "text":
      return `(${value.parts.map((part) => `$string(${asCode(part, bind)})`).join(" & ")})`;
    case "list":
      return `[${value.items.map((item) => asCode(item, bind)).join(", ")}]`;
    case "object": {
      const fields = [...value.fields].map(([key, field]) => `${JSON.stringify(key)}: ${asCode(field, bind)}`);
      const own = `{${fields.join(", ")}}`;
      if (value.base === undefined) return own;
      if (!value.makesBase) return `$merge([${asCode(value.base, bind)}, ${own}])`;
      const base = asCode(value.base, (reference) => bind({ ...reference, optional: true }));
      return `$merge([${base} = null ? {} : ${base}, ${own}])`;
    }
    case "choice": {
      // Tasks of the other branches were skipped.
      const optional = (reference: Reference) => bind({ ...reference, optional: true });
      const options = value.options.map(
        ({ chosen, value: own }) =>
          `${chosen.map((each) => `${optional(each)} = true`).join(" or ")} ? ${asCode(own, optional)} : `,
      );
      return `(${options.join("")}null)`;
    }
    case "code": {
      const variables = [...value.variables].map(([name, each]) => `$${name} := ${asCode(each, bind)}; `);
      return variables.length === 0 ? `(${value.code})` : `(${variables.join("")}${value.code})`;
    }
  }
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
