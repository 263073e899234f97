import type { Journal } from "@planloom/runtime";

/**
 * The journal as it is when the process dies during the call: nothing that comes later is written.
 * @param afterRecords dies by itself once so many records, or batches of them, were written. @default never
 */
export function dying(
  journal: Journal,
  afterRecords = Number.POSITIVE_INFINITY,
): { journal: Journal; die(): void; isDead(): boolean } {
  let dead = false;
  let left = afterRecords;
  const proxy = new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (isRecord(name) && left-- <= 0) dead = true;
        return dead ? Promise.reject(new Error("the process is gone")) : Reflect.apply(value, target, given);
      };
    },
  });
  const die = () => {
    dead = true;
  };
  return { journal: proxy, die, isDead: () => dead };
}

const isRecord = (name: string | symbol) => /^(record|begin)/.test(String(name));
