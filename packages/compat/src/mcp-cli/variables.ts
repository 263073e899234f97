import { formatReference, type Reference, readPath } from "@planloom/plan";
import { parseTemplateLeniently, transformReferences } from "@planloom/plan/internals";

/**
 * Puts variables in, at any depth and in one pass. A string that is exactly one `${var.field}` keeps the value's type. What
 * has no value, or is not a reference, stays as it is written; a variable that is null has a value. `$${` is a literal `${`.
 */
export function resolveVariables(value: unknown, variables: Readonly<Record<string, unknown>>): unknown {
  const read = (reference: Reference): { value: unknown } | undefined => {
    if (!Object.hasOwn(variables, reference.name)) return undefined;
    const found = readPath(variables[reference.name], reference.path);
    return found.found ? { value: found.value } : undefined;
  };
  const render = (text: string, keepsType: boolean): unknown => {
    const { parts } = parseTemplateLeniently(text);
    const [only] = parts;
    if (keepsType && parts.length === 1 && typeof only === "object") {
      const found = read(only);
      return found ? found.value : text;
    }
    return parts
      .map((part) => {
        if (typeof part === "string") return part;
        const found = read(part);
        if (found === undefined) return formatReference(part);
        return typeof found.value === "string" ? found.value : JSON.stringify(found.value);
      })
      .join("");
  };
  return transformReferences(value, {
    text: (text) => render(text, true),
    object: (_, object) => object,
    textObject: (_, object) => object,
  });
}

/** The variables of a run: the plan's, overridden by those given for the run. */
export function mergeVariables(
  planVariables: Readonly<Record<string, unknown>>,
  runVariables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(planVariables), ...Object.entries(runVariables)]);
}
