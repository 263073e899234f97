import {
  type Model,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  readOutput,
  withoutThinking,
} from "@planloom/controller";
import { hashValue, isRecord, validateValue } from "@planloom/plan";
import { askModel } from "../executors/agents/ask-model.ts";
import { shorten } from "../executors/agents/conversation.ts";
import type { OwnTool } from "../executors/agents/own-tool.ts";
import type { ReadableOutputs } from "../executors/agents/readable-outputs.ts";
import { scopeOf } from "../executors/scope.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { LoopAgent } from "./events.ts";
import type { ModelRoleOptions } from "./model-role-options.ts";
import type { RoleContext } from "./roles.ts";

/** A tool that a model chose, with arguments that fit its schema, as a value and as it wrote them. */
export interface Chosen {
  readonly tool: ModelTool;
  readonly value: unknown;
  readonly text: string;
}

export type ReadChoice<Value> = { readonly value: Value } | { readonly issue: string };

export interface ModelQuestion<Value> {
  readonly agent: LoopAgent;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Asks for the one tool's arguments as an answer of that form, not for a call. */
  readonly formatted: boolean;
  /** What was cut in the messages: the model may read it before it chooses. */
  readonly outputs?: ReadableOutputs;
  /** Reads the arguments of the tool; an issue is sent to the model. */
  read(chosen: Chosen): ReadChoice<Value>;
}

/** A model that reads more often must choose without having read more. */
const maxReads = 20;

const maxAnswer = 4_000;

/**
 * Asks a model to choose one of a few tools, and asks again with what was wrong until its answer can be used.
 * @throws TaskFailure FAILED with the last issue; as `askModel`
 */
export async function chooseWithModel<Value>(
  model: Model,
  options: ModelRoleOptions,
  { agent, messages, tools, formatted, outputs, read }: ModelQuestion<Value>,
  context: RoleContext,
): Promise<Value> {
  const { attempts = 3, temperature, maxTokens } = options;
  const [only] = tools;
  const reader = formatted || outputs === undefined || outputs.size === 0 ? undefined : readerBeside(outputs, tools);
  const said: ModelMessage[] = [...messages];
  let issue = "";
  let reads = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const offered = reader !== undefined && reads < maxReads ? [...tools, modelTool(reader)] : tools;
    const form: Partial<ModelRequest> = formatted
      ? { schema: { name: only!.name, schema: only!.parameters } }
      : { tools: offered, toolChoice: offered.length === 1 ? { name: only!.name } : "required" };
    const request: ModelRequest = {
      ...form,
      messages: [...said],
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    };
    const reply = await ask(model, request, options.modelTimeoutMs, agent, context);
    const asked = reply.toolCalls.flatMap((call, at) =>
      offered !== tools && call.name === reader?.name ? [{ ...call, id: call.id || `read-${reads}-${at}` }] : [],
    );
    if (reader !== undefined && asked.length > 0 && asked.length === reply.toolCalls.length) {
      reads += asked.length;
      said.push({ role: "assistant", content: "", toolCalls: asked, ...providerDataOf(reply) });
      for (const call of asked)
        said.push({ role: "tool", toolCallId: call.id, content: await readPart(reader, call.arguments) });
      // Only choices count as attempts.
      attempt -= 1;
      continue;
    }
    const chosen = readReply(reply, tools, formatted);
    const result = "issue" in chosen ? withReason(chosen, reply) : read(chosen);
    if ("value" in result) {
      // What was chosen is what it said; think blocks and prose around it are not.
      context.emit?.({ type: "loop-message", agent, content: "text" in chosen ? chosen.text : reply.text });
      return result.value;
    }
    issue = result.issue;
    context.emit?.({ type: "loop-feedback", agent, issue });
    const names = tools.map(({ name }) => `\`${name}\``).join(" or ");
    const how = formatted ? "Answer with the JSON alone." : `Call ${names}.`;
    said.push(
      { role: "assistant", content: shorten(replyText(reply), maxAnswer) },
      { role: "user", content: `That cannot be used: ${issue} ${how}` },
    );
  }
  throw new TaskFailure(TaskErrorCode.FAILED, `The ${agent} gave no usable answer in ${attempts} attempts: ${issue}`, {
    retryable: false,
  });
}

type Reply = Pick<ModelReply, "text" | "toolCalls"> & {
  readonly [Name in "providerData" | "finishReason"]?: ModelReply[Name] | undefined;
};

/** The reader under a name that none of the tools has. */
function readerBeside(outputs: ReadableOutputs, tools: readonly ModelTool[]): OwnTool {
  const reader = outputs.tool();
  const isTaken = tools.some(({ name }) => name === reader.name);
  return isTaken ? { ...reader, name: `${reader.name}_2` } : reader;
}

const modelTool = ({ name, description, parameters }: OwnTool): ModelTool => ({ name, description, parameters });

const providerDataOf = ({ providerData }: Reply) => (providerData === undefined ? {} : { providerData });

/** What the reader gives for arguments as a model wrote them, as text. */
async function readPart(reader: OwnTool, text: string): Promise<string> {
  const read = readArguments(modelTool(reader), text);
  if ("issue" in read) return JSON.stringify({ error: read.issue });
  const place = { taskId: "", conversation: "" };
  const result = await reader.call(isRecord(read.value) ? read.value : {}, place);
  if ("waiting" in result) return JSON.stringify({ error: "It cannot be read." });
  return JSON.stringify(result.ok ? { output: result.output } : { error: result.message });
}

async function ask(
  model: Model,
  request: ModelRequest,
  timeoutMs: number | undefined,
  agent: LoopAgent,
  { execution, signal, emit }: RoleContext,
): Promise<Reply> {
  const onDelta = (text: string) => emit?.({ type: "loop-delta", agent, text });
  const scope = execution && scopeOf(execution);
  if (scope === undefined) return model.generate(request, { ...(signal !== undefined && { signal }), onDelta });
  return askModel(scope, { model, request, conversation: hashValue(request), timeoutMs, onDelta });
}

/** A call, or a text that says as much as one; anything else is an issue. Never guesses between tools. */
function readReply(reply: Reply, tools: readonly ModelTool[], formatted: boolean): Chosen | { readonly issue: string } {
  const call = reply.toolCalls.find(({ name }) => tools.some((tool) => tool.name === name)) ?? reply.toolCalls[0];
  if (call !== undefined) {
    const tool = tools.find(({ name }) => name === call.name);
    if (tool !== undefined) return readArguments(tool, call.arguments);
    return { issue: `unexpected tool call: ${call.name.slice(0, 200)}.` };
  }
  if (formatted) return readArguments(tools[0]!, reply.text);
  return readText(reply.text, tools) ?? { issue: "no tool call." };
}

/** Models without tools write the call, or its arguments, as text. */
function readText(text: string, tools: readonly ModelTool[]): Chosen | undefined {
  const read = readOutput(text, { schema: { anyOf: tools.map(({ parameters }) => parameters) } });
  if (!read.found || read.truncated || read.contradiction !== undefined || !isRecord(read.value)) return undefined;
  const named = tools.find(({ name }) => name === (read.value as Record<string, unknown>).name);
  const value = named === undefined ? read.value : read.value.arguments;
  const fitting = (named === undefined ? tools : [named]).filter(
    ({ parameters }) => problemOf(value, parameters) === "",
  );
  const [tool] = fitting;
  return tool !== undefined && fitting.length === 1 ? { tool, value, text: JSON.stringify(value) } : undefined;
}

function readArguments(tool: ModelTool, text: string): Chosen | { readonly issue: string } {
  const { name, parameters } = tool;
  const read = readOutput(text, { schema: parameters });
  const wrong = (why: string) => ({ issue: `unmarshal ${name} error: ${why}` });
  if (read.found && read.contradiction !== undefined) return wrong(`It says two things: ${read.contradiction}.`);
  if (read.found && !read.truncated) {
    const problem = problemOf(read.value, parameters);
    if (problem === "") return { tool, value: read.value, text };
    return wrong(problem);
  }
  const only = onlyText(tool);
  // The model answered in words instead of JSON; where one text is wanted, the words are that text.
  if (!read.found && only !== undefined && text.trim() !== "") return { tool, value: { [only]: text }, text };
  return wrong(read.found ? "It was cut off." : "Expected the arguments as one JSON object.");
}

function problemOf(value: unknown, schema: ModelTool["parameters"]): string {
  const errors = validateValue(value, schema).filter(({ severity }) => severity === "error");
  return errors
    .slice(0, 5)
    .map(({ message }) => message)
    .join(" ");
}

/** The name of a tool's one parameter, when that is a text. */
function onlyText({ parameters }: ModelTool): string | undefined {
  const properties =
    isRecord(parameters) && isRecord(parameters.properties) ? Object.entries(parameters.properties) : [];
  const [only] = properties;
  return properties.length === 1 && isRecord(only?.[1]) && only[1].type === "string" ? only[0] : undefined;
}

/** Where a reply reached its limit, that is what its user can change. */
function withReason({ issue }: { readonly issue: string }, { finishReason }: Reply): { readonly issue: string } {
  if (finishReason !== "length") return { issue };
  return { issue: `${issue} The reply reached its limit of tokens (\`maxTokens\`): be shorter.` };
}

function replyText({ text, toolCalls }: Reply): string {
  return [withoutThinking(text).trim(), ...toolCalls.map((call) => `${call.name}(${call.arguments})`)]
    .filter((part) => part !== "")
    .join("\n");
}
