import type { LimitRows, LimitStore } from "../ports/limit-store.ts";

/** Limits of instances in one process that share a journal in memory. */
export class MemoryLimits {
  #rows = new Map<string, string>();
  readonly #watchers = new Set<() => void>();

  open(name: string): LimitStore {
    return {
      name,
      change: async (work) => {
        const changed = new Map(this.#rows);
        const rows: LimitRows = {
          get: (key) => changed.get(key),
          set: (key, text) => void (text === undefined ? changed.delete(key) : changed.set(key, text)),
        };
        const value = work(rows);
        this.#rows = changed;
        return value;
      },
      read: async (key) => this.#rows.get(key),
      notify: () => {
        for (const watcher of this.#watchers) setImmediate(watcher);
      },
      watch: (onNotify) => {
        const watcher = () => onNotify();
        this.#watchers.add(watcher);
        return () => void this.#watchers.delete(watcher);
      },
      close: async () => {},
    };
  }
}
