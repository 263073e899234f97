import { longestTimerMs } from "@planloom/plan/internals";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { EventLines } from "./event-lines.ts";
import type { StreamOptions } from "./wire.ts";

const slackMs = 10;
/** Bytes that an event counts for at least: reading one costs as much, whatever is in it. */
const leastEventBytes = 64;
/** So much of the end is kept, for messages. */
const tailBytes = 256;
/** Longest silence after an answer said that it has ended: what may still come is a count of its tokens. */
const afterEndMs = 2_000;

/**
 * What is looked at of a stream's bytes on their way to its reader: the end mark `[DONE]`, which the reader swallows, and silence. Silence
 * counts once the answer has begun; before that a model may read a long prompt.
 */
export class StreamTap {
  readonly transform: TransformStream<Uint8Array, Uint8Array>;
  /** Why it was ended from here. */
  ended: ControllerError | undefined;
  readonly #url: string;
  #idleTimeoutMs: number;
  #controller: TransformStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tail: Uint8Array = new Uint8Array();
  readonly #lines = new EventLines();
  #head: Uint8Array[] | undefined = [];
  #chunks = 0;

  /**
   * @param idleTimeoutMs longest silence in milliseconds, `Infinity` for no limit
   * @param maxBytes of the whole stream, where each event counts for 64 at least
   */
  constructor(url: string, { idleTimeoutMs, maxBytes }: Pick<StreamOptions, "idleTimeoutMs" | "maxBytes">) {
    this.#url = url;
    this.#idleTimeoutMs = idleTimeoutMs;
    const maxEvents = Math.floor(maxBytes / leastEventBytes);
    this.transform = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      transform: (chunk, controller) => {
        this.#tail = Buffer.concat([this.#tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
        this.#chunks += 1;
        this.#head?.push(chunk);
        // Any byte is a sign of life, comments that keep the connection open too.
        this.#timer?.refresh();
        const kept = this.#lines.keep(chunk);
        if (this.#lines.ends > maxEvents) {
          this.ended = tooManyEvents(url, maxBytes);
          controller.error(this.ended);
        } else if (kept.byteLength > 0) controller.enqueue(kept);
      },
    });
  }

  /** The text that came before `begun` or `over` was called. Where neither was, it is all, and not a stream of events. */
  get beginning(): string {
    return Buffer.concat(this.#head ?? []).toString("utf8");
  }

  get sawDone(): boolean {
    return Buffer.from(this.#tail.subarray(-32)).includes("[DONE]");
  }

  /** The bytes that came last, as text. */
  get latest(): string {
    return Buffer.from(this.#tail).toString("utf8").trim();
  }

  /** The answer has begun. */
  begun(): void {
    this.#head = undefined;
    if (this.#timer !== undefined || this.#idleTimeoutMs > longestTimerMs) return;
    this.#timer = setTimeout(() => this.#look(), this.#idleTimeoutMs);
  }

  /** The answer has ended. A connection that stays open is not waited for. */
  over(): void {
    if (this.#idleTimeoutMs > afterEndMs) {
      this.#idleTimeoutMs = afterEndMs;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.begun();
  }

  /** This process itself may have been held up: what came meanwhile is still to be read. */
  #look(): void {
    const chunks = this.#chunks;
    this.#timer = setTimeout(() => {
      if (this.#chunks === chunks) this.#fellSilent();
      else this.#timer = setTimeout(() => this.#look(), this.#idleTimeoutMs);
    }, slackMs);
  }

  #fellSilent(): void {
    const message = `Expected ${this.#url} to continue writing, got nothing for ${this.#idleTimeoutMs} ms (\`idleTimeoutMs\`).`;
    this.ended = new ControllerError(ControllerErrorCode.TIMEOUT, message, {
      details: { url: this.#url, timeoutMs: this.#idleTimeoutMs, idle: true },
    });
    this.stop(this.ended);
  }

  /** Closes the connection. */
  stop(reason: unknown): void {
    clearTimeout(this.#timer);
    try {
      this.#controller?.error(reason);
    } catch {
      // It has ended already.
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

function tooManyEvents(url: string, maxBytes: number): ControllerError {
  const message = `Expected at most ${maxBytes} bytes from ${url}, where an event counts for ${leastEventBytes} at least, got more; raise \`maxResponseBytes\` if that is right.`;
  return new ControllerError(ControllerErrorCode.PROTOCOL, message, { details: { url, maxBytes } });
}
