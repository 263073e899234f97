import { memorySamples } from "planloom/controller";
import { checkOptions } from "../check-options.ts";
import { type KeptReply, keptForMs, type ServerStore } from "./server-store.ts";

interface Kept {
  readonly digest: string;
  readonly at: number;
  reply?: KeptReply;
}

export interface MemoryStoreOptions {
  /** Answers that are kept at most. @default 10_000 */
  readonly maxKeys?: number;
  /** Samples of each phase that are kept at most. @default 100 */
  readonly maxSamples?: number;
}

/** Answers by idempotency key of the last day, and samples, in memory. A restart forgets them. @throws ServerError OPTION */
export function memoryStore(options: MemoryStoreOptions = {}): ServerStore {
  checkOptions("`memoryStore`", options, { maxKeys: "wholeNumber", maxSamples: "wholeNumber" });
  const { maxKeys = 10_000, maxSamples = 100 } = options;
  const kept = new Map<string, Kept>();
  return {
    samples: memorySamples(maxSamples),
    async begin(key, digest, now) {
      const known = kept.get(key);
      if (known !== undefined && now - known.at < keptForMs) {
        if (known.digest !== digest) return { state: "other" };
        return known.reply === undefined ? { state: "begun", at: known.at } : { state: "answered", reply: known.reply };
      }
      kept.delete(key);
      kept.set(key, { digest, at: now });
      for (const oldest of kept.keys()) {
        if (kept.size <= maxKeys) break;
        kept.delete(oldest);
      }
      return { state: "new" };
    },
    async answer(key, reply) {
      const known = kept.get(key);
      if (known !== undefined) known.reply = reply;
    },
    async forget(key) {
      kept.delete(key);
    },
    async close() {},
  };
}
