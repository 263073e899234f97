import type { SampleStore } from "planloom/controller";

/** An answer that is kept under an idempotency key. */
export interface KeptReply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** What is known of an idempotency key. */
export type KeyState =
  | { readonly state: "new" }
  /** Its first request is still being answered, or its process died before the answer. */
  | { readonly state: "begun"; readonly at: number }
  | { readonly state: "answered"; readonly reply: KeptReply }
  /** It was used for another request. */
  | { readonly state: "other" };

/** What a server keeps beside plans and runs: answers by idempotency key, and samples of the controller. */
export interface ServerStore {
  readonly samples: SampleStore;
  /** Takes the key for a request, known by the digest of what it asks. One caller at a time gets `new`. */
  begin(key: string, digest: string, now: number): Promise<KeyState>;
  answer(key: string, reply: KeptReply): Promise<void>;
  /** Frees a key whose request came to nothing. */
  forget(key: string): Promise<void>;
  close(): Promise<void>;
}

/** How long answers are kept for repeated requests. */
export const keptForMs = 24 * 3_600_000;
