import type { CallPermit } from "../admission/call-permit.ts";
import type { CachedOutput } from "../cached-output.ts";
import { taskErrorFrom } from "../task-error.ts";
import type { DispatchContext } from "./port/dispatcher.ts";
import { restoreThrown } from "./thrown-elsewhere.ts";
import type { ToParent, ToWorker } from "./worker-messages.ts";

/** The run's side of the talk with a worker about one subgraph. */
export class ParentLink {
  readonly #context: DispatchContext;
  readonly #send: (message: ToWorker) => void;
  readonly #permits = new Map<number, CallPermit>();
  readonly #stopListening: () => void;

  constructor(context: DispatchContext, send: (message: ToWorker) => void) {
    this.#context = context;
    this.#send = send;
    this.#stopListening = context.onAnswer((answer) => send({ type: "answer", answer }));
  }

  /** Answers a request of the worker; other messages are ignored. */
  hear(message: ToParent): void {
    const { calls } = this.#context;
    switch (message.type) {
      case "event":
        this.#context.onEvent(message.event);
        break;
      case "ask":
        void this.#ask(message);
        break;
      case "note":
        if (this.#permits.get(message.id)?.note(message.used) === false) {
          this.#send({ type: "exhausted", id: message.id });
        }
        break;
      case "calls":
        this.#answer(message.id, this.#context.reportCalls(message.calls));
        break;
      case "lend":
        this.#permits.get(message.id)?.lend(message.used);
        break;
      case "settle":
      case "withdraw":
        this.#permits.get(message.id)?.[message.type](message.used);
        this.#permits.delete(message.id);
        break;
      case "find":
        void this.#find(message.id, message.key);
        break;
      case "secret":
        void this.#reveal(message);
        break;
      case "keep":
        this.#answer(message.id, this.#keep(message.key, message.cached));
        break;
      case "abandoned":
        this.#context.reportAbandoned(message.call);
        break;
      case "threw":
        this.#context.reportThrown(restoreThrown(message.thrown), message.about);
        break;
      case "learn":
        calls.learn(message.value);
        break;
      case "report":
        this.#answer(message.id, this.#context.report(message.report));
        break;
      case "nested":
        this.#answer(message.id, this.#context.reportNested(message.records));
        break;
      default:
    }
  }

  /** A call of the worker is under way, and has limits of its own. */
  get inCall(): boolean {
    return this.#permits.size > 0;
  }

  close(): void {
    this.#stopListening();
  }

  async #ask({ id, call }: Extract<ToParent, { type: "ask" }>): Promise<void> {
    try {
      const answer = await this.#context.calls.ask(call, this.#context.signal);
      if (answer.type !== "go") {
        this.#send({ type: "permit", id, given: answer.type, error: answer.error });
        return;
      }
      this.#permits.set(id, answer.permit);
      answer.permit.meter(() => this.#send({ type: "exhausted", id }));
      this.#send({ type: "permit", id, given: "go" });
    } catch {
      // Aborted: the worker was asked to stop.
    }
  }

  /** A store that cannot be read is as one that is empty. */
  async #find(id: number, key: string): Promise<void> {
    try {
      const cached = await this.#context.cache?.readCache(key);
      this.#send({ type: "found", id, ...(cached !== undefined && { cached }) });
    } catch {
      this.#send({ type: "found", id });
    }
  }

  async #reveal({ id, name, resource }: Extract<ToParent, { type: "secret" }>): Promise<void> {
    try {
      this.#send({ type: "secret", id, text: await this.#context.revealSecret(name, resource) });
    } catch (thrown) {
      this.#send({ type: "secret", id, error: taskErrorFrom(thrown) });
    }
  }

  async #keep(key: string, cached: CachedOutput): Promise<void> {
    await this.#context.cache?.writeCache(key, cached);
  }

  #answer(id: number, taken: Promise<void>): void {
    taken.then(
      () => this.#send({ type: "taken", id, ok: true }),
      () => this.#send({ type: "taken", id, ok: false }),
    );
  }
}
