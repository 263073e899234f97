import { isRecord } from "@planloom/plan";
import {
  dialectError,
  isKirhaReference,
  isKirhaTemplate,
  type KirhaReference,
  parseKirhaPath,
  splitKirhaTemplate,
  transformKirhaValue,
} from "@planloom/plan/internals";
import { readKirhaPath } from "./read-path.ts";

/**
 * Which of the three forms a value has, by its keys: parsed reference, parsed template, reference as a model writes it.
 * The values of the keys are checked later; a form with wrong values in it is an argument like any other.
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

function hasKeys(value: unknown, ...keys: readonly string[]): value is Record<string, unknown> {
  return isRecord(value) && keys.every((key) => Object.hasOwn(value, key));
}
