import { isRecord } from "@planloom/plan";
import type { ControllerError } from "../errors.ts";
import type { LikelyToken, ProviderData } from "../model.ts";
import type { StreamCollector } from "./collect-stream.ts";
import { dataOfMessage, mergeData } from "./provider-data.ts";
import { callsOf } from "./read-calls.ts";
import {
  checkEnd,
  errorInside,
  errorOf,
  messageOf,
  noResponse,
  type RawReply,
  readContent,
  readFinishReason,
  readReasoning,
  readTopTokens,
  textOf,
} from "./read-completion.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import { readTokens } from "./token-counts.ts";

/** The pieces of one chat completion. Text, reasoning and the arguments of calls are what is new of each. */
export class ChatCollector implements StreamCollector {
  events = 0;
  #hasChoice = false;
  #finishReason: RawReply["finishReason"];
  /** Some servers name a reason in every piece. */
  #namesReasonsEarly = false;
  /** A server that answers with several choices sends their pieces by turns; the first is the answer. */
  #choice: unknown;
  said = "";
  readonly #url: string;
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #refusal: string[] = [];
  readonly #topTokens: (readonly LikelyToken[])[] = [];
  readonly #calls = new StreamedCalls();
  /** Those of other choices, which count where the first has none. */
  readonly #otherCalls = new StreamedCalls();
  #data: ProviderData | undefined;
  #model: string | undefined;
  #tokens: RawReply["tokens"];

  constructor(url: string) {
    this.#url = url;
  }

  get hasEnded(): boolean {
    return this.#finishReason !== undefined;
  }

  get isOver(): boolean {
    return this.hasEnded && !this.#namesReasonsEarly;
  }

  add(chunk: unknown): string {
    if (!isRecord(chunk)) {
      return "";
    }
    this.events += 1;
    this.said = "";
    this.#model ??= typeof chunk.model === "string" ? chunk.model : undefined;
    this.#tokens = readTokens(chunk.usage) ?? this.#tokens;
    const error = errorOf(chunk);
    if (error !== undefined) throw this.#errorInside(error);
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isRecord(choice)) {
      return "";
    }
    const { index = 0 } = choice;
    const message = messageOf(choice);
    if (this.#hasChoice && index !== this.#choice) {
      for (const call of callsOf(message ?? {})) this.#otherCalls.add(call);
      return "";
    }
    this.#hasChoice = true;
    this.#choice = index;
    this.#topTokens.push(...readTopTokens(choice));
    if (isRecord(choice.error)) throw this.#errorInside(choice.error);
    const ended = this.hasEnded;
    if ((choice.finish_reason ?? "") !== "") {
      checkEnd(choice.finish_reason, this.#url);
      this.#finishReason = readFinishReason(choice.finish_reason);
    }
    const written = message === undefined ? "" : this.#addDelta(message);
    if (ended && written !== "") this.#namesReasonsEarly = true;
    return written;
  }

  #errorInside(error: unknown): ControllerError {
    return errorInside(`Expected an answer from ${this.#url}, got an error inside the stream`, error, this.#url);
  }

  #addDelta(delta: Readonly<Record<string, unknown>>): string {
    const reasoning = readReasoning(delta);
    const text = readContent(delta.content);
    this.#reasoning.push(reasoning);
    this.#text.push(text);
    this.said = text;
    if (typeof delta.refusal === "string") this.#refusal.push(delta.refusal);
    // Whether there will be calls is not known yet.
    this.#data = mergeData(this.#data, dataOfMessage(delta, 1));
    return (
      reasoning +
      text +
      callsOf(delta)
        .map((call) => this.#calls.add(call))
        .join("")
    );
  }

  reply(): RawReply {
    if (!this.#hasChoice) throw noResponse(this.#url, "a stream without choices");
    const refusal = this.#refusal.join("");
    const calls = this.#calls.count > 0 ? this.#calls : this.#otherCalls;
    return {
      text: textOf(this.#reasoning.join(""), this.#text.join(""), calls.count),
      toolCalls: calls.all(),
      ...(this.#tokens ? { tokens: this.#tokens } : {}),
      ...(this.#topTokens.length > 0 && { topTokens: this.#topTokens }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(refusal !== "" && { refusal }),
      ...(this.#data !== undefined && calls.count > 0 && { providerData: this.#data }),
      finishReason: this.#finishReason ?? "other",
    };
  }
}
