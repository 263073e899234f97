import type { CallPermit, CallPermitSource } from "../admission/call-permit.ts";
import type { CachedOutput, ResultCache } from "../cached-output.ts";
import type { ApprovalAnswer, CallRecord, NestedRecord } from "../journal/journal.ts";
import type { AbandonedCall } from "../ports/abandoned-call.ts";
import { nothing } from "../ports/amounts.ts";
import type { FailedAttempt } from "../run-settings.ts";
import { type SecretResolver, secretFailure } from "../secrets/secret-resolver.ts";
import type { TaskReport } from "./port/dispatcher.ts";
import { describeThrown } from "./thrown-elsewhere.ts";
import type { ToParent, ToWorker } from "./worker-messages.ts";

type Permitted = Extract<ToWorker, { type: "permit" }>;

/** The worker's side of the conversation about one subgraph: requests wait for the replies that `hear` gets. */
export class WorkerLink {
  /** Answers of people that come while the subgraph runs. */
  onAnswer: (answer: ApprovalAnswer) => void = () => {};
  #send: (message: ToParent) => void;
  readonly #asked = new Map<number, (given: Permitted) => void>();
  readonly #sent = new Map<number, { readonly taken: () => void; readonly refused: (error: Error) => void }>();
  readonly #sought = new Map<number, (cached: CachedOutput | undefined) => void>();
  readonly #revealing = new Map<number, (message: Extract<ToWorker, { type: "secret" }>) => void>();
  readonly #exhausted = new Map<number, () => void>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(send: (message: ToParent) => void) {
    this.#send = send;
  }

  readonly calls: CallPermitSource = {
    ask: async (call, signal) => {
      signal.throwIfAborted();
      const id = ++this.#lastId;
      const given = await new Promise<Permitted>((resolve, reject) => {
        const onAbort = () => {
          this.#asked.set(id, (late) => this.#giveBack(late));
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        this.#asked.set(id, (answer) => {
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        });
        this.#send({ type: "ask", id, call });
      });
      return given.given === "go"
        ? { type: "go", permit: this.#permit(id) }
        : { type: given.given, error: given.error };
    },
    learn: (value) => this.#send({ type: "learn", value }),
  };

  /** The run's. */
  readonly cache: ResultCache = {
    readCache: (key) => {
      if (this.#ended !== undefined) return Promise.resolve(undefined);
      const id = ++this.#lastId;
      return new Promise((resolve) => {
        this.#sought.set(id, resolve);
        this.#send({ type: "find", id, key });
      });
    },
    writeCache: (key, cached) => this.#request((id) => ({ type: "keep", id, key, cached })),
  };

  /** The secrets of the run. Texts that it sent are known here from then on. */
  readonly secrets: SecretResolver & { readonly texts: string[] } = {
    texts: [],
    refuses: () => undefined,
    reveal: async (name, { kind, id: uid, description }, signal) => {
      signal.throwIfAborted();
      const id = ++this.#lastId;
      const secret = await new Promise<Extract<ToWorker, { type: "secret" }>>((resolve, reject) => {
        const onAbort = () => {
          this.#revealing.delete(id);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        this.#revealing.set(id, (message) => {
          signal.removeEventListener("abort", onAbort);
          resolve(message);
        });
        this.#send({ type: "secret", id, name, resource: { kind, id: uid, description } });
      });
      if ("error" in secret) throw secretFailure(name, uid, secret.error.message);
      if (!this.secrets.texts.includes(secret.text)) this.secrets.texts.push(secret.text);
      return secret.text;
    },
  };

  report(report: TaskReport): Promise<void> {
    return this.#request((id) => ({ type: "report", id, report }));
  }

  reportCalls(calls: readonly CallRecord[]): Promise<void> {
    return this.#request((id) => ({ type: "calls", id, calls }));
  }

  reportNested(records: readonly NestedRecord[]): Promise<void> {
    return this.#request((id) => ({ type: "nested", id, records }));
  }

  threw(thrown: unknown, { runId: _, ...about }: FailedAttempt): void {
    this.#send({ type: "threw", thrown: describeThrown(thrown), about });
  }

  /**
   * Handles a call that ignored its signal and still runs here. Nothing more is reported, so that the call keeps its slots until this process is ended, and
   * what the subgraph has left is executed elsewhere.
   */
  abandoned(call: AbandonedCall): void {
    this.#send({ type: "abandoned", call });
    this.#send = () => {};
  }

  /** Nobody hears any more: what waits for a reply, or is asked from now on, fails with this. */
  end(error: Error): void {
    this.#ended = error;
    this.#send = () => {};
    for (const { refused } of this.#sent.values()) refused(error);
    for (const found of this.#sought.values()) found(undefined);
    this.#sent.clear();
    this.#sought.clear();
  }

  hear(message: ToWorker): void {
    switch (message.type) {
      case "permit":
        this.#asked.get(message.id)?.(message);
        this.#asked.delete(message.id);
        break;
      case "found":
        this.#sought.get(message.id)?.(message.cached);
        this.#sought.delete(message.id);
        break;
      case "secret":
        this.#revealing.get(message.id)?.(message);
        this.#revealing.delete(message.id);
        break;
      case "exhausted":
        this.#exhausted.get(message.id)?.();
        break;
      case "taken": {
        const waiting = this.#sent.get(message.id);
        this.#sent.delete(message.id);
        if (message.ok) waiting?.taken();
        else waiting?.refused(new Error("The run cannot keep it."));
        break;
      }
      case "answer":
        this.onAnswer(message.answer);
        break;
      default:
    }
  }

  #request(make: (id: number) => ToParent): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise((taken, refused) => {
      this.#sent.set(id, { taken, refused });
      this.#send(make(id));
    });
  }

  /** Gives back a permit that no call waits for any more. */
  #giveBack({ id, given }: Permitted): void {
    if (given === "go") this.#send({ type: "withdraw", id, used: nothing() });
  }

  #permit(id: number): CallPermit {
    return {
      // `exhausted` is aborted if that is too much.
      note: (used) => {
        this.#send({ type: "note", id, used });
        return true;
      },
      meter: (stop) => void this.#exhausted.set(id, stop),
      lend: (used) => this.#send({ type: "lend", id, used }),
      settle: (used) => {
        this.#exhausted.delete(id);
        this.#send({ type: "settle", id, used });
      },
      withdraw: (used) => {
        this.#exhausted.delete(id);
        this.#send({ type: "withdraw", id, used });
      },
    };
  }
}
