export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Server-sent events of a response, by the WHATWG format as far as a server of ours writes it: `event`, `data` and comments. `EventSource` cannot
 * send a token. Linear in what comes.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  let event = "message";
  let data: string[] = [];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const text = line.endsWith("\r") ? line.slice(0, -1) : line;
        if (text === "") {
          if (data.length > 0 || event !== "message") yield { event, data: data.join("\n") };
          event = "message";
          data = [];
        } else if (text.startsWith("data:")) data.push(text.slice(5).replace(/^ /, ""));
        else if (text.startsWith("event:")) event = text.slice(6).trim();
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
