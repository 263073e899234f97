import type { EstimateData, OptionChecks } from "@planloom/plan";
import type { AnySchema } from "./read-schema.ts";

/** The description that every agent has. */
export interface AgentDescription<
  Id extends string = string,
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
> {
  /** Unique among agents. */
  readonly id: Id;
  readonly name?: string;
  readonly description: string;
  readonly traits?: readonly string[];
  readonly skills?: readonly string[];
  /** Said to planners; `discovery` makes guards count calls as such. */
  readonly tags?: readonly string[];
  /** Of the input. @default any object */
  readonly schema?: Input;
  /** Of the answer; for planners. @default unknown, or `{ text }` of an agent with a model */
  readonly output?: Output;
  /** How it is reached. @default "local" */
  readonly protocol?: string;
  /** Changes when it is upgraded: runs that watch resources look at its tasks again. */
  readonly version?: string;
  /** Where it is reached; the same. No secrets. */
  readonly endpoint?: string;
  /** Whether it changes nothing outside. Failed attempts are then repeated, and no person is asked before a call. @default false */
  readonly readOnly?: boolean;
  /** May delete or overwrite existing data; a person is asked before a call unless `confirm` says otherwise. @default false */
  readonly destructive?: boolean;
  /** What a call takes and may use at most: for predictions, grouping and budgets. */
  readonly estimate?: EstimateData;
}

/** What is checked of each; the rest is checked where it is read. */
export const agentChecks = {
  id: "own",
  name: "text",
  description: "own",
  traits: "texts",
  skills: "texts",
  tags: "texts",
  schema: "own",
  output: "own",
  protocol: "text",
  version: "text",
  endpoint: "text",
  readOnly: "boolean",
  destructive: "boolean",
  estimate: "object",
} as const satisfies OptionChecks<AgentDescription>;
