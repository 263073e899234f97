import type { AgentCard, Message, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import type { Resource } from "planloom";
import { hashValue, timerMs } from "planloom/plan";
import { A2aError, A2aErrorCode, withoutSecrets } from "../errors.ts";
import { agentResource, cardUrl, readCard } from "./agent-card.ts";
import { agentClient } from "./agent-client.ts";
import { agentError, isBreak, lost } from "./agent-error.ts";
import { agentFetch } from "./agent-fetch.ts";
import { agentUrl, type LinkSettings, type RemoteAgentOptions } from "./agent-options.ts";
import { type Authorize, authorization, secretsOf } from "./authorization.ts";
import { pause } from "./pause.ts";
import type { Expected, PushReceiver } from "./push-receiver.ts";
import { type KnownTask, RemoteTask } from "./remote-task.ts";

type Events = AsyncGenerator<StreamResponse, void, undefined>;

/** How a task at an agent is followed. */
export interface Following {
  /** Ends the following; the agent continues its task. */
  readonly signal: AbortSignal;
  progress(progress: unknown): void;
}

/** One agent: its card, and the way to it. */
export class RemoteAgent {
  readonly name: string;
  readonly #options: RemoteAgentOptions;
  readonly #settings: LinkSettings;
  readonly #url: URL;
  readonly #origins: ReadonlySet<string>;
  readonly #secrets: readonly string[];
  readonly #closed = new AbortController();
  readonly #expected = new Map<RemoteTask, Expected>();
  readonly #fetch: typeof fetch;
  #card!: AgentCard;
  #client!: Client;
  #endClient = () => {};
  #resource!: Resource;
  #authorize: Authorize = async (_, headers) => {
    for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers.set(name, value);
  };
  #readAt = 0;

  private constructor(name: string, options: RemoteAgentOptions, settings: LinkSettings) {
    this.name = name;
    this.#options = options;
    this.#settings = settings;
    this.#url = cardUrl(agentUrl(name, options.url));
    this.#origins = new Set([this.#url.origin, ...(options.origins ?? [])]);
    this.#secrets = secretsOf(options);
    this.#fetch = agentFetch({
      agent: name,
      fetch: settings.fetch,
      maxBytes: settings.maxResultBytes,
      origins: this.#origins,
      authorize: (...request) => this.#authorize(...request),
      schemes: () => Object.keys(this.#card?.securitySchemes ?? {}),
    });
  }

  /** @throws A2aError */
  static async connect(
    name: string,
    options: RemoteAgentOptions,
    settings: LinkSettings,
    signal: AbortSignal,
  ): Promise<RemoteAgent> {
    const agent = new RemoteAgent(name, options, settings);
    await agent.#guarded(signal, () => agent.#readCard(signal));
    return agent;
  }

  get card(): AgentCard {
    return this.#card;
  }
  /** The same object until the card says something else. */
  get resource(): Resource {
    return this.#resource;
  }
  /** Whether events are read as they come. An agent that pushes holds no stream open. */
  get streams(): boolean {
    return this.#card.capabilities?.streaming === true && this.#receiver === undefined;
  }

  get #receiver(): PushReceiver | undefined {
    const { receiver } = this.#settings;
    return this.#card.capabilities?.pushNotifications === true && receiver?.isReachedFrom(this.#url)
      ? receiver
      : undefined;
  }

  newTask(known: KnownTask = {}): RemoteTask {
    return new RemoteTask(this.name, this.#settings.maxResultBytes, known);
  }

  /** Reads the card again where it is old: an agent may have been upgraded since. @throws A2aError */
  async refresh(signal: AbortSignal): Promise<void> {
    const before = this.#readAt;
    if (Date.now() - before < this.#settings.cardMaxAgeMs) return;
    // Of many messages at once, one reads it.
    this.#readAt = Date.now();
    await this.#guarded(signal, () => this.#readCard(signal)).catch((error: unknown) => {
      this.#readAt = before;
      throw error;
    });
  }

  /**
   * Sends a message. Resolves when the agent has taken it: the task then says how things are.
   * @returns the events to come, for `follow`
   * @throws A2aError; the signal's reason once it is aborted
   */
  send(message: Message, task: RemoteTask, { signal, progress }: Following): Promise<Events | undefined> {
    const expected = this.#receiver?.expect();
    const configuration = {
      acceptedOutputModes: ["application/json", "text/plain"],
      taskPushNotificationConfig: expected?.config,
      returnImmediately: true,
    };
    const request = { tenant: "", message, configuration, metadata: undefined };
    const sent = this.#guarded(signal, async () => {
      const grace = graceAfter(signal, graceMs);
      const options = { signal: this.#endedWith(grace.signal) };
      if (!this.streams) {
        const value = await this.#client.sendMessage(request, options);
        progress(
          task.take({
            payload: "messageId" in value ? { $case: "message", value } : { $case: "task", value },
          }),
        );
        return undefined;
      }
      const events = this.#client.sendMessageStream(request, options);
      const first = await events.next();
      if (first.done === true) throw new Error("its stream has no event");
      progress(task.take(first.value));
      grace.prompt();
      return events;
    });
    if (expected === undefined) return sent;
    this.#expected.set(task, expected);
    const forget = () => this.#forget(task);
    sent.then(() => (task.standing === "working" ? undefined : forget()), forget);
    return sent;
  }

  /**
   * Follows a task to its end, or until it waits for somebody: by its events where the agent streams, else by looking, also when the agent has pushed. A connection that breaks is made
   * again, for `reconnectMs`.
   * @throws A2aError; the signal's reason once it is aborted
   */
  async follow(task: RemoteTask, following: Following, events?: Events): Promise<void> {
    try {
      await this.#follow(task, following, events);
    } finally {
      this.#forget(task);
    }
  }

  async #follow(task: RemoteTask, following: Following, events: Events | undefined): Promise<void> {
    const { signal } = following;
    const { pollMs, reconnectMs } = this.#settings;
    const expected = task.standing === "working" ? await this.#expect(task, signal) : undefined;
    const ended = this.#endedWith(signal);
    const maxMs = pollMs * (expected === undefined ? 10 : 60);
    let stream = events;
    let canSubscribe = this.streams;
    let brokenSince: number | undefined;
    let wait = pollMs;
    while (task.standing === "working") {
      try {
        if (stream === undefined) {
          task.takeTask(await this.#look(task.id, signal));
          if (task.standing !== "working") return;
          stream = canSubscribe ? this.#subscribe(task.id, signal) : undefined;
        }
        if (stream !== undefined && (await this.#hear(stream, task, following))) wait = pollMs;
        brokenSince = undefined;
      } catch (error) {
        // Some agents stream, but not a second time.
        if (error instanceof A2aError && error.code === A2aErrorCode.REFUSED && stream !== undefined)
          canSubscribe = false;
        else if (!isBreak(error) || task.id === "") throw error;
        else {
          brokenSince ??= Date.now();
          if (Date.now() - brokenSince > reconnectMs) throw lost(this.name, task.id, reconnectMs, error);
        }
      }
      stream = undefined;
      if (task.standing !== "working") return;
      await (expected === undefined ? pause(wait, ended) : expected.wait(wait, ended));
      wait = Math.min(wait * 1.5, maxMs);
    }
    await events?.return(undefined);
  }

  /** What the agent pushes of a task. Of a task that an earlier process began it is asked for again; where that fails, the task is looked at. */
  async #expect(task: RemoteTask, signal: AbortSignal): Promise<Expected | undefined> {
    const known = this.#expected.get(task);
    const receiver = this.#receiver;
    if (known !== undefined || receiver === undefined || task.id === "") return known;
    const expected = receiver.expect();
    this.#expected.set(task, expected);
    const config = { ...expected.config, taskId: task.id };
    const ask = (within: AbortSignal) => this.#client.createTaskPushNotificationConfig(config, { signal: within });
    try {
      await this.#inTime(signal, ask);
      return expected;
    } catch {
      signal.throwIfAborted();
      this.#forget(task);
      return undefined;
    }
  }

  #forget(task: RemoteTask): void {
    this.#expected.get(task)?.end();
    this.#expected.delete(task);
  }

  /** Asks the agent to cancel the task, and does not wait long. Resolves whatever comes of it. */
  async cancel(taskId: string): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(cancelMs), this.#closed.signal]);
    await this.#client.cancelTask({ tenant: "", id: taskId, metadata: undefined }, { signal }).catch(() => {});
  }

  /** Fails what is under way with CLOSED. */
  close(): void {
    const message = `The connection to agent "${this.name}" was closed.`;
    this.#closed.abort(new A2aError(A2aErrorCode.CLOSED, message, { details: { agent: this.name } }));
    this.#endClient();
  }

  /** @returns whether anything came */
  async #hear(events: Events, task: RemoteTask, { signal, progress }: Following): Promise<boolean> {
    let heard = false;
    try {
      while (task.standing === "working") {
        const next = await this.#guarded(signal, () => events.next());
        if (next.done === true) break;
        heard = true;
        progress(task.take(next.value));
      }
      return heard;
    } finally {
      await events.return(undefined).catch(() => {});
    }
  }

  #subscribe(id: string, signal: AbortSignal): Events {
    return this.#client.resubscribeTask({ tenant: "", id }, { signal: this.#endedWith(signal) });
  }

  #look(id: string, signal: AbortSignal): Promise<Task> {
    return this.#inTime(signal, (within) =>
      this.#client.getTask({ tenant: "", id, historyLength: 0 }, { signal: within }),
    );
  }

  async #readCard(signal: AbortSignal): Promise<void> {
    const card = await this.#inTime(signal, (within) =>
      readCard(this.name, this.#url, this.#options, this.#fetch, within),
    );
    const resource = agentResource(this.name, card, this.#options);
    if (this.#client === undefined || hashValue(card) !== hashValue(this.#card)) {
      const authorize = authorization(this.name, card, this.#options, this.#settings.fetch);
      const made = await agentClient(card, {
        agent: this.name,
        url: this.#url,
        origins: this.#origins,
        fetch: this.#fetch,
        authorize,
      });
      this.#endClient();
      this.#client = made.client;
      this.#endClient = made.close;
      this.#authorize = authorize;
      this.#card = card;
      this.#resource = resource;
    }
    this.#readAt = Date.now();
  }

  #endedWith(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closed.signal]);
  }

  /** A request that has to be answered soon. @throws A2aError TIMEOUT */
  async #inTime<Value>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { requestTimeoutMs: timeoutMs } = this.#settings;
    const late = AbortSignal.timeout(timerMs(timeoutMs));
    return this.#guarded(signal, async () => {
      try {
        return await send(AbortSignal.any([this.#endedWith(signal), late]));
      } catch (error) {
        if (!late.aborted || signal.aborted) throw error;
        const message = `Agent "${this.name}" did not answer within ${timeoutMs} ms.`;
        throw new A2aError(A2aErrorCode.TIMEOUT, message, { details: { agent: this.name, timeoutMs } });
      }
    });
  }

  /** What goes wrong is an error of this package, without secrets; what was stopped says why it was. */
  async #guarded<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    try {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      throw withoutSecrets(agentError(this.name, error), this.#secrets);
    }
  }
}

/** How long cancelling may take, in milliseconds. */
const cancelMs = 3_000;
/** How long the agent has to say which task it made of a message, once the message is not wanted any more, in milliseconds: only a known task can be cancelled. */
const graceMs = 1_000;

/** A signal that is aborted some time after another, and from `prompt` on together with it. */
function graceAfter(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; prompt(): void } {
  const late = new AbortController();
  let waits = true;
  const abort = () => late.abort(signal.reason);
  signal.addEventListener("abort", () => (waits ? setTimeout(abort, ms).unref() : abort()), { once: true });
  return {
    signal: late.signal,
    prompt() {
      waits = false;
      if (signal.aborted) abort();
    },
  };
}
