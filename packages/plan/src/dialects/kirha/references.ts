import { isRecord } from "../../json.ts";
import { maxArgumentDepth } from "../../references/reference.ts";
import { dialectError } from "../dialect-error.ts";
import type { KirhaReference, KirhaTemplate } from "./template.ts";

/** The object form as a model writes it; `fromStep` is the number of a step. */
export interface RawKirhaReference {
  readonly fromStep: number | string;
  readonly outputKey: string | number;
}

export function isKirhaReference(value: unknown): value is KirhaReference {
  return isRecord(value) && isText(value, "$fromStep") && isText(value, "$outputKey");
}

export function isKirhaTemplate(value: unknown): value is KirhaTemplate {
  if (!isRecord(value) || !isText(value, "$fromTemplateString")) return false;
  return Object.hasOwn(value, "$values") && Array.isArray(value.$values) && value.$values.every(isKirhaReference);
}

/** Numbers written as text, and text written as a number, are read too. A text that is not a number names no step. */
export function isRawKirhaReference(value: unknown): value is RawKirhaReference {
  if (!hasKeys(value, "fromStep", "outputKey")) return false;
  return [value.fromStep, value.outputKey].every((part) => typeof part === "string" || typeof part === "number");
}

/**
 * Copies a value. `replace` is called with each object and text; what it returns is put in place and not searched further.
 * @throws PlanError DIALECT for a value nested too deep.
 */
export function transformKirhaValue(
  value: unknown,
  replace: (value: unknown, path: readonly (string | number)[]) => { value: unknown } | undefined,
  path: (string | number)[] = [],
): unknown {
  const replaced = typeof value === "string" || isRecord(value) ? replace(value, path) : undefined;
  if (replaced) return replaced.value;
  if (typeof value !== "object" || value === null) return value;
  if (path.length >= maxArgumentDepth) {
    throw dialectError("kirha", `Expected arguments nested at most ${maxArgumentDepth} levels deep, got deeper ones.`);
  }
  const inside = (element: unknown, key: string | number): unknown => {
    path.push(key);
    const changed = transformKirhaValue(element, replace, path);
    path.pop();
    return changed;
  };
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, inside(element, key)]));
}

function hasKeys<Key extends string>(value: unknown, ...keys: Key[]): value is Record<Key, unknown> {
  return isRecord(value) && keys.every((key) => Object.hasOwn(value, key));
}

function isText(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key) && typeof value[key] === "string";
}
