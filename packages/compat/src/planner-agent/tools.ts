import { isRecord, type JsonSchema } from "@planloom/plan";

/** One parameter of a tool as this dialect's library describes it. */
export interface PlannerAgentParameter {
  readonly type?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly min?: number;
  readonly max?: number;
}

/** A tool of this dialect's library. It answers `{ success: true, data }` or `{ success: false, error }`. */
export interface PlannerAgentTool {
  readonly name: string;
  readonly description: string;
  readonly schema?: { readonly params?: Readonly<Record<string, PlannerAgentParameter>> };
  execute(params: Record<string, unknown>): unknown;
}

/** What `defineTool` takes. */
export interface PlannerAgentToolDefinition {
  readonly id: string;
  readonly description: string;
  readonly input?: JsonSchema;
  execute(params: Record<string, unknown>): Promise<unknown>;
}

/**
 * Its tools as `defineTool` takes them: `plannerAgentTools(tools).map((tool) => defineTool(tool))`. What a tool gives is `data`, which its templates
 * read; an answer of no success fails the task. An answer without `success` is given as it is.
 */
export function plannerAgentTools(tools: readonly PlannerAgentTool[]): PlannerAgentToolDefinition[] {
  return tools.map((tool) => ({
    id: tool.name,
    description: tool.description,
    ...(tool.schema?.params !== undefined && { input: inputSchema(tool.schema.params) }),
    execute: async (params) => dataOf(tool.name, await tool.execute(params)),
  }));
}

function dataOf(tool: string, answer: unknown): unknown {
  if (!isRecord(answer) || typeof answer.success !== "boolean") return answer;
  if (answer.success) return answer.data;
  const { error } = answer;
  const said = isRecord(error) ? error.message : error;
  throw new Error(typeof said === "string" && said !== "" ? said : `The tool "${tool}" was not successful.`);
}

const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

function inputSchema(params: Readonly<Record<string, PlannerAgentParameter>>): JsonSchema {
  const entries = Object.entries(params);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)])),
    required: entries.filter(([, { required }]) => required === true).map(([name]) => name),
  };
}

function parameterSchema({ type, description, default: preset, enum: choices, min, max }: PlannerAgentParameter) {
  return {
    ...(type !== undefined && types.has(type) && { type }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(choices !== undefined && { enum: choices }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  };
}
