import { isRecord, type JsonSchema } from "@planloom/plan";
import type { ModelRequest, ModelTool } from "../model.ts";
import { looksLike, propertyKeys } from "../output/looks-like.ts";

/** How structured output is asked for. */
export type StructuredMode = "json_schema" | "tool" | "text";

/** A value that the answer must be: the caller's schema, or the arguments of a call that the model must make. */
export interface WantedAnswer {
  readonly name: string;
  readonly schema: JsonSchema;
  /** As in `ModelRequest.schema`. */
  readonly strict?: boolean;
  /** Present: the answer is a call of one of them. */
  readonly tools?: readonly ModelTool[];
}

/** What the answer to a request must be; `undefined` where any text will do. */
export function wantedAnswer({ schema, tools = [], toolChoice }: ModelRequest): WantedAnswer | undefined {
  if (schema !== undefined) return schema;
  if (typeof toolChoice === "object") {
    const tool = tools.find(({ name }) => name === toolChoice.name);
    return tool && { name: tool.name, schema: tool.parameters, tools: [tool] };
  }
  const [only] = tools;
  if (toolChoice !== "required" || only === undefined) return undefined;
  return tools.length === 1
    ? { name: only.name, schema: only.parameters, tools }
    : { name: "call", schema: { anyOf: tools.map(callSchema) }, tools };
}

/** The form to ask in: the first of the caller's choice that is left. */
export function chooseForm(
  request: ModelRequest,
  wanted: WantedAnswer,
  first: StructuredMode,
  refused: ReadonlySet<string>,
): StructuredMode {
  const hasOwnTools = wanted.tools === undefined && (request.tools?.length ?? 0) > 0;
  const order: readonly StructuredMode[] =
    wanted.tools !== undefined || first === "tool"
      ? ["tool", "json_schema"]
      : first === "text"
        ? []
        : ["json_schema", "tool"];
  // With tools of its own a request cannot also be forced to call ours.
  return order.find((form) => !refused.has(form) && !(form === "tool" && hasOwnTools)) ?? "text";
}

/** Describes tools to a model that is asked to call them by writing. */
export function callInWords(tools: readonly ModelTool[]): string {
  const [only] = tools;
  if (tools.length === 1 && only !== undefined) {
    return `Answer with the arguments of one call of \`${only.name}\`, as JSON. ${only.name}: ${only.description}`;
  }
  const lines = tools.map(({ name, description }) => `- ${name}: ${description}`);
  return `Answer with one call, as JSON: {"name": …, "arguments": {…}}. It calls one of:\n${lines.join("\n")}`;
}

/** Reads a written call: one that names its tool, else arguments that fit one tool alone. */
export function writtenCall(
  value: unknown,
  tools: readonly ModelTool[],
): { readonly name: string; readonly arguments: string } | undefined {
  if (!isRecord(value)) return undefined;
  const named = tools.find(({ name }) => name === value.name);
  if (named !== undefined && isRecord(value.arguments)) {
    return { name: named.name, arguments: JSON.stringify(value.arguments) };
  }
  const fitting = tools.filter(({ parameters }) => {
    return looksLike(value, parameters) && propertyKeys(parameters).some((key) => Object.hasOwn(value, key));
  });
  const [tool] = fitting;
  return fitting.length === 1 && tool !== undefined ? { name: tool.name, arguments: JSON.stringify(value) } : undefined;
}

function callSchema({ name, parameters }: ModelTool): JsonSchema {
  return {
    type: "object",
    properties: { name: { const: name }, arguments: parameters },
    required: ["name", "arguments"],
    additionalProperties: false,
  };
}
