import type { Parameter } from "./parameter.ts";

/** Whether a parameter takes identifiers, by its name or by its description. */
export function takesIds(parameter: Parameter): boolean {
  return parameter.isIdentifier || parameter.about.has("id") || parameter.about.has("identifi");
}
