import { type Model, type ModelMessage, type ModelToolCall, quotedCall, readTextCalls } from "@planloom/controller";
import { type Executor, hashValue, type Resource } from "@planloom/plan";
import { type WaitingCall, waitingFailure } from "../../journal/waiting-call.ts";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { RunScope } from "../scope.ts";
import { askModel } from "./ask-model.ts";
import { Conversation, lengthOf, shorten } from "./conversation.ts";
import { fitTools } from "./fit-tools.ts";
import { gateOf, handedOn, nestedCall, settled } from "./nested-call.ts";
import { ToolBox } from "./tool-box.ts";

export const defaultCycles = 20;
export const defaultPromptCharacters = 100_000;
const defaultRepeats = 3;
const defaultCallsPerReply = 64;
const maxResultCharacters = 20_000;

export interface ToolLoopOptions {
  readonly model: Model;
  /** What the model is asked. */
  readonly messages: readonly ModelMessage[];
  /** Ids of the tools it may call. @default all of the run */
  readonly tools?: readonly string[] | undefined;
  /** Tools of its own, before those of the run. */
  readonly executors?: readonly Executor[] | undefined;
  /** Model calls at most, an integer of at least 1. @default 20 */
  readonly maxCycles?: number | undefined;
  /** Calls of one tool with the same arguments; more are not made, and the model gets a message. @default 3 */
  readonly maxRepeatedCalls?: number | undefined;
  /** Calls of one reply, an integer of at least 1; more are not made, and the model gets a message. @default 64 */
  readonly maxCallsPerReply?: number | undefined;
  /**
   * Characters of one request: messages, and names, descriptions and schemas of tools. Tools take half at most: their descriptions are
   * cut. @default 100_000
   */
  readonly maxPromptCharacters?: number | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Of one model call, in milliseconds. @default the model's own, else 180_000 */
  readonly modelTimeoutMs?: number | undefined;
  readonly onDelta?: ((text: string) => void) | undefined;
  /** Looks at a reply that calls no tool: the value to end with, or a message to the model before the next request. */
  finish(reply: FinalReply): NextMove | Promise<NextMove>;
  /** Looks at each cycle's results: the value to end with, if they end the loop. */
  stop?(results: readonly CallResult[]): LoopEnd | undefined;
  /** The cycles are used up. @default fails: "exceeds max iterations" */
  exhausted?(last: CallResult | undefined): LoopEnd;
}

export interface FinalReply {
  readonly text: string;
  /** 0 for the first. */
  readonly cycle: number;
  readonly truncated: boolean;
  /** The last call that was made. */
  readonly last: CallResult | undefined;
}

/** `call`: as if the model had made this call. */
export type NextMove = LoopEnd | { readonly again: string } | { readonly call: ModelToolCall };

export interface LoopEnd {
  readonly value: unknown;
}

/** What became of one call of a tool. */
export type CallResult = { readonly name: string; readonly tool: Resource | undefined } & (
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly message: string }
);

/**
 * Asks a model, calls the tools that it calls (those of one reply at the same time), sends it the results, and asks again
 * until it answers in words. Every model call and every tool call is a nested task, so limits, budgets, guards, gates and the
 * journal hold; what an earlier session of the run completed is not done again. Nothing a model writes makes it throw.
 * @throws TaskFailure INVALID_INPUT when the question and the tools are more than `maxPromptCharacters`; FAILED when the model cannot be reached or the cycles are used up; WAITING when a call needs approval
 */
export async function toolLoop(scope: RunScope, options: ToolLoopOptions): Promise<unknown> {
  const { maxCycles = defaultCycles, maxPromptCharacters = defaultPromptCharacters, model } = options;
  const { maxCallsPerReply = defaultCallsPerReply } = options;
  const box = new ToolBox(scope.registry, options.tools);
  const { tools, characters } = fitTools(box.tools, lengthOf(options.messages), maxPromptCharacters);
  // The whole descriptions: answers of an earlier session hold for the same tools.
  const talk = new Conversation(options.messages, box.tools, maxPromptCharacters - characters);
  const calls = new Calls(scope, box, options);
  let last: CallResult | undefined;
  let hasAskedBack = false;
  for (let cycle = 0; cycle < maxCycles; cycle++) {
    const { temperature, maxTokens, modelTimeoutMs: timeoutMs, onDelta } = options;
    const reply = await askModel(scope, {
      model,
      conversation: talk.hash,
      timeoutMs,
      onDelta,
      request: {
        messages: talk.messages(),
        ...(tools.length > 0 && { tools }),
        ...(temperature !== undefined && { temperature }),
        ...(maxTokens !== undefined && { maxTokens }),
      },
    });
    // Some models write their calls as text, where their server does not read them.
    const written = reply.toolCalls.length === 0 ? readTextCalls(reply.text, tools) : undefined;
    let asked = written ?? reply.toolCalls;
    // It may be what the model means to do, or what it read somewhere: only the model can tell, and is asked once.
    const quoted = asked.length === 0 && !hasAskedBack ? quotedCall(reply.text, tools) : undefined;
    if (quoted !== undefined) {
      hasAskedBack = true;
      talk.add([
        { role: "assistant", content: reply.text },
        { role: "user", content: askedBack(quoted) },
      ]);
      continue;
    }
    if (asked.length === 0) {
      const truncated = reply.finishReason === "length";
      const end = await options.finish({ text: reply.text, cycle, truncated, last });
      if ("value" in end) return end.value;
      if ("again" in end) {
        talk.add([
          { role: "assistant", content: reply.text },
          { role: "user", content: end.again },
        ]);
        continue;
      }
      asked = [end.call];
    }
    const named = withIds(asked.slice(0, maxCallsPerReply), cycle);
    const leftOut = asked.length - named.length;
    const results = await calls.make(named, cycle, talk.hash);
    last = results.at(-1);
    const end = options.stop?.(results);
    if (end !== undefined) return end.value;
    talk.add([
      {
        role: "assistant",
        content: written === undefined ? reply.text : "",
        toolCalls: named,
        ...(reply.providerData !== undefined && { providerData: reply.providerData }),
      },
      ...results.map((result, index): ModelMessage => {
        return { role: "tool", toolCallId: named[index]!.id, content: resultText(result) };
      }),
      ...(leftOut > 0 ? [leftOutNote(named.length, leftOut)] : []),
    ]);
  }
  if (options.exhausted !== undefined) return options.exhausted(last).value;
  const message = `It exceeds max iterations: after ${maxCycles} model calls (maxCycles) it still calls tools.`;
  throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false, details: { max_cycles: maxCycles } });
}

/** Makes the calls of one loop, and remembers them. */
class Calls {
  readonly #scope: RunScope;
  readonly #box: ToolBox;
  readonly #executors: readonly Executor[];
  readonly #maxRepeats: number;
  readonly #made = new Map<string, number>();
  readonly #denied = new Set<string>();

  constructor(scope: RunScope, box: ToolBox, { executors = [], maxRepeatedCalls = defaultRepeats }: ToolLoopOptions) {
    this.#scope = scope;
    this.#box = box;
    this.#executors = executors;
    this.#maxRepeats = maxRepeatedCalls;
  }

  async make(calls: readonly ModelToolCall[], cycle: number, conversation: string): Promise<CallResult[]> {
    const made = await settled(calls.map((call, index) => this.#make(call, `call-${cycle}-${index}`, conversation)));
    const waiting: WaitingCall[] = [];
    const results: CallResult[] = [];
    for (const result of made) {
      if ("waiting" in result) waiting.push(...result.waiting);
      else results.push(result);
    }
    if (waiting.length > 0) throw waitingFailure(waiting);
    return results;
  }

  async #make(
    call: ModelToolCall,
    id: string,
    conversation: string,
  ): Promise<CallResult | { readonly waiting: readonly WaitingCall[] }> {
    const read = this.#box.read(call);
    if (!read.ok) return { name: call.name, tool: undefined, ok: false, message: read.problem };
    const { tool, input } = read;
    const about = { name: call.name, tool };
    const key = `${tool.id} ${hashValue(input)}`;
    const times = this.#made.get(key) ?? 0;
    if (this.#denied.has(key)) return { ...about, ok: false, message: "A person said no to this call before." };
    if (times >= this.#maxRepeats) {
      const message = `This call was made ${times} times already, with the same arguments. Use its result, or do something else.`;
      return { ...about, ok: false, message };
    }
    this.#made.set(key, times + 1);
    const { isCovered, ...gate } = gateOf(this.#scope, tool.id, input, times);
    const task = {
      task_id: id,
      execution_type: "tool" as const,
      tool_id: tool.id,
      arguments: handedOn(input),
      ...gate,
    };
    const outcome = await nestedCall(this.#scope, task, input, {
      executors: this.#executors,
      again: false,
      place: conversation,
      isCovered,
    });
    switch (outcome.status) {
      case "completed":
        return { ...about, ok: true, output: outcome.output };
      case "failed":
        if (outcome.error.code === TaskErrorCode.DENIED) this.#denied.add(key);
        return { ...about, ok: false, message: outcome.error.message };
      case "waiting":
        return { waiting: outcome.waiting.map((each) => ({ ...each, uid: each.uid ?? tool.id, input })) };
      default:
        return outcome satisfies never;
    }
  }
}

function askedBack(name: string): string {
  return `Your answer has a call of \`${name}\` in it that is written as text, so it was not made. Make it as a tool call if you mean it; else answer without it.`;
}

function leftOutNote(made: number, leftOut: number): ModelMessage {
  const content = `Only the first ${made} calls of your reply were made; the other ${leftOut} were not. Call again what is still needed.`;
  return { role: "user", content };
}

/** Some servers give calls no id, or all the same. */
function withIds(calls: readonly ModelToolCall[], cycle: number): ModelToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === "" || seen.has(call.id) ? `call_${cycle}_${index}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

/** As JSON, so that what a tool gave cannot look like an error of ours, or like words of the user. */
function resultText(result: CallResult): string {
  return result.ok
    ? shorten(JSON.stringify({ output: result.output ?? null }), maxResultCharacters)
    : JSON.stringify({ error: shorten(result.message, maxResultCharacters) });
}
