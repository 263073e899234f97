import { isRecord } from "../../json.ts";
import type { PlannerTask, PlannerTaskInput } from "../../records/planner-task.ts";
import type { TaskData } from "../../records/task-data.ts";
import { collectReferences } from "../../references/collect-references.ts";
import { formatReference, formatTemplate, isIdentifier } from "../../references/format-reference.ts";
import { transformReferences } from "../../references/map-references.ts";
import { parseReference } from "../../references/parse-reference.ts";
import { parseTemplate, parseTemplateLeniently } from "../../references/parse-template.ts";
import type { Reference } from "../../references/reference.ts";
import { taskNames } from "../../references/task-names.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { dialectError } from "../dialect-error.ts";
import { checkTextSize, firstJsonValue } from "../json-values.ts";
import { assertReadableReferences, cannotCarry, type NumberedStep, numberSteps, toolOf } from "../numbered-steps.ts";
import { parseRecord } from "../parse-record.ts";
import { goalOf, planOf } from "../plan-shell.ts";
import { McpCliPlan, McpCliStep, toolOfStep } from "./plan-schema.ts";
import { stepDependencies, stepIndices } from "./step-numbers.ts";

const name = "mcp-cli";

/**
 * mcp-cli: `{id, title, variables, steps: [{index, title, tool, args, depends_on, result_variable}]}`. `${var.field}` refers to
 * plan variables and result variables. One that names neither is a variable that the run must be given: mcp-cli itself passes its
 * text to the tool. `$${…}` is the literal text. Task ids are the indices as text.
 */
export const mcpCli = {
  name,
  description: "Execution plans with plan variables, result variables and indices from 1",
  fields: { plan: Object.keys(McpCliPlan.shape), step: Object.keys(McpCliStep.shape) },
  runRules: { onFailure: "halt", concurrency: 4, taskTimeoutMs: null, maxAttempts: null, defaultAttempts: null },
  recognises: (value) =>
    isRecord(value) &&
    Array.isArray(value.steps) &&
    value.steps.every((step) => isRecord(step) && !Object.hasOwn(step, "params")) &&
    (value.steps.length === 0
      ? typeof value.title === "string" || typeof value.id === "string"
      : value.steps.every((step) => ["tool", "tool_calls", "index", "title"].some((key) => Object.hasOwn(step, key)))),
  read: readMcpCli,
  write: writeMcpCli,
} satisfies Dialect;

function readMcpCli(source: unknown, context: ReadContext = {}): TaskData {
  const plan = parseRecord(
    McpCliPlan,
    typeof source === "string" ? planValue(source, context) : source,
    "a plan with steps",
  );
  const indices = stepIndices(plan.steps);
  const dependencies = stepDependencies(plan.steps);
  const tasks = plan.steps.map((step, position): PlannerTaskInput => {
    const tool = toolOfStep(step);
    const values = step.tool_calls?.[0]?.args ?? step.args ?? {};
    return {
      task_id: indices[position] as string,
      description: step.title ?? tool ?? "",
      execution_type: "tool",
      tool_id: tool ?? null,
      dependencies: dependencies[position] as string[],
      arguments: readArguments(values) as Record<string, unknown>,
      ...(step.title !== undefined && { title: step.title }),
      ...(step.result_variable && { result_variable: step.result_variable }),
    };
  });
  return planOf(tasks, context, {
    metadata: { dialect: name },
    ...(plan.id !== undefined && { task_id: plan.id }),
    ...(plan.title !== undefined && { title: plan.title }),
    ...(plan.variables !== undefined && { variables: plan.variables }),
  });
}

function planValue(text: string, context: ReadContext): unknown {
  checkTextSize(text, context.maxBytes);
  const found = firstJsonValue(text, (candidate) => {
    const value: unknown = JSON.parse(candidate);
    if (!isRecord(value) || !Array.isArray(value.steps)) throw new SyntaxError("no plan");
    return value;
  });
  if (found) return found.value;
  throw dialectError(name, 'Expected a JSON object with "steps", got none in the text.');
}

/** Every well-formed `${…}` is a reference, and any other (`${x:-1}` of a shell) literal text. */
function readArguments(value: unknown): unknown {
  const read = (text: string): string => formatTemplate(parseTemplateLeniently(text));
  return transformReferences(value, { text: read, object: (_, object) => object, textObject: (_, object) => object });
}

function writeMcpCli(plan: TaskData): McpCliPlan {
  const { steps, numberOf } = numberSteps(name, plan);
  const variables = plan.variables ?? {};
  const taken = new Set([...Object.keys(variables), ...taskNames(plan).keys()]);
  const used = referencedTasks(plan, taskNames(plan));
  const resultNames = steps.map(({ task }, number) => {
    if (task.result_variable !== undefined) return task.result_variable;
    return used.has(task.task_id) ? freeName(`step_${number + 1}_result`, taken) : undefined;
  });
  const known = new Set([...Object.keys(variables), ...resultNames.filter((it) => it !== undefined)]);
  const nameOf = (task: PlannerTask, reference: Reference): string => {
    const number = numberOf.get(reference.name);
    const found = number === undefined ? reference.name : resultNames[number];
    // A name that is nothing of the plan is a variable that the run is given.
    if (found === undefined || (found === "input" && !known.has(found))) {
      throw cannotCarry(name, task, reference, "a plan has no input there");
    }
    if (!isIdentifier(found)) throw cannotCarry(name, task, reference, "the name is not an identifier");
    if (reference.optional) throw cannotCarry(name, task, reference, 'it has no "null if absent"');
    if (reference.path.some((it) => "map" in it))
      throw cannotCarry(name, task, reference, "it has no map over elements");
    return found;
  };
  const goal = goalOf(plan);
  return {
    id: plan.task_id,
    title: plan.title ?? goal ?? "",
    variables,
    steps: steps.map((step, number) => writeStep(step, number, resultNames[number], nameOf)),
  };
}

function writeStep(
  { task, dependencies }: NumberedStep,
  number: number,
  resultVariable: string | undefined,
  nameOf: (task: PlannerTask, reference: Reference) => string,
): McpCliPlan["steps"][number] {
  assertReadableReferences(name, task);
  const rename = (reference: Reference): Reference => ({ ...reference, name: nameOf(task, reference) });
  const write = (text: string): string => {
    const parts = parseTemplate(text).parts.map((part) => (typeof part === "string" ? part : rename(part)));
    return writeText(parts);
  };
  return {
    index: String(number + 1),
    title: task.title ?? task.description,
    tool: toolOf(name, task),
    args: transformReferences(task.arguments, {
      text: write,
      object: (text) => formatReference(rename(parseReference(text))),
      textObject: (text) => {
        const { parts } = parseTemplate(text);
        const [only] = parts;
        if (parts.length !== 1 || typeof only !== "object") return write(text);
        throw cannotCarry(name, task, only, "a string that is one reference keeps its type there");
      },
    }) as Record<string, unknown>,
    depends_on: dependencies.map((dependency) => String(dependency + 1)),
    ...(resultVariable !== undefined && { result_variable: resultVariable }),
  };
}

/** Literal `${…}` is written bare, as the format does, where it reads back as text; else escaped. */
function writeText(parts: readonly (string | Reference)[]): string {
  const bare = parts.map((part) => (typeof part === "string" ? part : formatReference(part))).join("");
  const escaped = formatTemplate({ parts });
  return readArguments(bare) === escaped ? bare : escaped;
}

function referencedTasks(plan: TaskData, names: ReadonlyMap<string, string>): Set<string> {
  const found = plan.planned_tasks.flatMap((task) => collectReferences(task.arguments));
  return new Set(found.flatMap(({ reference }) => names.get(reference.name) ?? []));
}

function freeName(wanted: string, taken: Set<string>): string {
  let free = wanted;
  for (let count = 2; taken.has(free); count += 1) free = `${wanted}_${count}`;
  taken.add(free);
  return free;
}
