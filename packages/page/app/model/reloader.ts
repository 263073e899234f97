export interface ReloaderParts<Data> {
  readonly load: (signal: AbortSignal) => Promise<Data>;
  readonly show: (data: Data) => void;
  readonly fail: (error: unknown) => void;
}

/** How long after a failure what must not be missed is asked for again, in milliseconds. */
const retryMs = 1_000;

/** Loads what is shown again and again. An answer that was overtaken by a later one is older than what is shown, and is dropped. */
export class Reloader<Data> {
  readonly #parts: ReloaderParts<Data>;
  #asked = 0;
  #shown = 0;

  constructor(parts: ReloaderParts<Data>) {
    this.#parts = parts;
  }

  /** @param retries how often it is asked for again where that fails */
  async reload(signal: AbortSignal, retries = 0): Promise<void> {
    const number = ++this.#asked;
    try {
      const data = await this.#parts.load(signal);
      if (signal.aborted || number < this.#shown) return;
      this.#shown = number;
      this.#parts.show(data);
    } catch (error) {
      if (signal.aborted) return;
      this.#parts.fail(error);
      if (retries === 0) return;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      if (!signal.aborted) await this.reload(signal, retries - 1);
    }
  }
}
