import { randomBytes } from "node:crypto";
import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import type { OptionChecks } from "planloom/plan";
import { bearsToken, bodyRefusal, isLoopback, listenOn, readBody } from "planloom/serving";
import { optionError } from "../check-options.ts";
import { httpServer } from "../http-server.ts";
import { pause } from "./pause.ts";

/** How agents that offer it push what becomes of tasks. With neither `port` nor `url` nothing can be pushed. */
export interface PushOptions {
  /** This process listens here, 0 for any port that is free. @default it does not listen: give requests to `takePush` of the connection */
  readonly port?: number | undefined;
  /** The address that it listens on. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** The URL that agents are given, such as that of a proxy before this process; a path of its own is added for each task. @default where it listens */
  readonly url?: string | undefined;
}

export const pushChecks = {
  port: "wholeNumber",
  host: "name",
  url: "name",
} as const satisfies OptionChecks<PushOptions>;

/** One task that is waited for. */
export interface Expected {
  /** What the agent is given. */
  readonly config: TaskPushNotificationConfig;
  /** Resolves with the next push, with one that came since the last time, or after `ms`. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** What comes from now on is answered with 404. */
  end(): void;
}

interface Waiter {
  readonly token: string;
  wake(): void;
}

const bodyTimeoutMs = 10_000;

/**
 * Takes pushes. A push says only that something happened: the task is then read at the agent, so that what comes late, twice, in another order or from somebody
 * else changes nothing. Each message has a path and a token of its own, and both end with the waiting.
 */
export class PushReceiver {
  readonly #url: URL;
  readonly #maxBytes: number;
  readonly #waiters = new Map<string, Waiter>();
  readonly close: () => Promise<void>;

  private constructor(url: URL, maxBytes: number, close: () => Promise<void>) {
    this.#url = url;
    this.#maxBytes = maxBytes;
    this.close = close;
  }

  /** @throws A2aError OPTION; the error of the port where it is taken */
  static async open({ port, host = "127.0.0.1", url }: PushOptions, maxBytes: number): Promise<PushReceiver> {
    const given = url === undefined ? undefined : givenUrl(url);
    if (port === undefined) {
      if (given === undefined) throw optionError("push", "an object with `port`, `url` or both", "neither");
      return new PushReceiver(given, maxBytes, async () => {});
    }
    let receiver: PushReceiver | undefined;
    const server = httpServer((request) => receiver!.take(request), bodyTimeoutMs);
    const { origin, close } = await listenOn(server, { host, port });
    receiver = new PushReceiver(given ?? new URL(origin), maxBytes, close);
    return receiver;
  }

  /** Whether an agent at this URL can reach the receiver: a loopback address would lead it to its own machine. */
  isReachedFrom(agent: URL): boolean {
    return !isLoopback(this.#url.hostname) || isLoopback(agent.hostname);
  }

  expect(): Expected {
    const id = randomBytes(16).toString("hex");
    const token = randomBytes(32).toString("hex");
    const url = new URL(this.#url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${id}`;
    let isPushed = false;
    let wake: (() => void) | undefined;
    this.#waiters.set(id, {
      token,
      wake() {
        isPushed = true;
        wake?.();
      },
    });
    return {
      // Agents take one or the other.
      config: {
        tenant: "",
        id,
        taskId: "",
        url: url.href,
        token,
        authentication: { scheme: "Bearer", credentials: token },
      },
      async wait(ms, signal) {
        const late = new AbortController();
        const pushed = new Promise<void>((resolve) => {
          wake = resolve;
          if (isPushed) resolve();
        });
        const over = pause(ms, AbortSignal.any([signal, late.signal])).catch(() => {});
        await Promise.race([pushed, over]);
        isPushed = false;
        wake = undefined;
        late.abort();
        signal.throwIfAborted();
      },
      end: () => void this.#waiters.delete(id),
    };
  }

  async take(request: Request): Promise<Response> {
    if (request.method !== "POST") return new Response(undefined, { status: 405 });
    const id = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return new Response(undefined, { status: 404 });
    const alone = request.headers.get("x-a2a-notification-token") ?? "";
    const asBearer = { headers: new Headers({ authorization: `Bearer ${alone}` }) };
    if (!bearsToken(request, waiter.token) && !bearsToken(asBearer, waiter.token)) {
      return new Response(undefined, { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
    const limits = { maxBytes: this.#maxBytes, timeoutMs: bodyTimeoutMs };
    const body = await readBody(request, limits);
    if (typeof body === "number") return Response.json(bodyRefusal(body, limits), { status: body });
    waiter.wake();
    return new Response(undefined, { status: 202 });
  }
}

function givenUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url !== undefined && isPlain && /^https?:$/.test(url.protocol)) return url;
  throw optionError("push.url", "an http or https URL without user, query and fragment", JSON.stringify(text));
}
