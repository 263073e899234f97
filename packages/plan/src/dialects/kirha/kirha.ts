import { isRecord } from "../../json.ts";
import type { PlannerTask, PlannerTaskInput } from "../../records/planner-task.ts";
import type { TaskData } from "../../records/task-data.ts";
import { formatTemplate } from "../../references/format-reference.ts";
import { escapeReferences, transformReferences } from "../../references/map-references.ts";
import { parseReference } from "../../references/parse-reference.ts";
import { parseTemplate } from "../../references/parse-template.ts";
import type { PathSegment, Reference } from "../../references/reference.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { dialectError } from "../dialect-error.ts";
import { assertReadableReferences, cannotCarry, numberSteps, toolOf } from "../numbered-steps.ts";
import { planOf } from "../plan-shell.ts";
import { formatKirhaPath, type KirhaPath, parseKirhaPath, toSegments } from "./path.ts";
import { isKirhaReference, isKirhaTemplate, transformKirhaValue } from "./references.ts";
import { type KirhaStep, parseKirhaReply, parseKirhaSteps, parseSteps, readRawSteps } from "./steps.ts";
import { type KirhaReference, splitKirhaTemplate, splitKirhaText } from "./template.ts";

const name = "kirha";

/** A step as a model of this dialect writes it. */
export interface WrittenKirhaStep {
  readonly thought?: string;
  readonly toolName: string;
  readonly arguments: unknown;
}

/**
 * Kirha: an array of `{toolName, arguments, thought?}`; `{0.path}` inside text, `{fromStep, outputKey}` for a value.
 * Dependencies come from references alone. Its templates always give text, its reference objects keep the type.
 */
export const kirha = {
  name,
  description: "Tool-planning models that answer with a think block and a JSON5 array of steps in a plan block",
  fields: {
    plan: [],
    step: ["toolName", "tool", "arguments", "args", "params", "parameters", "thought", "stepId", "status"],
  },
  runRules: { onFailure: "continue", concurrency: null, taskTimeoutMs: null, maxAttempts: null, defaultAttempts: null },
  recognises: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (step) => isRecord(step) && (isName(step.toolName) || isName(step.tool)) && !("execution_type" in step),
    ),
  read: (source: unknown, context: ReadContext = {}): TaskData =>
    planOf(readKirhaSteps(source, context).map(toTask), context, { metadata: { dialect: name } }),
  write: writeKirha,
} satisfies Dialect;

/** A reply, the text of a plan, steps as written, or steps in the parsed form. @throws PlanError as `read` */
export function readKirhaSteps(source: unknown, context: ReadContext = {}): KirhaStep[] {
  const options = { ...(context.maxBytes !== undefined && { maxBytes: context.maxBytes }) };
  if (typeof source !== "string") return parseSteps(readRawSteps(source));
  if (!source.includes("<plan>")) return parseKirhaSteps(source, options);
  const { steps } = parseKirhaReply(source, options);
  if (steps === undefined) throw dialectError(name, "Expected a plan between <plan> and </plan>, got none.");
  return steps;
}

function toTask(step: KirhaStep): PlannerTaskInput {
  return {
    task_id: step.stepId,
    description: step.thought ?? step.toolName,
    execution_type: "tool",
    tool_id: step.toolName,
    arguments: translateArguments(step.arguments),
    ...(step.thought !== undefined && { thought: step.thought }),
  };
}

function translateArguments(value: Record<string, unknown>): Record<string, unknown> {
  return transformKirhaValue(value, (found) => {
    if (typeof found === "string") return { value: escapeReferences(found) };
    if (isKirhaReference(found)) return { value: formatTemplate({ parts: [toReference(found)] }) };
    if (!isKirhaTemplate(found)) return undefined;
    const parts = splitKirhaTemplate(found).map((part) => (typeof part === "string" ? part : toReference(part)));
    const text = formatTemplate({ parts });
    return { value: parts.length === 1 && typeof parts[0] === "object" ? { $text: text } : text };
  }) as Record<string, unknown>;
}

function toReference({ $fromStep, $outputKey }: KirhaReference): Reference {
  return { name: $fromStep, path: toSegments(parseKirhaPath($outputKey)), optional: false };
}

function writeKirha(plan: TaskData): WrittenKirhaStep[] {
  const { steps, numberOf } = numberSteps(name, plan);
  return steps.map(({ task, onlyDeclared }) => {
    if (onlyDeclared.length > 0) {
      throw dialectError(
        name,
        `kirha knows only dependencies by reference, but ${task.task_id} depends on others without one. Keep the plan as TaskData.`,
        { details: { task_id: task.task_id } },
      );
    }
    const toolName = toolOf(name, task);
    assertReadableReferences(name, task);
    const thought =
      task.thought ?? (task.description === "" || task.description === toolName ? undefined : task.description);
    return {
      ...(thought !== undefined && { thought }),
      toolName,
      arguments: writeArguments(task, numberOf),
    };
  });
}

function writeArguments(task: PlannerTask, numberOf: ReadonlyMap<string, number>): unknown {
  const place = (reference: Reference): { fromStep: number; outputKey: string } => {
    const fromStep = numberOf.get(reference.name);
    if (fromStep === undefined) throw cannotCarry(name, task, reference, "it names no task");
    if (reference.optional) throw cannotCarry(name, task, reference, 'it has no "null if absent"');
    return { fromStep, outputKey: formatKirhaPath(reference.path.map((it) => writeSegment(it, task, reference))) };
  };
  const writeText = (parts: readonly (string | Reference)[]): string => {
    const text = parts
      .map((part) => {
        if (typeof part === "string") return part;
        const { fromStep, outputKey } = place(part);
        return `{${fromStep}${outputKey === "" || outputKey.startsWith("[") ? "" : "."}${outputKey}}`;
      })
      .join("");
    const written = parts.filter((part) => typeof part !== "string").length;
    const steps = new Set(numberOf.values()).size;
    const read = splitKirhaText(text, (index) => (index < steps ? "any" : undefined));
    if (read.filter((part) => typeof part !== "string").length !== written) {
      throw dialectError(
        name,
        `kirha has no escape for "{0}" in text, which ${task.task_id} needs. Keep the plan as TaskData.`,
        {
          details: { task_id: task.task_id },
        },
      );
    }
    return text;
  };
  // Texts without any reference may hold a placeholder too, so every string is looked at once more.
  const withReferences = transformReferences(task.arguments, {
    text(text) {
      const { parts } = parseTemplate(text);
      const [only] = parts;
      return parts.length === 1 && typeof only === "object" ? place(only) : new Written(writeText(parts));
    },
    object: (text) => place(parseReference(text)),
    textObject: (text) => new Written(writeText(parseTemplate(text).parts)),
  });
  return transformKirhaValue(withReferences, (value) => {
    if (value instanceof Written) return { value: value.text };
    return typeof value === "string" ? { value: writeText([value]) } : undefined;
  });
}

/** A finished text, as opposed to one that still has to be read. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function writeSegment(segment: PathSegment, task: PlannerTask, reference: Reference): KirhaPath[number] {
  if ("map" in segment) throw cannotCarry(name, task, reference, "it has no map over elements");
  if ("index" in segment) return segment.index;
  if (/["'{}\]]/.test(segment.key) || segment.key === "") {
    throw cannotCarry(name, task, reference, `it cannot write the key ${JSON.stringify(segment.key)}`);
  }
  return segment.key;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
