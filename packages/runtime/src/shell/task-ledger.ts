import type { EstimateData, RecordedCall } from "@planloom/plan";
import type { AskedCall } from "../admission/call-permit.ts";
import type { CallRecord, PendingUsage, TaskUsage } from "../journal/journal.ts";
import { callRecord } from "./call-record.ts";
import { addUsage } from "./running-call.ts";
import type { ShellParts } from "./shell-parts.ts";

/** What the tasks of one plan use: in the table, and in the journal where the run is kept. */
export class TaskLedger {
  readonly #parts: ShellParts;

  constructor(parts: ShellParts) {
    this.#parts = parts;
  }

  /** True when it must be known before a call is made what it may use. */
  get counts(): boolean {
    const { ledger, admission, callDesk } = this.#parts;
    // Whoever executes elsewhere is counted where the right to its calls is given.
    return ledger !== undefined && admission.countsUsage && callDesk === undefined;
  }

  /** Before a call: resolves when it is in the journal that so much may be used. */
  async begin(task: number, reserved: TaskUsage): Promise<void> {
    if (this.counts) await this.#parts.ledger?.begin(this.#pending(task, reserved));
  }

  addUsage(task: number, used: TaskUsage): void {
    const { usage } = this.#parts.table;
    usage.set(task, addUsage(usage.get(task), used));
  }

  /** A call ended, and no record of its task follows now. */
  note(task: number): void {
    if (this.counts) this.#parts.ledger?.note(this.#pending(task, undefined));
  }

  record(task: number, purpose: CallRecord["purpose"], call: RecordedCall): void {
    const { ledger, table, settings } = this.#parts;
    if (ledger === undefined) return;
    const uid = table.prepared[task]?.step.uid;
    const path = [...this.#path(), table.tasks[task]!.task_id];
    const record = callRecord({ path, purpose, ...(uid !== undefined && { uid }) }, call, settings.maxOutputBytes);
    if (record !== undefined) ledger.record(record);
  }

  /** A model call of Stage 2, as whoever gives the right to calls is asked for it. */
  asBindCall(task: number, outerTaskId: string, estimate: EstimateData | undefined): AskedCall {
    const { outerTaskId: outer, table, place } = this.#parts;
    return {
      purpose: "bind",
      task_id: table.tasks[task]!.task_id,
      outer_task_id: outerTaskId,
      nested: outer !== undefined,
      path: this.#path(),
      ...(place !== undefined && { scope: place.scope() }),
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

  #path(): readonly string[] {
    return this.#parts.place?.path ?? [];
  }

  #pending(task: number, reserved: TaskUsage | undefined): PendingUsage {
    const { table, place } = this.#parts;
    const before = table.usage.get(task);
    const uid = table.prepared[task]?.step.uid;
    return {
      path: this.#path(),
      ...(place !== undefined && { scope: place.scope() }),
      task_id: table.tasks[task]!.task_id,
      ...(uid !== undefined && { uid }),
      usage:
        reserved === undefined ? (before ?? { calls: 0, tokens: 0, cost: 0, seconds: 0 }) : addUsage(before, reserved),
    };
  }
}
