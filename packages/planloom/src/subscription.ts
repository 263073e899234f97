import { type OptionChecks, timerMs } from "@planloom/plan";
import { type Journal, type RunStatus, resumableStatuses, type StoredEvent, watchRun } from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import { EventBuffer, type StreamGap } from "./run-stream.ts";

export interface SubscribeOptions {
  /** Only events with a higher `seq` than this: the last one that was seen (`Last-Event-ID`). @default all that there are */
  readonly after?: number | undefined;
  /** Aborting it ends the subscription, without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the subscription outlives a session that ended while the run can be resumed: it waits for a person, or was drained or shut down.
   * It then ends when the run has ended finally. @default false
   */
  readonly follow?: boolean | undefined;
  /** Events kept for a subscriber that is behind, an integer of at least 1; of more, a `stream-gap` says how many are missing. @default 1_024 */
  readonly bufferSize?: number | undefined;
  /** How often the journal is asked about a run that this process does not execute, in milliseconds. @default 1_000 */
  readonly pollMs?: number | undefined;
}

/** An event of a run as every subscriber gets it: without the outputs of tasks, which `journal.getOutput` and `getTasks` have. */
export type SubscribedEvent = StoredEvent | StreamGap;

/** `for await (const event of subscription)`; `break`, `return()` or the signal end it, and the run does not notice. */
export type RunSubscription = AsyncIterableIterator<SubscribedEvent, undefined>;

/**
 * Events of one run, for any number of subscribers. Earlier events come from the journal, where that keeps events
 * (`SqliteJournal.open(file, { events: true })`); later ones come from the run if this process executes it, or from the journal for a run of
 * another process. Ends with the run.
 * @param open gives the journal
 * @param closing aborted when the instance is closed, which ends every subscription
 * @throws PlanloomError OPTION at once; RuntimeError RUN_NOT_FOUND, JOURNAL_* by iterating
 */
export function subscribeTo(
  runId: string,
  open: () => Promise<Journal>,
  options: SubscribeOptions,
  closing: AbortSignal,
): RunSubscription {
  const read = readOptions(options);
  const stop = new AbortController();
  const signal = AbortSignal.any([closing, stop.signal, ...(read.signal === undefined ? [] : [read.signal])]);
  const events = eventsOf(runId, open, { ...read, signal });
  return {
    next: () => events.next(),
    async return() {
      stop.abort();
      // A generator that waits hears of it when what it waits for is over, which the signal sees to.
      await events.return(undefined);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface ReadOptions {
  readonly after: number;
  readonly follow: boolean;
  readonly bufferSize: number;
  readonly pollMs: number;
}

async function* eventsOf(
  runId: string,
  open: () => Promise<Journal>,
  { after, follow, bufferSize, pollMs, signal }: ReadOptions & { readonly signal: AbortSignal },
): AsyncGenerator<SubscribedEvent, undefined> {
  let last = after;
  const journal = await open();
  const { created_at: created } = await journal.getRun(runId);
  const changes = new Changes(journal, runId);
  using _watched = changes;
  while (!signal.aborted) {
    changes.look();
    const buffer = new EventBuffer<StoredEvent>({ bufferSize });
    const listener = (event: StoredEvent) => buffer.add(withoutOutput(event));
    // Watched first, so that nothing is missed between what the journal has and what comes.
    const watched = watchRun(runId, { journal, listener });
    const onAbort = () => buffer.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await watched?.written();
      const status = watched === undefined ? await statusOf(runId, created, journal) : "running";
      for (const event of (await journal.getEvents?.(runId, { after: last })) ?? []) {
        if (signal.aborted) return undefined;
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
      if (watched !== undefined) {
        void watched.ended.then(() => buffer.end());
        for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => buffer.next() }) }) {
          if (event.type === "stream-gap") yield event;
          else if (event.seq > last) {
            last = event.seq;
            yield event;
          }
        }
        if (!follow) return undefined;
      } else if (status !== "running" && !(follow && isResumable(status))) return undefined;
      else await changes.next(pollMs, signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
      watched?.unwatch();
    }
  }
  return undefined;
}

/** As a list of runs has it, which alone knows whether the process of a run lives; its plan need not be read for that. */
async function statusOf(runId: string, created: string, journal: Journal): Promise<RunStatus | undefined> {
  const runs = await journal.listRuns({
    createdAfter: created,
    createdBefore: Date.parse(created) + 1,
    limit: Infinity,
  });
  return runs.find(({ run_id }) => run_id === runId)?.status;
}

/** Whether the run may be resumed. */
function isResumable(status: RunStatus | undefined): boolean {
  if (status === "waiting_approval" || status === "waiting") return true;
  return (resumableStatuses as readonly (RunStatus | undefined)[]).includes(status);
}

function withoutOutput(event: StoredEvent): StoredEvent {
  if (event.type !== "task-end") return event;
  const { output: _, ...rest } = event as StoredEvent & { readonly output?: unknown };
  return rest as StoredEvent;
}

/** Waits for a change of a run: until the journal tells of one, or a time has gone by. */
class Changes {
  readonly #unwatch: (() => void) | undefined;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  constructor(journal: Journal, runId: string) {
    this.#unwatch = journal.watchChanges?.(runId, () => {
      this.#hasChanged = true;
      this.#wake?.();
    });
  }

  /** What has changed up to now is about to be read. */
  look(): void {
    this.#hasChanged = false;
  }

  /** Resolves with the first change since `look`, after `ms` milliseconds, or when the signal is aborted. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#hasChanged) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, timerMs(ms));
      signal.addEventListener("abort", end, { once: true });
      this.#wake = end;
    });
  }

  [Symbol.dispose](): void {
    this.#unwatch?.();
  }
}

const checks = {
  after: "own",
  signal: "own",
  follow: "own",
  bufferSize: "own",
  pollMs: "own",
} as const satisfies OptionChecks<SubscribeOptions>;

function readOptions(options: SubscribeOptions): ReadOptions & Pick<SubscribeOptions, "signal"> {
  checkOptions("`subscribe`", options, checks);
  const { after = -1, signal, follow = false, bufferSize = 1_024, pollMs = 1_000 } = options;
  if (typeof after !== "number" || Number.isNaN(after)) throw wrong("after", "a number, the `seq` of an event", after);
  if (typeof follow !== "boolean") throw wrong("follow", "true or false", follow);
  if (!(typeof pollMs === "number" && pollMs > 0)) throw wrong("pollMs", "a number above 0", pollMs);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrong("signal", "an AbortSignal", signal);
  new EventBuffer({ bufferSize });
  return { after, signal, follow, bufferSize, pollMs };
}

function wrong(option: string, expected: string, value: unknown): PlanloomError {
  const message = `Expected \`${option}\` to be ${expected}, got \`${String(value)}\`.`;
  return new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option } });
}
