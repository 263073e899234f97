import type { RunResult } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanloomEvent } from "./events.ts";

/** Takes the place of events that did not fit into the buffer. */
export interface StreamGap {
  readonly type: "stream-gap";
  /** Events left out at this place. */
  readonly dropped: number;
}

/** An element of a stream. */
export type StreamEvent = PlanloomEvent | StreamGap;

export interface StreamOptions {
  /** Events kept for a consumer that is behind, an integer of at least 1. @default 1_024 */
  readonly bufferSize?: number | undefined;
  /**
   * What happens to the run while the buffer is full. `drop`: the run continues; progress that comes then is left out, anything else
   * takes the place of what is oldest, and a `stream-gap` says how much is missing. `wait`: no further attempt starts until
   * there is room; running calls continue, and their events are kept. A consumer that keeps the run waiting longer than `paceTimeoutMs` is
   * waited for no more, and all further events are kept. @default "drop"
   */
  readonly whenFull?: "drop" | "wait" | undefined;
}

/**
 * A run as it happens: `for await (const event of stream)`. Iterating ends with the run, and throws what the run threw; ended
 * early (`break`, an error in the loop) the run continues without a consumer. To stop the run, abort its signal.
 */
export interface RunStream<Result = RunResult> extends AsyncIterableIterator<StreamEvent, undefined> {
  /** As `run` gives it, whether or not anyone iterates. */
  readonly result: Promise<Result>;
}

interface Waiting<Event> {
  resolve(result: IteratorResult<Event | StreamGap, undefined>): void;
  reject(error: unknown): void;
}

interface Kept<Event> {
  readonly event: Event;
  /** Events left out before it. */
  dropped: number;
}

/** A bounded queue between a run and one consumer. The run only ever adds; nothing the consumer does reaches it. */
export class EventBuffer<Event extends { readonly type: string } = PlanloomEvent> {
  readonly #size: number;
  readonly #waits: boolean;
  #kept: Kept<Event>[] = [];
  /** Where the oldest is; the array is cut when half of it has been read, so that reading costs O(1). */
  #first = 0;
  /** Events left out after the newest. */
  #dropped = 0;
  #ended = false;
  #error: { readonly thrown: unknown } | undefined;
  #consumers: Waiting<Event>[] = [];
  #room: PromiseWithResolvers<void> | undefined;

  /** @throws PlanloomError OPTION */
  constructor({ bufferSize = 1_024, whenFull = "drop" }: StreamOptions) {
    if (!Number.isInteger(bufferSize) || bufferSize < 1) {
      throw wrongOption("bufferSize", "an integer of at least 1", bufferSize);
    }
    if (whenFull !== "drop" && whenFull !== "wait") throw wrongOption("whenFull", '"drop" or "wait"', whenFull);
    this.#size = bufferSize;
    this.#waits = whenFull === "wait";
  }

  get #length(): number {
    return this.#kept.length - this.#first;
  }

  add(event: Event): void {
    if (this.#ended) return;
    const consumer = this.#consumers.shift();
    if (consumer !== undefined) {
      consumer.resolve({ value: event, done: false });
      return;
    }
    if (this.#length >= this.#size && !this.#waits) {
      if (event.type === "task-progress") {
        this.#dropped += 1;
        return;
      }
      const oldest = this.#shift();
      const next = this.#kept[this.#first];
      if (next === undefined) this.#dropped += oldest.dropped + 1;
      else next.dropped += oldest.dropped + 1;
    }
    this.#kept.push({ event, dropped: this.#dropped });
    this.#dropped = 0;
  }

  /** For `pace` of a run: undefined while there is room, or when the consumer is gone. */
  pace(): Promise<void> | undefined {
    if (!this.#waits || this.#ended || this.#length < this.#size) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  end(error?: { readonly thrown: unknown }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#release();
    for (const consumer of this.#consumers.splice(0)) this.#finish(consumer);
  }

  /** The consumer is gone. */
  close(): void {
    this.#kept = [];
    this.#first = 0;
    this.#dropped = 0;
    this.end();
    this.#error = undefined;
  }

  next(): Promise<IteratorResult<Event | StreamGap, undefined>> {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Event | StreamGap, undefined>>();
    const value = this.#take();
    if (value !== undefined) resolve({ value, done: false });
    else if (this.#ended) this.#finish({ resolve, reject });
    else this.#consumers.push({ resolve, reject });
    return promise;
  }

  #take(): Event | StreamGap | undefined {
    const oldest = this.#kept[this.#first];
    const dropped = oldest?.dropped ?? this.#dropped;
    if (dropped > 0) {
      if (oldest === undefined) this.#dropped = 0;
      else oldest.dropped = 0;
      return { type: "stream-gap", dropped };
    }
    if (oldest === undefined) return undefined;
    this.#shift();
    if (this.#length < this.#size) this.#release();
    return oldest.event;
  }

  #shift(): Kept<Event> {
    const oldest = this.#kept[this.#first] as Kept<Event>;
    this.#first += 1;
    if (this.#first * 2 >= this.#kept.length) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
    return oldest;
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #finish({ resolve, reject }: Waiting<Event>): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) resolve({ value: undefined, done: true });
    else reject(error.thrown);
  }
}

function wrongOption(option: string, expected: string, value: unknown): PlanloomError {
  const message = `Expected \`${option}\` to be ${expected}, got \`${String(value)}\`.`;
  return new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option } });
}

/**
 * Starts `work` and gives its events as a stream.
 * @param work gets where events go, and what to await before each attempt
 */
export function streamOf<Result>(
  options: StreamOptions,
  work: (notify: (event: PlanloomEvent) => void, pace: () => Promise<void> | undefined) => Promise<Result>,
): RunStream<Result> {
  const buffer = new EventBuffer(options);
  const result = work(
    (event) => buffer.add(event),
    () => buffer.pace(),
  );
  result.then(
    () => buffer.end(),
    (thrown: unknown) => buffer.end({ thrown }),
  );
  return {
    result,
    next: () => buffer.next(),
    return: async () => {
      buffer.close();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
