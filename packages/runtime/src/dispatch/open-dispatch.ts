import type { AskedCall, CallPermit, CallPermitSource } from "../admission/call-permit.ts";
import type { RunEvent } from "../events.ts";
import type { BegunCall, NestedRecord, TaskUsage } from "../journal/journal.ts";
import type { StoredWait } from "../journal/stored-wait.ts";
import { byNestedKey, keysOfLost, nestedKey } from "../nested-keeping.ts";
import { nothing } from "../ports/amounts.ts";
import { noSecrets, secretFailure } from "../secrets/secret-resolver.ts";
import { reportThrown } from "../task-execution/report-error.ts";
import { addUsage } from "../task-execution/running-call.ts";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import type { CutOff, Spans } from "./cut-off.ts";
import { type OverdueCall, OverdueCalls } from "./overdue-calls.ts";
import type { Asked, CallWatch, PermitIssuer } from "./permit-issuer.ts";
import type { DispatchContext, TaskReport } from "./port/dispatcher.ts";
import { isTaskUsage } from "./read-message.ts";
import { nestedAsSeen, reportedInOrder } from "./seen-times.ts";
import type { TaskRecords } from "./task-records.ts";

export interface OpenDispatchParts {
  readonly shell: ShellParts;
  readonly records: TaskRecords;
  readonly issuer: PermitIssuer;
  /** Tasks of the subgraph that are still to be executed. */
  readonly open: readonly number[];
  /** Milliseconds since the run began. */
  readonly startedMs: number;
  /** Attempts of its tasks that were seen in earlier dispatches, start and end in milliseconds since the run began. */
  readonly earlier: ReadonlyMap<string, Spans>;
  readonly isEnded: () => boolean;
  /** Handles a call that still runs past its limits and that the worker does not end. */
  onOverdue(): void;
}

/** Events of a subgraph's own run that are passed on as they happen; the others follow from its reports. */
const passedOnAtOnce: ReadonlySet<string> = new Set(["task-start", "task-progress", "task-retry"]);

/** One subgraph while a dispatcher executes it: what the dispatcher gets and what it asks for. */
export class OpenDispatch {
  readonly #parts: OpenDispatchParts;
  readonly #members: ReadonlySet<number>;
  /** When calls of its own tasks were made, as this process saw it, milliseconds since the run began. */
  readonly #spans = new Map<string, [number, number][]>();
  /** The same of calls of tasks within its tasks, such as elements of lists, by `nestedKey`, until they are recorded. */
  readonly #spansWithin = new Map<string, [number, number][]>();
  /** What the calls of its own tasks were of, by task id. */
  readonly #uids = new Map<string, string>();
  /** What own tasks may have used at most, with the last call that they were granted. */
  readonly #spentMost = new Map<string, TaskUsage>();
  /** Calls in progress, with the notes about those that a person may have to be asked about. */
  readonly #underWay = new Map<AskedCall, BegunCall | undefined>();
  /** Calls with such notes that have ended, with what they used. */
  readonly #noted: [call: AskedCall, used: TaskUsage][] = [];
  readonly #overdueCalls: OverdueCalls;
  #overdue: OverdueCall | undefined;
  #calls = 0;
  #endedMs: number | undefined;
  /** Calls that were granted, as the issuer has them. */
  readonly #granted = new Set<Pick<Asked, "close" | "gone">>();
  readonly #stopListening = new Set<() => void>();
  /** Aborted when the dispatch is over: requests for permits that still wait are refused. */
  readonly #over = new AbortController();

  constructor(parts: OpenDispatchParts) {
    this.#parts = parts;
    this.#members = new Set(parts.open);
    this.#overdueCalls = new OverdueCalls(parts.shell.settings, (overdue) => {
      this.#overdue = overdue;
      parts.onOverdue();
    });
    for (const [taskId, spans] of parts.earlier) {
      this.#spans.set(
        taskId,
        spans.map(([start, end]) => [start, end]),
      );
      if (spans[0] !== undefined) this.#overdueCalls.beganBefore(taskId, spans[0][0] + parts.shell.startedAt);
    }
  }

  /** The call because of which the executor of the subgraph was stopped. */
  get overdue(): OverdueCall | undefined {
    return this.#overdue;
  }

  /**
   * Calls that are still open end here, with all that was reserved for them.
   * @param goesOn the dispatcher ignored its signal: calls that were under way keep their slots until `gone`
   * @returns when that was, in milliseconds since the run began: nothing of it ends later
   */
  close(goesOn: boolean): number {
    this.#over.abort();
    this.#overdueCalls.close();
    for (const granted of this.#granted) granted.close(goesOn);
    for (const stop of this.#stopListening) stop();
    this.#endedMs = performance.now() - this.#parts.shell.startedAt;
    return this.#endedMs;
  }

  /** The dispatcher has settled after all. */
  gone(): void {
    for (const granted of this.#granted) granted.gone();
  }

  /**
   * Notes that calls which are made again later were carried out: no record of their tasks says so while these wait.
   * @param waits what the tasks of the subgraph wait for
   */
  noteRepeated(waits: readonly StoredWait[]): void {
    const { callRecorder } = this.#parts.shell.host;
    for (const { id, polls } of waits) {
      const noted = polls === undefined ? undefined : this.#noted.findLast(([call]) => isOf(call, id));
      if (noted === undefined) continue;
      const [{ path, scope, task_id, resource, used }, last] = noted;
      const place = { path, ...(scope !== undefined && { scope }), task_id, uid: resource.id };
      callRecorder?.note({ ...place, usage: addUsage(used, last) });
    }
  }

  /** Calls that were granted, those within nested plans too. */
  get calls(): number {
    return this.#calls;
  }

  /** What is known of a task whose executor is gone before it could report. */
  cutOff(taskId: string): CutOff {
    const usage = this.#spentMost.get(taskId);
    const uid = this.#uids.get(taskId);
    const now = this.#endedMs ?? performance.now() - this.#parts.shell.startedAt;
    const seen = (this.#spans.get(taskId) ?? []).map(([start, end]) => [start, end || now] as const);
    const spans = seen.map(([start, end]) => this.#sinceDispatch(start, end));
    const calls = [...this.#underWay].filter(([{ outer_task_id }]) => outer_task_id === taskId);
    const begun = calls.find(([{ nested }]) => !nested)?.[1];
    const doubted = calls.find(([, noted]) => noted !== undefined)?.[1];
    return {
      attempts: spans.length,
      spans,
      seen,
      inCall: calls.length > 0,
      ...(uid !== undefined && { uid }),
      ...(usage !== undefined && { usage }),
      ...(begun !== undefined && { begun }),
      ...(doubted !== undefined && { doubted }),
    };
  }

  context(signal: AbortSignal): Omit<DispatchContext, "runHere"> {
    const { isEnded, shell } = this.#parts;
    const { host } = shell;
    return {
      signal,
      onEvent: (event) => this.#emit(event),
      report: (report) => this.#report(report),
      reportNested: async (reported) => {
        if (isEnded()) return;
        const records = reported.map((each) => this.#nestedAsSeen(each));
        await host.keepNested(records);
        for (const [key, record] of byNestedKey(records)) shell.nestedRecords.set(key, record);
        for (const key of keysOfLost(records)) shell.lostTasks.add(key);
      },
      reportCalls: async (calls) => {
        if (!isEnded()) await host.keepCalls(calls);
      },
      reportAbandoned: (call) => {
        const isOurs = this.#members.has(shell.state.view.indexOf(call.outer_task_id));
        if (isOurs && !isEnded()) this.#overdueCalls.abandoned(call);
      },
      reportThrown: (thrown, about) => {
        if (!isEnded()) reportThrown(shell, thrown, about);
      },
      calls: this.#permits(),
      cache: shell.cache?.store,
      revealSecret: async (name, resource) => {
        if (host.secrets === undefined) throw secretFailure(name, resource.id, noSecrets(name));
        return host.secrets.reveal(name, resource, signal);
      },
      onAnswer: (listener) => {
        const stop = shell.approvals.answers.listen(listener);
        this.#stopListening.add(stop);
        return () => {
          this.#stopListening.delete(stop);
          stop();
        };
      },
    };
  }

  #emit(event: RunEvent): void {
    this.#overdueCalls.heard();
    if (this.#parts.isEnded() || !passedOnAtOnce.has(event.type)) return;
    const { runId: _, seq: __, at: ___, timestamp: ____, ...body } = event;
    const { events, state, table } = this.#parts.shell;
    if (body.type === "task-start")
      table.dispatched.set(state.view.indexOf(body.taskId), { ...body, startedAt: Date.now() });
    events.emit(body);
  }

  async #report(given: TaskReport): Promise<void> {
    const { records, shell, startedMs, isEnded } = this.#parts;
    if (given.usage !== undefined && !isTaskUsage(given.usage))
      throw new Error(
        "Expected `usage` of a report to be { calls, tokens, cost, seconds }, each a number of at least 0.",
      );
    const { task_id, status, output, cached } = given.result;
    const task = shell.state.view.indexOf(task_id);
    if (isEnded() || !this.#members.has(task)) return;
    const seen = this.#spans.get(task_id);
    if ((seen !== undefined || cached === true) && status === "completed") shell.admission.learn(output);
    await records.take(task, seen === undefined ? this.#inOrder(given, task) : this.#asSeen(given, seen), startedMs);
  }

  /** @param task which makes no call of its own, so that this process has not seen it begin. */
  #inOrder(report: TaskReport, task: number): TaskReport {
    const { shell, startedMs } = this.#parts;
    const { view } = shell.state;
    let leastMs = 0;
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const endedMs = shell.table.timing.endedMs[view.in[edge]!]!;
      // What an earlier session completed has no time here.
      if (endedMs - startedMs > leastMs) leastMs = endedMs - startedMs;
    }
    return reportedInOrder(report, leastMs, performance.now() - shell.startedAt - startedMs);
  }

  #nestedAsSeen(nested: NestedRecord): NestedRecord {
    const { shell, startedMs } = this.#parts;
    const key = nestedKey({ path: nested.path, scope: () => nested.scope }, nested.record.task_id);
    const epochMs = performance.timeOrigin + shell.startedAt;
    const seen = (this.#spansWithin.get(key) ?? []).map(
      ([start, end]) => [epochMs + start, end && epochMs + end] as const,
    );
    this.#spansWithin.delete(key);
    return nestedAsSeen(nested, seen, {
      fromMs: epochMs + startedMs,
      toMs: performance.timeOrigin + performance.now(),
    });
  }

  /** Clocks of two processes differ: what this one saw is what limits and dependencies are checked by. */
  #asSeen({ result, ...rest }: TaskReport, seen: readonly [number, number][]): TaskReport {
    const now = performance.now() - this.#parts.shell.startedAt;
    const spans = seen.map(([start, end]) => this.#sinceDispatch(start, end || now));
    const [first] = spans;
    if (result.attempts === 0 || first === undefined) return { ...rest, result, spans };
    const before = this.#parts.earlier.get(result.task_id) ?? [];
    // The worker that executes it now knows only its own attempts.
    const duration_ms = before.reduce((sum, [start, end]) => sum + end - start, result.duration_ms);
    return { ...rest, result: { ...result, started_ms: first[0], duration_ms }, spans };
  }

  #sinceDispatch(startMs: number, endMs: number): readonly [number, number] {
    const { startedMs } = this.#parts;
    return [startMs - startedMs, endMs - startedMs];
  }

  #permits(): CallPermitSource {
    const { issuer } = this.#parts;
    const watch: CallWatch = {
      began: (call, atMs) => {
        this.#spansOf(call).push([atMs, 0]);
        if (!call.nested) this.#uids.set(call.task_id, call.resource.id);
      },
      ended: (call, atMs) => {
        const last = this.#spansOf(call).at(-1);
        if (last !== undefined) last[1] = atMs;
      },
    };
    return {
      ask: async (call, signal) => {
        const over = this.#over.signal;
        const asked = await issuer.ask(call, watch, AbortSignal.any([signal, over]));
        const { answer, spentMost } = asked;
        if (over.aborted && answer.type === "go") answer.permit.withdraw(nothing());
        over.throwIfAborted();
        if (answer.type === "go") this.#granted.add(asked);
        if (answer.type === "go" && call.purpose !== "bind") this.#calls++;
        if (spentMost !== undefined && !call.nested) this.#spentMost.set(call.task_id, spentMost);
        return answer.type === "go" ? { type: "go", permit: this.#watched(call, answer.permit, asked.begun) } : answer;
      },
      learn: (value) => issuer.learn(value),
    };
  }

  /** The permit, whose call is watched until it is reported as ended. */
  #watched(call: AskedCall, permit: CallPermit, begun: Asked["begun"]): CallPermit {
    const { lend, end } = this.#overdueCalls.begin(call);
    this.#underWay.set(call, begun);
    const ended = () => {
      end();
      this.#underWay.delete(call);
    };
    return {
      ...permit,
      lend(used) {
        lend();
        permit.lend(used);
      },
      settle: (used) => {
        ended();
        if (begun !== undefined) this.#noted.push([call, used]);
        permit.settle(used);
      },
      withdraw(used) {
        ended();
        permit.withdraw(used);
      },
      lose() {
        ended();
        permit.lose?.();
        return begun;
      },
    };
  }

  #spansOf({ task_id, nested, path, scope = "" }: AskedCall): [number, number][] {
    const all = nested ? this.#spansWithin : this.#spans;
    const key = nested ? nestedKey({ path, scope: () => scope }, task_id) : task_id;
    const spans = all.get(key) ?? [];
    all.set(key, spans);
    return spans;
  }
}

/** Whether the call is of the task that waits under this id; an element (`fetch[42]`) is named as a task beside its list. */
function isOf({ path, task_id }: AskedCall, id: string): boolean {
  return [...path, task_id].join("/") === id || [...path.slice(0, -1), task_id].join("/") === id;
}
