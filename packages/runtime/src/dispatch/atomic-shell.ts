import type { TaskData } from "@planloom/plan";
import { keptTrace } from "@planloom/plan/internals";
import { advance } from "../core/advance.ts";
import type { CoreEvent } from "../core/core-event.ts";
import { Limits, NO_GROUP } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { EndReason } from "../events.ts";
import type { ApprovalAnswer, BegunCall } from "../journal/journal.ts";
import { stopReasonOf } from "../stop-reason.ts";
import { type TaskError, TaskErrorCode, TaskFailure, taskError, taskErrorFrom } from "../task-error.ts";
import { isAbandoned } from "../task-execution/abandoned-attempts.ts";
import type { RecordWriter } from "../task-execution/journal-writer.ts";
import { Reporter } from "../task-execution/reporter.ts";
import type { ShellOutcome, ShellParts } from "../task-execution/shell-parts.ts";
import { TimedWork, type WorkOutcome } from "../task-execution/timed-work.ts";
import { UsageCounter } from "../task-execution/usage-counter.ts";
import { AdaptiveDispatch, type WaitingSubgraphs } from "./adaptive-dispatch.ts";
import type { CutOff, Spans } from "./cut-off.ts";
import { DispatchOrder } from "./dispatch-order.ts";
import { requestRest, subPlan } from "./dispatch-request.ts";
import { judgeOverdue } from "./judge-overdue.ts";
import { OpenDispatch } from "./open-dispatch.ts";
import type { OverdueCall } from "./overdue-calls.ts";
import { PermitIssuer } from "./permit-issuer.ts";
import type { DispatchContext, Dispatcher, DispatchReply, DispatchRequest } from "./port/dispatcher.ts";
import type { Quotient } from "./quotient.ts";
import type { AdaptivePlan } from "./read-adaptive.ts";
import { isDispatchReply } from "./read-message.ts";
import type { ReportSink } from "./report-writer.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { splitSubgraph } from "./split-subgraph.ts";
import { subgraphLimitMs } from "./subgraph-limit.ts";
import { asReport, TaskRecords } from "./task-records.ts";

export interface AtomicParts extends ShellParts {
  readonly plan: TaskData;
  readonly quotient: Quotient;
  /** Undefined where subgraphs are dispatched as they are given. */
  readonly adaptive: AdaptivePlan | undefined;
  readonly dispatcher: Dispatcher;
  /** @param halted returns true where nothing more may start. */
  runHere(
    request: DispatchRequest,
    context: Pick<DispatchContext, "signal" | "onEvent">,
    reports: ReportSink,
    halted: () => boolean,
  ): Promise<DispatchReply>;
}

/**
 * Dispatches subgraphs whole: each once all that it depends on have ended, in the order that is given, else longest remaining
 * path first, as many at a time as `concurrency` allows. The same core does it, with subgraphs as its tasks; a second one
 * records what became of the tasks. A subgraph in which people must answer is suspended, and dispatched again with what is left.
 */
export class AtomicShell {
  readonly #parts: AtomicParts;
  readonly #subgraphs: RunState;
  readonly #order: DispatchOrder | undefined;
  readonly #records: TaskRecords;
  readonly #issuer: PermitIssuer;
  readonly #writer: RecordWriter | undefined;
  readonly #usage = new UsageCounter();
  readonly #active = new Map<number, TimedWork>();
  /** Subgraphs that wait for the next attempt of a task that hung. */
  readonly #pauses = new Map<number, NodeJS.Timeout>();
  /** Attempts of open tasks in dispatches that were ended, by task id. */
  readonly #earlier = new Map<string, Spans>();
  readonly #adaptive: AdaptiveDispatch | undefined;
  #quotient: Quotient;
  #regrouping = false;
  #cancelled = false;
  /** Why no further subgraph is dispatched, once the running ones have ended. */
  #drained: { readonly reason: unknown } | undefined;
  #fatal: unknown;
  #lastEndMs = 0;
  #finish: ((endReason: EndReason) => void) | undefined;

  constructor(parts: AtomicParts) {
    this.#parts = parts;
    const { concurrency } = parts.settings;
    const { view, order } = parts.quotient;
    this.#quotient = parts.quotient;
    this.#order = order === undefined ? undefined : new DispatchOrder(order, concurrency);
    // With an order it is the order that keeps the width, so that the core says of each subgraph when it is ready.
    const width = order === undefined ? concurrency : Number.POSITIVE_INFINITY;
    this.#subgraphs = createRunState(view, { limits: new Limits({ concurrency: width }) });
    this.#writer = parts.makeWriter((error) => {
      this.#fatal ??= error;
      this.cancel(error);
    });
    const reporter = new Reporter(parts.state, parts.table, parts.events, this.#writer, parts.startedAt);
    this.#records = new TaskRecords(parts, reporter);
    this.#issuer = new PermitIssuer(parts, () => this.#records.isHalted);
    this.#adaptive =
      parts.adaptive &&
      new AdaptiveDispatch({
        ...parts.adaptive,
        isDone: (task) => parts.state.state[task] === TaskState.COMPLETED,
        now: () => this.#now(),
        onOverdue: () => this.#regroup(),
      });
  }

  async run(signal: AbortSignal | undefined): Promise<ShellOutcome> {
    const { host, approvals } = this.#parts;
    const { drain } = host;
    const { answers } = approvals;
    const onAbort = () => this.cancel(signal?.reason);
    const onDrain = () => this.#drain(drain?.reason);
    const ended = new Promise<EndReason>((resolve) => {
      this.#finish = resolve;
    });
    if (signal?.aborted) this.cancel(signal.reason);
    if (drain?.aborted) onDrain();
    signal?.addEventListener("abort", onAbort, { once: true });
    drain?.addEventListener("abort", onDrain, { once: true });
    const stopListening = answers.listen((answer) => this.#hear(answer));
    // The family of runs gives up limits that only abandoned calls hold, as long as it has a member; so the shell is one.
    const stay = () => {};
    this.#parts.family.join(stay);
    try {
      this.#records.begin();
      if (this.#cancelled) this.#records.cancel(signal?.reason, stopReasonOf(signal?.reason));
      this.#advance({ type: "begin" });
      if (this.#drained !== undefined) this.#advance({ type: "cancel" });
      const finished = await ended;
      const answersKnown = answers.version;
      await this.#writer?.flush();
      const reason = finished === "waiting_approval" ? finished : (this.#records.endReason ?? "cancelled");
      const endReason = reason === "cancelled" ? this.#records.stopReason : reason;
      const outcome = { endReason, achievedMs: this.#lastEndMs, usage: this.#usage.total(), fatal: this.#fatal };
      return { ...outcome, answersKnown };
    } finally {
      stopListening();
      this.#adaptive?.close();
      this.#parts.family.leave(stay);
      signal?.removeEventListener("abort", onAbort);
      drain?.removeEventListener("abort", onDrain);
    }
  }

  /** No further subgraph is dispatched; running ones continue to their end. */
  #drain(reason: unknown): void {
    if (this.#startsNothing) return;
    this.#drained = { reason };
    const paused = [...this.#pauses];
    this.#pauses.clear();
    for (const [, timer] of paused) clearTimeout(timer);
    if (this.#subgraphs.phase !== "new") this.#advance({ type: "cancel" });
    for (const [subgraph] of paused) this.#advance({ type: "stopped", task: subgraph });
  }

  get #startsNothing(): boolean {
    return this.#cancelled || this.#drained !== undefined;
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    for (const attempt of [...this.#active.values()]) attempt.stop(reason);
    const paused = [...this.#pauses];
    this.#pauses.clear();
    for (const [, timer] of paused) clearTimeout(timer);
    this.#records.cancel(reason, stopReasonOf(reason));
    if (this.#subgraphs.phase !== "new") this.#advance({ type: "cancel" });
    for (const [subgraph] of paused) this.#advance({ type: "stopped", task: subgraph });
  }

  /** Handles an answer to a call in a suspended subgraph; a subgraph that runs gets answers by itself. */
  #hear({ task_id }: ApprovalAnswer): void {
    const { members } = this.#quotient;
    for (let subgraph = 0; subgraph < members.length && this.#subgraphs.gated > 0; subgraph++) {
      if (this.#subgraphs.state[subgraph] !== TaskState.GATED) continue;
      const asked = this.#records.waiting(members[subgraph]!).flatMap((task) => this.#records.questions(task));
      if (asked.some(({ id }) => id === task_id)) this.#advance({ type: "approved", task: subgraph });
    }
  }

  /** Feeds an event to the core of the subgraphs, and carries out its commands. */
  #advance(event: CoreEvent): void {
    const order = this.#order;
    for (const command of advance(this.#subgraphs, event)) {
      if (command.type === "start" && order !== undefined) order.ready(command.task);
      else if (command.type === "start") queueMicrotask(() => this.#dispatch(command.task));
      if (command.type === "ask") this.#advance({ type: "waits", task: command.task });
      if (command.type === "finish") this.#end(command.endReason);
    }
    if (order !== undefined) {
      if (event.type === "completed" || event.type === "stopped") order.ended();
      if (event.type === "gate") order.suspended();
      this.#release(order);
    }
    this.#regroup();
  }

  #release(order: DispatchOrder): void {
    for (const subgraph of this.#startsNothing ? order.drain() : order.release()) {
      queueMicrotask(() => this.#dispatch(subgraph));
    }
  }

  /** Subgraphs for which there would be an executor, if one could start. */
  get #idle(): number {
    if (this.#order !== undefined) return this.#order.idle;
    const { ready, running } = this.#subgraphs;
    return ready.size > 0 ? 0 : this.#parts.settings.concurrency - running;
  }

  /** Gives idle executors tasks of waiting subgraphs that could start, where the run has departed from what was estimated. */
  #regroup(): void {
    const adaptive = this.#adaptive;
    if (adaptive?.departed !== true || this.#regrouping || this.#subgraphs.phase !== "running") return;
    if (this.#startsNothing || this.#records.isHalted) return;
    this.#regrouping = true;
    if (this.#order !== undefined) {
      this.#order.loosen((subgraph) => this.#subgraphs.order[subgraph]!);
      this.#release(this.#order);
    }
    while (this.#idle > 0) {
      const found = adaptive.startable(this.#waiting());
      if (found === undefined) break;
      this.#split(found.subgraph, found.tasks, "waiting");
    }
    this.#regrouping = false;
  }

  #waiting(): WaitingSubgraphs {
    const { state, order, view } = this.#subgraphs;
    const { part, members, declared } = this.#quotient;
    const bound = new Set(declared.map(([, to]) => to));
    const waiting: number[] = [];
    // What a subgraph waits for by its own word, no task of it may be without.
    for (let subgraph = 0; subgraph < view.n; subgraph++)
      if (state[subgraph] === TaskState.WAITING && !bound.has(subgraph)) waiting.push(subgraph);
    return {
      part,
      order,
      waiting,
      members: (subgraph) => this.#records.open(members[subgraph]!),
      isEnded: (subgraph) => isTerminal(state[subgraph]!),
      aboutToStartMs: (subgraph) => (state[subgraph] === TaskState.RUNNING ? view.work[subgraph] : undefined),
    };
  }

  /** Puts open tasks of a subgraph into one of their own, which the core gets as a new one; completed ones go along, since what they are needed for is anywhere. */
  #split(subgraph: number, tasks: readonly number[], why: "waiting" | "idle"): void {
    const { adaptive, table, events } = this.#parts;
    if (adaptive === undefined) return;
    const open = new Set(this.#records.open(this.#quotient.members[subgraph]!));
    const done = this.#quotient.members[subgraph]!.filter((task) => !open.has(task));
    const moved = [...done, ...tasks];
    this.#quotient = splitSubgraph(adaptive.view, this.#quotient, subgraph, moved, adaptive.overheadMs);
    const { view } = this.#quotient;
    table.regroupings++;
    events.emit({
      type: "subgraph-split",
      subgraphId: view.ids[subgraph]!,
      newSubgraphId: view.ids.at(-1)!,
      taskIds: moved.map((task) => table.tasks[task]!.task_id),
      why,
    });
    const none = Int32Array.of(NO_GROUP);
    const revision = {
      view,
      replaced: [],
      kindGroup: none,
      resourceGroup: none,
      halts: Uint8Array.of(0),
      asksAgain: [],
    };
    this.#advance({ type: "revise", revision });
  }

  #end(endReason: EndReason): void {
    if (this.#drained !== undefined && !this.#cancelled) this.#records.cancel(this.#drained.reason, "drained");
    this.#records.close();
    this.#finish?.(endReason);
  }

  #dispatch(subgraph: number): void {
    const { plan, dispatcher, table, state, runId, settings, input, runHere } = this.#parts;
    const records = this.#records;
    let open = records.open(this.#quotient.members[subgraph]!);
    if (this.#startsNothing) {
      this.#advance({ type: "stopped", task: subgraph });
      return;
    }
    if (records.isHalted) for (const task of open) records.skipHalted(task);
    if (records.isHalted || open.length === 0) {
      this.#advance({ type: "completed", task: subgraph });
      return;
    }
    const half = this.#idle > 0 ? (this.#adaptive?.half(subgraph, open) ?? []) : [];
    if (half.length > 0) {
      this.#split(subgraph, half, "idle");
      open = records.open(this.#quotient.members[subgraph]!);
    }
    for (const task of open) records.reopen(task);
    const ids = open.map((task) => table.tasks[task]!.task_id);
    const earlier = new Map(
      ids.flatMap((id) => (this.#earlier.has(id) ? [[id, this.#earlier.get(id)!] as const] : [])),
    );
    const request: DispatchRequest = {
      run_id: runId,
      subgraph_id: this.#quotient.view.ids[subgraph]!,
      plan: subPlan(plan, open, state, table),
      input,
      ...requestRest(this.#parts, open),
      ...(earlier.size > 0 && { attempts: Object.fromEntries([...earlier].map(([id, spans]) => [id, spans.length])) }),
      ...keptTrace(),
    };
    const since = performance.now();
    const startedMs = since - this.#parts.startedAt;
    const { version } = this.#parts.approvals.answers;
    const dispatch = new OpenDispatch({
      shell: this.#parts,
      records,
      issuer: this.#issuer,
      open,
      startedMs,
      earlier,
      isEnded: () => attempt.ended || dispatched.silentMs !== undefined,
      onOverdue: () =>
        attempt.stop(new DOMException("A call took too long and did not stop by itself.", "TimeoutError")),
    });
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: settings.abortGraceMs };
    const attempt = new TimedWork(limits, (outcome) => {
      this.#active.delete(subgraph);
      this.#lastEndMs = this.#now();
      if (isAbandoned(outcome)) attempt.onSettled = () => dispatch.gone();
      dispatch.close(isAbandoned(outcome));
      silence.stop();
      void this.#ended(dispatched, outcome);
    });
    const dispatched: Dispatched = { subgraph, open, startedMs, version, dispatch };
    const tasks = open.map((task) => table.tasks[task]!);
    const limitMs = settings.dispatchTimeoutMs ?? subgraphLimitMs(tasks, settings);
    const silence = new SilenceWatch(limitMs, () => {
      dispatched.silentMs = limitMs;
      attempt.stop(new DOMException("The dispatcher gave no sign of the subgraph.", "TimeoutError"));
    });
    this.#active.set(subgraph, attempt);
    this.#adaptive?.started(subgraph, open);
    const context = dispatch.context(attempt.signal);
    const here = () => runHere(request, context, { since, send: context.report }, () => records.isHalted);
    const heard = silence.hear({ ...context, runHere: here });
    attempt.follow(Promise.resolve().then(() => dispatcher.dispatch(request, heard)));
  }

  async #ended(dispatched: Dispatched, outcome: WorkOutcome): Promise<void> {
    const { subgraph, open, startedMs, version, dispatch } = dispatched;
    const records = this.#records;
    await records.written(open);
    this.#adaptive?.ended(subgraph, !this.#cancelled && records.open(open).length === 0);
    // Without a reply these notes are all that says what was called.
    if (outcome.type !== "value" || !isDispatchReply(outcome.value))
      this.#usage.add({ attempts: dispatch.calls, input_tokens: 0, output_tokens: 0 });
    if (dispatched.silentMs !== undefined) {
      const why = `The dispatcher reported nothing about it for ${dispatched.silentMs} ms (dispatchTimeoutMs, or the limits of its tasks together).`;
      this.#failLeft(dispatched, why, { timeout_ms: dispatched.silentMs });
    } else if (outcome.type === "value" && !isDispatchReply(outcome.value)) {
      this.#failLeft(dispatched, "The dispatcher did not answer with a reply.");
    } else if (outcome.type === "value") {
      const cut = this.#cancelled ? undefined : dispatch.overdue;
      const { results, usage, task_usage = {} } = outcome.value as DispatchReply;
      this.#usage.add(usage);
      const byId = new Map(results.map((result) => [result.task_id, result]));
      // Tasks are in an order in which dependencies come first.
      for (const task of open) {
        const { task_id } = this.#parts.table.tasks[task]!;
        const result = byId.get(task_id);
        const spent = Object.hasOwn(task_usage, task_id) ? task_usage[task_id] : undefined;
        // A journal that refuses has cancelled the run.
        if (result !== undefined && !(cut !== undefined && result.status === "cancelled"))
          await records.take(task, asReport(result, spent), startedMs).catch(() => {});
      }
      if (cut !== undefined) {
        this.#recover(dispatched, cut);
        return;
      }
      if (records.waiting(open).length === 0) this.#failLeft(dispatched, "No result came back for it.");
    } else if (!this.#cancelled && dispatch.overdue !== undefined && isStopped(outcome)) {
      this.#recover(dispatched, dispatch.overdue);
      return;
    } else if (!this.#cancelled) {
      const thrown = outcome.type === "thrown" ? outcome.thrown : new Error("The dispatcher stopped.");
      const { message } = taskErrorFrom(thrown);
      this.#failLeft(dispatched, message, thrown instanceof TaskFailure ? thrown.details : {});
    }
    if (this.#cancelled) {
      this.#advance({ type: "stopped", task: subgraph });
      return;
    }
    const asked = records.waiting(open).flatMap((task) => records.questions(task));
    if (asked.length === 0) {
      this.#advance({ type: "completed", task: subgraph });
      return;
    }
    this.#advance({ type: "gate", task: subgraph });
    // Answers that came after the subgraph's own run had ended were not read there.
    if (this.#parts.approvals.answers.hasNews(asked, version)) this.#advance({ type: "approved", task: subgraph });
  }

  /** The worker of the subgraph hung in a call and was ended: the task of that call took too long, and the rest continues in another worker. */
  #recover({ open, subgraph, startedMs, dispatch }: Dispatched, overdue: OverdueCall): void {
    const { table, settings, startedAt } = this.#parts;
    let pauseMs = 0;
    for (const task of this.#records.open(open)) {
      const planned = table.tasks[task]!;
      const { task_id } = planned;
      const cut = dispatch.cutOff(task_id);
      if (task_id === overdue.call.outer_task_id) {
        const leftMs = settings.totalTimeoutMs - (performance.now() - startedAt - (cut.seen[0]?.[0] ?? 0));
        const { error, retryInMs } = judgeOverdue(overdue, this.#parts, { ...cut, task: planned, leftMs });
        if (retryInMs === undefined) {
          this.#records.cutOff(task, cut, error, startedMs);
          continue;
        }
        this.#records.retrying(task, cut.attempts, error, retryInMs);
        pauseMs = retryInMs;
      } else if (cut.inCall) {
        this.#records.cutOff(
          task,
          cut,
          this.#cutOffError(subgraph, "Its executor was ended, since another call hung.", begunOf(cut)),
          startedMs,
        );
        continue;
      }
      if (cut.usage !== undefined) table.usage.set(task, cut.usage);
      if (cut.seen.length > 0) this.#earlier.set(task_id, cut.seen);
    }
    // A listener that gets the event of the retry may stop the run at once.
    if (this.#startsNothing) {
      this.#advance({ type: "stopped", task: subgraph });
      return;
    }
    const timer = setTimeout(() => {
      this.#pauses.delete(subgraph);
      this.#dispatch(subgraph);
    }, pauseMs);
    this.#pauses.set(subgraph, timer);
  }

  /** Only tasks that could start fail; the others are skipped because of them. */
  #failLeft(
    { open, subgraph, startedMs, dispatch }: Dispatched,
    why: string,
    details: Readonly<Record<string, unknown>> = {},
  ): void {
    if (this.#cancelled) return;
    for (const task of open) {
      const cut = dispatch.cutOff(this.#parts.table.tasks[task]!.task_id);
      this.#records.cutOff(task, cut, this.#cutOffError(subgraph, why, { ...details, ...begunOf(cut) }), startedMs);
    }
  }

  #cutOffError(subgraph: number, why: string, details: Readonly<Record<string, unknown>>): TaskError {
    const subgraph_id = this.#quotient.view.ids[subgraph]!;
    const message = `Subgraph "${subgraph_id}" was not executed by the ${this.#parts.dispatcher.name} dispatcher: ${why}`;
    return taskError(TaskErrorCode.DISPATCH, message, { subgraph_id, ...details });
  }

  #now(): number {
    return performance.now() - this.#parts.startedAt;
  }
}

/** Notes that the outcome of a call is unknown, since its executor was gone while it was under way. */
function begunOf({ begun }: CutOff): { readonly begun?: BegunCall } {
  return begun === undefined ? {} : { begun };
}

/** True when the work stopped when its signal was aborted, so that the rest of it may be executed elsewhere. */
function isStopped(outcome: WorkOutcome): boolean {
  return outcome.type === "stopped" && !outcome.abandoned;
}

interface Dispatched {
  readonly subgraph: number;
  readonly open: readonly number[];
  /** Milliseconds since the run began. */
  readonly startedMs: number;
  /** Of the answers that were known then. */
  readonly version: number;
  readonly dispatch: OpenDispatch;
  /** How long the dispatcher gave no sign, in milliseconds; set where that was too long. Later messages of it are ignored. */
  silentMs?: number;
}
