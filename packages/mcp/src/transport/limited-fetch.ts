/** Thrown out of a response body that went over the limit. */
export class OversizedBody extends Error {
  override readonly name = "OversizedBody";
}

/**
 * `fetch` whose answers to POST end with an error once they go over `maxBytes`. The standing GET stream of a session is
 * not counted: it lives as long as the connection.
 */
export function limitedFetch(maxBytes: number, baseFetch: typeof fetch = fetch) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await baseFetch(url, init);
    if (init?.method !== "POST" || !response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes)
            controller.error(new OversizedBody(`The answer is over the limit of ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const limited = new Response(counted, response);
    Object.defineProperty(limited, "url", { value: response.url });
    return limited;
  };
}
