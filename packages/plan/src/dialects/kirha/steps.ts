import { loadJson5 } from "#lazy/json5";
import { isRecord } from "../../json.ts";
import { describeValue, dialectError } from "../dialect-error.ts";
import { checkTextSize, jsonCandidates } from "../json-values.ts";
import { formatKirhaPath, parseKirhaPath } from "./path.ts";
import {
  isKirhaReference,
  isKirhaTemplate,
  isRawKirhaReference,
  type RawKirhaReference,
  transformKirhaValue,
} from "./references.ts";
import { type KirhaReference, parseKirhaTemplate, type StepIdOf } from "./template.ts";

/** A step in the parsed form: `arguments` hold `KirhaReference`s and `KirhaTemplate`s. */
export interface KirhaStep {
  readonly stepId: string;
  readonly status: "pending";
  readonly toolName: string;
  readonly arguments: Record<string, unknown>;
  readonly thought?: string;
}

/** A step as a model writes it, names settled. */
export interface RawKirhaStep {
  readonly stepId?: string;
  readonly toolName: string;
  readonly arguments: Record<string, unknown>;
  readonly thought?: string;
}

export interface KirhaReply {
  /** Text of the first closed think tag. */
  readonly think?: string;
  /** Absent when the reply has no plan, or only a blank one. */
  readonly steps?: KirhaStep[];
}

const argumentNames = ["arguments", "args", "params", "parameters"] as const;

/**
 * Reads a model's reply: an optional think tag, an optional plan tag.
 * @throws PlanError DIALECT when the plan tag holds no plan, TOO_LARGE
 */
export function parseKirhaReply(
  text: string,
  options: { maxBytes?: number; stepId?: (index: number) => string } = {},
): KirhaReply {
  checkTextSize(text, options.maxBytes);
  const think = tagged(text, "think");
  const plan = tagged(text, "plan");
  return {
    ...(think !== undefined && { think: think.trim() }),
    ...(plan !== undefined && plan.trim() !== "" && { steps: parseKirhaSteps(plan, options) }),
  };
}

/**
 * Reads the text of a plan: a JSON5 array of steps, prose around it ignored.
 * @param options.stepId ids of the steps. @default "step-0", "step-1", …
 * @throws PlanError DIALECT; messages begin `invalid json parsing:` or `Invalid dependency reference:`.
 */
export function parseKirhaSteps(
  text: string,
  options: { maxBytes?: number; stepId?: (index: number) => string } = {},
): KirhaStep[] {
  checkTextSize(text, options.maxBytes);
  return parseSteps(readRawSteps(readArray(text)), options.stepId);
}

/** Steps as written -> the parsed form. @throws PlanError DIALECT for an object reference to no step. */
export function parseSteps(
  raw: readonly RawKirhaStep[],
  stepId = (index: number): string => `step-${index}`,
): KirhaStep[] {
  const ids = raw.map((step, index) => step.stepId ?? stepId(index));
  const stepIdOf: StepIdOf = (index) => ids[index];
  return raw.map((step, index) => ({
    stepId: ids[index] as string,
    status: "pending",
    toolName: step.toolName,
    arguments: transformKirhaValue(step.arguments, (value) => {
      if (typeof value === "string") return { value: parseKirhaTemplate(value, stepIdOf) };
      if (isKirhaReference(value) || isKirhaTemplate(value)) return { value };
      return isRawKirhaReference(value) ? { value: parseReferenceObject(value, stepIdOf) } : undefined;
    }) as Record<string, unknown>,
    ...(step.thought !== undefined && { thought: step.thought }),
  }));
}

/** Checks a parsed value and settles the aliases of its keys. @throws PlanError DIALECT listing every fault. */
export function readRawSteps(value: unknown): RawKirhaStep[] {
  const faults: { path: string; message: string }[] = [];
  const steps = (Array.isArray(value) ? value : []).map((step: unknown, index): RawKirhaStep => {
    const record = isRecord(step) ? step : {};
    const toolName = own(record, "toolName") ?? own(record, "tool");
    const values = argumentNames.map((name) => own(record, name)).find((found) => found !== undefined) ?? {};
    const { thought, stepId } = { thought: own(record, "thought"), stepId: own(record, "stepId") };
    if (typeof toolName !== "string" || toolName === "") {
      faults.push({
        path: `[${index}].toolName`,
        message: `expected the name of a tool, got ${describeValue(toolName)}`,
      });
    }
    if (!isRecord(values)) {
      faults.push({ path: `[${index}].arguments`, message: `expected an object, got ${describeValue(values)}` });
    }
    return {
      toolName: String(toolName),
      arguments: isRecord(values) ? values : {},
      ...(typeof thought === "string" && thought !== "" && { thought }),
      ...(typeof stepId === "string" && stepId !== "" && { stepId }),
    };
  });
  if (!Array.isArray(value))
    faults.push({ path: "", message: `expected an array of steps, got ${describeValue(value)}` });
  if (faults.length > 0) {
    throw dialectError("kirha", `invalid json parsing: ${JSON.stringify(faults.slice(0, 20))}`, {
      details: { faults },
    });
  }
  return steps;
}

function readArray(text: string): unknown {
  let first: { value: unknown } | undefined;
  let refusal: unknown;
  let found = false;
  for (const candidate of jsonCandidates(text)) {
    found = true;
    try {
      const value = parseJson5(candidate.text);
      if (Array.isArray(value) && value.every(isRecord)) return value;
      first ??= { value };
    } catch (error) {
      refusal ??= error;
    }
  }
  if (first !== undefined) return first.value;
  if (!found && /[[{]/.test(text)) refusal = new Error("JSON5: invalid end of input");
  const why = refusal instanceof Error ? refusal.message : "no JSON object or array found";
  throw dialectError("kirha", `invalid json parsing: ${why}`, { cause: refusal });
}

/** Loaded on first use: only texts of this dialect need JSON5. */
function parseJson5(text: string): unknown {
  try {
    return loadJson5().parse(text);
  } catch (error) {
    // Deep nesting overflows its stack.
    throw error instanceof RangeError ? new SyntaxError("nested too deep", { cause: error }) : error;
  }
}

function parseReferenceObject({ fromStep, outputKey }: RawKirhaReference, stepIdOf: StepIdOf): KirhaReference {
  const stepId = /^-?[0-9]+$/.test(String(fromStep)) ? stepIdOf(Number(fromStep)) : undefined;
  if (stepId === undefined) {
    throw dialectError("kirha", `Invalid dependency reference: step ${fromStep} not found. Steps count from 0.`, {
      details: { fromStep },
    });
  }
  return { $fromStep: stepId, $outputKey: formatKirhaPath(parseKirhaPath(String(outputKey))) };
}

function tagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open === -1) return undefined;
  const start = open + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, start);
  return end === -1 ? undefined : text.slice(start, end);
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
