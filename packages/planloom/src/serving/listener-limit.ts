/** The answer to a client that is one too many. */
export interface ListenerRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How many clients listen at once, each to the answer of one request. */
export class ListenerLimit {
  readonly #max: number;
  #listening = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Answers a request. Its client listens until the answer has ended, which may be a stream of events, or until it hangs up.
   * @returns undefined where the limit is reached
   */
  async answer(work: () => Promise<Response>): Promise<Response | undefined> {
    if (this.#listening >= this.#max) return undefined;
    this.#listening++;
    let isOver = false;
    const end = () => {
      if (!isOver) this.#listening--;
      isOver = true;
    };
    try {
      const response = await work();
      if (!isStream(response)) end();
      return isOver ? response : watched(response, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The same on every server. */
  get refusal(): ListenerRefusal {
    return {
      status: 503,
      code: "SERVER_TOO_MANY_LISTENERS",
      message: `There are ${this.#max} clients that listen to an answer, and no more are served at once. Try again in a moment.`,
      headers: { "retry-after": "5" },
    };
  }
}

function isStream({ headers, body }: Response): boolean {
  return body !== null && headers.get("content-type")?.startsWith("text/event-stream") === true;
}

function watched(response: Response, onEnd: () => void): Response {
  const reader = response.body!.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
