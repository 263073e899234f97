import type { ReplanFailure } from "@planloom/controller";
import {
  applyPatch,
  IssueCode,
  type PlanIssue,
  type PlanPatch,
  planHashes,
  resourcePin,
  verifyPatch,
} from "@planloom/plan";
import type { Budget } from "../admission/budget.ts";
import type { CoreEvent } from "../core/advance.ts";
import { hasBegun } from "../core/revise.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { EndReason, EventSink, PatchRefusal } from "../events.ts";
import type { TaskGroups } from "../make-limits.ts";
import type { TaskResult } from "../run-result.ts";
import type { ApprovalDesk } from "../shell/approval-desk.ts";
import { Attempt, type AttemptOutcome } from "../shell/attempt.ts";
import { taskResult } from "../shell/build-result.ts";
import { growTaskTable, type TaskTable } from "../shell/task-table.ts";
import { toStoredTime } from "../shell/task-timing.ts";
import { type TaskError, TaskErrorCode, taskErrorFrom } from "../task-error.ts";
import { Forecast } from "./forecast.ts";
import type { LiveRegistry, ResourceChanges } from "./live-registry.ts";
import type { Replan, ReplanRegion, ReplanSettings } from "./replan-policy.ts";
import type { RunningPlan } from "./running-plan.ts";
import type { ReplanCause, StoredRevision } from "./stored-revision.ts";

export interface ReplanningParts {
  readonly settings: ReplanSettings;
  readonly replan: Replan;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly plan: RunningPlan;
  readonly registry: LiveRegistry;
  readonly desk: ApprovalDesk;
  readonly events: EventSink;
  readonly concurrency: number;
  readonly budget: Budget | undefined;
  readonly abortGraceMs: number;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  /** Changes made in earlier sessions. */
  readonly earlier: readonly StoredRevision[];
  /** Limits by kind and resource, and whether a failure halts the run, of new tasks. */
  groups(tasks: TaskTable["tasks"]): TaskGroups;
  halts(task: TaskTable["tasks"][number]): boolean;
  /** Keeps a revision; when it cannot be kept, nothing is changed and the run ends. */
  keep(revision: StoredRevision): Promise<void>;
}

/** What the run does for its replanning. */
export interface ReplanningHost {
  feed(event: CoreEvent): void;
  /** No event waits to be handled. */
  isQuiet(): boolean;
  /** The run cannot go on. */
  fatal(error: unknown): void;
}

interface Request {
  /** Absent: whatever has not begun. */
  readonly task?: number;
  readonly cause: ReplanCause;
  readonly message?: string;
  /** It cannot stay as it is. */
  readonly required: boolean;
}

const outputCodes: ReadonlySet<string> = new Set([
  TaskErrorCode.OUTPUT_INVALID,
  TaskErrorCode.OUTPUT_NOT_JSON,
  TaskErrorCode.OUTPUT_TOO_LARGE,
]);
const gone: ReadonlySet<string> = new Set([TaskErrorCode.RESOURCE_NOT_FOUND, TaskErrorCode.UNAVAILABLE]);

/**
 * Changes the plan of a run while it goes on. What is to be replaced is held, and nothing else: it does not start, and a
 * failure among it skips nobody yet. One change is asked for at a time; what comes up meanwhile is asked for together
 * afterwards. A change is verified, kept in the journal, told, and only then put in place.
 */
export class Replanning {
  readonly #parts: ReplanningParts;
  #host: ReplanningHost | undefined;
  #queue: Request[] = [];
  #pumping: Promise<void> | undefined;
  #attempt: Attempt | undefined;
  #cancelled = false;
  #count: number;
  #stalls = 0;
  /** Numbers of what the last change added. */
  #lastAdded: readonly number[] = [];
  /** Everything that changes have added. */
  readonly #added = new Set<string>();
  /** Contents of tasks that failed: the same again is no repair. */
  readonly #failedContents = new Set<string>();
  readonly #revisions: StoredRevision[];
  readonly #replaced: TaskResult[] = [];
  #exhausted: "round_limit" | "stalled" | undefined;
  #completed = 0;
  #forecast: Forecast | undefined;
  #forecastTold = false;
  /** Told when a task ends, while somebody waits for some to end. */
  #onEnded: (() => void) | undefined;

  constructor(parts: ReplanningParts) {
    this.#parts = parts;
    this.#revisions = [...parts.earlier];
    this.#count = parts.earlier.filter(({ causes }) => causes.some(({ cause }) => cause !== "person")).length;
    for (const { patch } of parts.earlier) for (const { task_id } of patch.tasks) this.#added.add(task_id);
  }

  /** Before the run begins: marked tasks are held, and those whose resources changed since an earlier session. */
  begin(host: ReplanningHost): void {
    this.#host = host;
    const { settings, table, registry } = this.#parts;
    if (settings.on.has("resource")) this.#resourcesChanged(registry.changedBefore);
    if (settings.on.has("marked")) {
      const marked = table.tasks.flatMap(({ mark_replan }, task) => (mark_replan ? [task] : []));
      this.#request(marked.map((task) => ({ task, cause: "marked", required: true })));
    }
    if (settings.on.has("deadline") || settings.on.has("budget")) this.#forecast = this.#makeForecast();
  }

  /** A task failed, or its resource is not there. True: it is held, and a change is asked for. */
  failed(task: number, error: TaskError): boolean {
    const cause = this.#causeOf(task, error);
    if (cause === undefined || !this.#may(task)) return false;
    this.#request([{ task, cause, message: error.message, required: true }]);
    return true;
  }

  /** A task is about to be completed: what follows from that is held before anything that waits for it starts. */
  completing(task: number): void {
    const { settings, registry } = this.#parts;
    if (this.#cancelled) return;
    if (settings.on.has("resource")) this.#resourcesChanged(registry.refresh());
    this.#completed++;
    if (this.#completed % settings.every === 0) this.#review({ cause: "review", required: false });
    this.#forecast?.ended(task);
    this.#look();
  }

  /** A task was completed, failed or was skipped by itself, and the core knows. */
  ended(task: number): void {
    this.#forecast?.ended(task);
    this.#onEnded?.();
  }

  /** A task does not run any more, and waits for a person. */
  suspended(): void {
    this.#onEnded?.();
  }

  /** Nobody is asked any more; what is held is let go. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    this.#attempt?.stop(reason);
    this.#onEnded?.();
    if (this.#pumping === undefined) this.#release(this.#allHeld());
  }

  /** Once nothing of it is under way. */
  async settled(): Promise<void> {
    await this.#pumping;
  }

  /** How the run ended, where that is due to replanning. */
  endReason(reason: EndReason): EndReason {
    return reason === "failed" && this.#exhausted !== undefined ? this.#exhausted : reason;
  }

  get revisions(): readonly StoredRevision[] {
    return this.#revisions;
  }

  get replaced(): readonly TaskResult[] {
    return this.#replaced;
  }

  #causeOf(task: number, { code, details }: TaskError): ReplanCause | undefined {
    const { settings, table, registry } = this.#parts;
    const planned = table.tasks[task]!;
    if (settings.on.has("resource")) this.#resourcesChanged(registry.refresh());
    else registry.refresh();
    if (planned.on_failure === "continue" || planned.on_failure === "halt") return undefined;
    if (gone.has(code) && settings.on.has("resource")) {
      const { kind, uid } = (details ?? {}) as { kind?: unknown; uid?: unknown };
      return registry.neverWasAvailable(String(kind), String(uid)) ? undefined : "resource";
    }
    if (code === TaskErrorCode.UNAVAILABLE) return undefined;
    if (outputCodes.has(code) && settings.on.has("output")) return "output";
    return planned.on_failure === "replan" || settings.on.has("failure") ? "failure" : undefined;
  }

  /** False when no more changes are allowed, and then it is said why. */
  #may(task: number): boolean {
    const { settings, table } = this.#parts;
    if (this.#cancelled) return false;
    const id = table.tasks[task]!.task_id;
    if (!settings.recursive && this.#added.has(id)) {
      this.#refuse([id], "round_limit", "It was put in the place of another already, and `recursive` is off.");
      return false;
    }
    if (!this.#progressed(task) && this.#stalls + 1 >= settings.maxStalls) {
      const message = `${settings.maxStalls} replans in a row came to nothing: none of their tasks was completed.`;
      this.#exhausted = "stalled";
      this.#refuse([id], "stalled", message);
      return false;
    }
    if (this.#count < settings.maxReplans) return true;
    this.#exhausted ??= "round_limit";
    this.#refuseMore([id]);
    return false;
  }

  /** False when what the last change added has failed and none of it was completed. @param failing is about to fail. */
  #progressed(failing?: number): boolean {
    const { state } = this.#parts;
    const ended = this.#lastAdded.filter((task) => isTerminal(state.state[task]!) || task === failing);
    return ended.length === 0 || ended.some((task) => state.state[task] === TaskState.COMPLETED);
  }

  #resourcesChanged({ changed, gone: lost }: ResourceChanges): void {
    if (changed.size === 0) return;
    const { table, state, registry } = this.#parts;
    const requests: Request[] = [];
    for (let task = 0; task < table.tasks.length; task++) {
      if (isTerminal(state.state[task]!) || hasBegun(state, task)) continue;
      const { kind, uid } = resourcePin(table.tasks[task]!);
      if (kind === undefined || uid === undefined) continue;
      const key = `${kind}:${registry.find(kind, uid)?.resource.id ?? uid}`;
      if (!changed.has(key)) continue;
      const what = lost.has(key) ? "has gone" : "takes or gives something else than before";
      requests.push({ task, cause: "resource", message: `${kind} "${uid}" ${what}.`, required: lost.has(key) });
    }
    if (requests.length > 0 && this.#count < this.#parts.settings.maxReplans) this.#request(requests);
  }

  /** Whether the run will keep to its deadline and its budget; said once for each plan. */
  #look(): void {
    const { settings, startedAt } = this.#parts;
    if (this.#forecast === undefined || this.#forecastTold) return;
    const late = settings.on.has("deadline") ? this.#forecast.deadlineMissed(performance.now() - startedAt) : undefined;
    const dear = settings.on.has("budget") ? this.#forecast.budgetMissed() : undefined;
    const message = late ?? dear;
    if (message === undefined) return;
    this.#forecastTold = true;
    this.#review({ cause: late === undefined ? "budget" : "deadline", message, required: false });
  }

  #review(request: Request): void {
    if (this.#count >= this.#parts.settings.maxReplans || this.#queue.some(({ cause }) => cause === request.cause))
      return;
    this.#request([request]);
  }

  #makeForecast(): Forecast {
    const { state, table, settings, concurrency, budget } = this.#parts;
    return new Forecast(state, table, { concurrency, deadlineMs: settings.deadlineMs, budget });
  }

  #request(requests: readonly Request[]): void {
    if (requests.length === 0 || this.#cancelled) return;
    this.#queue.push(...requests);
    this.#hold(requests.flatMap(({ task }) => (task === undefined ? this.#notBegun() : [task])));
    this.#hold(this.#consumersOf(requests.flatMap(({ task }) => task ?? [])));
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Tasks that fail at one time are asked about together.
    await new Promise(setImmediate);
    try {
      while (this.#queue.length > 0 && !this.#cancelled) await this.#round(this.#queue.splice(0));
    } catch (error) {
      this.#host?.fatal(error);
    }
    this.#pumping = undefined;
    if (this.#cancelled) this.#release(this.#allHeld());
  }

  async #round(requests: readonly Request[]): Promise<void> {
    const { state, table, settings, events } = this.#parts;
    await this.#caughtUp();
    const replaceable = (task: number) => state.state[task] !== TaskState.REPLACED;
    const marked = new Set(requests.flatMap(({ task, required }) => (task !== undefined && required ? [task] : [])));
    const optional = new Set(requests.flatMap(({ task, required }) => (task === undefined || required ? [] : [task])));
    if (settings.scope === "remaining" || requests.some(({ task }) => task === undefined)) {
      for (const task of this.#notBegun()) optional.add(task);
    }
    for (const task of marked) optional.delete(task);
    const consumers = this.#consumersOf([...marked]);
    this.#hold([...marked, ...optional, ...consumers]);
    await this.#quiet([...marked, ...consumers]);
    const region = { marked: [...marked].filter(replaceable), optional: [...optional].filter(replaceable) };
    const ids = (tasks: readonly number[]) => tasks.map((task) => table.tasks[task]!.task_id);
    if (this.#cancelled) return;
    const concerned = region.marked.length + region.optional.length > 0;
    if (concerned && this.#count >= settings.maxReplans) {
      // Used up by those that came before in the queue.
      if (region.marked.some((task) => state.state[task] === TaskState.FAILED)) this.#exhausted ??= "round_limit";
      if (region.marked.length > 0) this.#refuseMore(ids(region.marked));
    } else if (concerned) {
      this.#stalls = this.#progressed() ? 0 : this.#stalls + 1;
      this.#count++;
      const causes = requests.flatMap(({ task, cause, message }) =>
        (task === undefined ? [""] : ids([task])).map((task_id) => ({ task_id, cause, ...(message && { message }) })),
      );
      events.emit({ type: "patch-request", taskIds: ids(region.marked), causes, replan: this.#count });
      await this.#change(ids(region.marked), ids(region.optional), causes);
    }
    const waiting = new Set(this.#queue.map(({ task }) => task));
    this.#release(this.#allHeld().filter((task) => !waiting.has(task)));
  }

  /** Asks for a change and puts it in place; says so when there is none. */
  async #change(marked: readonly string[], optional: readonly string[], causes: ReplanRegion["causes"]): Promise<void> {
    const { plan, table, state, registry, replan } = this.#parts;
    const failures = new Map<string, ReplanFailure>();
    for (const id of [...marked, ...optional]) {
      const task = state.view.indexOf(id);
      const error = state.state[task] === TaskState.FAILED ? table.errors[task] : undefined;
      const uid = table.prepared[task]?.step.uid ?? table.uids[task];
      if (error !== undefined) failures.set(id, { ...error, ...(uid !== undefined && { uid }) });
    }
    const region = [...marked, ...optional];
    const snapshot = plan.snapshot();
    this.#noteFailures(snapshot, [...failures.keys()]);
    const verify = (patch: PlanPatch) => this.#verify(plan.snapshot(), patch, region);
    const given: ReplanRegion = {
      plan: snapshot,
      marked,
      optional,
      failures,
      causes,
      resources: registry.resources,
      verify,
    };
    const outcome = await this.#ask((signal) => replan(given, { signal }));
    if (outcome.type === "stopped" || this.#cancelled || state.phase !== "running") {
      this.#refuse(marked, "cancelled", "The run ended before there was an answer.");
    } else if (outcome.type === "timeout") {
      this.#refuse(marked, "failed", `There was no answer within ${this.#parts.settings.timeoutMs} ms.`);
    } else if (outcome.type === "thrown") {
      this.#refuse(marked, "failed", taskErrorFrom(outcome.thrown).message);
    } else if (outcome.value === undefined) {
      this.#refuse(marked, "unchanged", "Nothing was changed.");
    } else await this.#apply(outcome.value as PlanPatch, marked, region, causes);
  }

  async #apply(
    proposed: PlanPatch,
    marked: readonly string[],
    region: readonly string[],
    causes: ReplanRegion["causes"],
  ): Promise<void> {
    const { plan, settings, startedAt } = this.#parts;
    const patch = settings.approval === "required" ? withGates(proposed) : proposed;
    const [fault] = this.#verify(plan.snapshot(), patch, region).filter(({ severity }) => severity === "error");
    if (fault !== undefined) {
      this.#refuse(marked, "refused", fault.message);
      return;
    }
    const at = toStoredTime(performance.timeOrigin + startedAt, performance.now() - startedAt);
    const revision: StoredRevision = { patch, causes: causes.map(({ task_id, cause }) => ({ task_id, cause })), at };
    await this.#parts.keep(revision);
    await this.#caughtUp();
    const before = plan.snapshot();
    this.#putInPlace(revision, before, applyPatch(before, patch, { region, inputs: "any" }));
  }

  #putInPlace(revision: StoredRevision, before: ReturnType<RunningPlan["snapshot"]>, after: typeof before): void {
    const { plan, state, table, desk, registry, events } = this.#parts;
    const { patch } = revision;
    const first = state.view.n;
    const change = plan.revise(before, after);
    for (const task of change.replaced) this.#replaced.push(taskResult(task, state, table, undefined));
    growTaskTable(table, change.added, change.changed);
    for (const task of change.changed.keys()) table.prepared[task] = undefined;
    const asked = desk.revise(plan.prepared.plan, table.tasks, registry);
    const gates = new Uint8Array(change.added.length);
    for (const task of asked) if (task >= first) gates[task - first] = 1;
    this.#revisions.push(revision);
    this.#lastAdded = change.added.map((_, index) => first + index);
    for (const { task_id } of patch.tasks) this.#added.add(task_id);
    events.emit({
      type: "patch-apply",
      revision: patch.patch_id,
      base: patch.base,
      replaced: patch.replacements.map(({ task_id, replaced_by }) => ({ task_id, replaced_by })),
      renewed: patch.renewed,
      added: change.added,
      ...(patch.reason !== undefined && { reason: patch.reason }),
    });
    this.#host?.feed({
      type: "revise",
      revision: {
        view: change.view,
        replaced: change.replaced,
        ...this.#parts.groups(change.added),
        halts: Uint8Array.from(change.added, (task) => (this.#parts.halts(task) ? 1 : 0)),
        gates,
        asksAgain: asked.filter((task) => task < first),
      },
    });
    if (this.#forecast === undefined) return;
    this.#forecast = this.#makeForecast();
    this.#forecastTold = false;
  }

  #verify(plan: ReturnType<RunningPlan["snapshot"]>, patch: PlanPatch, region: readonly string[]): PlanIssue[] {
    const issues = verifyPatch(plan, patch, { region, inputs: "any" });
    if (this.#failedContents.size === 0 || issues.some(({ severity }) => severity === "error")) return issues;
    const hashes = planHashes(applyPatch(plan, patch, { region, inputs: "any" }));
    for (const { task_id } of patch.tasks) {
      if (!this.#failedContents.has(hashes.get(task_id)?.content_hash ?? "")) continue;
      const message = `New task "${task_id}" does again exactly what has failed in this run. Change what caused the failure.`;
      issues.push({ code: IssueCode.TASK_REPEATED, severity: "error", message, task_id });
    }
    return issues;
  }

  #noteFailures(plan: ReturnType<RunningPlan["snapshot"]>, failed: readonly string[]): void {
    if (failed.length === 0) return;
    const hashes = planHashes(plan);
    for (const id of failed) this.#failedContents.add(hashes.get(id)!.content_hash);
  }

  #ask(work: (signal: AbortSignal) => Promise<unknown>): Promise<AttemptOutcome> {
    const { settings, abortGraceMs } = this.#parts;
    return new Promise((resolve) => {
      const attempt = new Attempt({ timeoutMs: settings.timeoutMs, graceMs: abortGraceMs }, (outcome) => {
        this.#attempt = undefined;
        resolve(outcome);
      });
      this.#attempt = attempt;
      attempt.follow((async () => work(attempt.signal))());
    });
  }

  #refuseMore(taskIds: readonly string[]): void {
    const { maxReplans } = this.#parts.settings;
    this.#refuse(taskIds, "round_limit", `The plan was to be changed at most ${maxReplans} times in this run.`);
  }

  #refuse(taskIds: readonly string[], code: PatchRefusal, message: string): void {
    this.#parts.events.emit({ type: "patch-refuse", taskIds, code, message });
  }

  #notBegun(): number[] {
    const { state } = this.#parts;
    const tasks: number[] = [];
    for (let task = 0; task < state.view.n; task++) {
      const now = state.state[task]!;
      const open = now === TaskState.SKIPPED ? state.blame[task] !== task : !isTerminal(now);
      if (open && !hasBegun(state, task)) tasks.push(task);
    }
    return tasks;
  }

  /** All that comes after those of these tasks that are completed, or may be in a moment. */
  #consumersOf(tasks: readonly number[]): number[] {
    const { state } = this.#parts;
    const { view } = state;
    const sources = tasks.filter((task) => state.state[task] === TaskState.COMPLETED || this.#isBusy(task));
    const reached = new Set<number>(sources);
    for (const task of reached) {
      for (let edge = view.outPtr[task]!; edge < view.outPtr[task + 1]!; edge++) reached.add(view.out[edge]!);
    }
    for (const task of sources) reached.delete(task);
    return [...reached];
  }

  #hold(tasks: readonly number[]): void {
    const { state } = this.#parts;
    const free = tasks.filter((task) => state.held[task] === 0);
    if (free.length > 0) this.#host?.feed({ type: "hold", tasks: free });
  }

  #release(tasks: readonly number[]): void {
    if (tasks.length > 0) this.#host?.feed({ type: "release", tasks });
  }

  #allHeld(): number[] {
    const { state } = this.#parts;
    const held: number[] = [];
    if (state.holding === 0) return held;
    for (let task = 0; task < state.view.n; task++) if (state.held[task] === 1) held.push(task);
    return held;
  }

  /** Resolves when none of these tasks is under way; held ones do not begin. */
  async #quiet(tasks: readonly number[]): Promise<void> {
    await this.#caughtUp();
    while (!this.#cancelled && tasks.some((task) => this.#isBusy(task))) {
      await new Promise<void>((resolve) => {
        this.#onEnded = resolve;
      });
      await this.#caughtUp();
    }
    this.#onEnded = undefined;
    this.#hold(tasks);
  }

  /** Until the core knows of all that has happened: it may be given a rest while others have a turn. */
  async #caughtUp(): Promise<void> {
    while (this.#host?.isQuiet() === false) await new Promise(setImmediate);
  }

  /** Under way, waiting for its next attempt included. */
  #isBusy(task: number): boolean {
    const { state } = this.#parts;
    return !isTerminal(state.state[task]!) && hasBegun(state, task);
  }
}

function withGates(patch: PlanPatch): PlanPatch {
  return { ...patch, tasks: patch.tasks.map((task) => ({ ...task, approval: "required" as const })) };
}
