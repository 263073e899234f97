import { setTimeout as sleep } from "node:timers/promises";
import { noWorker } from "./attempts.ts";
import type { WorkerClass, WorkerRegistry } from "./worker-registry.ts";

/** How often the registry is asked whether a worker has come, in milliseconds. */
const lookMs = 50;

/** The workers that take subgraphs from one queue, as the processes that send them see it. */
export class QueueWorkers {
  readonly #registry: WorkerRegistry;
  readonly #queue: string;
  readonly #timeoutMs: number;
  readonly #onNoWorker: ((queue: string) => void) | undefined;
  #isMissed = false;

  /**
   * @param timeoutMs how long a worker is waited for
   * @param onNoWorker called once, when no worker is there
   */
  constructor(
    registry: WorkerRegistry,
    queue: string,
    timeoutMs: number,
    onNoWorker: ((queue: string) => void) | undefined,
  ) {
    this.#registry = registry;
    this.#queue = queue;
    this.#timeoutMs = timeoutMs;
    this.#onNoWorker = onNoWorker;
  }

  /** The workers of the queue, once there are some. @throws Error where none has come in time; the reason of the signal */
  async classes(signal: AbortSignal): Promise<WorkerClass[]> {
    const began = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const found = await this.#registry.classes(this.#queue);
      if (found.length > 0) return found;
      if (!this.#isMissed) this.#onNoWorker?.(this.#queue);
      this.#isMissed = true;
      if (performance.now() - began > this.#timeoutMs) throw await this.missing();
      await sleep(Math.min(lookMs, this.#timeoutMs));
    }
  }

  /** The error that says that no worker takes anything from the queue. */
  async missing(): Promise<Error> {
    return noWorker(this.#queue, this.#timeoutMs, [], [], await this.#registry.otherRows(this.#queue));
  }
}
