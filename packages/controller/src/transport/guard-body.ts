import { longestTimerMs } from "@planloom/plan/internals";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { brokenOff } from "./connection-errors.ts";

export interface BodyLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** Longest silence while the reader waits, in milliseconds. @default Infinity */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** For messages; without a query. */
  readonly url: string;
  /** Texts that must not show up in an error. @default none */
  readonly secrets?: readonly string[];
}

/**
 * The same body, ended with a `ControllerError` when it grows over the limit, falls silent or breaks off, and with the signal's
 * reason on abort. The connection is closed in each case. Reads nothing ahead of its reader, so the silence counted
 * is the server's and not the reader's.
 */
export function guardBody(body: ReadableStream<Uint8Array>, limits: BodyLimits): ReadableStream<Uint8Array> {
  const { maxBytes, idleTimeoutMs = Number.POSITIVE_INFINITY, signal, url, secrets = [] } = limits;
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await readWithin(reader, idleTimeoutMs, signal, url);
          if (done) {
            controller.close();
            return;
          }
          bytes += value.byteLength;
          if (bytes > maxBytes) {
            throw new ControllerError(
              ControllerErrorCode.PROTOCOL,
              `Expected at most ${maxBytes} bytes from ${url}, got more; raise \`maxResponseBytes\` if that is right.`,
              { details: { url, maxBytes } },
            );
          }
          controller.enqueue(value);
        } catch (thrown) {
          const isOurs = thrown instanceof ControllerError || signal?.aborted === true;
          const error = isOurs ? thrown : brokenOff(url, thrown, secrets);
          controller.error(error);
          void reader.cancel(error).catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleTimeoutMs: number,
  signal: AbortSignal | undefined,
  url: string,
): Promise<ReadResult> {
  return new Promise<ReadResult>((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    const timer =
      idleTimeoutMs <= longestTimerMs
        ? setTimeout(() => {
            const message = `Expected ${url} to continue writing, got nothing for ${idleTimeoutMs} ms.`;
            reject(
              new ControllerError(ControllerErrorCode.TIMEOUT, message, {
                details: { url, timeoutMs: idleTimeoutMs, idle: true },
              }),
            );
          }, idleTimeoutMs)
        : undefined;
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    if (signal?.aborted) {
      settle();
      reject(signal.reason);
      return;
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    reader.read().then(resolve, reject).finally(settle);
  });
}
