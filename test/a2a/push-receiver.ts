import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire; expectations check it
  readonly body: any;
}

export interface PushReceiver extends AsyncDisposable {
  readonly origin: string;
  readonly pushes: Pushed[];
  /** Of the pushes that say so, the states in order. */
  readonly states: string[];
}

/** A server that takes pushes. @param status what it answers to push number `at`, from 0; nothing: it hangs */
export async function pushReceiver(status: (at: number) => number | undefined = () => 200): Promise<PushReceiver> {
  const pushes: Pushed[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    pushes.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
    const code = status(pushes.length - 1);
    if (code !== undefined) response.writeHead(code, code === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushes,
    get states() {
      return pushes.flatMap(({ body }) => body.statusUpdate?.status.state ?? body.task?.status.state ?? []);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
