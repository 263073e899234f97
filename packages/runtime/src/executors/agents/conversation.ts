import { type ModelMessage, withoutThinking } from "@planloom/controller";
import { hashValue } from "@planloom/plan";

/** Characters of a result that stay in a prompt at least. */
export const leastResult = 200;

/** A message of a turn; `output` is the name by which what a tool gave can be read whole, and how long that is. */
export interface TurnMessage {
  readonly message: ModelMessage;
  readonly output?: { readonly name: string; readonly characters: number };
}

/**
 * The conversation so far. `hash` covers all of it, and each turn is hashed once. The messages that are sent are bounded: where it would be too long,
 * the oldest results of tools are cut first, then whole turns are left out, oldest first; what was asked always stays.
 */
export class Conversation {
  readonly #asked: readonly ModelMessage[];
  /** A reply of the model, with the results of the tools that it called or the message that it got instead. */
  readonly #turns: (readonly TurnMessage[])[] = [];
  readonly #maxCharacters: number;
  #hash: string;
  #hasCut = false;

  /** @param context what answers depend on in addition to the messages: the tools, for example. */
  constructor(asked: readonly ModelMessage[], context: unknown, maxCharacters: number) {
    this.#asked = asked;
    this.#maxCharacters = maxCharacters;
    this.#hash = hashValue([asked, context]);
  }

  get hash(): string {
    return this.#hash;
  }

  /** Whether anything that can be read whole was cut or left out so far. */
  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** What `hash` is once the turn is added. */
  hashAfter(turn: readonly TurnMessage[]): string {
    return hashValue([this.#hash, turn.map(({ message }) => message)]);
  }

  add(turn: readonly TurnMessage[]): void {
    this.#turns.push(turn.map((each) => ({ ...each, message: withoutThought(each.message) })));
    this.#hash = this.hashAfter(turn);
    this.#hasCut ||= turn.some(
      ({ message, output }) => output !== undefined && output.characters > message.content.length,
    );
  }

  messages(): ModelMessage[] {
    let left = this.#maxCharacters - lengthOf(this.#asked);
    const kept: ModelMessage[][] = [];
    let at = this.#turns.length - 1;
    for (; at >= 0; at--) {
      const turn = this.#turns[at]!;
      const messages = turn.map(({ message }) => message);
      const isWhole = lengthOf(messages) <= left;
      // The last turn is what the model is to answer to.
      const fits = isWhole ? messages : shortened(turn, at === this.#turns.length - 1 ? left : leastResult);
      this.#hasCut ||= !isWhole && turn.some(({ output }) => output !== undefined);
      left -= lengthOf(fits);
      if (left < 0 && kept.length > 0) break;
      kept.push(fits);
    }
    return [...this.#asked, ...this.#leftOut(at + 1), ...kept.reverse().flat()];
  }

  #leftOut(turns: number): ModelMessage[] {
    if (turns <= 0) return [];
    const names = this.#turns.slice(0, turns).flatMap((turn) => turn.flatMap(({ output }) => output?.name ?? []));
    const shown = names.slice(-shownNames);
    const outputs = shown.length === 0 ? "" : ` \`read_output\` has what their calls gave: ${shown.join(", ")}.`;
    return [{ role: "user", content: `(${turns} earlier turns of this conversation are left out here.${outputs})` }];
  }
}

const shownNames = 20;

/** What a model thought before it called or answered is not part of its reply; where its provider wants it back, it is in `providerData`. */
function withoutThought(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || !message.content.includes("<")) return message;
  return { ...message, content: withoutThinking(message.content).trim() };
}

/** A turn with what tools gave cut to `characters` in all. */
function shortened(turn: readonly TurnMessage[], characters: number): ModelMessage[] {
  const results = turn.filter(({ message }) => message.role === "tool").length;
  const each = Math.max(leastResult, Math.floor(characters / Math.max(1, results)));
  return turn.map(({ message, output }) =>
    message.role === "tool" ? { ...message, content: shorten(message.content, each, output) } : message,
  );
}

/**
 * The first `limit` characters, with a mark that says how much is missing.
 * @param output where all of it can be read
 */
export function shorten(text: string, limit: number, output?: TurnMessage["output"]): string {
  if (text.length <= limit) return text;
  const rest = output === undefined ? "" : `; ${restOf(output.name)}`;
  return `${text.slice(0, limit)}… (cut; ${output?.characters ?? text.length} characters${rest})`;
}

/** How a mark in a prompt says where the rest is. */
export function restOf(name: string): string {
  return `\`read_output\` has all of "${name}"`;
}

/** Characters of messages and of the calls in them. */
export function lengthOf(messages: readonly ModelMessage[]): number {
  let length = 0;
  for (const { content, toolCalls = [] } of messages) {
    length += content.length;
    for (const call of toolCalls) length += call.name.length + call.arguments.length;
  }
  return length;
}
