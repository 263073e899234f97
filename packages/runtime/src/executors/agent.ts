import { type EstimateData, type ExecutionContext, type Executor, isRecord, type Resource } from "@planloom/plan";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import { type AnySchema, readSchema } from "./read-schema.ts";
import { checkDefinition, unknownResource } from "./tool.ts";

/** An agent's answer, as every transport carries it. */
export type AgentReply =
  | { readonly success: true; readonly data?: unknown }
  | { readonly success: false; readonly message?: string };

export interface AgentOptions {
  /** Unique among agents. */
  readonly id: string;
  readonly name?: string;
  readonly description: string;
  readonly traits?: readonly string[];
  readonly skills?: readonly string[];
  readonly tags?: readonly string[];
  /** Of the input. @default any object */
  readonly schema?: AnySchema;
  /** Of the answer's `data`; for planners. @default unknown */
  readonly output?: AnySchema;
  /** How it is reached. @default "local" */
  readonly protocol?: string;
  readonly estimate?: EstimateData;
  /** Sends the input over whatever transport and waits for the answer. */
  send(input: Record<string, unknown>, context: ExecutionContext): Promise<AgentReply> | AgentReply;
}

export interface AgentDefinition {
  readonly resource: Resource;
  send: AgentOptions["send"];
}

/** @throws RuntimeError INVALID_DEFINITION */
export function defineAgent(options: AgentOptions): AgentDefinition {
  const { id, name, description, traits, skills, tags, schema, output, estimate } = options;
  checkDefinition("agent", options, "send");
  const input = schema === undefined ? undefined : readSchema(schema, "input", id).jsonSchema;
  const answer = output === undefined ? undefined : readSchema(output, "output", id).jsonSchema;
  return {
    resource: {
      kind: "agent",
      id,
      description,
      protocol_type: options.protocol ?? "local",
      ...(name !== undefined && { name }),
      ...(traits !== undefined && { traits }),
      ...(skills !== undefined && { skills }),
      ...(tags !== undefined && { tags }),
      ...(input !== undefined && { input_schema: input }),
      ...(answer !== undefined && { output_schema: answer }),
      ...(estimate !== undefined && { estimate }),
    },
    send: (value, context) => options.send(value, context),
  };
}

/** Executes agent tasks by sending their input to agents. */
export function agentExecutor(agents: readonly AgentDefinition[]): Executor {
  const byId = new Map(agents.map((agent) => [agent.resource.id, agent]));
  const resources = agents.map(({ resource }) => resource);
  return {
    kind: "agent",
    resources: () => resources,
    estimate: ({ uid }) => byId.get(uid)?.resource.estimate,
    async execute({ uid, input_data }, context) {
      const agent = byId.get(uid);
      if (agent === undefined) throw unknownResource("agent", uid);
      return readReply(await agent.send(input_data, context), uid);
    },
  };
}

function readReply(reply: unknown, uid: string): unknown {
  if (isRecord(reply) && reply.success === true) return reply.data;
  if (isRecord(reply) && reply.success === false) {
    const message = typeof reply.message === "string" && reply.message !== "" ? reply.message : undefined;
    throw new TaskFailure(
      TaskErrorCode.AGENT_REFUSED,
      message ?? `Agent "${uid}" answered success: false and no message.`,
    );
  }
  throw new TaskFailure(
    TaskErrorCode.FAILED,
    `Expected agent "${uid}" to answer { success, data }, got ${describe(reply)}.`,
  );
}
