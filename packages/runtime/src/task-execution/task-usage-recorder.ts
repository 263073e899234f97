import type { EstimateData, RecordedCall } from "@planloom/plan";
import type { AskedCall } from "../admission/call-permit.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { BegunCall, CallRecord, PendingUsage, TaskUsage } from "../journal/journal.ts";
import type { TaskError } from "../task-error.ts";
import { callRecord } from "./call-record.ts";
import { isRepeatable } from "./repeatable.ts";
import { addUsage } from "./running-call.ts";
import type { ShellParts } from "./shell-parts.ts";

const oneCall: TaskUsage = { calls: 1, tokens: 0, cost: 0, seconds: 0 };

/** What the tasks of one plan use: in the table, and in the journal where the run is kept. */
export class TaskUsageRecorder {
  readonly #parts: ShellParts;
  #lastMs = Number.NaN;
  #lastTime = "";
  /** Calls that are under way, by task. */
  readonly #begun = new Map<number, BegunCall>();
  /** Calls of which it is unknown whether they were carried out, by task. */
  readonly #doubted = new Map<number, BegunCall>();

  constructor(parts: ShellParts) {
    this.#parts = parts;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#begun.delete(task);
    this.#doubted.delete(task);
  }

  /** True when it must be known before a call is made what it may use. */
  get counts(): boolean {
    const { host, admission } = this.#parts;
    return host.callRecorder !== undefined && admission.countsUsage && host.rights.areOwn;
  }

  /** True when the beginning of the call must be recorded before it is made: after a crash a person has to be asked about it. */
  marks(prepared: PreparedStep | undefined): boolean {
    const { host, settings } = this.#parts;
    // Without a prepared step it is Stage 2 that is asked.
    if (
      prepared === undefined ||
      host.callRecorder === undefined ||
      !host.rights.areOwn ||
      settings.onUnknown === "retry"
    )
      return false;
    return !isRepeatable(prepared);
  }

  /** Before a call: resolves when it is in the journal that it is begun, and that so much may be used. */
  async begin(task: number, reserved: TaskUsage): Promise<void> {
    const marked = this.#mark(task);
    if (marked || this.counts) await this.#parts.host.callRecorder?.begin(this.#pending(task, reserved));
  }

  /** As `begin`, where nothing is counted: `written` is called when it is in the journal, or the run was cancelled since it cannot be. */
  mark(task: number, written: () => void): void {
    this.#mark(task);
    this.#parts.host.callRecorder?.add(this.#pending(task, oneCall), written);
  }

  #mark(task: number): boolean {
    const { state, table } = this.#parts;
    const prepared = table.prepared[task];
    if (prepared === undefined || !this.marks(prepared)) return false;
    const now = Date.now();
    // Many calls are begun within one millisecond.
    if (now !== this.#lastMs) this.#lastTime = new Date(now).toISOString();
    this.#lastMs = now;
    this.#begun.set(task, { at: this.#lastTime, attempt: state.attempts[task]!, uid: prepared.resource.id });
    return true;
  }

  /** The call has ended, and it is known how. */
  settle(task: number): void {
    this.#begun.delete(task);
  }

  /**
   * The call has ended, and it is unknown whether it was carried out.
   * @param durationMs how long it took.
   */
  doubt(task: number, durationMs: number): void {
    const { host, settings, state, table } = this.#parts;
    const prepared = table.prepared[task];
    if (
      prepared === undefined ||
      host.callRecorder === undefined ||
      settings.onUnknown === "retry" ||
      isRepeatable(prepared)
    )
      return;
    const at = new Date(Date.now() - durationMs).toISOString();
    // Nothing is noted here of a call that is made elsewhere.
    const begun = this.#begun.get(task) ?? { at, attempt: state.attempts[task]!, uid: prepared.resource.id };
    this.#doubted.set(task, begun);
  }

  /** The error a task ends with: it names the call of the task with an unknown outcome, so that no later session repeats it silently. */
  endedBy(task: number, error: TaskError): TaskError {
    const begun = this.#doubted.get(task);
    return begun === undefined ? error : { ...error, details: { ...error.details, begun } };
  }

  /** What was begun was not made after all. */
  withdraw(task: number): void {
    this.settle(task);
    this.note(task);
  }

  addUsage(task: number, used: TaskUsage): void {
    const { usage } = this.#parts.table;
    usage.set(task, addUsage(usage.get(task), used));
  }

  /** No record of the task follows now: its call has ended, or it is in doubt how. */
  note(task: number): void {
    if (this.counts || this.marks(this.#parts.table.prepared[task]))
      this.#parts.host.callRecorder?.note(this.#pending(task, undefined));
  }

  record(task: number, purpose: CallRecord["purpose"], call: RecordedCall): void {
    const { host, table, settings } = this.#parts;
    if (host.callRecorder === undefined) return;
    const uid = table.prepared[task]?.step.uid;
    const path = [...host.position.path, table.tasks[task]!.task_id];
    const record = callRecord({ path, purpose, ...(uid !== undefined && { uid }) }, call, settings.maxOutputBytes);
    if (record !== undefined) host.callRecorder.record(record);
  }

  /** A model call of Stage 2, as the source of permits is asked for it. */
  asBindCall(task: number, outerTaskId: string, estimate: EstimateData | undefined): AskedCall {
    const { host, table } = this.#parts;
    return {
      purpose: "bind",
      task_id: table.tasks[task]!.task_id,
      outer_task_id: outerTaskId,
      nested: host.position.isNested,
      ...host.position.named(),
      kind: "llm",
      resource: { kind: "llm", id: "stage 2", description: "The model calls of Stage 2." },
      input: {},
      attempt: 1,
      ...(estimate !== undefined && { estimate }),
      ...this.soFar(task),
    };
  }

  /** What the task has used already. */
  soFar(task: number): { used?: TaskUsage } {
    const used = this.#parts.table.usage.get(task);
    return used === undefined ? {} : { used };
  }

  #pending(task: number, reserved: TaskUsage | undefined): PendingUsage {
    const { table, host } = this.#parts;
    const before = table.usage.get(task);
    const begun = this.#begun.get(task) ?? this.#doubted.get(task);
    const uid = table.prepared[task]?.step.uid;
    return {
      ...host.position.named(),
      task_id: table.tasks[task]!.task_id,
      ...(uid !== undefined && { uid }),
      ...(begun !== undefined && { begun }),
      usage:
        reserved === undefined ? (before ?? { calls: 0, tokens: 0, cost: 0, seconds: 0 }) : addUsage(before, reserved),
    };
  }
}
