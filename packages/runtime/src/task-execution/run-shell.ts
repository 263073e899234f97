import type { Command } from "../core/core-event.ts";
import { hasIdle } from "../core/element-window.ts";
import { NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import { wantsSlots } from "../core/slots.ts";
import { taskErrorFrom } from "../task-error.ts";
import { AbandonedAttempts } from "./abandoned-attempts.ts";
import { Calls } from "./calls.ts";
import { Choices } from "./choices.ts";
import { CoreLoop } from "./core-loop.ts";
import { ForEachTasks } from "./for-each-tasks.ts";
import { Gates } from "./gates.ts";
import type { RecordWriter } from "./journal-writer.ts";
import { Polls } from "./polls.ts";
import { Reporter } from "./reporter.ts";
import { Retries } from "./retries.ts";
import { RunEnd } from "./run-end.ts";
import type { ShellOutcome, ShellParts } from "./shell-parts.ts";
import { TaskEnds } from "./task-ends.ts";
import { TaskPreparation } from "./task-preparation.ts";
import { TaskSlots } from "./task-slots.ts";
import { forgetEnd, type TaskTable } from "./task-table.ts";
import { TaskUsageRecorder } from "./task-usage-recorder.ts";
import type { TimedWork } from "./timed-work.ts";
import { UnknownCalls } from "./unknown-calls.ts";
import { Waits } from "./waits.ts";

/**
 * Carries out what the core commands and reports back what happened. Only it and what it makes (`Calls`, `CallEntry`, `Retries`, …) wait, read clocks
 * or call executors.
 *
 * A task that the core starts goes through these steps, each of which may end it or make it wait: a gate that the plan declares (the core asks),
 * `pace` (`#start`), its `when`, preparing its step with references, `convertor_code` and Stage 2 (`TaskPreparation`), gates and confirmation of the
 * prepared call (`#passGates`), the cache (`Calls.make`), limits, rates, budgets and guards (`CallEntry`), and the call itself (`executeStep`). A task with
 * `for_each` goes through the steps after `when` for each element (`ForEachTasks`); one that decides by conditions has none of them (`Choices`).
 */
export class RunShell {
  readonly #parts: ShellParts;
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #writer: RecordWriter | undefined;
  readonly #reporter: Reporter;
  readonly #loop: CoreLoop;
  readonly #ends: TaskEnds;
  readonly #gates: Gates;
  readonly #waits: Waits;
  readonly #polls: Polls;
  readonly #retries: Retries;
  readonly #calls: Calls;
  readonly #active: TaskSlots<TimedWork>;
  readonly #usageRecorder: TaskUsageRecorder;
  readonly #abandoned: AbandonedAttempts;
  readonly #unknown: UnknownCalls;
  readonly #forEach: ForEachTasks;
  readonly #choices: Choices;
  readonly #preparation: TaskPreparation;
  readonly #end: RunEnd;
  /** Tasks whose start waits for `pace`. */
  readonly #paced = new Map<number, () => void>();
  #fatal: unknown;

  constructor(parts: ShellParts) {
    const { state, table, family } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#table = table;
    this.#active = new TaskSlots(table.tasks.length);
    this.#writer = parts.makeWriter((error) => this.#giveUp(error));
    this.#reporter = new Reporter(parts, this.#writer, (error) => this.#giveUp(error));
    this.#loop = new CoreLoop(state, family, (command) => this.#obeySafely(command));
    this.#ends = new TaskEnds(this.#loop, this.#reporter, table, parts.replanning);
    this.#waits = new Waits(parts, this.#loop, this.#reporter, this.#ends);
    this.#gates = new Gates(parts, this.#reporter, this.#loop, this.#waits);
    this.#retries = new Retries(parts, this.#reporter, this.#loop);
    this.#polls = new Polls(parts, this.#ends, this.#waits, this.#active);
    this.#usageRecorder = new TaskUsageRecorder(parts);
    this.#abandoned = new AbandonedAttempts(parts, this.#loop);
    this.#unknown = new UnknownCalls(parts, this.#gates, this.#ends);
    this.#calls = new Calls({
      shell: parts,
      loop: this.#loop,
      reporter: this.#reporter,
      ends: this.#ends,
      retries: this.#retries,
      gates: this.#gates,
      active: this.#active,
      usageRecorder: this.#usageRecorder,
      abandoned: this.#abandoned,
      polls: this.#polls,
    });
    this.#end = new RunEnd({
      parts,
      state,
      loop: this.#loop,
      ends: this.#ends,
      waits: this.#waits,
      writer: this.#writer,
      isGivenUp: () => this.#fatal !== undefined,
    });
    this.#choices = new Choices(parts, this.#reporter, this.#ends, this.#active);
    this.#forEach = new ForEachTasks({
      shell: parts,
      loop: this.#loop,
      reporter: this.#reporter,
      ends: this.#ends,
      gates: this.#gates,
      active: this.#active,
      usage: this.#calls.usage,
    });
    this.#preparation = new TaskPreparation({
      shell: parts,
      ends: this.#ends,
      active: this.#active,
      abandoned: this.#abandoned,
      usageRecorder: this.#usageRecorder,
      usage: this.#calls.usage,
      waits: this.#waits,
      polls: this.#polls,
      forEach: this.#forEach,
      choices: this.#choices,
      onPrepared: (task) => this.#passGates(task),
      giveUp: (error) => this.#giveUp(error),
    });
  }

  /** Runs to the end; settles when nothing runs any more. */
  async run(signal: AbortSignal | undefined): Promise<ShellOutcome> {
    const { family, approvals, host } = this.#parts;
    const { drain } = host;
    const onAbort = () => this.cancel(signal?.reason);
    const onDrain = () => this.#startNothing(drain?.reason, { drain: true });
    const stopHearingAnswers = approvals.answers.listen((answer) => this.#gates.hear(answer));
    const stopHearingWaits = host.waits.listen((id) => {
      this.#waits.wake(id);
      this.#gates.wake(id);
    });
    // Most of the runs nested in one wait for calls of their own, and have no use for what another gives back.
    const poke = () => {
      if (wantsSlots(this.#state) || hasIdle(this.#state.window)) this.#loop.feed({ type: "poke" });
    };
    family.join(poke);
    if (signal?.aborted) this.cancel(signal.reason);
    if (drain?.aborted) onDrain();
    signal?.addEventListener("abort", onAbort, { once: true });
    drain?.addEventListener("abort", onDrain, { once: true });
    try {
      this.#beginReplanning();
      this.#loop.feed({ type: "begin" });
      const endReason = await this.#end.ended;
      await this.#parts.replanning?.settled();
      await this.#writer?.flush();
      await this.#calls.settled();
      const { usage, lastEndMs } = this.#calls;
      const achievedMs = Math.max(lastEndMs, this.#forEach.lastEndMs, this.#choices.lastEndMs, this.#waits.lastEndMs);
      const outcome = { endReason, achievedMs, usage: usage.total(), fatal: this.#fatal };
      return { ...outcome, answersKnown: this.#end.answersKnown };
    } finally {
      signal?.removeEventListener("abort", onAbort);
      drain?.removeEventListener("abort", onDrain);
      stopHearingAnswers();
      stopHearingWaits();
      family.leave(poke);
    }
  }

  /** Starts nothing more and asks running calls to stop. */
  cancel(reason: unknown): void {
    if (this.#ends.stopping) return;
    const cancelled = this.#ends.cancelled;
    this.#ends.cancel(reason, { drain: false });
    for (const attempt of this.#active.values()) attempt.stop(reason);
    if (!cancelled) this.#startNothing(reason, { drain: false });
    else if (!this.#end.finished) this.#loop.feed({ type: "cancel" });
  }

  /** Nothing can continue, for example since the journal fails. */
  #giveUp(error: unknown): void {
    this.#fatal ??= error;
    this.cancel(error);
  }

  #startNothing(reason: unknown, { drain }: { readonly drain: boolean }): void {
    if (drain && this.#ends.cancelled) return;
    this.#ends.cancel(reason, { drain });
    this.#retries.cancel();
    this.#calls.cancel();
    for (const [task, stopWaiting] of this.#paced) {
      stopWaiting();
      this.#ends.stop(task, false);
    }
    this.#paced.clear();
    if (!this.#end.finished) this.#loop.feed({ type: "cancel", drain });
    this.#parts.replanning?.cancel(reason);
  }

  #beginReplanning(): void {
    const loop = this.#loop;
    this.#parts.replanning?.begin({
      feed: (event) => loop.feed(event),
      isQuiet: () => loop.quiet,
      fatal: (error) => this.#giveUp(error),
    });
  }

  /** An error on the way to a call fails its task, since a command without an answer would keep the run from ending. */
  #obeySafely(command: Command): void {
    try {
      this.#obey(command);
    } catch (thrown) {
      if (command.type !== "start" && command.type !== "execute") throw thrown;
      this.#active.delete(command.task);
      this.#ends.fail(command.task, taskErrorFrom(thrown));
    }
  }

  #obey(command: Command): void {
    switch (command.type) {
      case "start":
        this.#start(command.task);
        break;
      case "execute":
        this.#calls.make(command.task);
        break;
      case "stall":
        this.#ends.stall(command.task, command.group, this.#state.limits);
        break;
      case "delay":
        // The core hears of a cancellation in a moment; no timer may outlive it.
        if (!this.#ends.cancelled) this.#retries.delay(command.task);
        break;
      case "skip":
        this.#reporter.skipped(command.task, command.because);
        break;
      case "reopen":
        forgetEnd(this.#table, command.task);
        break;
      case "cancel":
        this.#table.errors[command.task] ??= this.#ends.cancelError(false);
        break;
      case "ask":
        this.#gates.ask(command.task);
        break;
      case "element":
        this.#calls.forget(command.task);
        this.#gates.forget(command.task);
        this.#waits.forget(command.task);
        this.#usageRecorder.forget(command.task);
        this.#preparation.forget(command.task);
        this.#parts.elements?.begin(command.task, command.index);
        break;
      case "element-end":
        this.#parts.elements?.end(command.task, command.index, command.state);
        break;
      case "finish":
        this.#end.end(command.endReason);
        break;
      default:
        command satisfies never;
    }
  }

  #start(task: number): void {
    const { pace } = this.#parts;
    if (pace === undefined || this.#ends.cancelled) {
      this.#begin(task);
      return;
    }
    const stopWaiting = pace.wait(() => {
      if (this.#paced.delete(task)) this.#begin(task);
    });
    // `pace` itself may have aborted the run.
    if (stopWaiting !== undefined && !this.#ends.cancelled) {
      this.#paced.set(task, stopWaiting);
      return;
    }
    stopWaiting?.();
    this.#begin(task);
  }

  #begin(task: number): void {
    const before = this.#ends.cancelled ? undefined : this.#parts.replanning?.endedBefore(task);
    if (this.#ends.cancelled) this.#ends.stop(task, false);
    else if (before?.error !== undefined) this.#ends.fail(task, before.error);
    else if (before !== undefined) this.#calls.take(task, before.output);
    else if (this.#table.prepared[task] === undefined) this.#preparation.prepare(task);
    else this.#passGates(task);
  }

  /** Starts an attempt, unless a person is to be asked first, or the core is, because Stage 2 just chose a resource with a limit of its own. */
  #passGates(task: number): void {
    if (!this.#unknown.allows(task)) return;
    const { kind, resource } = this.#table.prepared[task]!;
    const fault = this.#gates.faultOf(task);
    if (fault !== undefined) {
      this.#ends.fail(task, fault);
      return;
    }
    if (!this.#gates.isOpen(task)) return;
    const known = this.#state.resourceGroup[task] !== NO_GROUP;
    const group = known ? NO_GROUP : this.#state.limits.resourceGroup(kind, resource.id);
    if (group === NO_GROUP) this.#calls.make(task);
    else this.#loop.feed({ type: "bound", task, resourceGroup: group });
  }
}
