import { isRecord } from "../../json.ts";
import { maxArgumentDepth } from "../../references/reference.ts";
import { dialectError } from "../dialect-error.ts";
import { parseKirhaPath, readKirhaPath } from "./path.ts";
import { type KirhaReference, type KirhaTemplate, splitKirhaTemplate } from "./template.ts";

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

/** Numbers written as text, and text written as a number, are read too. A text that is no number names no step. */
export function isRawKirhaReference(value: unknown): value is RawKirhaReference {
  if (!hasKeys(value, "fromStep", "outputKey")) return false;
  return [value.fromStep, value.outputKey].every((part) => typeof part === "string" || typeof part === "number");
}

/**
 * Which of the three forms a value has, by its keys: parsed reference, parsed template, reference as a model writes it.
 * What stands in the keys is another question; a form with wrong values in it is an argument like any other.
 */
export function kirhaReferenceKind(value: unknown): { dependency: boolean; template: boolean; raw: boolean } {
  return {
    dependency: hasKeys(value, "$fromStep", "$outputKey"),
    template: hasKeys(value, "$fromTemplateString", "$values") && Array.isArray(value.$values),
    raw: hasKeys(value, "fromStep", "outputKey"),
  };
}

/** Where a step's arguments refer to other steps, and to which: paths and ids in document order, ids once. */
export function traverseKirhaReferences(value: unknown): {
  dependencyPaths: (string | number)[][];
  templatePaths: (string | number)[][];
  stepIds: string[];
} {
  const dependencyPaths: (string | number)[][] = [];
  const templatePaths: (string | number)[][] = [];
  const stepIds = new Set<string>();
  transformKirhaValue(value, (found, path) => {
    if (isKirhaTemplate(found)) {
      templatePaths.push([...path]);
      for (const { $fromStep } of found.$values) stepIds.add($fromStep);
      return { value: found };
    }
    if (!isKirhaReference(found)) return undefined;
    dependencyPaths.push([...path]);
    stepIds.add(found.$fromStep);
    return { value: found };
  });
  return { dependencyPaths, templatePaths, stepIds: [...stepIds] };
}

/**
 * The arguments with the outputs put in, in one pass. References keep the value's type, templates give text.
 * @param outputOf the output of a step; undefined if there is none.
 * @throws PlanError DIALECT for a step without output or a path without a value.
 */
export function resolveKirhaValue(value: unknown, outputOf: (stepId: string) => unknown): unknown {
  const read = ({ $fromStep, $outputKey }: KirhaReference): unknown => {
    const output = outputOf($fromStep);
    if (output === undefined) {
      throw dialectError("kirha", `Step ${$fromStep} output not found. Run it first, or correct the reference.`);
    }
    const found = readKirhaPath(output, parseKirhaPath($outputKey));
    if (found === undefined) {
      throw dialectError("kirha", `Step ${$fromStep} has no output at ${JSON.stringify($outputKey)}.`);
    }
    return found;
  };
  const text = (found: unknown): string => (typeof found === "string" ? found : JSON.stringify(found));
  return transformKirhaValue(value, (found) => {
    if (isKirhaReference(found)) return { value: read(found) };
    if (!isKirhaTemplate(found)) return undefined;
    const parts = splitKirhaTemplate(found);
    return { value: parts.map((part) => (typeof part === "string" ? part : text(read(part)))).join("") };
  });
}

/**
 * Copies a value, replacing what `replace` answers for; the answer is not looked into. Objects and texts are offered.
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
