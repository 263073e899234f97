import type { RunSubscription } from "planloom/events";
import { timerMs } from "planloom/plan";
import { ending, frameOf, heartBeat, joined, opening } from "./frames.ts";

/** One client that listens. */
interface Listener {
  /** The number of the next frame that it gets. */
  next: number;
  /** Present while it has had all there is: what gives it more. */
  waiting: ((chunk: Uint8Array, isLast: boolean) => void) | undefined;
}

/** How much of a run's events a feed keeps; a client that asks for older ones has a subscription of its own. */
const maxKeptBytes = 16 * 1024 * 1024;
/** Most of what is sent at once, so that a client that is far behind does not hold it all in its buffer. */
const maxChunkBytes = 256 * 1024;
/** The longest time that events are held back so that they are sent together. A client then sees four changes a second, and a thousand of them cost little. */
const longestMomentMs = 250;
const servedAtOnce = 32;

export interface RunFeedOptions {
  readonly heartBeatMs: number;
  /** Whether a subscription that ended by itself has delivered all there is: `endReason` is that of its last event, where that ended a session. */
  readonly isOver: (endReason: string | undefined) => boolean;
  /** Called when the last client has left, and when the subscription has ended. */
  readonly onEmpty: () => void;
  /** Called with 1 for each client that comes, and with -1 for each that leaves. */
  readonly onCount: (change: number) => void;
}

/**
 * The events of one run for any number of clients: each event becomes bytes once, and what comes within a moment is sent as one chunk that all
 * clients share. A client that reads slowly is given more when it has read; none holds up the run or another client.
 */
export class RunFeed {
  readonly #frames: Uint8Array[] = [];
  /** The `seq` of each kept frame; -1 for a gap. */
  readonly #seqs: number[] = [];
  /** How many frames were dropped before the first that is kept. */
  #dropped = 0;
  #droppedSeq = -1;
  #bytes = 0;
  #isEnded = false;
  /** Whether it ended because the run has nothing more to tell. */
  #isOver = false;
  #isClosed = false;
  /** How many clients are on their way to listen. */
  #held = 0;
  /** The end reason in the last event, where that one ended a session of the run. */
  #endReason: string | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  readonly #listeners = new Set<Listener>();
  #flush: NodeJS.Timeout | undefined;
  #isFlushing = false;
  /** Whether something came after the last flush began. */
  #hasNews = false;
  readonly #heart: NodeJS.Timeout;
  readonly #subscription: RunSubscription;
  readonly #isSaidOver: RunFeedOptions["isOver"];
  readonly #onEmpty: () => void;
  readonly #onCount: (change: number) => void;
  /** Chunks of this flush by where they begin. */
  #chunks = new Map<number, { readonly chunk: Uint8Array; readonly next: number }>();
  #news = Promise.withResolvers<void>();

  constructor(subscription: RunSubscription, { heartBeatMs, isOver, onEmpty, onCount }: RunFeedOptions) {
    this.#subscription = subscription;
    this.#isSaidOver = isOver;
    this.#onEmpty = onEmpty;
    this.#onCount = onCount;
    this.#heart = setInterval(() => this.#beat(), timerMs(heartBeatMs));
    this.#heart.unref();
    void this.#pump();
  }

  /** Whether events after `seq` are kept here from the first on. */
  reaches(seq: number): boolean {
    return seq >= this.#droppedSeq;
  }

  /** Whether it was closed because nobody listened: it tells nothing any more, and says nothing of the run either. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Keeps it open for a client that is on its way to listen. @returns ends this */
  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      this.#closeIfUnused();
    };
  }

  /** Whether nothing comes any more after `seq`; waits a moment for the answer. */
  async isOver(seq: number, patienceMs: number): Promise<boolean> {
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, patienceMs);
    while (!this.#isEnded && this.#firstAfter(seq) === this.#end) {
      const { promise } = this.#news;
      const isLate = await Promise.race([promise.then(() => false), patience.promise.then(() => true)]);
      if (isLate) break;
    }
    clearTimeout(timer);
    return this.#isOver && this.#firstAfter(seq) === this.#end;
  }

  /** The bytes for a client that has seen everything up to `seq`. */
  listen(seq: number): ReadableStream<Uint8Array> {
    const listener: Listener = { next: this.#firstAfter(seq), waiting: undefined };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#listeners.add(listener);
          this.#onCount(1);
          controller.enqueue(opening);
          // What there is already goes with the first write.
          if (listener.next >= this.#dropped && listener.next < this.#end) {
            const { chunk, next } = this.#chunkFrom(listener.next);
            listener.next = next;
            controller.enqueue(chunk);
          }
        },
        pull: (controller) =>
          new Promise<void>((resolve, reject) => {
            listener.waiting = (chunk, isLast) => {
              listener.waiting = undefined;
              if (chunk.byteLength > 0) controller.enqueue(chunk);
              if (isLast) {
                this.#leave(listener);
                controller.close();
              }
              resolve();
            };
            if (this.#failure !== undefined) {
              this.#leave(listener);
              reject(this.#failure.thrown);
            } else this.#serve(listener);
          }),
        cancel: () => this.#leave(listener),
      },
      { highWaterMark: 1 },
    );
  }

  /** Ends the subscription, and with it all clients. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#subscription.return?.();
  }

  get #end(): number {
    return this.#dropped + this.#frames.length;
  }

  /** The number of the first frame after `seq`. */
  #firstAfter(seq: number): number {
    // Gaps have no number and go with what follows them.
    let at = this.#seqs.length;
    while (at > 0 && (this.#seqs[at - 1]! > seq || this.#seqs[at - 1] === -1)) at -= 1;
    return this.#dropped + at;
  }

  async #pump(): Promise<void> {
    try {
      for await (const event of this.#subscription) {
        const frame = frameOf(event);
        this.#frames.push(frame);
        this.#seqs.push("seq" in event ? event.seq : -1);
        this.#bytes += frame.byteLength;
        this.#endReason = event.type === "run-end" ? event.endReason : undefined;
        this.#trim();
        this.#announce();
      }
    } catch (thrown) {
      this.#failure = { thrown };
    }
    this.#isOver = this.#failure === undefined && !this.#isClosed && this.#isSaidOver(this.#endReason);
    this.#isEnded = true;
    clearInterval(this.#heart);
    this.#announce();
    this.#onEmpty();
  }

  /** Drops the oldest frames while there are too many bytes. A client that still needs one is cut off, and asks for it again with its `Last-Event-ID`. */
  #trim(): void {
    while (this.#bytes > maxKeptBytes && this.#frames.length > 1) {
      this.#bytes -= this.#frames.shift()!.byteLength;
      this.#droppedSeq = Math.max(this.#droppedSeq, this.#seqs.shift()!);
      this.#dropped += 1;
    }
  }

  /** Clients are served a moment later, so that what comes until then goes with it: the more they are, the longer the moment. */
  #announce(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
    this.#hasNews = true;
    if (this.#isFlushing || this.#flush !== undefined) return;
    const delayMs = Math.min(longestMomentMs, this.#listeners.size / 4);
    this.#flush = setTimeout(() => {
      this.#flush = undefined;
      this.#hasNews = false;
      this.#isFlushing = true;
      this.#chunks.clear();
      this.#serveFrom([...this.#listeners], 0);
    }, delayMs);
  }

  /** Serves some clients, then lets the process do other work before the next ones: writing to a thousand at once would hold up the run. */
  #serveFrom(listeners: readonly Listener[], first: number): void {
    for (let at = first; at < Math.min(first + servedAtOnce, listeners.length); at += 1) this.#serve(listeners[at]!);
    if (first + servedAtOnce < listeners.length) {
      setImmediate(() => this.#serveFrom(listeners, first + servedAtOnce));
      return;
    }
    this.#isFlushing = false;
    // What came meanwhile reaches those who were served before it.
    if (this.#hasNews) this.#announce();
  }

  #serve(listener: Listener): void {
    const give = listener.waiting;
    if (give === undefined) return;
    if (listener.next < this.#dropped) {
      // It is so far behind that what it needs is gone: it is cut off, and comes back for it with its `Last-Event-ID`.
      give(new Uint8Array(), true);
      return;
    }
    if (listener.next === this.#end) {
      // A stream that ends without the word that the run is over is one that clients come back to.
      if (this.#isEnded) give(this.#isOver ? ending : new Uint8Array(), true);
      return;
    }
    const { chunk, next } = this.#chunkFrom(listener.next);
    listener.next = next;
    give(chunk, false);
  }

  #chunkFrom(first: number): { readonly chunk: Uint8Array; readonly next: number } {
    const made = this.#chunks.get(first);
    if (made !== undefined && made.next === this.#end) return made;
    const frames: Uint8Array[] = [];
    let bytes = 0;
    let at = first - this.#dropped;
    while (at < this.#frames.length && (bytes === 0 || bytes < maxChunkBytes)) {
      const frame = this.#frames[at]!;
      frames.push(frame);
      bytes += frame.byteLength;
      at += 1;
    }
    const chunk = { chunk: joined(frames), next: this.#dropped + at };
    this.#chunks.set(first, chunk);
    return chunk;
  }

  #beat(): void {
    for (const listener of this.#listeners) listener.waiting?.(heartBeat, false);
  }

  #leave(listener: Listener): void {
    listener.waiting = undefined;
    if (!this.#listeners.delete(listener)) return;
    this.#onCount(-1);
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (this.#listeners.size > 0 || this.#held > 0 || this.#isEnded || this.#isClosed) return;
    clearInterval(this.#heart);
    clearTimeout(this.#flush);
    this.#onEmpty();
    void this.close();
  }
}
