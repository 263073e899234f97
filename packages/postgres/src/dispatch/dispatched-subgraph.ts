import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { DispatchContext, DispatchReply, DispatchRequest, TaskReport } from "@planloom/runtime";
import { stopReasonOf } from "@planloom/runtime/journal-parts";
import type { PostgresJournal } from "../postgres-journal.ts";
import type { DispatchStore, SubgraphState } from "./dispatch-store.ts";
import { dispatchVersion, presenceOf, workflows } from "./engine.ts";
import { subgraphReports } from "./subgraph-reports.ts";
import { lacking, needsOf, type WorkerClass, type WorkerRegistry } from "./worker-registry.ts";

/** What all subgraphs of a dispatcher share. */
export interface DispatchParts {
  readonly journal: PostgresJournal;
  readonly store: DispatchStore;
  readonly registry: WorkerRegistry;
  readonly client: DBOSClient;
  readonly queue: string;
  readonly maxDeaths: number;
  readonly workerTimeoutMs: number;
  /** How many subgraphs of this dispatcher are in each queue of the engine. */
  readonly load: Map<string, number>;
}

/** How often a subgraph is looked at in case no notice of its end comes, in milliseconds. */
const lookMs = 500;
const classLookMs = 100;

/** Of a subgraph that has not ended. */
const unfinished: ReadonlySet<string> = new Set(["none", "running", "interrupted", "drained", "shut_down"]);

/** An attempt as the engine has it. `gone`: its worker is; `over`: it has ended, whether or not the subgraph has. */
type AttemptState = "none" | "queued" | "taken" | "gone" | "over";

/** One subgraph that was sent to a queue, until it has ended. */
export class DispatchedSubgraph {
  readonly #parts: DispatchParts;
  readonly #request: DispatchRequest;
  readonly #context: DispatchContext;
  readonly #id: string;
  readonly #reported = new Set<string>();
  readonly #began = performance.now();
  #attempts = 0;
  #recorded = 0;
  #queue: string | undefined;
  #wake = () => {};

  private constructor(parts: DispatchParts, request: DispatchRequest, context: DispatchContext, id: string) {
    this.#parts = parts;
    this.#request = request;
    this.#context = context;
    this.#id = id;
  }

  /** Sends it, and resolves when it has ended and all of its tasks are reported. */
  static async execute(
    parts: DispatchParts,
    request: DispatchRequest,
    context: DispatchContext,
  ): Promise<DispatchReply> {
    context.signal.throwIfAborted();
    const id = await parts.store.keep(request, parts.queue);
    return new DispatchedSubgraph(parts, request, context, id).#reply();
  }

  async #reply(): Promise<DispatchReply> {
    const { journal, store, client } = this.#parts;
    const { signal } = this.#context;
    const wake = () => this.#wake();
    const unwatch = journal.watchChanges(this.#id, (change) => {
      if (change === "ended" || change === "missed") wake();
    });
    signal.addEventListener("abort", wake, { once: true });
    try {
      await this.#passAnswersOn();
      await this.#settled();
      const left = await this.#report(true);
      await store.shut(this.#id);
      const attempts = Array.from({ length: (await store.lookAt(this.#id)).attempt }, (_, at) =>
        this.#workflow(at + 1),
      );
      // The engine needs them no more; what became of the subgraph is in the journal.
      await client.deleteWorkflows(attempts);
      return { results: left, usage: { attempts: this.#attempts, input_tokens: 0, output_tokens: 0 } };
    } finally {
      this.#countIn(undefined);
      unwatch();
      signal.removeEventListener("abort", wake);
    }
  }

  /** Reports tasks that have ended since the last look. @returns what is left of the others, of a subgraph that has ended */
  async #report(isAll: boolean) {
    const { journal, store } = this.#parts;
    if (!isAll && (await store.lookAt(this.#id)).recorded === this.#recorded) return [];
    const records = await journal.getTasks(this.#id);
    this.#recorded = records.length;
    const reports = subgraphReports(this.#request, records, performance.now() - this.#began);
    const isNew = ({ result }: TaskReport) =>
      result.status !== "cancelled" && !this.#reported.has(result.task_id) && (isAll || result.status === "completed");
    // In the order of the plan: a task is recorded after those that it depends on.
    for (const report of reports.filter(isNew)) {
      await this.#context.report(report);
      this.#reported.add(report.result.task_id);
    }
    this.#attempts = reports.reduce((sum, { result }) => sum + result.attempts, 0);
    return reports.flatMap(({ result }) => (this.#reported.has(result.task_id) ? [] : [result]));
  }

  /** Answers of people that the run of the subgraph does not have yet. */
  async #passAnswersOn(): Promise<void> {
    const { journal, store } = this.#parts;
    const { answers } = this.#request.approval;
    if (answers.length === 0 || (await store.lookAt(this.#id)).status === "none") return;
    const known = new Set((await journal.getAnswers(this.#id)).map((answer) => JSON.stringify(answer)));
    for (const answer of answers) if (!known.has(JSON.stringify(answer))) await journal.addAnswer(this.#id, answer);
  }

  /** Resolves when the run of the subgraph has ended. Rejects where it was aborted, or where each worker that takes it dies. */
  async #settled(): Promise<void> {
    const { store } = this.#parts;
    const { signal } = this.#context;
    let before = await store.lookAt(this.#id);
    const hasEnded = ({ status, updatedAt }: SubgraphState) =>
      status === "completed" || (updatedAt !== before.updatedAt && !unfinished.has(status));
    // The attempt that this process has sent or seen under way: how another one ended is of an earlier session.
    let watched = 0;
    for (let isShut = false; ; ) {
      // Its program ends: the subgraph continues, and who resumes the run finds it.
      if (signal.aborted && stopReasonOf(signal.reason) === "shut_down") throw signal.reason;
      // Before anything else is looked at: what no worker has taken by then, none begins.
      if (signal.aborted && !isShut) await store.shut(this.#id);
      isShut = signal.aborted;
      const seen = await store.lookAt(this.#id);
      if (hasEnded(seen)) return;
      const { attempt, isOpen } = seen;
      const state = attempt === 0 ? "none" : await this.#stateOf(attempt);
      // It may have ended while the engine was asked.
      const run = await store.lookAt(this.#id);
      if (hasEnded(run)) return;
      if (run.attempt !== attempt) continue;
      const isUnderWay = state === "queued" || state === "taken";
      if (isUnderWay) watched = attempt;
      if (signal.aborted) {
        if (await this.#isStopped(attempt, state, run)) throw signal.reason;
      } else if (state === "gone") {
        await this.#bury(attempt);
        continue;
      } else if (state === "none" && isOpen) {
        // The process that opened the attempt died before it had sent it.
        await this.#enqueue(attempt);
      } else if ((state === "over" && run.status !== "running") || (!isOpen && !isUnderWay)) {
        if (watched === attempt && attempt > 0) await this.#judgeEnd(attempt, run, before);
        before = run;
        watched = await this.#send(attempt);
        continue;
      } else if (state === "queued") {
        await this.#checkQueue(attempt);
      }
      await this.#report(false);
      // It is a sign of the subgraph: it may wait in the queue for longer than its tasks may take.
      await this.#context.reportCalls([]);
      await this.#pause();
    }
  }

  /** Handles an attempt that ended without having ended the subgraph. @throws where another one would end like it */
  async #judgeEnd(attempt: number, run: SubgraphState, before: SubgraphState): Promise<void> {
    const status = await this.#parts.client.retrieveWorkflow(this.#workflow(attempt)).getStatus();
    if (!(status?.error instanceof Error)) return;
    // The worker lost its database or its lease in the middle of it.
    if (run.status === "interrupted") return this.#bury(attempt);
    if (run.updatedAt !== before.updatedAt) return;
    await this.#parts.store.shut(this.#id);
    throw new Error(`The worker could not execute subgraph ${this.#request.subgraph_id}: ${status.error.message}`);
  }

  /** Stops an attempt, as far as there is something to stop. @returns whether nothing of it runs any more */
  async #isStopped(attempt: number, state: AttemptState, run: SubgraphState): Promise<boolean> {
    // The call keeps its worker until it has ended.
    if (run.status === "running") {
      // It may end at this moment.
      await this.#parts.journal.requestCancel(this.#id).catch(() => {});
      return false;
    }
    if (state === "queued") await this.#parts.client.cancelWorkflow(this.#workflow(attempt));
    return state !== "taken";
  }

  /** @returns the attempt; 0 where another process has sent one meanwhile */
  async #send(before: number): Promise<number> {
    const attempt = await this.#parts.store.open(this.#id, before);
    if (attempt !== undefined) await this.#enqueue(attempt);
    return attempt ?? 0;
  }

  async #enqueue(attempt: number): Promise<void> {
    const workflowID = this.#workflow(attempt);
    const { queue } = await this.#choose();
    await this.#parts.client.enqueue(
      { queueName: queue, workflowName: workflows.subgraph, workflowID, appVersion: dispatchVersion },
      this.#id,
      attempt,
    );
    this.#countIn(queue);
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
        throw new Error(noWorker(queue, workerTimeoutMs, classes, needs));
      await this.#context.reportCalls([]);
      await sleep(classLookMs);
    }
  }

  /** Where the workers that it was sent to are gone before one of them took it, others get it. */
  async #checkQueue(attempt: number): Promise<void> {
    const { registry, queue, client } = this.#parts;
    const name = this.#queue ?? (await client.getWorkflow(this.#workflow(attempt)))?.queueName;
    const classes = await registry.classes(queue);
    if (classes.some((each) => each.queue === name)) return;
    await client.cancelWorkflow(this.#workflow(attempt));
    await this.#send(attempt);
  }

  async #stateOf(attempt: number): Promise<AttemptState> {
    const status = await this.#parts.client.retrieveWorkflow(this.#workflow(attempt)).getStatus();
    if (status === null) return "none";
    if (status.status === "ENQUEUED" || status.status === "DELAYED") return "queued";
    if (status.status !== "PENDING") return "over";
    const presence = presenceOf(status.executorId);
    return presence !== undefined && (await this.#parts.store.isGone(presence)) ? "gone" : "taken";
  }

  /** The worker is gone: another one continues, unless too many were lost by this subgraph. */
  async #bury(attempt: number): Promise<void> {
    const { client, store, maxDeaths } = this.#parts;
    await client.cancelWorkflow(this.#workflow(attempt));
    const deaths = await store.countDeath(this.#id, attempt);
    if (deaths < maxDeaths) return;
    await this.#report(false);
    await store.forgive(this.#id);
    throw new Error(
      `Each of the ${deaths} workers that took subgraph ${this.#request.subgraph_id} died of it, so it goes to no other one (maxDeaths). Look at what its tasks do to their process, then resume the run.`,
    );
  }

  #workflow(attempt: number): string {
    return `${this.#id}#${attempt}`;
  }

  #countIn(queue: string | undefined): void {
    const { load } = this.#parts;
    if (this.#queue !== undefined) load.set(this.#queue, (load.get(this.#queue) ?? 1) - 1);
    if (queue !== undefined) load.set(queue, (load.get(queue) ?? 0) + 1);
    this.#queue = queue;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(end, lookMs);
      this.#wake = end;
    });
  }
}

function loadOf({ queue, concurrency }: WorkerClass, load: ReadonlyMap<string, number>): number {
  return (load.get(queue) ?? 0) / Math.max(1, concurrency);
}

/** Why a dispatch found nobody. */
export function noWorker(
  queue: string,
  waitedMs: number,
  classes: readonly WorkerClass[],
  needs: ReturnType<typeof needsOf>,
): string {
  const start = `planloom worker --on ADDRESS --queue ${queue}`;
  if (classes.length === 0)
    return `No worker took a dispatch from the queue "${queue}" within ${waitedMs} ms. Start one: ${start}.`;
  const missing = needs.filter((need) => classes.every((each) => lacking(each, [need]).length > 0));
  const names = [...new Set(missing.map(({ kind, id }) => `${kind} "${id}"`))].slice(0, 5).join(", ");
  const what = names === "" ? "all that the tasks of the subgraph need; its resources are spread over several" : names;
  return `No worker of the queue "${queue}" has ${what} (waited ${waitedMs} ms). Start a worker that has it: ${start}.`;
}
