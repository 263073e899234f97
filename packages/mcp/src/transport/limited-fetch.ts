/** A request whose answer went over the limit: its JSON-RPC id, where it could be read. */
type OnOversized = (id: number, bytes: number) => void;

/**
 * `fetch` whose answers to POST end once they go over `maxBytes`, telling which request that was: the SDK itself would
 * wait for a reply for ever. The standing GET stream of a session is not counted; it lives as long as the connection.
 */
export function limitedFetch(maxBytes: number, onOversized: OnOversized) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || !response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes <= maxBytes) return controller.enqueue(chunk);
          const id = requestId(init.body);
          if (id !== undefined) onOversized(id, bytes);
          controller.terminate();
        },
      }),
    );
    const limited = new Response(counted, response);
    Object.defineProperty(limited, "url", { value: response.url });
    return limited;
  };
}

/** Our own request, so its form is known. */
function requestId(body: unknown): number | undefined {
  if (typeof body !== "string") return undefined;
  const message: unknown = JSON.parse(body);
  const id: unknown = Reflect.get(Object(message), "id");
  return typeof id === "number" ? id : undefined;
}
