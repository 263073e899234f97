import {
  type Journal,
  type LimitRows,
  type LimitStore,
  memoryJournal,
  RuntimeError,
  RuntimeErrorCode,
} from "@planloom/runtime";
import { ProcessKilled, type SimulatedProcess, type World } from "../world.ts";

/** Rows that all processes of a world have together, and who is notified of changes. */
export class SimulatedRows {
  rows: ReadonlyMap<string, string> = new Map();
  readonly watchers = new Map<() => void, SimulatedProcess>();
}

export interface LimitStoreView {
  readonly shared: SimulatedRows;
  readonly world: World;
  readonly process: SimulatedProcess;
  /** How long the way to the store, and the way back, take; seeded. */
  readonly delayMs: () => number;
  /** True where a notification does not arrive; seeded. */
  readonly loses: () => boolean;
  /** False where processes cannot be notified. */
  readonly watches: boolean;
  /** What happens to the transaction that is asked for now. */
  readonly fault: () => "none" | "locked" | "full" | "before commit" | "after commit";
  readonly kill: () => void;
  /** A host of its own, so that others cannot see whether it lives. @default that of all others */
  readonly host?: string;
}

/** A journal that keeps nothing but limits, as one process of the world sees it. */
export function simulatedLimitJournal(view: LimitStoreView, realHost: string): Journal {
  return Object.assign(memoryJournal(), { openLimits: async () => storeOf(view, realHost) });
}

function storeOf(view: LimitStoreView, realHost: string): LimitStore {
  const { shared, world, process, delayMs, watches } = view;
  const pause = async () => {
    const ms = delayMs();
    if (ms > 0) await world.sleep(ms);
  };
  const outward = (text: string) => renamed(text, realHost, view.host);
  const inward = (text: string | undefined) => text && renamed(text, view.host, realHost);
  return {
    name: "simulated",
    async change(work) {
      await pause();
      const fault = view.fault();
      if (fault === "locked") throw new RuntimeError(RuntimeErrorCode.JOURNAL_LOCKED, "The simulated store is locked.");
      if (fault === "full") throw new RuntimeError(RuntimeErrorCode.JOURNAL_WRITE, "The simulated disk is full.");
      const changed = new Map(shared.rows);
      const rows: LimitRows = {
        get: (key) => inward(changed.get(key)),
        set: (key, text) => void (text === undefined ? changed.delete(key) : changed.set(key, outward(text))),
      };
      const value = work(rows);
      if (fault === "before commit") view.kill();
      if (!process.alive) throw new ProcessKilled("It was killed.");
      shared.rows = changed;
      if (fault === "after commit") view.kill();
      await pause();
      return value;
    },
    async read(key) {
      await pause();
      return inward(shared.rows.get(key));
    },
    notify() {
      for (const [watcher, other] of shared.watchers)
        if (process.alive && !view.loses()) world.schedule(other, delayMs(), watcher);
    },
    watch(onNotify) {
      if (!watches) return undefined;
      // Two watches of one process are two.
      const watcher = () => onNotify();
      shared.watchers.set(watcher, process);
      return () => void shared.watchers.delete(watcher);
    },
    close: async () => {},
  };
}

function renamed(text: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return text;
  return text.replaceAll(`"host":${JSON.stringify(from)}`, `"host":${JSON.stringify(to)}`);
}
