import { FaultLog, notify } from "@planloom/plan";
import type { RunEvent, RunEventBody } from "./events.ts";
import type { RunFeed } from "./feed/run-feed.ts";

/** What every event has. */
type Stamp = { -readonly [Key in "runId" | "seq" | "at" | "timestamp"]: RunEvent[Key] };

/** Numbers events and passes them to the listener. What the listener throws does not affect the run. */
export class EventSink {
  readonly runId: string;
  readonly #listener: ((event: RunEvent) => unknown) | undefined;
  readonly #startedAt: number;
  readonly #beganAt: number;
  readonly #feed: RunFeed | undefined;
  /** Faults of the caller's functions that change nothing else. */
  readonly faults = new FaultLog();
  #seq: number;

  /**
   * @param startedAt `performance.now()` at the start of the session
   * @param options.firstSeq number of the first event
   * @param options.feed who else hears of the run
   */
  constructor(
    runId: string,
    listener: ((event: RunEvent) => unknown) | undefined,
    startedAt: number,
    { firstSeq = 0, feed }: { readonly firstSeq?: number; readonly feed?: RunFeed | undefined } = {},
  ) {
    this.runId = runId;
    this.#listener = listener;
    this.#startedAt = startedAt;
    this.#beganAt = Date.now();
    this.#feed = feed;
    this.#seq = firstSeq;
  }

  /** Number of the next event. */
  get nextSeq(): number {
    return this.#seq;
  }

  readonly #onFault = (error: unknown) => this.faults.report("onEvent", error);

  /** False without listeners; events need not be made then. */
  get active(): boolean {
    return this.#listener !== undefined || this.#feed?.hasListeners === true;
  }

  emit(body: RunEventBody): void {
    if (this.active) this.deliver(this.stamp(body));
  }

  /** Numbers an event without passing it on; the caller does that with `deliver`. The body becomes the event: it is not copied. */
  stamp(body: RunEventBody): RunEvent {
    const stamped = body as Partial<Stamp>;
    const at = performance.now() - this.#startedAt;
    stamped.runId = this.runId;
    stamped.seq = this.#seq++;
    stamped.at = at;
    stamped.timestamp = Math.floor(this.#beganAt + at);
    return body as RunEvent;
  }

  deliver(event: RunEvent): void {
    if (this.#listener !== undefined) notify(this.#listener, event, this.#onFault);
    this.#feed?.deliver(event);
  }
}
