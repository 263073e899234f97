import type { DocumentStore } from "./document-journal.ts";

/** Stands for a database: texts in this process. Changes of a text are synchronous here, and so one after the other. */
export function memoryStore(): DocumentStore {
  const texts = new Map<string, string>();
  return {
    async read(key) {
      return texts.get(key);
    },
    async update(key, change) {
      const after = change(texts.get(key));
      if (after === undefined) texts.delete(key);
      else texts.set(key, after);
    },
    async keys(prefix) {
      return [...texts.keys()].filter((key) => key.startsWith(prefix));
    },
  };
}
