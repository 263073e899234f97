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
export async function asksHub(start: URL, had: number, options: HubOptions): Promise<HubFile> {
  return new HubRequest(start, had, options).file();
}

/** One file that is asked for, and what the answers on the way to it have said. */
class HubRequest {
  readonly #start: URL;
  readonly #had: number;
  readonly #options: HubOptions;
  readonly #stop = new AbortController();
  readonly #silence: Silence;
  #sha256: string | undefined;
  #total: number | undefined;

  constructor(start: URL, had: number, options: HubOptions) {
    const { idleTimeoutMs } = options;
    this.#start = start;
    this.#had = had;
    this.#options = options;
    this.#silence = new Silence(idleTimeoutMs, () =>
      this.#stop.abort(new Error(`nothing came for ${idleTimeoutMs} ms`)),
    );
  }

  async file(): Promise<HubFile> {
    let url = this.#start;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#fetch(url);
      const { headers, status, body } = response;
      this.#sha256 ??= /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(headers.get("x-linked-etag") ?? "")?.[1]?.toLowerCase();
      this.#total ??= numberOf(headers.get("x-linked-size"));
      const location = headers.get("location");
      if (status >= 300 && status < 400 && location !== null) {
        await body?.cancel();
        url = this.#redirected(url, location, redirects);
      } else if (status === 416 && this.#had > 0) {
        await body?.cancel();
        return this.#wholeFile();
      } else if (!response.ok || body === null) {
        await body?.cancel();
        throw this.#refusal(`it answered with status ${status}`, { status });
      } else return this.#fileIn(response, body);
    }
  }

  async #fetch(url: URL): Promise<Response> {
    const { fetch, signal } = this.#options;
    const headers: Record<string, string> = {
      "accept-encoding": "identity",
      ...(this.#had > 0 && { range: `bytes=${this.#had}-` }),
    };
    const both = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    try {
      const response = await fetch(url, { redirect: "manual", signal: both, headers });
      this.#silence.heard();
      return response;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #redirected(from: URL, location: string, redirects: number): URL {
    if (!URL.canParse(location, from.href)) throw this.#refusal("it leads to what is no address");
    const to = new URL(location, from);
    if (redirects >= maxRedirects) throw this.#refusal("it leads on and on");
    const isWithinMachine = to.protocol === "http:" && from.protocol === "http:" && isThisMachine(to);
    if (to.protocol !== "https:" && !isWithinMachine) throw this.#refusal(`it leads to ${to.protocol}//${to.host}`);
    return to;
  }

  #wholeFile(): HubFile {
    this.#silence.end();
    return {
      sha256: this.#sha256,
      total: this.#total,
      from: this.#had,
      isWhole: true,
      async *chunks() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  #fileIn({ status, headers }: Response, body: AsyncIterable<Uint8Array>): HubFile {
    const from = status === 206 ? (numberOf(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1]) ?? 0) : 0;
    const length = numberOf(headers.get("content-length"));
    return {
      sha256: this.#sha256,
      total: this.#total ?? (length === undefined ? undefined : from + length),
      from: from === this.#had ? from : 0,
      isWhole: false,
      chunks: () => this.#chunks(body, from),
      [Symbol.asyncDispose]: async () => {
        this.#silence.end();
        this.#stop.abort();
      },
    };
  }

  async *#chunks(body: AsyncIterable<Uint8Array>, from: number): AsyncGenerator<Uint8Array> {
    try {
      if (from !== 0 && from !== this.#had) throw new Error(`it began at byte ${from} in place of ${this.#had}`);
      for await (const chunk of body) {
        this.#silence.heard();
        yield chunk;
      }
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#silence.end();
    }
  }

  /** What is thrown for an error of the connection: the reason of the caller's signal, where that ended it. */
  #failure(error: unknown): unknown {
    const { signal } = this.#options;
    if (signal?.aborted) return signal.reason;
    const { aborted, reason } = this.#stop.signal;
    return this.#refusal(reasonOf(aborted ? reason : error), {}, error);
  }

  #refusal(why: string, details: object = {}, cause?: unknown): LocalError {
    this.#silence.end();
    const url = shownUrl(this.#start);
    const message = `Expected ${url} to give the file, but ${why}. What came is kept; the same command goes on with it.`;
    return new LocalError(LocalErrorCode.DOWNLOAD, message, { details: { url, ...details }, cause });
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
