import type { TaskData } from "@planloom/plan";
import { advance, type Command, type CoreEvent } from "../core/advance.ts";
import { Limits } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { TaskResult } from "../run-result.ts";
import { Attempt, type AttemptOutcome } from "../shell/attempt.ts";
import type { JournalWriter } from "../shell/journal-writer.ts";
import { Reporter } from "../shell/reporter.ts";
import type { ShellOutcome, ShellParts } from "../shell/shell-parts.ts";
import { UsageCounter } from "../shell/usage-counter.ts";
import { TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import { DispatchOrder } from "./dispatch-order.ts";
import { openMembers, requestSettings, subPlan } from "./dispatch-request.ts";
import type { Dispatcher, DispatchReply, DispatchRequest } from "./dispatcher.ts";
import type { Quotient } from "./quotient.ts";

export interface AtomicParts extends ShellParts {
  readonly plan: TaskData;
  readonly quotient: Quotient;
  readonly dispatcher: Dispatcher;
  runHere(request: DispatchRequest, signal: AbortSignal, onEvent: (event: RunEvent) => void): Promise<DispatchReply>;
}

/** Events of a subgraph's own run that are told as they happen; the others follow from its results. */
const toldAtOnce: ReadonlySet<string> = new Set(["task-start", "task-progress", "task-retry"]);

/**
 * Dispatches subgraphs whole: each once all that it depends on have ended, in the order that is given, else longest remaining
 * path first, as many at a time as `concurrency` allows. The same core does it, with subgraphs as its tasks; a second one keeps the books of the tasks.
 */
export class AtomicShell {
  readonly #parts: AtomicParts;
  readonly #subgraphs: RunState;
  readonly #order: DispatchOrder | undefined;
  readonly #tasks: RunState;
  readonly #writer: JournalWriter | undefined;
  readonly #reporter: Reporter;
  readonly #usage = new UsageCounter();
  readonly #active = new Map<number, Attempt>();
  #cancelled = false;
  #cancelReason: unknown;
  #fatal: unknown;
  #lastEndMs = 0;
  #endReason: EndReason | undefined;
  #finish: (() => void) | undefined;

  constructor(parts: AtomicParts) {
    this.#parts = parts;
    this.#tasks = parts.state;
    const { concurrency } = parts.settings;
    const { view, order } = parts.quotient;
    this.#order = order === undefined ? undefined : new DispatchOrder(order, concurrency);
    // With an order it is the order that keeps the width, so that the core says of each subgraph when it is ready.
    const width = order === undefined ? concurrency : Number.POSITIVE_INFINITY;
    this.#subgraphs = createRunState(view, { limits: new Limits({ concurrency: width }) });
    this.#writer = parts.makeWriter((error) => {
      this.#fatal ??= error;
      this.cancel(error);
    });
    this.#reporter = new Reporter(parts.state, parts.table, parts.events, this.#writer, parts.startedAt);
  }

  async run(signal: AbortSignal | undefined): Promise<ShellOutcome> {
    const onAbort = () => this.cancel(signal?.reason);
    const ended = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    if (signal?.aborted) this.cancel(signal.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#book({ type: "begin" });
      if (this.#cancelled) this.#book({ type: "cancel" });
      this.#advance({ type: "begin" });
      await ended;
      await this.#writer?.flush();
      const endReason = this.#endReason ?? "cancelled";
      const outcome = { endReason, achievedMs: this.#lastEndMs, usage: this.#usage.total(), fatal: this.#fatal };
      return { ...outcome, answersKnown: 0 };
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#cancelReason = reason;
    for (const attempt of [...this.#active.values()]) attempt.stop(reason);
    if (this.#subgraphs.phase === "new") return;
    this.#book({ type: "cancel" });
    this.#advance({ type: "cancel" });
  }

  /** Tells the core of the subgraphs what happened, and does what it says. */
  #advance(event: CoreEvent): void {
    const order = this.#order;
    for (const command of advance(this.#subgraphs, event)) {
      if (command.type === "start" && order !== undefined) order.ready(command.task);
      else if (command.type === "start") queueMicrotask(() => this.#dispatch(command.task));
      if (command.type === "finish") this.#end();
    }
    if (order === undefined) return;
    if (event.type === "completed" || event.type === "stopped") order.ended();
    for (const subgraph of this.#cancelled ? order.drain() : order.release()) {
      queueMicrotask(() => this.#dispatch(subgraph));
    }
  }

  #end(): void {
    // Tasks of subgraphs that were never dispatched; the books start a task when its dependencies are completed.
    if (this.#cancelled) {
      for (let task = 0; task < this.#tasks.view.n; task++) {
        if (this.#tasks.state[task] === TaskState.RUNNING) this.#book({ type: "stopped", task });
      }
    }
    this.#finish?.();
  }

  /** Tells the core of the tasks, whose `start` means no more than that a task's dependencies are completed. */
  #book(event: CoreEvent): void {
    for (const command of advance(this.#tasks, event)) this.#note(command);
  }

  #note(command: Command): void {
    if (command.type === "skip") this.#reporter.skipped(command.task, command.because);
    if (command.type === "cancel") this.#noteCancelled(command.task);
    if (command.type === "finish") this.#endReason = command.endReason;
  }

  #noteCancelled(task: number): void {
    const reason = this.#cancelReason instanceof Error ? ` (${this.#cancelReason.message})` : "";
    this.#parts.table.errors[task] ??= taskError(TaskErrorCode.CANCELLED, `The run was cancelled${reason}.`);
  }

  #dispatch(subgraph: number): void {
    const { plan, quotient, dispatcher, table, runId, settings, runInput, events, runHere } = this.#parts;
    const open = openMembers(quotient.members[subgraph]!, this.#tasks);
    if (this.#cancelled) {
      this.#advance({ type: "stopped", task: subgraph });
      return;
    }
    if (this.#tasks.phase === "draining") {
      for (const task of open) this.#skipHalted(task);
      this.#advance({ type: "completed", task: subgraph });
      return;
    }
    if (open.length === 0) {
      this.#advance({ type: "completed", task: subgraph });
      return;
    }
    const request: DispatchRequest = {
      run_id: runId,
      subgraph_id: quotient.view.ids[subgraph]!,
      plan: subPlan(plan, open, this.#tasks, table),
      input: runInput ?? {},
      settings: requestSettings(settings),
    };
    const startedMs = this.#now();
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: settings.abortGraceMs };
    const attempt = new Attempt(limits, (outcome) => {
      this.#active.delete(subgraph);
      this.#lastEndMs = this.#now();
      void this.#ended(subgraph, open, startedMs, outcome);
    });
    this.#active.set(subgraph, attempt);
    const onEvent = (event: RunEvent) => {
      if (attempt.ended || !toldAtOnce.has(event.type)) return;
      const { runId: _, seq: __, at: ___, ...body } = event;
      events.emit(body);
    };
    const { signal } = attempt;
    const context = { signal, onEvent, runHere: () => runHere(request, signal, onEvent) };
    attempt.follow(Promise.resolve().then(() => dispatcher.dispatch(request, context)));
  }

  async #ended(subgraph: number, open: readonly number[], startedMs: number, outcome: AttemptOutcome): Promise<void> {
    if (outcome.type === "value") {
      const { results, usage, task_usage = {} } = outcome.value as DispatchReply;
      this.#usage.add(usage);
      const byId = new Map(results.map((result) => [result.task_id, result]));
      const { table } = this.#parts;
      const told = open.map((task) => byId.get(table.tasks[task]!.task_id));
      for (const [at, task] of open.entries()) {
        const { task_id } = table.tasks[task]!;
        if (Object.hasOwn(task_usage, task_id)) table.usage.set(task, task_usage[task_id]!);
        if (told[at] !== undefined) this.#fill(task, told[at], startedMs);
      }
      await this.#keep(open, told);
      for (const [at, task] of open.entries()) this.#bookResult(task, subgraph, told[at]);
    } else if (!this.#cancelled) {
      const thrown = outcome.type === "thrown" ? outcome.thrown : new Error("The dispatcher stopped.");
      for (const task of open) this.#fail(task, subgraph, taskErrorFrom(thrown).message);
    }
    this.#advance({ type: this.#cancelled ? "stopped" : "completed", task: subgraph });
  }

  /** Takes over what a result says of how its task ran. */
  #fill(task: number, result: TaskResult, startedMs: number): void {
    const { table, registry } = this.#parts;
    table.uids[task] = result.uid;
    if (result.attempts === 0) return;
    table.startedMs[task] = startedMs + result.started_ms;
    table.durationMs[task] = result.duration_ms;
    table.slotMs[task] = result.duration_ms;
    table.timing.endedMs[task] = startedMs + result.started_ms + result.duration_ms;
    this.#tasks.attempts[task] = result.attempts;
    const kinds = result.uid === undefined ? [] : registry.catalogue.kindsOf(result.uid);
    const entry = kinds[0] && registry.find(kinds[0], result.uid!);
    if (entry === undefined || kinds[0] === undefined || result.input === undefined) return;
    const step = { uid: entry.resource.id, input_data: { ...result.input }, ...(result.plan && { plan: result.plan }) };
    table.prepared[task] = { ...entry, kind: kinds[0], step, task: table.tasks[task]! };
  }

  /** Resolves when all completions are in the journal, or refused, which cancels the run. */
  #keep(open: readonly number[], told: readonly (TaskResult | undefined)[]): Promise<unknown> {
    const kept = open.map((task, at) => {
      const result = told[at];
      if (result?.status !== "completed") return undefined;
      return new Promise<void>((resolve) => this.#reporter.completed(task, result.output, resolve, resolve));
    });
    return Promise.all(kept);
  }

  #bookResult(task: number, subgraph: number, result: TaskResult | undefined): void {
    if (this.#tasks.state[task] !== TaskState.RUNNING) return;
    if (result === undefined) {
      this.#fail(task, subgraph, "No result came back for it.");
      return;
    }
    const error = result.error ?? taskError(TaskErrorCode.FAILED, "It failed, and nobody said why.");
    switch (result.status) {
      case "completed":
        // What the journal refused did not happen.
        this.#book({ type: this.#fatal === undefined ? "completed" : "stopped", task });
        break;
      case "failed":
        this.#reporter.failed(task, error);
        this.#book({ type: "failed", task });
        break;
      case "skipped": {
        const causes: Record<string, "budget" | "denied"> = { TASK_BUDGET: "budget", TASK_DENIED: "denied" };
        const cause = causes[error.code];
        this.#reporter.refused(task, error);
        this.#book({ type: "unavailable", task, ...(cause !== undefined && { cause }) });
        break;
      }
      default:
        if (this.#cancelled) this.#book({ type: "stopped", task });
        else this.#fail(task, subgraph, `It came back as ${result.status}.`);
    }
  }

  /** A failure halted the run before the subgraph was dispatched. */
  #skipHalted(task: number): void {
    if (this.#tasks.state[task] !== TaskState.RUNNING) return;
    this.#reporter.refused(task, taskError(TaskErrorCode.HALTED, "The run was halted because a task failed."));
    this.#book({ type: "unavailable", task });
  }

  /** Only tasks that could start fail; the others are skipped because of them. */
  #fail(task: number, subgraph: number, why: string): void {
    if (this.#tasks.state[task] !== TaskState.RUNNING) return;
    const subgraph_id = this.#parts.quotient.view.ids[subgraph]!;
    const message = `Subgraph "${subgraph_id}" was not executed by the ${this.#parts.dispatcher.name} dispatcher: ${why}`;
    this.#reporter.failed(task, taskError(TaskErrorCode.DISPATCH, message, { subgraph_id }));
    this.#book({ type: "failed", task });
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}
