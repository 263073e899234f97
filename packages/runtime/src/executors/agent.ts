import {
  type ExecutionContext,
  type Executor,
  isRecord,
  type OptionChecks,
  type Resource,
  type TypedResource,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import { type AgentDescription, agentChecks } from "./agent-description.ts";
import { checkDelegation } from "./agents/delegation-options.ts";
import { type ModelAgent, type ModelAgentOptions, modelAgentChecks } from "./agents/model-agent.ts";
import {
  type AnySchema,
  type AsJson,
  readSchema,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
} from "./read-schema.ts";
import { checkDefinition, checkMade, unknownResource } from "./tool.ts";

/** An agent's answer, as every transport carries it. */
export type AgentReply =
  | { readonly success: true; readonly data?: unknown }
  | { readonly success: false; readonly message?: string };

/** An agent that is somewhere else: its input is sent, and its answer's `data` is the output. */
export interface AgentOptions<
  Id extends string = string,
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
> extends AgentDescription<Id, Input, Output> {
  /**
   * Sends the input over any transport and waits for the answer. `context.idempotencyKey` should go along (over HTTP as the header
   * `Idempotency-Key`): it is the same on every attempt and resume of one task.
   */
  send(input: Record<string, unknown>, context: ExecutionContext): Promise<AgentReply> | AgentReply;
}

/** An agent that is somewhere else, as `defineAgent({ send })` makes it. The types say what its schemas say. */
export interface AgentDefinition<out Id extends string = string, out Input = unknown, out Output = unknown>
  extends TypedResource<Id, Input, Output> {
  send: AgentOptions["send"];
}

/** What an agent with a model gives: what the schema of its answer says, else its answer in words, which may be cut off. */
type Answered<Output> = [Output] extends [true]
  ? { text: string; truncated?: true }
  : AsJson<unknown extends SchemaResult<Output> ? unknown : SchemaOutput<Output>>;

/**
 * An agent: one that is sent its input, or one that is a model with tools (`model` in place of `send`).
 * @throws RuntimeError INVALID_DEFINITION, INVALID_OPTION
 */
export function defineAgent<
  const Id extends string,
  const Input extends AnySchema = true,
  const Output extends AnySchema = true,
>(options: AgentOptions<Id, Input, Output>): AgentDefinition<Id, SchemaInput<Input>, AsJson<SchemaResult<Output>>>;
export function defineAgent<
  const Id extends string,
  const Input extends AnySchema = true,
  const Output extends AnySchema = true,
>(options: ModelAgentOptions<Id, Input, Output>): ModelAgent<Id, SchemaInput<Input>, Answered<Output>>;
export function defineAgent(options: AgentOptions | ModelAgentOptions): AgentDefinition | ModelAgent {
  const known = { ...agentChecks, ...(isRecord(options) && "send" in options ? { send: "own" } : modelAgentChecks) };
  checkOptions("`defineAgent`", options as AgentOptions, known as OptionChecks<AgentOptions>);
  const resource = describeAgent(options);
  if ("send" in options) {
    checkDefinition("agent", options, "send");
    return { resource, send: (value, context) => options.send(value, context) };
  }
  checkDefinition("agent", options);
  if (!("model" in options)) {
    const { id } = options as AgentDescription;
    const message = `Expected agent "${id}" to have \`model\` (one, or undefined for that of Planloom) or \`send\`, got neither.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, message, { details: { id } });
  }
  for (const name of ["maxCycles", "maxCallsPerReply"] as const) {
    const given = options[name];
    if (given === undefined || (Number.isInteger(given) && given >= 1)) continue;
    const message = `Expected \`${name}\` of agent "${options.id}" to be an integer of at least 1, got ${describe(given)}.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, message, { details: { id: options.id } });
  }
  if (options.delegation !== undefined) checkDelegation(options.delegation, `agent "${options.id}"`);
  const answer = options.output === undefined ? undefined : readSchema(options.output, "output", options.id);
  return { resource, options, ...(answer !== undefined && { answer }) };
}

function describeAgent(options: AgentDescription): Resource {
  const { id, name, description, version, endpoint, traits, skills, tags, schema, output, estimate } = options;
  const { readOnly, destructive } = options;
  const input = schema === undefined ? undefined : readSchema(schema, "input", id).jsonSchema;
  const answer = output === undefined ? undefined : readSchema(output, "output", id).jsonSchema;
  return {
    kind: "agent",
    id,
    description,
    protocol_type: options.protocol ?? "local",
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    ...(endpoint !== undefined && { endpoint }),
    ...(traits !== undefined && { traits }),
    ...(skills !== undefined && { skills }),
    ...(tags !== undefined && { tags }),
    ...(input !== undefined && { input_schema: input }),
    ...(answer !== undefined && { output_schema: answer }),
    ...(readOnly !== undefined && { read_only: readOnly }),
    ...(destructive !== undefined && { destructive }),
    ...(estimate !== undefined && { estimate }),
  };
}

/** Executes agent tasks: sends their input to agents, or lets a model call the run's tools until it has an answer. */
export function agentExecutor(agents: readonly (AgentDefinition | ModelAgent)[]): Executor {
  checkMade("agents", agents, "defineAgent", (agent) => "send" in agent || isRecord(agent.options));
  const byId = new Map(agents.map((agent) => [agent.resource.id, agent]));
  const resources = agents.map(({ resource }) => resource);
  return {
    kind: "agent",
    resources: () => resources,
    estimate: ({ uid }) => byId.get(uid)?.resource.estimate,
    delegates(uid) {
      const agent = byId.get(uid);
      return agent !== undefined && !("send" in agent);
    },
    unavailable(uid) {
      const agent = byId.get(uid);
      if (agent === undefined || "send" in agent || agent.options.model !== undefined) return undefined;
      return `No model is configured for agent "${uid}". Set OPENAI_API_KEY and PLANLOOM_MODEL, or give it a \`model\`.`;
    },
    async execute({ uid, input_data }, context) {
      const agent = byId.get(uid);
      if (agent === undefined) throw unknownResource("agent", uid);
      if ("send" in agent) return readReply(await ask(agent, input_data, context), uid);
      // What reads models' replies is loaded with the first agent that needs it.
      const { runModelAgent } = await import("./agents/run-model-agent.ts");
      return runModelAgent(agent, input_data, context);
    },
  };
}

/** Sends a message, and keeps it and the reply in the run's journal. */
async function ask(
  agent: AgentDefinition,
  input: Record<string, unknown>,
  context: ExecutionContext,
): Promise<AgentReply> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  const request = { input };
  try {
    const reply = await agent.send(input, context);
    context.onCall({ request, reply, latencyMs: latencyMs() });
    return reply;
  } catch (error) {
    context.onCall({ request, error: error instanceof Error ? error.message : String(error), latencyMs: latencyMs() });
    throw error;
  }
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
