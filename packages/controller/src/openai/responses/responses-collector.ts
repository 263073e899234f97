import { isRecord } from "@planloom/plan";
import type { StreamCollector } from "../collect-stream.ts";
import { noResponse, type RawReply } from "../read-completion.ts";
import { failedResponse, readResponse } from "./read-response.ts";

const deltas = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
  "response.function_call_arguments.delta",
  "response.reasoning_text.delta",
  "response.reasoning_summary_text.delta",
]);
const ends = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Collects the events of a streamed response. Its last event repeats all of it, so that the pieces serve those who watch. */
export class ResponsesCollector implements StreamCollector {
  readonly #url: string;
  readonly #items: unknown[] = [];
  #ended: unknown;
  events = 0;
  said = "";

  constructor(url: string) {
    this.#url = url;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  add(event: unknown): string {
    if (!isRecord(event)) return "";
    this.events += 1;
    const { type } = event;
    if (type === "error") throw failedResponse(isRecord(event.error) ? event.error : event, this.#url);
    if (type === "response.output_item.done") this.#items.push(event.item);
    if (typeof type === "string" && ends.has(type)) this.#ended = event.response;
    const delta = typeof type === "string" && deltas.has(type) && typeof event.delta === "string" ? event.delta : "";
    this.said = type === "response.output_text.delta" || type === "response.refusal.delta" ? delta : "";
    return delta;
  }

  reply(): RawReply {
    if (this.#ended === undefined) throw noResponse(this.#url, "a stream that does not say how the response ended");
    return readResponse(this.#ended, this.#url, this.#items);
  }
}
