import { timerMs } from "@planloom/plan";
import { LocalError, LocalErrorCode } from "./errors.ts";

/** A file as a hub offers it. */
export interface HubFile extends AsyncDisposable {
  /** What the hub says of it; absent where it says nothing. */
  readonly sha256: string | undefined;
  /** Bytes of all of it, where the hub says it. */
  readonly total: number | undefined;
  /** The byte at which `chunks` begin: 0 where the hub does not continue in the middle. */
  readonly from: number;
  /** All of it was there already. */
  readonly isWhole: boolean;
  chunks(): AsyncIterable<Uint8Array>;
}

export interface HubOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly idleTimeoutMs: number;
  readonly signal?: AbortSignal;
}

const maxRedirects = 5;

/**
 * Asks for a file from the byte `had` on, through redirects, of which none leads to another machine without https. Hugging Face says the checksum with the first of them.
 * @throws LocalError DOWNLOAD; the signal's reason
 */
export async function asksHub(start: URL, had: number, { fetch, idleTimeoutMs, signal }: HubOptions): Promise<HubFile> {
  const stop = new AbortController();
  const silence = new Silence(idleTimeoutMs, () => stop.abort(new Error(`nothing came for ${idleTimeoutMs} ms`)));
  const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const refuse = (why: string, details: object = {}, cause?: unknown): LocalError => {
    silence.end();
    const message = `Expected ${shownUrl(start)} to give the file, but ${why}. What came is kept; the same command goes on with it.`;
    return new LocalError(LocalErrorCode.DOWNLOAD, message, { details: { url: shownUrl(start), ...details }, cause });
  };
  let url = start;
  let sha256: string | undefined;
  let total: number | undefined;
  for (let redirects = 0; ; redirects++) {
    let response: Response;
    try {
      const headers: Record<string, string> = {
        "accept-encoding": "identity",
        ...(had > 0 && { range: `bytes=${had}-` }),
      };
      response = await fetch(url, { redirect: "manual", signal: both, headers });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw refuse(reasonOf(stop.signal.aborted ? stop.signal.reason : error), {}, error);
    }
    silence.heard();
    const { headers, status } = response;
    sha256 ??= /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(headers.get("x-linked-etag") ?? "")?.[1]?.toLowerCase();
    total ??= numberOf(headers.get("x-linked-size"));
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) throw refuse("it leads to what is no address");
      const next = new URL(location, url);
      if (redirects >= maxRedirects) throw refuse("it leads on and on");
      if (next.protocol !== "https:" && !(next.protocol === "http:" && url.protocol === "http:" && isThisMachine(next)))
        throw refuse(`it leads to ${next.protocol}//${next.host}`);
      url = next;
      continue;
    }
    if (status === 416 && had > 0) {
      await response.body?.cancel();
      silence.end();
      return { sha256, total, from: had, isWhole: true, async *chunks() {}, async [Symbol.asyncDispose]() {} };
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw refuse(`it answered with status ${status}`, { status });
    }
    const from = status === 206 ? (numberOf(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1]) ?? 0) : 0;
    const length = numberOf(headers.get("content-length"));
    const { body } = response;
    return {
      sha256,
      total: total ?? (length === undefined ? undefined : from + length),
      from: from === had ? from : 0,
      isWhole: false,
      async *chunks() {
        try {
          if (from !== 0 && from !== had) throw new Error(`it began at byte ${from} in place of ${had}`);
          for await (const chunk of body) {
            silence.heard();
            yield chunk;
          }
        } catch (error) {
          if (signal?.aborted) throw signal.reason;
          throw refuse(reasonOf(stop.signal.aborted ? stop.signal.reason : error), {}, error);
        } finally {
          silence.end();
        }
      },
      async [Symbol.asyncDispose]() {
        silence.end();
        stop.abort();
      },
    };
  }
}

/** An address for messages and records: its query may have a key. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** Whether an address is of this machine, so that nobody else can answer without encryption. */
export function isThisMachine({ hostname }: URL): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Notices that nothing was heard for too long. */
class Silence {
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number, onSilence: () => void) {
    this.#timer = setTimeout(onSilence, timerMs(milliseconds));
  }

  heard(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}

function numberOf(text: string | null | undefined): number | undefined {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
