import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { DispatchContext, DispatchRequest } from "@planloom/runtime";
import { dispatchVersion, otherWorkers } from "./dispatch-format.ts";
import type { DispatchStore } from "./dispatch-store.ts";
import { presenceOf, workflows } from "./engine.ts";
import { lacking, needsOf, type WorkerClass, type WorkerRegistry } from "./worker-registry.ts";

/** What the attempts of all subgraphs of a dispatcher share. */
export interface AttemptParts {
  readonly store: DispatchStore;
  readonly registry: WorkerRegistry;
  readonly client: DBOSClient;
  readonly queue: string;
  readonly maxDeaths: number;
  readonly workerTimeoutMs: number;
  /** What is removed of subgraphs that have ended. */
  readonly removals: Set<Promise<void>>;
  /** How many subgraphs of this dispatcher are in each queue of the engine. */
  readonly load: Map<string, number>;
}

/** An attempt as the engine has it. `gone`: its worker is; `over`: it has ended, whether or not the subgraph has. */
export type AttemptState = "none" | "queued" | "taken" | "gone" | "over";

const classLookMs = 100;

/** The attempts at one subgraph, each a workflow of the engine in the queue of workers that can execute it. */
export class Attempts {
  readonly #parts: AttemptParts;
  readonly #request: DispatchRequest;
  readonly #context: Pick<DispatchContext, "signal" | "reportCalls">;
  readonly #id: string;
  #queue: string | undefined;

  constructor(
    parts: AttemptParts,
    id: string,
    request: DispatchRequest,
    context: Pick<DispatchContext, "signal" | "reportCalls">,
  ) {
    this.#parts = parts;
    this.#id = id;
    this.#request = request;
    this.#context = context;
  }

  /** Sends an opened attempt to workers that have all that the subgraph needs. @throws Error where there are none */
  async enqueue(attempt: number): Promise<void> {
    const workflowID = this.#workflow(attempt);
    const { queue } = await this.#choose();
    await this.#parts.client.enqueue(
      { queueName: queue, workflowName: workflows.subgraph, workflowID, appVersion: dispatchVersion },
      this.#id,
      attempt,
    );
    this.#parts.registry.tellOfWork(queue);
    this.#countIn(queue);
  }

  async stateOf(attempt: number): Promise<AttemptState> {
    const status = await this.#parts.client.retrieveWorkflow(this.#workflow(attempt)).getStatus();
    if (status === null) return "none";
    if (status.status === "ENQUEUED" || status.status === "DELAYED") return "queued";
    if (status.status !== "PENDING") return "over";
    const presence = presenceOf(status.executorId);
    return presence !== undefined && (await this.#parts.store.isGone(presence)) ? "gone" : "taken";
  }

  /** What the worker threw; undefined for an attempt that ended well, or was removed. */
  async errorOf(attempt: number): Promise<Error | undefined> {
    const status = await this.#parts.client.retrieveWorkflow(this.#workflow(attempt)).getStatus();
    return status?.error instanceof Error ? status.error : undefined;
  }

  /** Whether the workers of the queue that the attempt waits in are gone, so that it has to go to others. */
  async isForsaken(attempt: number): Promise<boolean> {
    const { registry, queue, client } = this.#parts;
    const name = this.#queue ?? (await client.getWorkflow(this.#workflow(attempt)))?.queueName;
    const classes = await registry.classes(queue);
    return !classes.some((each) => each.queue === name);
  }

  /** No worker takes it from its queue any more. */
  cancel(attempt: number): Promise<void> {
    return this.#parts.client.cancelWorkflow(this.#workflow(attempt));
  }

  /**
   * The worker of an attempt is gone.
   * @param recorded how many tasks of the subgraph have ended
   * @throws Error where too many were lost by this subgraph without a task having ended
   */
  async bury(attempt: number, recorded: number): Promise<void> {
    const { store, maxDeaths } = this.#parts;
    await this.cancel(attempt);
    const deaths = await store.countDeath(this.#id, attempt, recorded);
    if (deaths < maxDeaths) return;
    await store.forgive(this.#id);
    throw new Error(
      `Each of the ${deaths} workers that took subgraph ${this.#request.subgraph_id} died of it, so it goes to no other one (maxDeaths). Look at what its tasks do to their process, then resume the run.`,
    );
  }

  /**
   * The subgraph has ended: the engine needs its attempts no more, since the journal has what became of it. Nothing waits for that but the end of the dispatcher; should it fail, some
   * rows of the engine are left, which nobody reads.
   */
  remove(): void {
    const { store, client, removals } = this.#parts;
    const remove = async () => {
      const attempt = await store.shut(this.#id);
      await client.deleteWorkflows(Array.from({ length: attempt }, (_, at) => this.#workflow(at + 1)));
    };
    const removal = remove()
      .catch(() => {})
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  /** The dispatch is over. */
  close(): void {
    this.#countIn(undefined);
  }

  /** Workers that have all that the subgraph needs; of several classes the one with the least to do. */
  async #choose(): Promise<WorkerClass> {
    const { registry, queue, workerTimeoutMs, load } = this.#parts;
    const needs = needsOf(this.#request);
    const began = performance.now();
    for (;;) {
      this.#context.signal.throwIfAborted();
      const classes = await registry.classes(queue);
      const able = classes.filter((each) => lacking(each, needs).length === 0);
      const [first] = able.sort((left, right) => loadOf(left, load) - loadOf(right, load));
      if (first !== undefined) return first;
      if (performance.now() - began > workerTimeoutMs)
        throw noWorker(queue, workerTimeoutMs, classes, needs, await registry.otherRows(queue));
      // It is a sign of the subgraph.
      await this.#context.reportCalls([]);
      await sleep(classLookMs);
    }
  }

  #workflow(attempt: number): string {
    return workflowOf(this.#id, attempt);
  }

  #countIn(queue: string | undefined): void {
    const { load } = this.#parts;
    if (this.#queue !== undefined) load.set(this.#queue, (load.get(this.#queue) ?? 1) - 1);
    if (queue !== undefined) load.set(queue, (load.get(queue) ?? 0) + 1);
    this.#queue = queue;
  }
}

/** The id of an attempt in the engine. @param id of the run that the subgraph is */
export function workflowOf(id: string, attempt: number): string {
  return `${id}#${attempt}`;
}

function loadOf({ queue, concurrency }: WorkerClass, load: ReadonlyMap<string, number>): number {
  return (load.get(queue) ?? 0) / Math.max(1, concurrency);
}

/** Why a dispatch found nobody. @param otherRows the queue as live workers of other formats have it */
export function noWorker(
  queue: string,
  waitedMs: number,
  classes: readonly WorkerClass[],
  needs: ReturnType<typeof needsOf>,
  otherRows: readonly string[],
): Error {
  const start = `planloom worker --on ADDRESS --queue ${queue}`;
  if (classes.length === 0 && otherRows.length > 0) return otherWorkers(queue, otherRows);
  if (classes.length === 0)
    return new Error(`No worker took a dispatch from the queue "${queue}" within ${waitedMs} ms. Start one: ${start}.`);
  const missing = needs.filter((need) => classes.every((each) => lacking(each, [need]).length > 0));
  const names = [...new Set(missing.map(({ kind, id }) => `${kind} "${id}"`))].slice(0, 5).join(", ");
  const what = names === "" ? "all that the tasks of the subgraph need; its resources are spread over several" : names;
  return new Error(
    `No worker of the queue "${queue}" has ${what} (waited ${waitedMs} ms). Start a worker that has it: ${start}.`,
  );
}
