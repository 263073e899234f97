import { setTimeout as sleep } from "node:timers/promises";
import type {
  DispatchContext,
  DispatchReply,
  DispatchRequest,
  Journal,
  NestedRecord,
  TaskReport,
} from "@planloom/runtime";
import { begunCalls, isFromWorker, ParentLink, type ToParent } from "@planloom/runtime/journal-parts";
import { type AttemptParts, Attempts } from "./attempts.ts";
import type { Mailbox } from "./mailbox.ts";
import { OpenPermits } from "./open-permits.ts";
import { subgraphReports } from "./subgraph-reports.ts";

/** How often a subgraph is looked at beside what its worker says, in milliseconds. */
const lookMs = 500;
const endLookMs = 100;

type End = Extract<ToParent, { type: "done" | "failed" | "abandoned" }>;

export interface AskedParts extends AttemptParts {
  readonly mailbox: Mailbox;
  readonly journal: Journal;
}

/** The channels of one attempt at a subgraph. */
export function channelsOf(id: string, attempt: number): { readonly toWorker: string; readonly toRun: string } {
  return { toWorker: `${id}#${attempt}>`, toRun: `${id}#${attempt}<` };
}

/**
 * A subgraph of a run that has limits, budgets, guards, gates, secrets or a cache: its worker asks this process before each call, and reports each task when it has
 * ended. Should the worker die, another one gets what is left.
 */
export class AskedSubgraph {
  readonly #parts: AskedParts;
  readonly #request: DispatchRequest;
  readonly #context: DispatchContext;
  readonly #id: string;
  readonly #attempts: Attempts;
  readonly #reports = new Map<string, TaskReport>();
  readonly #nested: NestedRecord[] = [];
  readonly #permits: OpenPermits;
  /** Reports that are not in the journal yet. */
  readonly #recording = new Set<Promise<void>>();
  readonly #wasAlone: boolean;

  /** @param wasAlone whether its workers executed it without asking before, as a run of its own */
  constructor(parts: AskedParts, id: string, request: DispatchRequest, context: DispatchContext, wasAlone = false) {
    this.#parts = parts;
    this.#request = request;
    this.#context = context;
    this.#id = id;
    this.#attempts = new Attempts(parts, id, request, context);
    this.#permits = new OpenPermits(context.calls);
    this.#wasAlone = wasAlone;
  }

  async reply(): Promise<DispatchReply> {
    try {
      await this.#endEarlier();
      if (this.#wasAlone) await this.#reportEarlier();
      for (;;) {
        const request = this.#left();
        if (request === undefined) return noneLeft;
        const reply = await this.#attempt(request);
        if (reply !== undefined) {
          this.#attempts.remove();
          return reply;
        }
      }
    } finally {
      this.#attempts.close();
    }
  }

  /** An attempt that another process opened, whose worker sees that this process is gone, ends before the next one begins. */
  async #endEarlier(): Promise<void> {
    const { store, journal } = this.#parts;
    const { attempt } = await store.lookAt(this.#id);
    if (attempt === 0) return;
    await store.shut(this.#id);
    for (;;) {
      const state = await this.#attempts.stateOf(attempt);
      if (state === "queued") await this.#attempts.cancel(attempt);
      if (state !== "taken") return;
      this.#context.signal.throwIfAborted();
      // It may end at this moment.
      if (this.#wasAlone) await journal.requestCancel(this.#id).catch(() => {});
      await this.#context.reportCalls([]);
      await sleep(endLookMs);
    }
  }

  /** What the run that the subgraph was has completed is reported, and what it had begun is asked about. */
  async #reportEarlier(): Promise<void> {
    const { store, journal } = this.#parts;
    if ((await store.lookAt(this.#id)).status === "none") return;
    const [records, nested, pending] = await Promise.all([
      journal.getTasks(this.#id),
      journal.getNestedTasks(this.#id),
      journal.getPendingUsage(this.#id),
    ]);
    const context = this.#watchedContext();
    this.#permits.begun.push(...begunCalls(records, nested, pending));
    if (nested.length > 0) await context.reportNested(nested);
    const reports = new Map(
      subgraphReports(this.#request, records, 0).map((report) => [report.result.task_id, report]),
    );
    // The run takes a task only after those that it depends on.
    for (const { task_id, status } of records) {
      const report = reports.get(task_id);
      if (status === "completed" && report !== undefined) await context.report(report);
    }
  }

  /** @returns undefined where its worker is gone */
  async #attempt(request: DispatchRequest): Promise<DispatchReply | undefined> {
    const { store, mailbox } = this.#parts;
    const { signal } = this.#context;
    signal.throwIfAborted();
    const { attempt: before } = await store.lookAt(this.#id);
    const attempt = await store.openWith(this.#id, before, request);
    const { toRun, toWorker } = channelsOf(this.#id, attempt);
    const send = mailbox.sender(toWorker);
    const ended = Promise.withResolvers<End>();
    const link = new ParentLink(this.#watchedContext(), send);
    const forget = mailbox.receive(toRun, (message) => {
      if (!isFromWorker(message)) return;
      if (message.type === "abandoned") link.hear(message);
      if (message.type === "done" || message.type === "failed" || message.type === "abandoned") ended.resolve(message);
      else link.hear(message);
    });
    const onAbort = () => send({ type: "abort" });
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await this.#attempts.enqueue(attempt);
      const end = await this.#endOf(attempt, ended.promise);
      if (end === "gone") {
        await this.#hearAll(toRun);
        this.#permits.lose();
        await this.#attempts.bury(attempt, this.#reports.size);
        return undefined;
      }
      if (end === "left") return undefined;
      if (end.type === "failed") throw new Error(end.message);
      if (end.type === "abandoned") throw new Error("A call in the worker ignored its signal and continued.");
      return end.reply;
    } finally {
      signal.removeEventListener("abort", onAbort);
      link.close();
      await mailbox.flush();
      await forget();
    }
  }

  /** Reads what a worker said before it was gone, and waits until that is recorded. */
  async #hearAll(channel: string): Promise<void> {
    await this.#parts.mailbox.catchUp(channel);
    await Promise.allSettled(this.#recording);
  }

  /** What the worker says at the end. `gone`: it will say nothing more; `left`: it ended its part, and others continue. */
  async #endOf(attempt: number, said: Promise<End>): Promise<End | "gone" | "left"> {
    const { store } = this.#parts;
    const { signal } = this.#context;
    for (let isShut = false; ; ) {
      const timer = new AbortController();
      const look = sleep(lookMs, undefined, { signal: timer.signal }).catch(() => undefined);
      const end = await Promise.race([said, look]);
      timer.abort();
      if (end !== undefined) return end;
      if (signal.aborted && !isShut) {
        await store.shut(this.#id);
        isShut = true;
      }
      const state = await this.#attempts.stateOf(attempt);
      if (state === "queued" && signal.aborted) await this.#attempts.cancel(attempt);
      if (signal.aborted && state !== "taken") throw signal.reason;
      if (state === "gone") return "gone";
      if (state === "over" || state === "none") {
        // Its last words may be on their way.
        const last = await Promise.race([said, sleep(lookMs)]);
        if (last !== undefined) return last;
        const error = await this.#attempts.errorOf(attempt);
        await this.#hearAll(channelsOf(this.#id, attempt).toRun);
        this.#permits.lose();
        if (error !== undefined) throw new Error(`The worker could not execute it: ${error.message}`);
        return "left";
      }
      if (state === "queued" && (await this.#attempts.isForsaken(attempt))) {
        await this.#attempts.cancel(attempt);
        return "left";
      }
      // It is a sign of the subgraph: it may wait in the queue for longer than its tasks may take.
      await this.#context.reportCalls([]);
    }
  }

  #watchedContext(): DispatchContext {
    const context = this.#context;
    return {
      ...context,
      calls: this.#permits.source,
      report: (report) =>
        this.#whileRecording(
          context.report(report).then(() => {
            const { status, task_id } = report.result;
            this.#permits.recorded(task_id);
            if (status !== "cancelled") this.#reports.set(task_id, report);
          }),
        ),
      reportNested: (records) =>
        this.#whileRecording(
          context.reportNested(records).then(() => {
            this.#permits.recordedNested(records);
            this.#nested.push(...records);
          }),
        ),
    };
  }

  #whileRecording(work: Promise<void>): Promise<void> {
    this.#recording.add(work);
    const done = () => void this.#recording.delete(work);
    work.then(done, done);
    return work;
  }

  /** The request for what no worker has reported; undefined where that is nothing. */
  #left(): DispatchRequest | undefined {
    if (this.#reports.size === 0 && this.#permits.begun.length === 0) return this.#request;
    const { plan, nested, begun } = this.#request;
    const gone = new Set<string>();
    const tasks = plan.planned_tasks.flatMap((task) => {
      const result = this.#reports.get(task.task_id)?.result;
      if (result?.status === "completed") return [{ ...task, status: "completed" as const, output: result.output }];
      // What depends on a task that failed or waits is not executed either; the run itself says so of it.
      const isGone = result !== undefined || task.dependencies.some((id) => gone.has(id));
      if (isGone) gone.add(task.task_id);
      return isGone ? [] : [task];
    });
    if (!tasks.some(({ status }) => status !== "completed")) return undefined;
    return {
      ...this.#request,
      plan: { ...plan, planned_tasks: tasks },
      nested: [...nested, ...this.#nested],
      begun: [...begun, ...this.#permits.begun],
    };
  }
}

const noneLeft: DispatchReply = { results: [], usage: { attempts: 0, input_tokens: 0, output_tokens: 0 } };
