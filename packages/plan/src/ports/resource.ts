import type { JsonSchema } from "../json.ts";
import type { ExecutionKind } from "../kinds/kinds.ts";
import type { EstimateData } from "../records/estimate-data.ts";

/** What can execute a task: a tool or function, an agent, a model, a workflow. Plain JSON, sent on the wire. */
export interface Resource {
  readonly kind: ExecutionKind;
  /** Unique within its kind. MCP tools: `server/tool`. */
  readonly id: string;
  /** Name for people and prompts; the bare tool name for an MCP tool. @default id */
  readonly name?: string;
  readonly description: string;
  /** Absent where any input is taken. */
  readonly input_schema?: JsonSchema;
  /** Absent where the type of the output is unknown. */
  readonly output_schema?: JsonSchema;
  readonly tags?: readonly string[];
  /** `tool` or `function` for tools; free for the others. */
  readonly sub_type?: string;
  /** How it is reached: `local`, `mcp`, `a2a`, … */
  readonly protocol_type?: string;
  /** Changes when what executes is upgraded. */
  readonly version?: string;
  /** Where it is reached, or a digest of that; holds no secrets. */
  readonly endpoint?: string;
  readonly traits?: readonly string[];
  readonly skills?: readonly string[];
  /** Changes nothing outside. @default unknown, treated as false */
  readonly read_only?: boolean;
  /** May delete or overwrite what is there, so that a person is asked before a call unless a policy says otherwise. @default unknown */
  readonly destructive?: boolean;
  /** Calling twice has the effect of calling once. @default unknown, treated as false */
  readonly idempotent?: boolean;
  readonly estimate?: EstimateData;
}

/** Resources by kind and id, with the alternative spellings of a tool id. Built by `resourceCatalogue`. */
export interface ResourceCatalogue {
  readonly all: readonly Resource[];
  /** Finds by id; for tools the bare name and `server__tool` are read too where unique. */
  find(kind: ExecutionKind, id: string): Resource | undefined;
  ofKind(kind: ExecutionKind): readonly Resource[];
  /** Kinds under which `id` is known, in the order tool, agent, llm, dsl. */
  kindsOf(id: string): readonly ExecutionKind[];
}
