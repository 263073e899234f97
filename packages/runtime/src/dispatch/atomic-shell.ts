import { timerMs } from "@planloom/plan";
import { keptTrace } from "@planloom/plan/internals";
import { advance } from "../core/advance.ts";
import type { CoreEvent } from "../core/core-event.ts";
import { Limits } from "../core/limits.ts";
import { createRunState, type RunState } from "../core/run-state.ts";
import { TaskState } from "../core/task-state.ts";
import type { EndReason } from "../events.ts";
import type { ApprovalAnswer } from "../journal/journal.ts";
import { stopReasonOf } from "../stop-reason.ts";
import { isAbandoned } from "../task-execution/abandoned-attempts.ts";
import type { RecordWriter } from "../task-execution/journal-writer.ts";
import { Reporter } from "../task-execution/reporter.ts";
import type { ShellOutcome } from "../task-execution/shell-parts.ts";
import { TimedWork, type WorkOutcome } from "../task-execution/timed-work.ts";
import { UsageCounter } from "../task-execution/usage-counter.ts";
import { staysUntil } from "../waiting/stays-until.ts";
import type { AtomicParts } from "./atomic-parts.ts";
import { DispatchOrder } from "./dispatch-order.ts";
import { type Dispatched, DispatchOutcomes } from "./dispatch-outcomes.ts";
import { requestRest, subPlan } from "./dispatch-request.ts";
import { OpenDispatch } from "./open-dispatch.ts";
import { PermitIssuer } from "./permit-issuer.ts";
import type { DispatchRequest } from "./port/dispatcher.ts";
import type { Quotient } from "./quotient.ts";
import { type RegroupedSubgraphs, Regrouping } from "./regrouping.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { SubgraphInputs } from "./subgraph-inputs.ts";
import { subgraphLimitMs } from "./subgraph-limit.ts";
import { TaskRecords } from "./task-records.ts";

/**
 * Dispatches subgraphs whole: each once all that it depends on have ended, or where dispatch is pipelined once the outputs are there that its tasks read, in the order that is given, else longest remaining
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
  /** Subgraphs that were sent in this session. */
  readonly #dispatched = new Set<number>();
  /** Subgraphs that wait for the next attempt of a task that hung. */
  readonly #pauses = new Map<number, NodeJS.Timeout>();
  readonly #outcomes: DispatchOutcomes;
  readonly #regrouping: Regrouping | undefined;
  /** Where dispatch is pipelined. */
  readonly #inputs: SubgraphInputs | undefined;
  #quotient: Quotient;
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
    this.#writer = parts.makeWriter((error) => this.#giveUp(error));
    const reporter = new Reporter(parts, this.#writer, (error) => this.#giveUp(error));
    this.#inputs = parts.isPipelined ? this.#inputsOfSubgraphs() : undefined;
    this.#records = new TaskRecords(parts, reporter, (task) => this.#taskEnded(task));
    this.#issuer = new PermitIssuer(parts, () => this.#records.isHalted);
    this.#outcomes = new DispatchOutcomes(parts, this.#records, this.#usage, {
      subgraphId: (subgraph) => this.#quotient.view.ids[subgraph]!,
      isCancelled: () => this.#cancelled,
    });
    this.#regrouping = parts.adaptive && new Regrouping(parts, parts.adaptive, this.#regroupable());
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
    const stopHearingWaits = host.waits.listen((id) => this.#wake(id));
    // The family of runs gives up limits that only abandoned calls hold, as long as it has a member; so the shell is one.
    const stay = () => {};
    this.#parts.family.join(stay);
    try {
      this.#records.begin();
      if (this.#cancelled) this.#records.cancel(signal?.reason, stopReasonOf(signal?.reason));
      this.#advance({ type: "begin" });
      this.#inputs?.lookAtAll();
      if (this.#drained !== undefined) this.#advance({ type: "cancel" });
      const finished = await ended;
      const answersKnown = answers.version;
      await this.#writer?.flush();
      const waits = finished === "waiting_approval" || finished === "waiting";
      const reason = waits ? finished : (this.#records.endReason ?? "cancelled");
      const endReason = reason === "cancelled" ? this.#records.stopReason : reason;
      const outcome = { endReason, achievedMs: this.#lastEndMs, usage: this.#usage.total(), fatal: this.#fatal };
      return { ...outcome, answersKnown };
    } finally {
      stopListening();
      stopHearingWaits();
      this.#regrouping?.close();
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

  /** What waits under this id is over: the subgraph in which it waits is dispatched again. */
  #wake(id: string): void {
    const { members } = this.#quotient;
    const { state } = this.#subgraphs;
    for (let subgraph = 0; subgraph < members.length; subgraph++) {
      if (state[subgraph] !== TaskState.GATED && state[subgraph] !== TaskState.ASLEEP) continue;
      if (this.#waitsOf(subgraph).includes(id)) this.#reopen(subgraph);
    }
  }

  #reopen(subgraph: number): void {
    const isGated = this.#subgraphs.state[subgraph] === TaskState.GATED;
    this.#advance({ type: isGated ? "approved" : "wake", task: subgraph });
  }

  /** Ids of the waits because of which a subgraph is suspended. */
  #waitsOf(subgraph: number): string[] {
    return this.#records.waiting(this.#quotient.members[subgraph]!).flatMap((task) => this.#records.waits(task));
  }

  #giveUp(error: unknown): void {
    this.#fatal ??= error;
    this.cancel(error);
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
    const hasEnded = event.type === "completed" || event.type === "stopped";
    if (hasEnded) this.#inputs?.subgraphEnded(event.task);
    if (order !== undefined) {
      if (hasEnded) order.ended();
      if (event.type === "gate" || event.type === "sleep") order.suspended();
      this.#release(order);
    }
    this.#regrouping?.regroup();
  }

  /** Under pipelined dispatch a task that has ended may let subgraphs go, or let tasks of one that still waits start apart from it. */
  #taskEnded(task: number): void {
    if (this.#inputs === undefined) return;
    this.#inputs.taskEnded(task);
    this.#regrouping?.regroup();
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

  #inputsOfSubgraphs(): SubgraphInputs {
    return new SubgraphInputs({
      tasks: this.#parts.state,
      subgraphs: this.#subgraphs,
      quotient: () => this.#quotient,
      onThere: (subgraph) => {
        if (!this.#startsNothing) this.#advance({ type: "supplied", task: subgraph });
      },
    });
  }

  /** What regrouping sees of the subgraphs, and changes in them. */
  #regroupable(): RegroupedSubgraphs {
    return {
      records: this.#records,
      state: this.#subgraphs,
      quotient: () => this.#quotient,
      idle: () => this.#idle,
      mayStart: () => this.#subgraphs.phase === "running" && !this.#startsNothing && !this.#records.isHalted,
      loosenOrder: () => {
        if (this.#order === undefined) return;
        this.#order.loosen((subgraph) => this.#subgraphs.order[subgraph]!);
        this.#release(this.#order);
      },
      replace: (quotient, event) => {
        this.#quotient = quotient;
        this.#advance(event);
        this.#inputs?.regrouped();
      },
    };
  }

  /** The core says that nothing is left to dispatch. What is due soon is waited for here, as in a run that is not dispatched. */
  #end(endReason: EndReason): void {
    const isWaiting = endReason === "waiting" || endReason === "waiting_approval";
    if (!isWaiting || this.#subgraphs.asleep === 0) {
      this.#close(endReason);
      return;
    }
    const { waits } = this.#parts.host;
    const unlessWoken = () => {
      if (this.#subgraphs.phase === "ended" && !this.#waitsHere()) this.#close(endReason);
    };
    // A signal that came before is known then.
    waits.settled().then(() => setImmediate(unlessWoken));
  }

  #waitsHere(): boolean {
    const { host } = this.#parts;
    if (this.#fatal !== undefined || this.#subgraphs.asleep === 0) return false;
    let dueAt = Number.POSITIVE_INFINITY;
    for (let subgraph = 0; subgraph < this.#quotient.members.length; subgraph++) {
      if (this.#subgraphs.state[subgraph] !== TaskState.ASLEEP) continue;
      for (const id of this.#waitsOf(subgraph)) dueAt = Math.min(dueAt, host.waits.dueAt(id) ?? dueAt);
    }
    return staysUntil(dueAt, host.waits, host.waitHereMs);
  }

  #close(endReason: EndReason): void {
    if (this.#drained !== undefined && !this.#cancelled) this.#records.cancel(this.#drained.reason, "drained");
    this.#records.close();
    this.#finish?.(endReason);
  }

  #dispatch(subgraph: number): void {
    const { plan, dispatcher, table, state, runId, settings, input, runHere, isPipelined, triesAgain } = this.#parts;
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
    if (this.#regrouping?.giveHalf(subgraph, open)) open = records.open(this.#quotient.members[subgraph]!);
    for (const task of open) records.reopen(task);
    const ids = open.map((task) => table.tasks[task]!.task_id);
    const earlier = this.#outcomes.earlierAttempts(ids);
    const request: DispatchRequest = {
      run_id: runId,
      subgraph_id: this.#quotient.view.ids[subgraph]!,
      plan: subPlan(plan, open, state, table),
      ...(isPipelined && { in_order: true }),
      ...(triesAgain && !this.#dispatched.has(subgraph) && { retry_failed: true }),
      input,
      ...requestRest(this.#parts, open),
      ...(earlier.size > 0 && { attempts: Object.fromEntries([...earlier].map(([id, spans]) => [id, spans.length])) }),
      ...keptTrace(),
    };
    this.#dispatched.add(subgraph);
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
      if (isAbandoned(outcome)) attempt.onSettled = () => dispatch.gone();
      this.#lastEndMs = dispatch.close(isAbandoned(outcome));
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
    this.#regrouping?.started(subgraph, open);
    const context = dispatch.context(attempt.signal);
    const here = () => runHere(request, context, { since, send: context.report }, () => records.isHalted);
    const heard = silence.hear({ ...context, runHere: here });
    const sent = async () => {
      const waits = await this.#parts.host.waits.within(new Set(ids));
      return dispatcher.dispatch(waits === undefined ? request : { ...request, waits }, heard);
    };
    attempt.follow(Promise.resolve().then(sent));
  }

  async #ended(dispatched: Dispatched, outcome: WorkOutcome): Promise<void> {
    const { subgraph, open, version } = dispatched;
    const records = this.#records;
    await records.written(open);
    this.#regrouping?.ended(subgraph, !this.#cancelled && records.open(open).length === 0);
    const again = await this.#outcomes.record(dispatched, outcome);
    // A listener that gets the event of a retry may stop the run at once.
    if (this.#cancelled || (again !== undefined && this.#startsNothing)) {
      this.#advance({ type: "stopped", task: subgraph });
      return;
    }
    if (again !== undefined) {
      this.#pauses.set(
        subgraph,
        setTimeout(() => this.#dispatchAgain(subgraph), timerMs(again.pauseMs)),
      );
      return;
    }
    const asked = records.waiting(open).flatMap((task) => records.questions(task));
    const waits = this.#waitsOf(subgraph);
    if (asked.length === 0 && waits.length === 0) {
      this.#advance({ type: "completed", task: subgraph });
      return;
    }
    this.#advance({ type: asked.length > 0 ? "gate" : "sleep", task: subgraph });
    // Answers that came after the subgraph's own run had ended were not read there, nor what ended a wait.
    const { approvals, host } = this.#parts;
    if (approvals.answers.hasNews(asked, version) || waits.some((id) => host.waits.isOver(id))) this.#reopen(subgraph);
  }

  #dispatchAgain(subgraph: number): void {
    this.#pauses.delete(subgraph);
    this.#dispatch(subgraph);
  }
}
