import {
  type Model,
  type ModelMessage,
  type ModelTool,
  type ModelToolCall,
  quotedCall,
  readTextCalls,
} from "@planloom/controller";
import { type Executor, hashValue, type Resource } from "@planloom/plan";
import { type WaitingCall, waitingFailure } from "../../journal/waiting-call.ts";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { RunScope } from "../scope.ts";
import { askModel, type ModelAnswer, wasAnswered } from "./ask-model.ts";
import { Conversation, leastResult, lengthOf, shorten, type TurnMessage } from "./conversation.ts";
import { type DelegatedPart, delegateTool } from "./delegate.ts";
import type { DelegationOptions } from "./delegation-options.ts";
import { fitTools } from "./fit-tools.ts";
import { gateOf, handedOn, type NestedEnd, nestedCall, recordedCall, settled } from "./nested-call.ts";
import type { CallPlace, OwnTool } from "./own-tool.ts";
import { ReadableOutputs } from "./readable-outputs.ts";
import { ToolBox } from "./tool-box.ts";

export const defaultCycles = 20;
export const defaultPromptCharacters = 100_000;
const defaultRepeats = 3;
const defaultCallsPerReply = 64;
/** So many replies in a row without a call that can be made come from a model that has lost its way: each costs as much as a good one. */
const maxIdleReplies = 5;
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
  /** Name of the model at its endpoint. @default the model's own */
  readonly modelName?: string | undefined;
  /** What of the messages was cut, whole: the model can read it in parts. @default nothing */
  readonly outputs?: ReadableOutputs | undefined;
  /** Hands parts of the work on to loops of their own; see `delegateTool`. @default not offered */
  readonly delegation?:
    | (DelegationOptions & { work(scope: RunScope, part: DelegatedPart): Promise<unknown> })
    | undefined;
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
  /** The last call of a tool of the run that was made. */
  readonly last: CallResult | undefined;
}

/** `call`: as if the model had made this call. */
export type NextMove = LoopEnd | { readonly again: string } | { readonly call: ModelToolCall };

export interface LoopEnd {
  readonly value: unknown;
}

/** What became of one call of a tool. */
export type CallResult = {
  readonly name: string;
  readonly tool: Resource | undefined;
  /** It only read again what was given before. */
  readonly isReading?: boolean;
  /** No call was made: there is no such tool, its arguments cannot be read or were sent too often, or a person said no before. */
  readonly isRefused?: boolean;
} & ({ readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly message: string });

/**
 * Asks a model, calls the tools that it calls (those of one reply at the same time), sends it the results, and asks again
 * until it answers in words. Every model call and every tool call is a nested task, so limits, budgets, guards, gates and the
 * journal hold; what an earlier session of the run completed is not done again. Nothing a model writes makes it throw.
 * @throws TaskFailure INVALID_INPUT when the question and the tools are more than `maxPromptCharacters`; FAILED when the model cannot be reached, the cycles are used up, or 5 replies in a row had no call that could be made; WAITING when a call needs approval
 */
export async function toolLoop(scope: RunScope, options: ToolLoopOptions): Promise<unknown> {
  const { maxCycles = defaultCycles, maxPromptCharacters = defaultPromptCharacters, model } = options;
  const { maxCallsPerReply = defaultCallsPerReply } = options;
  const { outputs = new ReadableOutputs(), delegation } = options;
  const box = new ToolBox(scope.registry, options.tools);
  const handsOn = delegation === undefined ? [] : [box.add(delegateTool(scope, box, delegation, delegation.work))];
  const { tools, characters } = fitTools([...box.tools, ...handsOn], lengthOf(options.messages), maxPromptCharacters);
  const reader = box.add(outputs.tool());
  const room = maxPromptCharacters - characters - JSON.stringify(reader).length;
  // The whole descriptions: answers of an earlier session hold for the same tools.
  const talk = new Conversation(options.messages, [...box.tools, ...handsOn], room);
  // Offered once there is something to read: short conversations go without.
  const isCut = outputs.size > 0;
  const calls = new LoopCalls(scope, box, options);
  let last: CallResult | undefined;
  let hasAskedBack = false;
  let idleReplies = 0;
  let message = `It exceeds max iterations: after ${maxCycles} model calls (maxCycles) it still calls tools.`;
  for (let cycle = 0; cycle < maxCycles; cycle++) {
    const { temperature, maxTokens, modelTimeoutMs: timeoutMs, onDelta, modelName } = options;
    const messages = talk.messages();
    const offered = isCut || talk.hasCut ? [...tools, reader] : tools;
    const reply = await askModel(scope, {
      model,
      conversation: talk.hash,
      timeoutMs,
      onDelta,
      request: {
        messages,
        ...(offered.length > 0 && { tools: offered }),
        ...(modelName !== undefined && { model: modelName }),
        ...(temperature !== undefined && { temperature }),
        ...(maxTokens !== undefined && { maxTokens }),
      },
    });
    const move = await moveOf(reply, offered, { cycle, last, mayAskBack: !hasAskedBack }, options);
    if ("value" in move) return move.value;
    if ("again" in move) {
      hasAskedBack ||= move.isAskedBack;
      talk.add(exchange(reply.text, move.again));
      continue;
    }
    const { asked, isWritten } = move;
    const named = withIds(asked.slice(0, maxCallsPerReply), cycle);
    const leftOut = asked.length - named.length;
    // A reply that reached its limit, or that a filter stopped, ended within its last call, if at all.
    const wasCut = leftOut === 0 && (reply.finishReason === "length" || reply.finishReason === "content_filter");
    const said: ModelMessage = {
      role: "assistant",
      content: isWritten ? "" : reply.text,
      toolCalls: named,
      ...(reply.providerData !== undefined && { providerData: reply.providerData }),
    };
    const turnOf = (given: readonly CallResult[]): TurnMessage[] => [
      { message: said },
      ...given.map((result, index) => toolMessage(result, named[index]!.id, callName(cycle, index), outputs)),
      ...(leftOut > 0 ? [{ message: leftOutNote(named.length, leftOut) }] : []),
    ];
    const results = await calls.make(named, {
      cycle,
      conversation: talk.hash,
      wasCut,
      wasRead: (given) => wasAnswered(scope, { model, conversation: talk.hashAfter(turnOf(given)), timeoutMs }),
    });
    const steps = results.filter(({ isReading }) => isReading !== true);
    last = steps.at(-1) ?? last;
    const end = options.stop?.(steps);
    if (end !== undefined) return end.value;
    talk.add(turnOf(results));
    idleReplies = results.every(({ isRefused }) => isRefused === true) ? idleReplies + 1 : 0;
    const refused = results.at(-1);
    if (idleReplies === maxIdleReplies && refused?.ok === false) {
      message = `It was stopped: ${maxIdleReplies} replies of the model in a row had no call that could be made. The last one was of \`${refused.name}\`: ${refused.message}`;
      break;
    }
  }
  if (options.exhausted !== undefined) return options.exhausted(last).value;
  throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false, details: { max_cycles: maxCycles } });
}

/** What follows from a reply: calls, words that go back to the model, or the end. */
type Move =
  | { readonly asked: readonly ModelToolCall[]; readonly isWritten: boolean }
  | { readonly again: string; readonly isAskedBack: boolean }
  | LoopEnd;

interface MomentOfReply {
  readonly cycle: number;
  readonly last: CallResult | undefined;
  /** The model was not asked yet whether it means a call that it quoted. */
  readonly mayAskBack: boolean;
}

async function moveOf(
  { text, toolCalls, finishReason }: ModelAnswer,
  offered: readonly ModelTool[],
  { cycle, last, mayAskBack }: MomentOfReply,
  { finish }: Pick<ToolLoopOptions, "finish">,
): Promise<Move> {
  // Some models write their calls as text, where their server does not read them.
  const written = toolCalls.length === 0 ? readTextCalls(text, offered) : undefined;
  const asked = written ?? toolCalls;
  if (asked.length > 0) return { asked, isWritten: written !== undefined };
  // It may be what the model means to do, or what it read somewhere: only the model can tell, and is asked once.
  const quoted = mayAskBack ? quotedCall(text, offered) : undefined;
  if (quoted !== undefined) return { again: askedBack(quoted), isAskedBack: true };
  if (mayAskBack && finishReason === "tool_calls" && text.trim() !== "")
    return { again: noCallCame, isAskedBack: true };
  const next = await finish({ text, cycle, truncated: finishReason === "length", last });
  if ("value" in next) return next;
  if ("again" in next) return { again: next.again, isAskedBack: false };
  return { asked: [next.call], isWritten: written !== undefined };
}

type MadeCall = CallResult | { readonly waiting: readonly WaitingCall[] };

/** A call that can be made, with how it ended in an earlier session of the run; without `make` one that is not made, with what the model gets. */
type PreparedCall =
  | { readonly end: CallResult; readonly make?: never }
  | { readonly end: CallResult | undefined; make(): Promise<MadeCall> };

interface CallsOfReply {
  readonly cycle: number;
  readonly conversation: string;
  /** The last call may have been cut off. */
  readonly wasCut: boolean;
  /** Whether the model has answered to these results in an earlier session of the run. */
  wasRead(results: readonly CallResult[]): boolean;
}

/** Makes the calls of one loop, and remembers them. */
class LoopCalls {
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

  /**
   * What failed in an earlier session of the run is tried again as the rest of the run is, but for failures that the model has read
   * and acted on: its next reply is recorded, and holds for no other outcome.
   */
  async make(
    calls: readonly ModelToolCall[],
    { cycle, conversation, wasCut, wasRead }: CallsOfReply,
  ): Promise<CallResult[]> {
    const prepared = calls.map((call, index) => {
      const isCut = wasCut && index === calls.length - 1;
      return this.#prepare(call, { taskId: callName(cycle, index), conversation, isCut });
    });
    const before = prepared.flatMap(({ end }) => end ?? []);
    const hasFailed = prepared.some(({ end, make }) => make !== undefined && end?.ok === false);
    const keepsFailures = hasFailed && before.length === prepared.length && wasRead(before);
    const made = await settled(
      prepared.map(async ({ end, make }) => {
        if (end !== undefined && (make === undefined || (keepsFailures && !end.ok))) return end;
        return make!();
      }),
    );
    const waiting: WaitingCall[] = [];
    const results: CallResult[] = [];
    for (const result of made) {
      if ("waiting" in result) waiting.push(...result.waiting);
      else results.push(result);
    }
    if (waiting.length > 0) throw waitingFailure(waiting);
    return results;
  }

  /** How often the call was made before; counts it where it may be made once more. */
  #count(key: string): number {
    const times = this.#made.get(key) ?? 0;
    if (times < this.#maxRepeats) this.#made.set(key, times + 1);
    return times;
  }

  #prepareOwn(name: string, own: OwnTool, input: Record<string, unknown>, place: CallPlace): PreparedCall {
    const about = { name, tool: undefined, ...(own.isReader === true && { isReading: true }) };
    const times = this.#count(`(own) ${name} ${hashValue(input)}`);
    if (times >= this.#maxRepeats) return { end: { ...about, ...refusal(madeBefore(times)) } };
    const before = own.recorded?.(input, place);
    return {
      end: before && { ...about, ...before },
      async make() {
        const result = await own.call(input, place);
        return "waiting" in result ? result : { ...about, ...result };
      },
    };
  }

  #prepare(
    call: ModelToolCall,
    { taskId: id, conversation, isCut }: CallPlace & { readonly isCut: boolean },
  ): PreparedCall {
    const read = this.#box.read(call, isCut);
    if (!read.ok) return { end: { name: call.name, tool: undefined, ...refusal(read.problem) } };
    if ("own" in read) return this.#prepareOwn(call.name, read.own, read.input, { taskId: id, conversation });
    const { tool, input } = read;
    const about = { name: call.name, tool };
    const key = `${tool.id} ${hashValue(input)}`;
    if (this.#denied.has(key)) return { end: { ...about, ...refusal("A person said no to this call before.") } };
    const times = this.#count(key);
    if (times >= this.#maxRepeats) return { end: { ...about, ...refusal(madeBefore(times)) } };
    const { isCovered, ...gate } = gateOf(this.#scope, tool.id, input, times);
    const task = {
      task_id: id,
      execution_type: "tool" as const,
      tool_id: tool.id,
      arguments: handedOn(input),
      ...gate,
    };
    const endOf = (outcome: NestedEnd): CallResult => {
      if (outcome.status === "completed") return { ...about, ok: true, output: outcome.output };
      if (outcome.error.code === TaskErrorCode.DENIED) this.#denied.add(key);
      return { ...about, ok: false, message: outcome.error.message };
    };
    const before = recordedCall(this.#scope, task, input, conversation);
    return {
      end: before && endOf(before),
      make: async () => {
        const outcome = await nestedCall(this.#scope, task, input, {
          executors: this.#executors,
          place: conversation,
          isCovered,
        });
        if (outcome.status !== "waiting") return endOf(outcome);
        return { waiting: outcome.waiting.map((each) => ({ ...each, uid: each.uid ?? tool.id, input })) };
      },
    };
  }
}

function refusal(message: string) {
  return { ok: false, isRefused: true, message } as const;
}

function madeBefore(times: number): string {
  return `This call was made ${times} times already, with the same arguments. Use its result, or do something else.`;
}

/** A call that the endpoint could not read is lost with it. */
const noCallCame =
  "Your reply was to call a tool, but no call came with it. Call the tool again, or answer in words if you have the answer.";

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

/** The task of a call, and the name under which what it gave can be read. */
function callName(cycle: number, index: number): string {
  return `call-${cycle}-${index}`;
}

function exchange(said: string, answer: string): TurnMessage[] {
  return [{ message: { role: "assistant", content: said } }, { message: { role: "user", content: answer } }];
}

/**
 * What a call gave, as JSON, so that it cannot look like an error of ours, or like words of the user. What may have to be cut, now or when the
 * conversation grows, is kept to be read again.
 */
function toolMessage(result: CallResult, toolCallId: string, name: string, outputs: ReadableOutputs): TurnMessage {
  const isOutput = result.ok && result.isReading !== true;
  const text = result.ok ? JSON.stringify({ output: result.output ?? null }) : result.message;
  const output = isOutput && text.length > leastResult ? { name, characters: text.length } : undefined;
  if (result.ok && output !== undefined) outputs.keep(name, result.output);
  const content = result.ok
    ? shorten(text, maxResultCharacters, output)
    : JSON.stringify({ error: shorten(text, maxResultCharacters) });
  return { message: { role: "tool", toolCallId, content }, ...(output !== undefined && { output }) };
}
