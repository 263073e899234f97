import type { ReplanFailure } from "@planloom/controller";
import { type PlanPatch, splitElements } from "@planloom/plan";
import { shownName } from "@planloom/plan/internals";
import { TaskState } from "../core/task-state.ts";
import { withoutTrace } from "../error-trace.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { EndReason } from "../events.ts";
import type { NestedRecord, TaskRecord } from "../journal/journal.ts";
import type { Budget } from "../ports/amounts.ts";
import type { Replan, ReplanRegion, ReplanSettings } from "../ports/replan-policy.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { TaskResult, Usage } from "../run-result.ts";
import { type TaskError, TaskErrorCode } from "../task-error.ts";
import type { ElementEnd, PlanChanges, ReplanningHost } from "../task-execution/plan-changes.ts";
import { toStoredTime } from "../task-execution/task-timing.ts";
import { UsageCounter } from "../task-execution/usage-counter.ts";
import { EarlierMarks } from "./earlier-marks.ts";
import { ElementEnds } from "./element-ends.ts";
import { endsWithin } from "./ends-within.ts";
import { withGates } from "./gated-patch.ts";
import { HeldTasks } from "./held-tasks.ts";
import { withKeptOutputs } from "./kept-within.ts";
import type { LiveRegistry, ResourceChanges } from "./live-registry.ts";
import { notMarkable, onlyWaits } from "./mark-tasks.ts";
import { inOwnTask, inPresentList, markedPlace, markRequest, regionWithin } from "./marked-place.ts";
import { withPlainTasks } from "./plain-patch.ts";
import { type ChangerParts, PlanChanger } from "./plan-changer.ts";
import { cancelled, ReplanCall } from "./replan-call.ts";
import type { ReplanCalls } from "./replan-calls.ts";
import { type Refusal, ReplanLimits } from "./replan-limits.ts";
import { type ReplanRequest, ReplanTriggers } from "./replan-triggers.ts";

export interface ReplanningParts extends ChangerParts {
  readonly runId: string;
  readonly settings: ReplanSettings;
  readonly replan: Replan;
  readonly registry: LiveRegistry;
  readonly concurrency: number;
  readonly budget: Budget | undefined;
  readonly abortGraceMs: number;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  readonly calls: ReplanCalls;
  /** Changes made in earlier sessions. */
  readonly earlier: readonly StoredRevision[];
  /** How elements of lists ended in earlier sessions, by address, without what is tried again. */
  readonly endedWithin: ReadonlyMap<string, TaskRecord>;
  /** The session before did not end by itself, so that failures of it may not have been dealt with. */
  readonly isCutOff: boolean;
  /** Keeps a revision; when it cannot be kept, nothing is changed and the run ends. */
  keep(revision: StoredRevision): Promise<void>;
  /** Addresses of the calls in a list that an earlier session began, and of which it is unknown whether they were carried out. */
  inDoubt(listId: string): readonly string[];
  /** What is kept so far of elements of lists and of what is within them. */
  keptNested(): Promise<readonly NestedRecord[]>;
}

/**
 * Changes the plan of a run during its execution. Tasks that are to be replaced are held, and no others: they do not start, and a
 * failure among them skips nothing yet. One change is asked for at a time; what comes up meanwhile is asked for together
 * afterwards. A change is verified, kept in the journal, announced by an event, and only then put in place.
 */
export class Replanning implements PlanChanges {
  readonly #parts: ReplanningParts;
  readonly #limits: ReplanLimits;
  readonly #triggers: ReplanTriggers;
  readonly #changer: PlanChanger;
  readonly #held: HeldTasks;
  readonly #call: ReplanCall;
  readonly #revisions: StoredRevision[];
  readonly #elementEnds: ElementEnds;
  readonly #earlierMarks: EarlierMarks;
  #host: ReplanningHost | undefined;
  #queue: ReplanRequest[] = [];
  #pumping: Promise<void> | undefined;
  #cancelled = false;

  constructor(parts: ReplanningParts) {
    this.#parts = parts;
    this.#limits = new ReplanLimits(parts.settings, parts.state, parts.calls.askedBefore, parts.earlier);
    this.#triggers = new ReplanTriggers(parts);
    this.#changer = new PlanChanger(parts);
    this.#held = new HeldTasks(parts.state);
    this.#elementEnds = new ElementEnds(parts);
    const { runId, replan, calls, abortGraceMs } = parts;
    this.#call = new ReplanCall({ runId, replan, calls, abortGraceMs, timeoutMs: parts.settings.timeoutMs });
    this.#revisions = [...parts.earlier];
    const { inDoubt, earlier: revisions } = parts;
    this.#earlierMarks = new EarlierMarks(parts, { marks: calls.openMarks, revisions, inDoubt });
  }

  /** Before the run begins: marked tasks are held, and those whose resources changed since an earlier session. */
  begin(host: ReplanningHost): void {
    this.#host = host;
    this.#held.begin(host);
    this.#elementEnds.restore(this.#parts.earlier, this.#parts.endedWithin);
    this.#resourcesChanged(this.#parts.registry.changedBefore);
    this.#request(this.#triggers.marked());
    this.#request(this.#earlierMarks.now());
    if (this.#parts.isCutOff) this.#failedBefore();
    else this.#refusedBefore();
  }

  /** The session before ended by itself: a failure that it asked nothing about was refused a change, and the run ends so when it ends. */
  #refusedBefore(): void {
    const { state, table, calls, earlier } = this.#parts;
    this.#limits.continueFrom(earlier);
    for (const [task, { task_id }] of table.tasks.entries()) {
      const error = table.errors[task];
      if (state.state[task] !== TaskState.FAILED || error === undefined || calls.marked.has(task_id)) continue;
      if (this.#triggers.causeOf(task, error) !== undefined) this.#limits.refuses(task, task_id);
    }
  }

  /** What failed in a process that died before it could ask for a change, and is not tried again, is put to the replanner now. */
  #failedBefore(): void {
    const { state, table, calls } = this.#parts;
    for (const [task, { task_id }] of table.tasks.entries()) {
      const error = table.errors[task];
      if (state.state[task] === TaskState.FAILED && error !== undefined && !calls.marked.has(task_id))
        this.failed(task, error);
    }
  }

  /**
   * A person wants these tasks replaced, also completed ones. What was completed is replaced with all that consumed it.
   * @returns once that is kept
   * @throws RuntimeError TASK_NOT_FOUND; NOT_RUNNING once the run is at its end
   */
  async mark(taskIds: readonly string[], note: string | undefined): Promise<void> {
    const { state, runId } = this.#parts;
    const requests = taskIds.map((id) => {
      const place = markedPlace(this.#parts, id);
      if (place !== undefined) return markRequest(place, id, note);
      const details = { run_id: runId, task_id: id };
      const message = `Run ${runId} has no task "${shownName(id)}" now.`;
      throw new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, { details });
    });
    if (!this.#cancelled && state.phase === "ended") throw onlyWaits(runId);
    if (this.#cancelled || state.phase !== "running") throw notMarkable(runId);
    const kept = this.#parts.calls.mark(taskIds, note);
    this.#request(requests);
    await kept;
  }

  /** A task failed, or its resource is not there. True: it is held, and a change is asked for. */
  failed(task: number, error: TaskError): boolean {
    if (this.endedBefore(task)?.error === error) return false;
    this.#resourcesChanged(this.#parts.registry.refresh());
    const cause = this.#triggers.causeOf(task, error);
    if (cause === undefined || !this.#may(task)) return false;
    const element = this.#onlyLost(task, error);
    this.#request([{ task, cause, message: error.message, required: true, ...(element !== undefined && { element }) }]);
    return true;
  }

  /** As the element that it is made of: the call of that is not made again because no replacement was found. */
  endedBefore(task: number): ElementEnd | undefined {
    return this.#elementEnds.of(task);
  }

  /** Where others of a list were completed, and one failed, that one is replaced and not the list. */
  #onlyLost(task: number, error: TaskError): string | undefined {
    const { element, failed } = (error.details ?? {}) as { element?: unknown; failed?: unknown };
    const counts = this.#parts.table.elements.get(task)?.counts;
    if (error.code !== TaskErrorCode.ELEMENT || typeof element !== "string") return undefined;
    return failed === 1 && counts !== undefined && counts.completed > 0 ? element : undefined;
  }

  /** A task is about to be completed: what follows from that is held before anything that waits for it starts. */
  completing(task: number): void {
    const { settings, registry } = this.#parts;
    if (this.#cancelled) return;
    if (settings.on.has("resource")) this.#resourcesChanged(registry.refresh());
    for (const request of this.#triggers.completed(task)) this.#review(request);
    this.#request(this.#earlierMarks.completed(task));
  }

  /** A task was completed, failed or was skipped by itself, and the core knows. */
  ended(task: number): void {
    this.#triggers.ended(task);
    this.#held.ended();
  }

  /** A task does not run any more, and waits for a person. */
  suspended(): void {
    this.#held.ended();
  }

  /** `replan` is not asked any more; held tasks are released. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    this.#call.stop(reason);
    this.#held.stop();
    if (this.#pumping === undefined) this.#held.releaseAll();
  }

  /** Once nothing of it is under way. */
  async settled(): Promise<void> {
    await this.#pumping;
  }

  /** How the run ended, where that is due to replanning. */
  endReason(reason: EndReason): EndReason {
    return this.#limits.endReason(reason);
  }

  /** What a run used, its replanning included. */
  withUsage(usage: Usage): Usage {
    const both = new UsageCounter();
    both.add(usage);
    both.add(this.#parts.calls.usage);
    return both.total();
  }

  get revisions(): readonly StoredRevision[] {
    return this.#revisions;
  }

  get replaced(): readonly TaskResult[] {
    return this.#changer.replaced;
  }

  /** False when no more changes are allowed, and then it is said why. */
  #may(task: number): boolean {
    const { table, state } = this.#parts;
    if (this.#cancelled || (state.phase !== "running" && state.phase !== "new")) return false;
    const id = table.tasks[task]!.task_id;
    const refusal = this.#limits.refuses(task, id);
    if (refusal !== undefined) this.#refuse([id], refusal);
    return refusal === undefined;
  }

  #resourcesChanged(changes: ResourceChanges): void {
    const requests = this.#triggers.usersOf(changes);
    if (!this.#limits.usedUp) this.#request(requests);
  }

  #review(request: ReplanRequest): void {
    const asked = this.#queue.some(({ cause }) => cause === request.cause);
    if (!asked && !this.#limits.usedUp) this.#request([request]);
  }

  #request(requests: readonly ReplanRequest[]): void {
    if (requests.length === 0 || this.#cancelled) return;
    this.#queue.push(...requests);
    this.#held.hold(this.#concernedBy(requests));
    this.#pumping ??= this.#pump();
  }

  /** What must not start before these requests are dealt with. */
  #concernedBy(requests: readonly ReplanRequest[]): number[] {
    const tasks = requests.flatMap(({ task }) => task ?? []);
    const all = tasks.length < requests.length ? this.#held.notBegun() : [];
    return [...new Set([...all, ...tasks, ...this.#held.consumersOf(tasks)])];
  }

  async #pump(): Promise<void> {
    // Tasks that fail at one time are asked about together.
    await new Promise(setImmediate);
    try {
      while (this.#queue.length > 0 && !this.#cancelled) await this.#round(this.#nextRequests());
    } catch (error) {
      this.#host?.fatal(error);
    }
    this.#pumping = undefined;
    if (this.#cancelled) this.#held.releaseAll();
  }

  /** What is asked about together: tasks and elements, or what is within elements, which is replaced by plans of its own. */
  #nextRequests(): readonly ReplanRequest[] {
    const within = this.#queue.filter((request) => request.within !== undefined);
    const others = this.#queue.filter((request) => request.within === undefined);
    this.#queue = others.length > 0 ? within : [];
    return others.length > 0 ? others : within;
  }

  async #round(asked: readonly ReplanRequest[]): Promise<void> {
    const { state, table, settings, events } = this.#parts;
    await this.#held.caughtUp();
    const requests = await this.#split(asked);
    const replaceable = (task: number) => state.state[task] !== TaskState.REPLACED;
    const marked = new Set(requests.flatMap(({ task, required }) => (task !== undefined && required ? [task] : [])));
    const optional = new Set(requests.flatMap(({ task, required }) => (task === undefined || required ? [] : [task])));
    const isWithin = requests.some(({ within }) => within !== undefined);
    if (!isWithin && (settings.scope === "remaining" || requests.some(({ task }) => task === undefined))) {
      for (const task of this.#held.notBegun()) optional.add(task);
    }
    for (const task of marked) optional.delete(task);
    const consumers = this.#held.consumersOf([...marked]);
    this.#held.hold([...marked, ...optional, ...consumers]);
    await this.#held.quiet([...marked, ...consumers]);
    const region = { marked: [...marked].filter(replaceable), optional: [...optional].filter(replaceable) };
    const ids = (tasks: readonly number[]) => tasks.map((task) => table.tasks[task]!.task_id);
    if (this.#cancelled) return;
    const concerned = region.marked.length + region.optional.length > 0;
    if (concerned && this.#limits.usedUp) {
      // By those that came before in the queue.
      const lost = region.marked.some((task) => state.state[task] === TaskState.FAILED);
      const refusal = lost ? this.#limits.useUp() : this.#limits.refusal;
      if (region.marked.length > 0) this.#refuse(ids(region.marked), refusal);
    } else if (concerned) {
      this.#limits.asked();
      const causes = requests.flatMap(({ task, cause, message }) =>
        (task === undefined ? [""] : ids([task])).map((task_id) => ({ task_id, cause, ...(message && { message }) })),
      );
      const optionalTaskIds = ids(region.optional);
      events.emit({
        type: "patch-request",
        taskIds: ids(region.marked),
        ...(optionalTaskIds.length > 0 && { optionalTaskIds }),
        causes,
        replan: this.#limits.count,
      });
      const within = isWithin && regionWithin(this.#parts, requests, endsWithin(await this.#parts.keptNested()));
      await this.#change(ids(region.marked), optionalTaskIds, causes, within || undefined);
    }
    // What a cancelled session leaves undecided is asked about by the next.
    if (!this.#cancelled && state.phase === "running")
      this.#parts.calls.settleMarks(asked.flatMap(({ mark }) => mark ?? []));
    this.#queue = this.#queue.map((request) => inPresentList(this.#parts, request));
    this.#held.releaseAll(new Set(this.#concernedBy(this.#queue)));
  }

  /** Makes tasks of the elements that requests are about, so that these alone are replaced. */
  async #split(requests: readonly ReplanRequest[]): Promise<readonly ReplanRequest[]> {
    const { state, plan, table } = this.#parts;
    const whole = new Set(requests.flatMap(({ task, element }) => (element === undefined ? (task ?? []) : [])));
    const isSingle = ({ task, element }: ReplanRequest) =>
      element !== undefined && !whole.has(task!) && state.state[task!] !== TaskState.REPLACED;
    const single = requests.filter(isSingle);
    if (single.length === 0 || this.#limits.usedUp) return requests;
    const lists = [...new Set(single.map(({ task }) => task!))];
    const consumers = this.#held.consumersOf(lists);
    this.#held.hold([...lists, ...consumers]);
    await this.#held.quiet([...lists, ...consumers]);
    if (this.#cancelled || state.phase !== "running") return requests;
    const ends = await this.#elementEnds.read(single.map(({ task, element }) => ({ list: task!, element: element! })));
    const region = lists.map((task) => table.tasks[task]!.task_id);
    const split = splitElements(
      plan.snapshot(),
      single.map(({ element }) => element!),
    );
    const causes = single.map(({ task, cause }) => ({ task_id: table.tasks[task!]!.task_id, cause }));
    const patch =
      split.patch &&
      (await withKeptOutputs(
        this.#parts,
        split.patch,
        single.filter(({ element }) => !ends.completed.has(element!)),
        split.tasks,
      ));
    const fault = patch && (await this.#apply(patch, region, causes, true));
    if (split.tasks === undefined || fault !== undefined) {
      const message = fault ?? split.issues?.[0]?.message ?? "";
      this.#refuse(region, { code: "refused", message });
      return requests.filter((request) => !isSingle(request));
    }
    ends.keep(split.tasks);
    return requests.flatMap((request): ReplanRequest[] => {
      if (!single.includes(request)) return [request];
      const id = split.tasks.get(request.element!)!;
      const own = inOwnTask(this.#parts, request, id);
      if (typeof own !== "string") return [own];
      this.#refuse([id], { code: "refused", message: own });
      return [];
    });
  }

  /** Asks for a change and puts it in place, or reports that there is none. */
  async #change(
    marked: readonly string[],
    optional: readonly string[],
    causes: ReplanRegion["causes"],
    within: ReplanRegion["within"],
  ): Promise<void> {
    const { plan, table, state, registry } = this.#parts;
    const failures = new Map<string, ReplanFailure>();
    for (const id of [...marked, ...optional]) {
      const task = state.view.indexOf(id);
      const error = state.state[task] === TaskState.FAILED ? table.errors[task] : undefined;
      const uid = table.prepared[task]?.step.uid ?? table.uids[task];
      const before = this.#elementEnds.failureOf(id);
      if (before !== undefined) failures.set(id, before);
      if (error !== undefined) failures.set(id, { ...withoutTrace(error), ...(uid !== undefined && { uid }) });
    }
    const region = [...marked, ...optional];
    const snapshot = plan.snapshot();
    this.#changer.noteFailures(snapshot, failures.keys());
    const verify = (patch: PlanPatch) => this.#changer.verify(plan.snapshot(), patch, region);
    const given: ReplanRegion = {
      plan: snapshot,
      marked,
      optional,
      failures,
      causes,
      resources: registry.resources,
      verify,
      ...(within !== undefined && { within }),
    };
    await this.#parts.calls.begin(given);
    const answer = await this.#call.ask(given);
    if (this.#cancelled || state.phase !== "running") this.#refuse(marked, cancelled.refusal);
    else if ("refusal" in answer) this.#refuse(marked, answer.refusal);
    else {
      const fault = await this.#apply(answer.patch, region, causes);
      if (fault !== undefined) this.#refuse(marked, { code: "refused", message: fault });
    }
  }

  /**
   * @param isSplit the patch makes tasks of elements, which are about to be replaced: they do not start, and nothing was asked for.
   * @returns what is wrong with the patch; undefined when it was applied
   */
  async #apply(
    proposed: PlanPatch,
    region: readonly string[],
    causes: ReplanRegion["causes"],
    isSplit = false,
  ): Promise<string | undefined> {
    const { plan, state, settings, startedAt } = this.#parts;
    const plain = withPlainTasks(proposed);
    if (typeof plain === "string") return plain;
    const patch = settings.approval === "required" && !isSplit ? withGates(plain) : plain;
    const issues = this.#changer.verify(plan.snapshot(), patch, region);
    const fault = issues.find(({ severity }) => severity === "error");
    if (fault !== undefined) return fault.message;
    const at = toStoredTime(performance.timeOrigin + startedAt, performance.now() - startedAt);
    const stored: StoredRevision = {
      patch,
      causes: causes.map(({ task_id, cause }) => ({ task_id, cause })),
      at,
      ...(isSplit && { interim: true }),
    };
    await this.#parts.keep(stored);
    await this.#held.caughtUp();
    const first = state.view.n;
    const revision = this.#changer.putInPlace(stored, region);
    this.#revisions.push(stored);
    const added = Array.from(revision.halts, (_, index) => first + index);
    if (!isSplit) this.#limits.changed(stored, added);
    this.#host?.feed({ type: "revise", revision: isSplit ? { ...revision, held: added } : revision });
    // The core may rest; until it has read the revision, its tasks have no numbers.
    await this.#held.caughtUp();
    this.#triggers.planChanged();
    return undefined;
  }

  #refuse(taskIds: readonly string[], refusal: Refusal): void {
    this.#parts.events.emit({ type: "patch-refuse", taskIds, ...refusal });
  }
}
