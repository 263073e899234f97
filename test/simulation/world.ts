import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";

/** One simulated operating-system process. Whatever runs in its context has its timers and its clock, and ends with it. */
export interface SimulatedProcess {
  readonly name: string;
  readonly number: number;
  alive: boolean;
  /** What its wall clock differs from the world's, in milliseconds. */
  skewMs: number;
  /** Stopped (as by SIGSTOP) until this moment of the world. */
  stoppedUntilMs: number;
  /** Called once when it is killed, before anything else can happen. */
  onKill: (() => void)[];
}

/** Thrown where a process is killed in the middle of what it does; nothing that catches it has any effect on the world. */
export class ProcessKilled extends Error {
  override readonly name = "ProcessKilled";
}

interface WorldEvent {
  readonly atMs: number;
  /** Of one process and one moment, the one that was scheduled first happens first. */
  readonly sequence: number;
  readonly process: SimulatedProcess;
  readonly act: () => void;
  cancelled: boolean;
}

/** What `setTimeout` and its kin give inside the world: what Node.js's own has and our code uses. */
class SimulatedTimer {
  #event: WorldEvent | undefined;
  readonly #start: (timer: SimulatedTimer) => WorldEvent;

  constructor(start: (timer: SimulatedTimer) => WorldEvent) {
    this.#start = start;
    this.#event = start(this);
  }

  next(): void {
    this.#event = this.#start(this);
  }

  clear(): void {
    if (this.#event !== undefined) this.#event.cancelled = true;
    this.#event = undefined;
  }

  get isSet(): boolean {
    return this.#event !== undefined && !this.#event.cancelled;
  }

  refresh(): this {
    this.clear();
    this.next();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): this {
    this.clear();
    return this;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

const realSetImmediate = globalThis.setImmediate;
const current = new AsyncLocalStorage<SimulatedProcess>();
/** Virtual time begins here: 2026-01-01T00:00:00Z. */
const epochMs = 1_767_225_600_000;

/** The process in whose context this is called. */
export function currentProcess(): SimulatedProcess | undefined {
  return current.getStore();
}

/**
 * Several processes under one clock and one seeded scheduler, in one thread. While it is installed, timers (those of
 * `node:timers/promises`, too), immediates, `Date` and `performance.now` belong to the world for code that runs in the context of one of its processes; everything
 * else keeps the real ones. Promises need no help: their order follows from what the world does.
 *
 * It does not simulate threads, real input and output, or the network: what needs those brings its own port.
 */
export class World {
  nowMs = 0;
  /** How many events have happened. */
  steps = 0;
  readonly random: () => number;
  readonly #events: WorldEvent[] = [];
  #sequence = 0;
  #processes = 0;
  #restore: (() => void) | undefined;

  /** @param random 0 up to 1; the same numbers give the same history. */
  constructor(random: () => number) {
    this.random = random;
  }

  process(name: string): SimulatedProcess {
    return { name, number: this.#processes++, alive: true, skewMs: 0, stoppedUntilMs: 0, onKill: [] };
  }

  /** Calls `work` in the context of a process. */
  within<T>(process: SimulatedProcess, work: () => T): T {
    return current.run(process, work);
  }

  /** A promise for `afterMs` of virtual time in the context of the process that asks. */
  sleep(afterMs: number): Promise<void> {
    const process = current.getStore();
    if (process === undefined) throw new Error("Expected to be called in a process of the world.");
    return new Promise((resolve) => void this.schedule(process, afterMs, resolve));
  }

  schedule(process: SimulatedProcess, afterMs: number, act: () => void): WorldEvent {
    const event: WorldEvent = {
      atMs: this.nowMs + Math.max(0, Number.isFinite(afterMs) ? afterMs : 0),
      sequence: this.#sequence++,
      process,
      act,
      // What a dead process still asks for in what it was just doing never comes.
      cancelled: !process.alive,
    };
    this.#events.push(event);
    return event;
  }

  /** Nothing of it happens any more: its timers are gone, and so is everything that waits for them. */
  kill(process: SimulatedProcess): void {
    if (!process.alive) return;
    process.alive = false;
    for (const event of this.#events) if (event.process === process) event.cancelled = true;
    for (const act of process.onKill) act();
  }

  /**
   * Lets events happen, one after the other, until `done`.
   * @param limitMs of virtual time, after which it gives up.
   * @returns whether it came to be done
   */
  async runUntil(done: () => boolean, limitMs: number): Promise<boolean> {
    const endMs = this.nowMs + limitMs;
    for (await settle(); !done(); await settle()) {
      const next = this.#next();
      if (next === undefined || next.dueMs > endMs) {
        if (Number.isFinite(endMs)) this.nowMs = endMs;
        return false;
      }
      this.#events.splice(next.index, 1);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      this.steps++;
      current.run(next.event.process, next.event.act);
    }
    return true;
  }

  /** The next event: the earliest; at one moment any process may be the first, each with its own events in their order. */
  #next(): { readonly event: WorldEvent; readonly index: number; readonly dueMs: number } | undefined {
    let kept = 0;
    for (const event of this.#events) if (!event.cancelled) this.#events[kept++] = event;
    this.#events.length = kept;
    let first: number | undefined;
    const firsts = new Map<SimulatedProcess, number>();
    const dueMs = (event: WorldEvent) => Math.max(event.atMs, event.process.stoppedUntilMs);
    for (const [index, event] of this.#events.entries()) {
      const due = dueMs(event);
      if (first === undefined || due < first) {
        first = due;
        firsts.clear();
      }
      const before = firsts.get(event.process);
      if (due > first) continue;
      if (before === undefined || isBefore(event, this.#events[before]!)) firsts.set(event.process, index);
    }
    if (first === undefined) return undefined;
    const candidates = [...firsts.values()];
    const index = candidates[Math.floor(this.random() * candidates.length)]!;
    return { event: this.#events[index]!, index, dueMs: first };
  }

  /** Puts the world's clocks and timers in the place of the real ones for its processes, until `uninstall`. */
  install(): void {
    const real = {
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      setInterval: globalThis.setInterval,
      clearInterval: globalThis.clearInterval,
      setImmediate: globalThis.setImmediate,
      clearImmediate: globalThis.clearImmediate,
      Date: globalThis.Date,
    };
    const realNow = performance.now;
    const realSleep = timersPromises.setTimeout;
    const timer =
      (repeats: boolean, otherwise: (...given: never[]) => unknown, immediate = false) =>
      (act: (...given: unknown[]) => void, ...given: unknown[]): unknown => {
        const process = current.getStore();
        if (process === undefined) return (otherwise as (...all: unknown[]) => unknown)(act, ...given);
        const [afterMs, rest] = immediate ? [0, given] : [Math.max(1, Number(given[0] ?? 1) || 1), given.slice(1)];
        return new SimulatedTimer((self) =>
          this.schedule(process, afterMs, () => {
            self.clear();
            if (repeats) self.next();
            act(...rest);
          }),
        );
      };
    const clear =
      (otherwise: (given: never) => void) =>
      (given: unknown): void => {
        if (given instanceof SimulatedTimer) given.clear();
        else (otherwise as (given: unknown) => void)(given);
      };
    const wallClock = () => {
      const process = current.getStore();
      return process === undefined ? real.Date.now() : epochMs + this.nowMs + process.skewMs;
    };
    const SimulatedDate = new Proxy(real.Date, {
      construct: (target, given: unknown[], newTarget) =>
        Reflect.construct(target, given.length === 0 ? [wallClock()] : given, newTarget) as Date,
      get: (target, key) => (key === "now" ? wallClock : (Reflect.get(target, key) as unknown)),
    });
    Object.assign(globalThis, {
      setTimeout: timer(false, real.setTimeout),
      setInterval: timer(true, real.setInterval),
      setImmediate: timer(false, real.setImmediate, true),
      clearTimeout: clear(real.clearTimeout),
      clearInterval: clear(real.clearInterval),
      clearImmediate: clear(real.clearImmediate),
      Date: SimulatedDate,
    });
    // Whoever imports it by its name gets this one.
    timersPromises.setTimeout = ((afterMs, value, options) => {
      const process = current.getStore();
      if (process === undefined) return realSleep(afterMs, value, options);
      return this.#abortableSleep(process, afterMs ?? 1, value as never, options?.signal);
    }) as typeof realSleep;
    syncBuiltinESMExports();
    // A monotonic clock: the same for all processes of the machine, and never set.
    performance.now = () => (current.getStore() === undefined ? realNow.call(performance) : this.nowMs);
    Object.defineProperty(performance, "timeOrigin", {
      configurable: true,
      get: () => (current.getStore() === undefined ? realTimeOrigin : epochMs),
    });
    const { hrtime } = process;
    const realBigint = hrtime.bigint;
    hrtime.bigint = () =>
      current.getStore() === undefined ? realBigint.call(hrtime) : BigInt(Math.round(this.nowMs * 1e6));
    this.#restore = () => {
      Object.assign(globalThis, real);
      timersPromises.setTimeout = realSleep;
      syncBuiltinESMExports();
      performance.now = realNow;
      hrtime.bigint = realBigint;
      Reflect.deleteProperty(performance, "timeOrigin");
    };
  }

  /** As `setTimeout` of `node:timers/promises`. */
  #abortableSleep<T>(process: SimulatedProcess, afterMs: number, value: T, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        event.cancelled = true;
        reject(new DOMException("The operation was aborted", { name: "AbortError", cause: signal?.reason }));
      };
      const event = this.schedule(process, Math.max(1, afterMs), () => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  uninstall(): void {
    this.#restore?.();
    this.#restore = undefined;
  }
}

const realTimeOrigin = performance.timeOrigin;

function isBefore(one: WorldEvent, other: WorldEvent): boolean {
  return one.atMs !== other.atMs ? one.atMs < other.atMs : one.sequence < other.sequence;
}

/** A journal commits what is written at the same time at the end of a turn, and several calls of it may follow one another. */
const turnsOfJournals = 12;

/** Until every promise that can settle without the world has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsOfJournals; turn++) await new Promise<void>((resolve) => realSetImmediate(resolve));
}
