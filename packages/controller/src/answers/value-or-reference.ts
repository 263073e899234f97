import type { Outline } from "./schema-outline.ts";

/** A text that is one reference: `${t1}`, `${t1.items.*.id}`, `${t2[0]["e-mail"]?}`. */
const reference = { type: "string", pattern: "^\\$\\{[A-Za-z0-9_]+[^{}]*\\}$" } as const;

/** What may be written for a value of this outline: the value itself, or a reference to an earlier task's. */
export function valueOrReference(outline: Outline): Outline {
  const takesText = outline.type === "string" || Object.keys(outline).length === 0;
  return takesText ? outline : { anyOf: [...alternativesOf(outline), reference] };
}

function alternativesOf(outline: Outline): readonly Outline[] {
  return Array.isArray(outline.anyOf) ? outline.anyOf : [outline];
}
