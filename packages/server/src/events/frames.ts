import type { SubscribedEvent } from "planloom/events";

/** Server-sent events as bytes. */
const encoder = new TextEncoder();

/** One event as a message. A `stream-gap` has no number, so that a client that comes back asks for what is missing. */
export function frameOf(event: SubscribedEvent): Uint8Array {
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  return encoder.encode(`${id}data: ${JSON.stringify(event)}\n\n`);
}

/** First of all: how long a client waits before it comes back. */
export const opening = encoder.encode("retry: 1000\n\n");

/** A comment that keeps connections open that nothing else is sent on. */
export const heartBeat = encoder.encode(":\n\n");

/** Last of all: the run has ended, so a client need not come back. */
export const ending = encoder.encode("event: end\ndata: {}\n\n");

export function joined(frames: readonly Uint8Array[]): Uint8Array {
  if (frames.length === 1) return frames[0]!;
  const all = new Uint8Array(frames.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const frame of frames) {
    all.set(frame, at);
    at += frame.byteLength;
  }
  return all;
}
