import type { EstimateData } from "@planloom/plan";
import { type AdmissionAnswer, releaseUnused } from "../admission/admission.ts";
import {
  type AskedCall,
  type CallAnswer,
  type CallPermit,
  type CallPermitSource,
  permitOf,
  reservedBy,
  SlotPermit,
} from "../admission/call-permit.ts";
import { isLost } from "../core/element-window.ts";
import { executorEstimate } from "../estimate-of.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { TaskUsage } from "../journal/journal.ts";
import type { Lane, Waiter } from "../shared-limits/lane.ts";
import type { AskedSlot } from "../shared-limits/own-calls.ts";
import type { SharedRun } from "../shared-limits/shared-run.ts";
import type { Slot } from "../shared-limits/slot.ts";
import { type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { CoreLoop } from "./core-loop.ts";
import { RunningCall } from "./running-call.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";
import { TaskSlots } from "./task-slots.ts";
import type { TaskUsageRecorder } from "./task-usage-recorder.ts";
import { TimedWork } from "./timed-work.ts";

type Admitted = Extract<AdmissionAnswer, { type: "go" }>;

const unlimited: Admitted = { type: "go" };

/**
 * Decides when a call may be made: by the slots that runs share, by rates, guards and budgets of this process, or by asking the process
 * that gives the permits.
 */
export class CallEntry {
  readonly go: (task: number, prepared: PreparedStep, permit: CallPermit | undefined) => void;
  readonly #request: CallEntry["request"];
  readonly #parts: ShellParts;
  readonly #loop: CoreLoop;
  readonly #ends: TaskEnds;
  readonly #active: TaskSlots<TimedWork>;
  readonly #usageRecorder: TaskUsageRecorder;
  /** Tasks that wait for a rate or a budget. */
  readonly #postponed = new Set<number>();
  /** Tasks that wait for a slot among several runs. Each keeps its place in its own run. */
  readonly #queued: TaskSlots<QueuedCall>;
  /** Tasks of which calls were let in, where runs share slots. */
  readonly #begun: TaskSlots<true>;

  /** @param active what runs, by task; the shell stops it. @param go makes a call that was let in. */
  constructor(
    parts: ShellParts,
    loop: CoreLoop,
    ends: TaskEnds,
    active: TaskSlots<TimedWork>,
    usageRecorder: TaskUsageRecorder,
    go: (task: number, prepared: PreparedStep, permit: CallPermit | undefined) => void,
  ) {
    this.#parts = parts;
    this.#request = parts.host.rights.choose<CallEntry["request"]>({
      here: () => (task, prepared) => this.#requestHere(task, prepared),
      elsewhere: (permits) => (task, prepared) => this.#requestElsewhere(task, prepared, permits),
    });
    const tasks = parts.admission.shared === undefined ? 0 : parts.table.tasks.length;
    this.#queued = new TaskSlots(tasks);
    this.#begun = new TaskSlots(tasks);
    this.#loop = loop;
    this.#ends = ends;
    this.#active = active;
    this.#usageRecorder = usageRecorder;
    this.go = go;
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#begun.delete(task);
  }

  /** From now on no waiting task is woken. */
  cancel(): void {
    this.#postponed.clear();
    for (const [task, call] of this.#queued.entries()) {
      this.#queued.delete(task);
      call.asked?.leave();
      this.#waited(call);
      this.#ends.stop(task, false);
    }
  }

  /** Requests a permit for a call: `go` is called now or later, or the task is ended. */
  request(task: number, prepared: PreparedStep): void {
    this.#request(task, prepared);
  }

  #requestHere(task: number, prepared: PreparedStep): void {
    const { shared } = this.#parts.admission;
    if (shared === undefined) {
      this.#letIn(task, prepared, undefined);
      return;
    }
    if (this.#mayNotBegin(task)) return;
    const lane = shared.lane(prepared.resource);
    const slot = shared.takeNow(lane);
    if (slot === undefined) this.#queue(task, prepared, shared, lane);
    else this.#letIn(task, prepared, slot);
  }

  /** The task keeps its place in the run meanwhile, so that one run never has more calls waiting than it may start tasks. */
  #queue(task: number, prepared: PreparedStep, shared: SharedRun, lane: Lane): void {
    const call = new QueuedCall(this, task, prepared, lane);
    call.asked = shared.wait(lane, call);
    if (call.asked?.left === false) this.#queued.set(task, call);
  }

  /** It is the task's turn. */
  turn(call: QueuedCall): void {
    const { task, prepared, lane } = call;
    try {
      this.#leaveQueue(call);
      if (this.#mayNotBegin(task)) return;
      const shared = this.#parts.admission.shared!;
      // Between its turn and now nothing else can have taken it.
      const slot = shared.take(lane);
      if (slot === undefined) this.#queue(task, prepared, shared, lane);
      else this.#letIn(task, prepared, slot);
    } catch (thrown) {
      // The queue that lets calls in knows nothing of this run.
      this.#ends.fail(task, taskErrorFrom(thrown));
    }
  }

  /** While the call waited, or was prepared ahead, a failure may have ended what begins. @returns true where the task has been dealt with */
  #mayNotBegin(task: number): boolean {
    const { host, state } = this.#parts;
    const hasBegun = this.#begun.has(task);
    if (host.isHalted() || (!hasBegun && state.phase === "draining" && !this.#ends.cancelled)) {
      this.#ends.refuse(task, taskError(TaskErrorCode.HALTED, "The run was halted because a task failed."));
      return true;
    }
    if (hasBegun || state.window === undefined || !isLost(state.window)) return false;
    this.#loop.feed({ type: "dropped", task });
    return true;
  }

  /** The task waited for a limit whose slots are all abandoned. */
  refuse(call: QueuedCall, error: TaskError): void {
    this.#leaveQueue(call);
    this.#ends.refuse(call.task, error);
  }

  #leaveQueue(call: QueuedCall): void {
    this.#queued.delete(call.task);
    this.#waited(call);
  }

  #waited({ since }: QueuedCall): void {
    this.#parts.table.waits.add("limit", performance.now() - since);
  }

  /** @param slot among several runs, where there are such limits */
  #letIn(task: number, prepared: PreparedStep, slot: Slot | undefined): void {
    if (slot !== undefined) this.#begun.set(task, true);
    const admitted = this.#admit(task, prepared);
    if (admitted === undefined) {
      slot?.withdraw();
      return;
    }
    const asked = this.#parts.admission.shared?.confirm(admitted.reservation);
    if (asked !== undefined) this.#confirmFirst(task, prepared, slot, admitted, asked);
    else this.#make(task, prepared, slot, admitted);
  }

  #make(task: number, prepared: PreparedStep, slot: Slot | undefined, { reservation, seconds }: Admitted): void {
    const inner = reservation && permitOf(reservation, seconds);
    const permit = slot === undefined ? inner : new SlotPermit(slot, this.#parts.admission.shared!, inner);
    if (this.#usageRecorder.counts) this.#noteFirst(task, prepared, permit, reservedBy(reservation));
    else if (this.#usageRecorder.marks(prepared)) this.#markFirst(task, prepared, permit);
    else this.go(task, prepared, permit);
  }

  /** Asks whether the call may be made now; undefined when not, and then the task has been dealt with. */
  #admit(task: number, prepared: PreparedStep): Admitted | undefined {
    const { admission, host, state, table } = this.#parts;
    const attempt = state.attempts[task]!;
    const { isNested: nested } = host.position;
    if (!admission.active && attempt === 1 && !nested) return unlimited;
    const answer = admission.admit({
      prepared,
      attempt,
      nested,
      outerTaskId: host.position.outerTaskOf(prepared.task.task_id),
    });
    switch (answer.type) {
      case "go":
        return answer;
      case "blocked":
        this.#ends.fail(task, answer.error);
        return undefined;
      case "refused":
        this.#ends.refuse(task, answer.error);
        return undefined;
      case "wait":
        this.#postponed.add(task);
        table.waits.begin(task, "limit");
        this.#loop.feed({ type: "postponed", task });
        answer.wait(() => {
          if (!this.#postponed.delete(task)) return false;
          table.waits.end(task);
          this.#loop.feed({ type: "due", task });
          return true;
        });
        return undefined;
      default:
        return answer satisfies never;
    }
  }

  /** Other processes have the same budgets: what is reserved holds once they were asked. */
  #confirmFirst(
    task: number,
    prepared: PreparedStep,
    slot: Slot | undefined,
    admitted: Admitted,
    asked: Promise<boolean>,
  ): void {
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: this.#parts.settings.abortGraceMs };
    const attempt = new TimedWork(limits, (outcome) => {
      this.#active.delete(task);
      if (outcome.type === "value" && outcome.value === true && !this.#ends.stopping) {
        this.#make(task, prepared, slot, admitted);
        return;
      }
      slot?.withdraw();
      const { admission, host, state } = this.#parts;
      admission.withdraw(prepared, { attempt: state.attempts[task]!, nested: host.position.isNested });
      // If the answer is not waited for any more, a reservation that was confirmed is given back.
      const giveBack = (allowed: boolean) => allowed && releaseUnused(admitted.reservation!);
      if (outcome.type === "stopped" || this.#ends.stopping) asked.then(giveBack, () => {});
      if (this.#ends.stopping || outcome.type === "stopped") this.#ends.stop(task, false);
      else if (outcome.type === "thrown") this.#ends.fail(task, taskErrorFrom(outcome.thrown));
      else this.request(task, prepared);
    });
    this.#active.set(task, attempt);
    attempt.follow(asked);
  }

  /** That the call is begun is in the journal before it is made. A journal that cannot be written has cancelled the run. */
  #markFirst(task: number, prepared: PreparedStep, permit: CallPermit | undefined): void {
    this.#usageRecorder.mark(task, () => {
      if (!this.#ends.cancelled) {
        this.go(task, prepared, permit);
        return;
      }
      new RunningCall(permit).release();
      this.#usageRecorder.withdraw(task);
      this.#ends.stop(task, false);
    });
  }

  /** What the call may use is in the journal before it is made; should the process die meanwhile, it counts. */
  #noteFirst(task: number, prepared: PreparedStep, permit: CallPermit | undefined, reserved: TaskUsage): void {
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: this.#parts.settings.abortGraceMs };
    const attempt = new TimedWork(limits, (outcome) => {
      this.#active.delete(task);
      if (outcome.type === "value" && !this.#ends.cancelled) {
        this.go(task, prepared, permit);
        return;
      }
      // A journal that cannot be written has cancelled the run.
      new RunningCall(permit).release();
      this.#usageRecorder.withdraw(task);
      this.#ends.stop(task, false);
    });
    this.#active.set(task, attempt);
    attempt.follow(this.#usageRecorder.begin(task, reserved));
  }

  /** The task keeps its slot meanwhile: a worker has one slot for all tasks of its subgraph. */
  #requestElsewhere(task: number, prepared: PreparedStep, permits: CallPermitSource): void {
    const { settings, state } = this.#parts;
    const { position } = this.#parts.host;
    const { kind, resource, step } = prepared;
    const { task_id } = prepared.task;
    let estimate: EstimateData | undefined;
    try {
      estimate = executorEstimate(prepared, step.input_data);
    } catch (thrown) {
      this.#ends.fail(task, taskErrorFrom(thrown));
      return;
    }
    const asked: AskedCall = {
      task_id,
      outer_task_id: position.outerTaskOf(task_id),
      nested: position.isNested,
      kind,
      resource,
      input: step.input_data,
      attempt: state.attempts[task]!,
      ...(prepared.task.timeout_ms !== undefined && { timeout_ms: prepared.task.timeout_ms }),
      ...position.named(),
      ...this.#usageRecorder.soFar(task),
      ...(estimate !== undefined && { estimate }),
      ...(prepared.task.estimate_data !== null && { planned: prepared.task.estimate_data }),
    };
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: settings.abortGraceMs };
    const attempt = new TimedWork(limits, (outcome) => {
      this.#active.delete(task);
      if (outcome.type === "value") this.#answered(task, prepared, outcome.value as CallAnswer);
      else if (outcome.type === "thrown" && !this.#ends.stopping) this.#ends.fail(task, taskErrorFrom(outcome.thrown));
      else this.#ends.stop(task, outcome.type === "stopped" && outcome.abandoned);
    });
    this.#active.set(task, attempt);
    attempt.follow(permits.ask(asked, attempt.signal));
  }

  #answered(task: number, prepared: PreparedStep, answer: CallAnswer): void {
    switch (answer.type) {
      case "go":
        if (this.#ends.cancelled) {
          new RunningCall(answer.permit).release();
          this.#ends.stop(task, false);
        } else this.go(task, prepared, answer.permit);
        break;
      case "blocked":
        this.#ends.fail(task, answer.error);
        break;
      case "refused":
        this.#ends.refuse(task, answer.error);
        break;
      default:
        answer satisfies never;
    }
  }
}

/** A task's call in the queue of several runs. */
class QueuedCall implements Waiter {
  readonly task: number;
  readonly prepared: PreparedStep;
  readonly lane: Lane;
  readonly since = performance.now();
  /** Undefined until it waits. */
  asked: AskedSlot | undefined;
  readonly #entry: CallEntry;

  constructor(entry: CallEntry, task: number, prepared: PreparedStep, lane: Lane) {
    this.#entry = entry;
    this.task = task;
    this.prepared = prepared;
    this.lane = lane;
  }

  go(): void {
    this.#entry.turn(this);
  }

  refuse(error: TaskError): void {
    this.#entry.refuse(this, error);
  }
}
