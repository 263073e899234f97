import { nothing } from "../admission/budget.ts";
import type { AskedCall, CallDesk } from "../admission/call-permit.ts";
import type { RunEvent } from "../events.ts";
import type { CallRecord, NestedRecord, TaskUsage } from "../journal/journal.ts";
import { noSecrets, secretFailure } from "../secrets/secret-desk.ts";
import type { ShellParts } from "../shell/shell-parts.ts";
import type { DispatchContext, TaskReport } from "./dispatcher.ts";
import type { CallWatch, PermitOffice } from "./permit-office.ts";
import { isTaskUsage } from "./read-message.ts";
import type { TaskBooks } from "./task-books.ts";

export interface OpenDispatchParts {
  readonly shell: ShellParts;
  readonly books: TaskBooks;
  readonly office: PermitOffice;
  /** Tasks of the subgraph that are still to be executed. */
  readonly open: readonly number[];
  /** Milliseconds since the run began. */
  readonly startedMs: number;
  readonly isEnded: () => boolean;
  reportNested(records: readonly NestedRecord[]): Promise<void>;
  reportCalls(calls: readonly CallRecord[]): Promise<void>;
}

/** Events of a subgraph's own run that are told as they happen; the others follow from its reports. */
const toldAtOnce: ReadonlySet<string> = new Set(["task-start", "task-progress", "task-retry"]);

/** One subgraph while a dispatcher has it in hand: what it is told and what it asks for. */
export class OpenDispatch {
  readonly #parts: OpenDispatchParts;
  readonly #members: ReadonlySet<number>;
  /** When calls of its own tasks were made, as this process saw it, milliseconds since the run began. */
  readonly #spans = new Map<string, [number, number][]>();
  /** What own tasks may have used at most, with the last call that they were granted. */
  readonly #spentMost = new Map<string, TaskUsage>();
  #calls = 0;
  readonly #closing = new Set<() => void>();
  readonly #silence = new Set<() => void>();
  /** Aborted when the dispatch is over: whoever still waits for the right to a call gets none. */
  readonly #over = new AbortController();

  constructor(parts: OpenDispatchParts) {
    this.#parts = parts;
    this.#members = new Set(parts.open);
  }

  /** Calls that are still open end here, with all that was reserved for them. */
  close(): void {
    this.#over.abort();
    for (const close of this.#closing) close();
    for (const silence of this.#silence) silence();
  }

  /** Calls that were granted, those within nested plans too. */
  get calls(): number {
    return this.#calls;
  }

  /** What is known of a task whose executor is gone before it could report: its attempts, and what they may have used at most. */
  cutOff(taskId: string): Pick<TaskReport, "usage" | "spans"> & { readonly attempts: number } {
    const usage = this.#spentMost.get(taskId);
    const now = performance.now() - this.#parts.shell.startedAt;
    const spans = (this.#spans.get(taskId) ?? []).map(([start, end]) => this.#sinceDispatch(start, end || now));
    return { attempts: spans.length, spans, ...(usage !== undefined && { usage }) };
  }

  context(signal: AbortSignal): Omit<DispatchContext, "runHere"> {
    const { isEnded, shell, reportNested } = this.#parts;
    return {
      signal,
      onEvent: (event) => this.#tell(event),
      report: (report) => this.#report(report),
      reportNested: async (records) => {
        if (!isEnded()) await reportNested(records);
      },
      reportCalls: async (calls) => {
        if (!isEnded()) await this.#parts.reportCalls(calls);
      },
      calls: this.#desk(),
      cache: shell.cache?.store,
      revealSecret: async (name, resource) => {
        if (shell.secrets === undefined) throw secretFailure(name, resource.id, noSecrets(name));
        return shell.secrets.reveal(name, resource, signal);
      },
      onAnswer: (listener) => {
        const silence = shell.desk.book.listen(listener);
        this.#silence.add(silence);
        return () => {
          this.#silence.delete(silence);
          silence();
        };
      },
    };
  }

  #tell(event: RunEvent): void {
    if (this.#parts.isEnded() || !toldAtOnce.has(event.type)) return;
    const { runId: _, seq: __, at: ___, ...body } = event;
    this.#parts.shell.events.emit(body);
  }

  async #report(given: TaskReport): Promise<void> {
    const { books, shell, startedMs, isEnded } = this.#parts;
    if (given.usage !== undefined && !isTaskUsage(given.usage))
      throw new Error(
        "Expected `usage` of a report to be { calls, tokens, cost, seconds }, each a number of at least 0.",
      );
    const { task_id, status, output, cached } = given.result;
    const task = shell.state.view.indexOf(task_id);
    if (isEnded() || !this.#members.has(task)) return;
    const seen = this.#spans.get(task_id);
    if ((seen !== undefined || cached === true) && status === "completed") shell.admission.learn(output);
    await books.take(task, seen === undefined ? given : this.#asSeen(given, seen), startedMs);
  }

  /** Clocks of two processes differ: what this one saw is what limits and dependencies are checked by. */
  #asSeen({ result, ...rest }: TaskReport, seen: readonly [number, number][]): TaskReport {
    const now = performance.now() - this.#parts.shell.startedAt;
    const spans = seen.map(([start, end]) => this.#sinceDispatch(start, end || now));
    const [first] = spans;
    const attempted = result.attempts > 0 && first !== undefined;
    return { ...rest, result: attempted ? { ...result, started_ms: first[0] } : result, spans };
  }

  #sinceDispatch(startMs: number, endMs: number): readonly [number, number] {
    const { startedMs } = this.#parts;
    return [startMs - startedMs, endMs - startedMs];
  }

  #desk(): CallDesk {
    const { office } = this.#parts;
    const watch: CallWatch = {
      began: (call, atMs) => {
        if (!call.nested) this.#spansOf(call).push([atMs, 0]);
      },
      ended: (call, atMs) => {
        const last = call.nested ? undefined : this.#spansOf(call).at(-1);
        if (last !== undefined) last[1] = atMs;
      },
    };
    return {
      ask: async (call, signal) => {
        const over = this.#over.signal;
        const { answer, close, spentMost } = await office.ask(call, watch, AbortSignal.any([signal, over]));
        if (over.aborted && answer.type === "go") answer.permit.withdraw(nothing());
        over.throwIfAborted();
        if (answer.type === "go") this.#closing.add(close);
        if (answer.type === "go" && call.purpose !== "bind") this.#calls++;
        if (spentMost !== undefined && !call.nested) this.#spentMost.set(call.task_id, spentMost);
        return answer;
      },
      learn: (value) => office.learn(value),
    };
  }

  #spansOf({ task_id }: AskedCall): [number, number][] {
    const spans = this.#spans.get(task_id) ?? [];
    this.#spans.set(task_id, spans);
    return spans;
  }
}
