import type { Journal } from "@planloom/runtime";

/** The journal as it is when the process dies during the call: nothing that comes later is written. */
export function dying(journal: Journal): { journal: Journal; die(): void } {
  let dead = false;
  const proxy = new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) =>
        dead ? Promise.reject(new Error("the process is gone")) : Reflect.apply(value, target, given);
    },
  });
  const die = () => {
    dead = true;
  };
  return { journal: proxy, die };
}
