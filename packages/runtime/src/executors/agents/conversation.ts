import { type ModelMessage, withoutThinking } from "@planloom/controller";
import { hashValue } from "@planloom/plan";

const leastResult = 200;

/**
 * The conversation so far. `hash` covers all of it, and each turn is hashed once. The messages that are sent are bounded: where it would be too long,
 * the oldest results of tools are cut first, then whole turns are left out, oldest first; what was asked always stays.
 */
export class Conversation {
  readonly #asked: readonly ModelMessage[];
  /** A reply of the model, with the results of the tools that it called or the message that it got instead. */
  readonly #turns: (readonly ModelMessage[])[] = [];
  readonly #maxCharacters: number;
  #hash: string;

  /** @param context what answers depend on besides the messages: the tools, say. */
  constructor(asked: readonly ModelMessage[], context: unknown, maxCharacters: number) {
    this.#asked = asked;
    this.#maxCharacters = maxCharacters;
    this.#hash = hashValue([asked, context]);
  }

  get hash(): string {
    return this.#hash;
  }

  add(turn: readonly ModelMessage[]): void {
    this.#turns.push(turn.map(withoutThought));
    this.#hash = hashValue([this.#hash, turn]);
  }

  messages(): ModelMessage[] {
    let left = this.#maxCharacters - lengthOf(this.#asked);
    const kept: ModelMessage[][] = [];
    let at = this.#turns.length - 1;
    for (; at >= 0; at--) {
      const turn = this.#turns[at]!;
      const whole = lengthOf(turn);
      // The last turn is what the model is to answer to.
      const fits = whole <= left ? [...turn] : shortened(turn, at === this.#turns.length - 1 ? left : leastResult);
      left -= lengthOf(fits);
      if (left < 0 && kept.length > 0) break;
      kept.push(fits);
    }
    const leftOut: ModelMessage[] =
      at < 0 ? [] : [{ role: "user", content: `(${at + 1} earlier turns of this conversation are left out here.)` }];
    return [...this.#asked, ...leftOut, ...kept.reverse().flat()];
  }
}

/** What a model thought before it called or answered is not part of its reply; where its provider wants it back, it is in `providerData`. */
function withoutThought(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || !message.content.includes("<")) return message;
  return { ...message, content: withoutThinking(message.content).trim() };
}

/** A turn with what tools gave cut to `characters` in all. */
function shortened(turn: readonly ModelMessage[], characters: number): ModelMessage[] {
  const results = turn.filter(({ role }) => role === "tool").length;
  const each = Math.max(leastResult, Math.floor(characters / Math.max(1, results)));
  return turn.map((message) =>
    message.role === "tool" ? { ...message, content: shorten(message.content, each) } : message,
  );
}

/** The first `limit` characters, with a mark that says how much is missing. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (cut; ${text.length} characters)`;
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
