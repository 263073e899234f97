import type { OptionChecks } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";
import type { ShutDown } from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

export interface CloseOptions {
  /**
   * How long runs may take to drain, in milliseconds: nothing more starts in them, and running calls may end (the runs end
   * as `drained`). Work that remains after that is aborted (`shut_down`). `Infinity` waits as long as it takes. @default 0
   */
  readonly drainMs?: number | undefined;
}

/** The signals that end a piece of work: `signal` at once, `drain` when its running calls have ended. */
export interface WorkSignals {
  readonly signal: AbortSignal;
  readonly drain: AbortSignal;
}

interface EndingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly drain?: AbortSignal | undefined;
}

/** The work in progress of an instance. Closing drains or aborts all of it, and waits for it. */
export class OpenWork {
  readonly #closing = new AbortController();
  /** Each with a signal of its own, so that nothing is left of it on one that lives as long as the program. */
  readonly #active = new Map<Promise<unknown>, AbortController>();
  readonly #telemetry: Telemetry | undefined;
  #isClosed = false;

  constructor(telemetry?: Telemetry) {
    this.#telemetry = telemetry;
  }

  /** Aborted when everything has had its time to end. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * @param call the method, for the message of an option that is wrong
   * @throws PlanloomError OPTION, CLOSED after `close`; what `work` rejects with
   */
  async run<Value, Options extends EndingOptions>(
    call: string,
    options: Options,
    checks: OptionChecks<Options>,
    work: (signals: WorkSignals) => Promise<Value>,
  ): Promise<Value> {
    checkOptions(`\`${call}\``, options, checks);
    const { signal, drain } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      const got = signal === null ? "null" : typeof signal;
      throw new PlanloomError(PlanloomErrorCode.OPTION, `Expected \`signal\` to be an AbortSignal, got ${got}.`, {
        details: { option: "signal" },
      });
    }
    if (this.#isClosed) {
      throw new PlanloomError(PlanloomErrorCode.CLOSED, "This Planloom was closed. Make a new one.");
    }
    const closing = this.#closing.signal;
    const draining = new AbortController();
    const signals = {
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      drain: drain === undefined ? draining.signal : AbortSignal.any([drain, draining.signal]),
    };
    const telemetry = this.#telemetry;
    const working = telemetry === undefined ? work(signals) : telemetry.call({ name: call }, () => work(signals));
    this.#active.set(working, draining);
    try {
      return await working;
    } finally {
      this.#active.delete(working);
    }
  }

  /** @throws PlanloomError OPTION */
  async close(options: CloseOptions = {}): Promise<void> {
    checkOptions("`close`", options, { drainMs: "own" });
    const { drainMs = 0 } = options;
    if (!(typeof drainMs === "number" && drainMs >= 0)) {
      const message = `Expected \`drainMs\` to be a number of milliseconds of at least 0, got \`${String(drainMs)}\`.`;
      throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "drainMs" } });
    }
    this.#isClosed = true;
    if (drainMs > 0 && this.#active.size > 0) {
      for (const draining of this.#active.values()) draining.abort(closed());
      await settledWithin(drainMs, this.#active.keys());
    }
    this.#closing.abort(closed());
    await Promise.allSettled(this.#active.keys());
  }
}

/** A run that is aborted with it ends as `shut_down`, not as `cancelled`. */
function closed(): PlanloomError & Pick<ShutDown, "endReason"> {
  const error = new PlanloomError(PlanloomErrorCode.CLOSED, "Planloom was closed while this was running.");
  return Object.assign(error, { endReason: "shut_down" as const });
}

/** Resolves when all of `work` has settled, or after so long, if that is earlier. */
async function settledWithin(limitMs: number, work: Iterable<Promise<unknown>>): Promise<void> {
  const settled = Promise.allSettled(work);
  if (limitMs > longestTimerMs) {
    await settled;
    return;
  }
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, limitMs);
  await Promise.race([settled, patience.promise]);
  clearTimeout(timer);
}
