import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a remote controller answers; `delayMs: Infinity` never does. */
export interface RemoteAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Breaks the connection: before the head, or halfway through the body. */
  readonly drop?: "before" | "middle";
}

export interface RemoteRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** A real HTTP server with one answer a request, in order. */
export async function startControllerServer(answers: readonly RemoteAnswer[]) {
  const requests: RemoteRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) {
      text += String(chunk);
    }
    const answer = answers[requests.length] ?? { status: 418, body: "no more answers" };
    requests.push({ method: incoming.method, path: incoming.url, headers: incoming.headers, body: JSON.parse(text) });
    if (answer.delayMs === Number.POSITIVE_INFINITY) {
      return;
    }
    if (answer.drop === "before") {
      response.destroy();
      return;
    }
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    if (answer.drop === "middle") {
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    }
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requests as readonly RemoteRequest[],
    close,
    [Symbol.asyncDispose]: close,
  };
}
