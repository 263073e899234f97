import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that breaks connections as networks do. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Ends every connection at once. */
  cut(): void;
  /** Ends every connection each time so many packets have come from the server. @returns how often it did so far, and stops when `stop` is called */
  cutEvery(packets: number): { readonly cuts: () => number; stop(): void };
  /** Loses the next answer whose request contains `text`: the request arrives, then the connection ends. */
  loseAnswerTo(text: string): void;
  /** From now on nothing goes through the connections that are open, and nobody hears of it: they are half-open. */
  freeze(): void;
  /** Counts the requests that contain `text` from now on. @returns how many there were so far */
  count(text: string): () => number;
  /** Bytes that went to the server and came from it, over all connections so far. */
  bytes(): { readonly sent: number; readonly received: number };
}

export async function cuttingProxy(host: string, port: number): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const counted = new Map<string, number>();
  let lost: string | undefined;
  let [sent, received] = [0, 0];
  let hear = () => {};
  const server = createServer((client) => {
    const upstream = connect(port, host);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    let isLosing = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.on("data", (data) => {
      if (lost !== undefined && data.includes(lost)) {
        isLosing = true;
        lost = undefined;
      }
      for (const [text, count] of counted) if (data.includes(text)) counted.set(text, count + 1);
      sent += data.length;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      received += data.length;
      if (isLosing) end();
      else client.write(data);
      hear();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const [client] of pairs) client.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    count: (text) => {
      counted.set(text, 0);
      return () => counted.get(text) ?? 0;
    },
    cutEvery: (packets) => {
      let [heard, cuts] = [0, 0];
      hear = () => {
        heard++;
        if (heard < packets) return;
        heard = 0;
        cuts++;
        cut();
      };
      const stop = () => {
        hear = () => {};
      };
      return { cuts: () => cuts, stop };
    },
    loseAnswerTo: (text) => {
      lost = text;
    },
    freeze: () => {
      for (const [client, upstream] of pairs) {
        for (const socket of [client, upstream]) socket.removeAllListeners("data").pause();
      }
    },
    bytes: () => ({ sent, received }),
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
