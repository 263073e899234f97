import { createHash } from "node:crypto";
import type { Caller } from "./access/tokens.ts";
import { invalidRequest } from "./api/invalid-request.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";
import type { ServerStore } from "./stores/server-store.ts";

/** A request under its idempotency key. */
export interface KeyedRequest {
  /** Of the caller, the endpoint and the key. */
  readonly keyDigest: string;
  /** Of what is asked. */
  readonly digest: string;
  readonly key: string;
}

/** @returns undefined without a key @throws ServerError INVALID_REQUEST */
export function keyedRequest(
  headers: Headers,
  caller: Caller,
  endpoint: string,
  asked: { readonly params: unknown; readonly body: unknown },
): KeyedRequest | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = "expected 1 to 255 visible characters of ASCII";
    throw invalidRequest([{ in: "header", path: "idempotency-key", message }]);
  }
  const keyDigest = digestOf(JSON.stringify([caller.tenant ?? null, caller.name ?? null, endpoint, key]));
  return { key, keyDigest, digest: digestOf(JSON.stringify([asked.params, asked.body])) };
}

/** Keys whose requests this process is answering now, by the store that keeps them. */
const answering = new WeakMap<ServerStore, Set<string>>();

/**
 * Answers a request once: a repeated one gets the first answer. Only successes are kept, so that what was refused can be tried again.
 * @throws ServerError KEY_BUSY, KEY_REUSED; what `work` rejects with
 */
export async function answeredOnce(
  { key, keyDigest, digest }: KeyedRequest,
  store: ServerStore,
  now: number,
  work: () => Promise<Response>,
): Promise<Response> {
  const busy = answering.get(store) ?? new Set<string>();
  answering.set(store, busy);
  if (busy.has(keyDigest)) {
    const message = `The first request with the idempotency key ${JSON.stringify(key)} is still being answered. Try again in a moment.`;
    throw new ServerError(ServerErrorCode.KEY_BUSY, message, { details: { key } });
  }
  busy.add(keyDigest);
  try {
    const known = await store.begin(keyDigest, digest, now);
    if (known.state === "other") {
      const message = `The idempotency key ${JSON.stringify(key)} was used for another request. Take a new key for each thing that is to be started.`;
      throw new ServerError(ServerErrorCode.KEY_REUSED, message, { details: { key } });
    }
    if (known.state === "answered") return replay(known.reply);
    // `begun`: the process that took the request died before it answered; what it started is found again by its id.
    const response = await work().catch(async (error) => {
      await store.forget(keyDigest);
      throw error;
    });
    if (!response.ok) {
      await store.forget(keyDigest);
      return response;
    }
    const body = await response.text();
    await store.answer(keyDigest, { status: response.status, body });
    return new Response(body, { status: response.status, headers: response.headers });
  } finally {
    busy.delete(keyDigest);
  }
}

function replay({ status, body }: { readonly status: number; readonly body: string }): Response {
  const headers = { "content-type": "application/json", "idempotent-replayed": "true" };
  return new Response(body, { status, headers });
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
