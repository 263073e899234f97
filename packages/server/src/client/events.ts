import type { SubscribedEvent } from "planloom/events";

export interface EventsOptions {
  /** Events with a higher `seq` alone. @default all */
  readonly after?: number;
  /** Whether the stream outlives a session that waits for a person or was drained. @default true */
  readonly follow?: boolean;
  /** Aborting it ends the iteration, without an error. */
  readonly signal?: AbortSignal;
}

/** One message of a stream of server-sent events. */
interface Message {
  readonly event: string;
  readonly data: string;
}

/** Asks for the stream after an event: undefined where nothing comes any more. Rejects where it is refused, or the server cannot be reached. */
export type OpenStream = (after: number | undefined) => Promise<ReadableStream<Uint8Array> | undefined>;

/** How long a client waits before it comes back, in milliseconds, and for how long at most after many failures. */
const wait = { firstMs: 250, mostMs: 10_000 } as const;

/**
 * The events of a run, each once and in order: where a connection breaks, the iteration comes back for what is missing.
 * @param isRefusal whether an error is an answer of the server, which would be the same again; for the first request also whether nothing answers
 */
export async function* eventsFrom(
  open: OpenStream,
  { after, signal }: EventsOptions,
  isRefusal: (error: unknown, isFirst: boolean) => boolean,
): AsyncGenerator<SubscribedEvent, undefined> {
  let last = after;
  let failures = 0;
  let isFirst = true;
  while (signal?.aborted !== true) {
    try {
      const stream = await open(last);
      isFirst = false;
      if (stream === undefined) return undefined;
      for await (const { event, data } of messagesOf(stream)) {
        if (event === "end") return undefined;
        failures = 0;
        const said = JSON.parse(data) as SubscribedEvent;
        if ("seq" in said) {
          if (last !== undefined && said.seq <= last) continue;
          last = said.seq;
        }
        yield said;
      }
    } catch (error) {
      if (isAborted(signal)) return undefined;
      if (isRefusal(error, isFirst)) throw error;
    }
    failures += 1;
    await pause(Math.min(wait.firstMs * 2 ** (failures - 1), wait.mostMs), signal);
  }
  return undefined;
}

/** A call of its own, since the value changes while it is waited for. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function* messagesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        const read = readMessage(message);
        if (read !== undefined) yield read;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A message without data (a comment, the time to wait) is none. */
function readMessage(message: string): Message | undefined {
  let event = "message";
  let data: string | undefined;
  for (const line of message.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice("event: ".length);
    if (line.startsWith("data: ")) data = line.slice("data: ".length);
  }
  return data === undefined ? undefined : { event, data };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
