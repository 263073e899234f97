import { Allowance, messageCost } from "./allowance.ts";
import { EventSize } from "./event-size.ts";

export interface FetchLimits {
  /** Most bytes of one answer, after decompression; of a long-lived stream, of one event. */
  readonly maxBytes: number;
  /** An answer to the request with this JSON-RPC id went over the limit. */
  readonly onOversized: (id: number, bytes: number) => void;
  /**
   * An event of a long-lived stream, which names no request, went over the limit; that stream is read no further.
   * @param resumed answers to calls may have been expected on it
   */
  readonly onFlood: (bytes: number, resumed: boolean) => void;
}

/**
 * `fetch` that never lets an answer grow without end. Each body ends once it is over `maxBytes`, and `onOversized` is called
 * with the request it answers: the SDK itself would wait for a reply for ever. The event stream that a GET opens lives as
 * long as the connection, so there `maxBytes` bounds each event, and a server that sends many of them has to wait (`Allowance`).
 */
export function limitedFetch(limits: FetchLimits) {
  let hasFlooded = false;
  const onFlood = (bytes: number, resumed: boolean): void => {
    hasFlooded = true;
    limits.onFlood(bytes, resumed);
  };
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const isGet = (init?.method ?? "GET") === "GET";
    const resumed = new Headers(init?.headers).has("last-event-id");
    // This is the answer of a server without such a stream; its answers to calls are read as before.
    if (isGet && hasFlooded && !resumed) return new Response(null, { status: 405 });
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isLongLived = isGet && response.ok && isEventStream(response);
    const guard = isLongLived
      ? limitedEvents(limits.maxBytes, (bytes) => onFlood(bytes, resumed))
      : counted(limits, init?.body);
    const limited = new Response(response.body.pipeThrough(guard), response);
    Object.defineProperty(limited, "url", { value: response.url });
    return limited;
  };
}

const isEventStream = (response: Response): boolean =>
  /^\s*text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");

/** Ends after `maxBytes` in all. */
function counted({ maxBytes, onOversized }: FetchLimits, body: unknown): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      const id = requestId(body);
      if (id !== undefined) onOversized(id, bytes);
      controller.terminate();
    },
  });
}

/** Ends after an event of more than `maxBytes`, and takes no more a second than a server is allowed. */
function limitedEvents(maxBytes: number, onFlood: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  const event = new EventSize();
  const allowance = new Allowance();
  return new TransformStream({
    async transform(chunk, controller) {
      const { largest, ended } = event.push(chunk);
      if (largest > maxBytes) {
        onFlood(largest);
        return controller.terminate();
      }
      controller.enqueue(chunk);
      const waitMs = allowance.spend(chunk.byteLength + ended * messageCost);
      if (waitMs > 0) await pause(waitMs);
    },
  });
}

/** Waiting for a server to be slower must not keep the process. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Our own request, so its form is known. */
function requestId(body: unknown): number | undefined {
  if (typeof body !== "string") return undefined;
  const message: unknown = JSON.parse(body);
  const id: unknown = Reflect.get(Object(message), "id");
  return typeof id === "number" ? id : undefined;
}
