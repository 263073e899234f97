import { type Executor, kindRecord, type PlannerTask } from "@planloom/plan";
import {
  type AskedCall,
  type CallAnswer,
  type CallPermit,
  permitOf,
  reservedBy,
  SlotPermit,
} from "../admission/call-permit.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { BegunCall, TaskUsage } from "../journal/journal.ts";
import { addressOf } from "../nested-keeping.ts";
import { nothing } from "../ports/amounts.ts";
import { woken } from "../ports/wait-queue.ts";
import type { Reservation } from "../shared-limits/budget-accounts.ts";
import type { Lane } from "../shared-limits/lane.ts";
import type { AskedSlot } from "../shared-limits/own-calls.ts";
import type { SharedRun } from "../shared-limits/shared-run.ts";
import { Slot } from "../shared-limits/slot.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import { isRepeatable } from "../task-execution/repeatable.ts";
import { addUsage } from "../task-execution/running-call.ts";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import { stalledError } from "../task-execution/stalled-error.ts";

/** Called for each call that is made, for the times of tasks: milliseconds since the run began. */
export interface CallWatch {
  began(call: AskedCall, atMs: number): void;
  ended(call: AskedCall, atMs: number): void;
}

/** What came of a question for the right to a call. */
export interface Asked {
  readonly answer: CallAnswer;
  /**
   * Ends the call from this side, with all that was reserved for it.
   * @param goesOn true where the call ignored its signal: it keeps its slots until `gone` is called
   */
  readonly close: (goesOn: boolean) => void;
  readonly gone: () => void;
  /** What the call's task may have used at most when the call is over, where one of its own was granted. */
  readonly spentMost?: TaskUsage;
  /** The note about the call, where a person must be asked about it if its outcome stays unknown. */
  readonly begun?: BegunCall;
}

/** A call that an executor elsewhere wants to make. */
interface WantedCall {
  readonly call: AskedCall;
  readonly prepared: PreparedStep;
  /** The groups of this run's limits in which it counts. */
  readonly groups: readonly number[];
  /** The slot that it has of those that runs share, where its resource has such a limit. */
  readonly slot: Slot | undefined;
  readonly watch: CallWatch;
}

type AdmittedCall = Extract<ReturnType<ShellParts["admission"]["admit"]>, { readonly type: "go" }>;

/** Of a run without budgets. */
const unlimited: CallPermit = { note: () => true, meter() {}, lend() {}, settle() {}, withdraw() {} };
const halted = taskError(TaskErrorCode.HALTED, "The run was halted because a task failed.");

/**
 * Gives permits to the executor of a subgraph in another process, one for each call: slots of the limits by kind
 * and resource, rates, guards and budgets are this run's. One issuer a run; each dispatch has a
 * permit source of its own, which asks it.
 */
export class PermitIssuer {
  readonly #parts: ShellParts;
  readonly #isHalted: () => boolean;
  readonly #waiting = new Set<() => void>();

  /** @param isHalted returns true where a failure keeps anything more from starting. */
  constructor(parts: ShellParts, isHalted: () => boolean) {
    this.#parts = parts;
    this.#isHalted = isHalted;
  }

  /** Resolves when the call may be made, or never will be. */
  async ask(call: AskedCall, watch: CallWatch, signal: AbortSignal): Promise<Asked> {
    if (call.purpose === "bind") return this.#askForModel(call, signal);
    const { admission, family } = this.#parts;
    const { shared } = admission;
    const { limits } = family;
    const prepared = this.#prepared(call);
    const { attempt, nested, outer_task_id: outerTaskId } = call;
    const groups = [limits.kindGroup(call.kind), limits.resourceGroup(call.kind, prepared.resource.id)];
    const lane = shared?.lane(prepared.resource);
    for (;;) {
      signal.throwIfAborted();
      if (this.#isHalted()) return refused(halted);
      const full = groups.find((group) => limits.isFull(group));
      if (full !== undefined) {
        if (limits.isGivenUp(full)) return refused(stalledError(limits, full));
        await this.#slot(signal);
        continue;
      }
      let slot = lane && shared?.takeNow(lane);
      if (lane !== undefined && slot === undefined) {
        const turn = await turnOf(shared!, lane, signal);
        if (turn === undefined) continue;
        if (!(turn instanceof Slot)) return refused(turn);
        slot = turn;
        // Meanwhile the run may have been halted, and its own slots may have gone to others.
        if (signal.aborted || this.#isHalted() || groups.some((group) => limits.isFull(group))) {
          slot.withdraw();
          continue;
        }
      }
      const answer = admission.admit({ prepared, attempt, nested, outerTaskId });
      if (answer.type === "go") {
        const asked = await this.#takeUp({ call, prepared, groups, slot, watch }, answer);
        if (asked !== undefined) return asked;
        continue;
      }
      slot?.withdraw();
      if (answer.type !== "wait") return noCall(answer);
      await woken(answer.wait, signal);
    }
  }

  /** Takes the slots of an admitted call and notes it. `undefined`: what was reserved for it does not hold, and all is given back. */
  async #takeUp(wanted: WantedCall, { reservation, seconds }: AdmittedCall): Promise<Asked | undefined> {
    const { call, groups, slot } = wanted;
    const { admission, approvals, family } = this.#parts;
    // The slot is taken before anything is awaited, so that a request that comes meanwhile does not get it.
    for (const group of groups) family.limits.take(group);
    const confirmed = admission.shared?.confirm(reservation);
    if (confirmed !== undefined && !(await this.#holds(confirmed, wanted))) return undefined;
    const paid = reservation && permitOf(reservation, seconds);
    const inner = slot === undefined ? paid : new SlotPermit(slot, admission.shared!, paid);
    const begun = this.#begunCall(call);
    const granted = this.#grant(wanted, inner, reservation, begun);
    try {
      await this.#begin(call, reservation, begun);
      // A no that came meanwhile: the worker gets it before the permit, and looks once more.
      const { answers } = approvals;
      if (answers.hasYesTo(addressOf(call.path, call.task_id))) await answers.read?.();
    } catch (error) {
      granted.answer.permit.withdraw(nothing());
      throw error;
    }
    const noted = { ...granted, ...(begun !== undefined && { begun }) };
    if (!admission.countsUsage) return noted;
    return { ...noted, spentMost: addUsage(call.used, reservedBy(reservation)) };
  }

  /** Whether a reservation that runs share holds; gives back what was taken for the call where it does not. */
  async #holds(confirmed: Promise<boolean>, { call, prepared, groups, slot }: WantedCall): Promise<boolean> {
    const { admission, family } = this.#parts;
    let holds = false;
    try {
      holds = await confirmed;
    } finally {
      if (!holds) {
        for (const group of groups) family.limits.release(group);
        family.noticeReleases();
        slot?.withdraw();
        admission.withdraw(prepared, call);
      }
    }
    return holds;
  }

  /** For a model call of Stage 2: budgets alone. */
  async #askForModel(call: AskedCall, signal: AbortSignal): Promise<Asked> {
    for (;;) {
      signal.throwIfAborted();
      const answer = this.#parts.admission.admitModelCall(call.outer_task_id, call.estimate);
      if (answer.type === "wait") await woken(answer.wait, signal);
      else if (answer.type !== "go") return noCall(answer);
      else {
        const { reservation } = answer;
        if ((await this.#parts.admission.shared?.confirm(reservation)) === false) continue;
        await this.#begin(call, reservation, undefined);
        const permit = reservation === undefined ? unlimited : permitOf(reservation, undefined);
        let open = true;
        const settle = (used: TaskUsage) => {
          if (open) permit.settle(used);
          open = false;
        };
        const close = () => settle(reservedBy(reservation));
        return { answer: { type: "go", permit: { ...permit, settle, withdraw: settle } }, close, gone: () => {} };
      }
    }
  }

  /** It is in the journal what the call may use before it is made. */
  async #begin(call: AskedCall, reservation: Reservation | undefined, begun: BegunCall | undefined) {
    const { path, scope, task_id, used, resource, purpose } = call;
    const { admission } = this.#parts;
    const { callRecorder } = this.#parts.host;
    if (callRecorder === undefined || (begun === undefined && !admission.countsUsage)) return;
    const uid = purpose === "bind" ? {} : { uid: resource.id };
    const place = {
      path,
      ...(scope !== undefined && { scope }),
      task_id,
      ...uid,
      ...(begun !== undefined && { begun }),
    };
    await callRecorder.begin({ ...place, usage: addUsage(used, reservedBy(reservation)) });
  }

  /** A call that was begun is made later or never: its executor waits, or was not called after all. The note of `#begin` holds no more. */
  #noteUnmade({ path, scope, task_id, used: before, resource }: AskedCall, used: TaskUsage): void {
    const place = { path, ...(scope !== undefined && { scope }), task_id, uid: resource.id };
    this.#parts.host.callRecorder?.note({ ...place, usage: addUsage(before, used) });
  }

  #begunCall(call: AskedCall): BegunCall | undefined {
    if (!this.#marks(call)) return undefined;
    return { at: new Date().toISOString(), attempt: call.attempt, uid: call.resource.id };
  }

  /** True for a call that a person must be asked about if its outcome stays unknown. */
  #marks({ kind, resource, purpose }: AskedCall): boolean {
    const { settings, registry } = this.#parts;
    if (purpose === "bind" || settings.onUnknown === "retry") return false;
    const entry = registry.find(kind, resource.id);
    // What only the worker has is as the worker describes it.
    if (entry === undefined)
      return resource.read_only !== true && resource.idempotent !== true && !kindRecord(kind).repeatable;
    return !isRepeatable(entry);
  }

  learn(value: unknown): void {
    this.#parts.admission.learn(value);
  }

  #grant(
    { call, prepared, groups, watch }: WantedCall,
    inner: CallPermit | undefined,
    reservation: Reservation | undefined,
    begun: BegunCall | undefined,
  ): Pick<Asked, "close" | "gone"> & { readonly answer: Extract<CallAnswer, { type: "go" }> } {
    const { admission, family, startedAt } = this.#parts;
    let holds = true;
    let ended = false;
    watch.began(call, performance.now() - startedAt);
    const release = () => {
      if (!holds) return;
      holds = false;
      for (const group of groups) family.limits.release(group);
      wake();
    };
    const wake = () => {
      family.noticeReleases();
      for (const wakeOne of [...this.#waiting]) wakeOne();
    };
    const end = (settle: () => void) => {
      if (ended) return;
      ended = true;
      watch.ended(call, performance.now() - startedAt);
      settle();
      release();
    };
    const unmade = (used: TaskUsage) => {
      if (begun !== undefined || admission.countsUsage) this.#noteUnmade(call, used);
    };
    const permit: CallPermit = {
      note(used) {
        admission.noteUse(prepared.resource, used.tokens, used.cost);
        return inner?.note(used) ?? true;
      },
      meter: (stop) => inner?.meter(stop),
      lend(used) {
        inner?.lend(used);
        release();
      },
      settle: (used) =>
        end(() => {
          inner?.settle(used);
          if (used.calls === 0) unmade(used);
        }),
      withdraw: (used) =>
        end(() => {
          inner?.withdraw(used);
          admission.withdraw(prepared, call);
          unmade(used);
        }),
    };
    permit.lose = () => {
      close(false);
      return undefined;
    };
    let freed: (() => void) | undefined;
    const close = (goesOn: boolean) => {
      if (goesOn && !ended) freed = keep();
      // What a call used whose process is gone is unknown, so it counts as all that was reserved for it.
      end(() => inner?.settle(reservedBy(reservation)));
    };
    const keep = () => {
      const keepsOwn = holds;
      holds = false;
      const settled = keepsOwn ? inner?.abandon?.() : undefined;
      if (keepsOwn) for (const group of groups) family.limits.abandon(group);
      family.noticeReleases();
      return () => {
        settled?.();
        if (keepsOwn) for (const group of groups) family.limits.settle(group);
        wake();
      };
    };
    const gone = () => {
      freed?.();
      freed = undefined;
    };
    return { answer: { type: "go", permit }, close, gone };
  }

  #slot(signal: AbortSignal): Promise<void> {
    const { family } = this.#parts;
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        family.leave(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      // Slots may be given back by tasks of this process, too.
      family.join(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #prepared(call: AskedCall): PreparedStep {
    const { registry, table, state } = this.#parts;
    const { kind, input, estimate, planned: claimed = null, task_id } = call;
    const known = registry.find(kind, call.resource.id);
    const resource = known?.resource ?? call.resource;
    const executor: Executor = {
      kind,
      resources: () => [resource],
      estimate: () => estimate,
      execute: () => Promise.reject(new Error("It is executed elsewhere.")),
    };
    const planned = call.nested ? undefined : table.tasks[state.view.indexOf(task_id)];
    const task = planned ?? ({ task_id, estimate_data: claimed } as PlannerTask);
    return { kind, resource, executor, task, step: { uid: resource.id, input_data: { ...input } } };
  }
}

const refused = (error: TaskError): Asked => noCall({ type: "refused", error });

function noCall(answer: Exclude<CallAnswer, { readonly type: "go" }>): Asked {
  return { answer, close: () => {}, gone: () => {} };
}

/** Waits for a slot that runs share: the slot, nothing where the signal was aborted, or why there never will be one. */
function turnOf(shared: SharedRun, lane: Lane, signal: AbortSignal): Promise<Slot | TaskError | undefined> {
  return new Promise((resolve) => {
    const ended = (turn: Slot | TaskError | undefined) => {
      signal.removeEventListener("abort", onAbort);
      resolve(turn);
    };
    let asked: AskedSlot | undefined;
    const onAbort = () => {
      asked?.leave();
      ended(undefined);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    asked = shared.wait(lane, { go: () => ended(shared.take(lane)), refuse: ended });
  });
}
