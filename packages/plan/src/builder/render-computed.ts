import { formatReference } from "../references/format-reference.ts";
import { type NameOf, notJson, referenceOf, renderValue, Source } from "./render-value.ts";
import { symbolicOf } from "./symbolic.ts";

/**
 * Arguments that are computed: what the expression refers to, by names of its own, and the expression over these. What is written twice is
 * handed over once.
 * @param at where they are, for messages: `arguments of "books"`
 * @throws PlanError INVALID for a value that is not JSON, and for a secret: it is filled in after the expression
 */
export function renderComputed(
  parts: readonly unknown[],
  nameOf: NameOf,
  at: string,
): { readonly arguments: Record<string, unknown>; readonly convertor_code: string } {
  const names = new Map<string, string>();
  const codeOf = (each: readonly unknown[]): string =>
    each
      .map((part) => {
        if (part instanceof Source) return part.text;
        const symbolic = symbolicOf(part);
        if (symbolic?.kind === "expression") return `(${codeOf(symbolic.parts)})`;
        // What JSON writes, JSONata reads as the same value.
        if (symbolic === undefined) return JSON.stringify(literal(part, at));
        if (symbolic.kind !== "reference")
          throw notJson(at, [], `computed from references and values, got a ${symbolic.kind}`);
        const text = formatReference(referenceOf(symbolic, nameOf));
        const name = names.get(text) ?? `v${names.size + 1}`;
        names.set(text, name);
        return `$$.${name}`;
      })
      .join("");
  const convertor_code = codeOf(parts);
  return { arguments: Object.fromEntries([...names].map(([text, name]) => [name, text])), convertor_code };
}

/** A value of the program as it is: a `${` in it is not escaped, since no reference is read in code. */
function literal(value: unknown, at: string): unknown {
  // Asked for its errors alone, which say where a value is not JSON or holds a reference.
  renderValue(value, refuse(at), at);
  return value;
}

function refuse(at: string): NameOf {
  return () => {
    throw notJson(
      at,
      [],
      "computed from values and whole references, got a reference within a value; write it into the expression",
    );
  };
}
