import { setTimeout } from "node:timers/promises";
import {
  approve,
  deny,
  type Planloom,
  type PlanStore,
  type RunEvent,
  type RunResult,
  RuntimeError,
  RuntimeErrorCode,
  type TaskData,
  type WaitingCall,
} from "planloom";
import { refusalFor } from "planloom/coded-error";
import { timerMs } from "planloom/plan";
import { describePlan, describeRun } from "planloom/plan-tools";
import { waitingFor } from "planloom/runtime";
import type { PlanServerOptions } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { requireOwnRun } from "./own-run.ts";
import type { McpTask } from "./tasks/protocol.ts";
import { TaskRuns, taskMetadata } from "./tasks/task-runs.ts";

export interface RunCall {
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  /** Whether the caller takes a task for an answer where the run lasts longer than `taskAfterMs`. */
  readonly takesTasks: boolean;
}

/** What the tools do, without the protocol. */
export class PlanCalls {
  readonly planloom: Planloom;
  readonly approveByCall: boolean;
  readonly tasks: TaskRuns;
  readonly #options: PlanServerOptions & { readonly plans: PlanStore };

  constructor(planloom: Planloom, options: PlanServerOptions & { readonly plans: PlanStore }) {
    this.planloom = planloom;
    this.approveByCall = options.approveByCall ?? false;
    this.#options = options;
    this.tasks = new TaskRuns(planloom, options.tenant, (error) => this.refusal(error));
  }

  /** What a caller is given of an error. */
  refusal(error: unknown): { readonly code: string; readonly message: string } {
    return refusalFor(error, this.planloom, this.#options.log);
  }

  async create(goal: string, signal: AbortSignal): Promise<Outcome> {
    const plan = await this.planloom.draft(goal, { signal });
    await this.#options.plans.save(plan, { signal });
    return this.#ofPlan(plan);
  }

  load(planId: string, signal: AbortSignal): Promise<TaskData> {
    return this.#options.plans.load(planId, { signal });
  }

  /** The plan with arguments that a person or a model gave; kept with them. */
  async answer(
    plan: TaskData,
    answers: Readonly<Record<string, unknown>>,
    { asText = false, signal }: { asText?: boolean; signal: AbortSignal },
  ): Promise<TaskData> {
    if (Object.keys(answers).length === 0) return plan;
    const answered = this.planloom.answer(plan, answers, { asText });
    await this.#options.plans.save(answered, { signal });
    return answered;
  }

  async execute(plan: TaskData, variables: Readonly<Record<string, unknown>>, call: RunCall): Promise<Outcome> {
    if (this.planloom.questions(plan).length > 0) return this.#ofPlan(plan);
    const metadata = call.takesTasks ? { metadata: taskMetadata } : {};
    return this.#waitOrLeave(plan, call, (followed) =>
      this.planloom.run(plan, { ...this.#settings(), ...metadata, variables, ...followed }),
    );
  }

  /** Starts a run and does not wait for its end; the run outlives the call. */
  async begin(plan: TaskData, variables: Readonly<Record<string, unknown>>): Promise<Outcome> {
    if (this.planloom.questions(plan).length > 0) return this.#ofPlan(plan);
    const begun = Promise.withResolvers<string>();
    const run = this.planloom.run(plan, {
      ...this.#settings(),
      variables,
      onEvent: ({ runId }) => begun.resolve(runId),
    });
    run.then(({ run_id }) => begun.resolve(run_id), begun.reject);
    const run_id = await begun.promise;
    return {
      data: { success: true, run_id, plan_id: plan.task_id, status: "running", next: "plan_status says how it goes." },
    };
  }

  async status(runId: string): Promise<Outcome> {
    await requireOwnRun(this.planloom, runId, this.#options.tenant);
    const status = await this.planloom.runStatus(runId);
    const data = {
      ...status,
      tasks: status.tasks.map(({ task_id, title, status: now, error }) => ({
        step: task_id,
        title,
        status: now,
        ...(error !== undefined && { error: error.message }),
      })),
    };
    const calls = status.waiting.filter(({ answer }) => answer === undefined);
    return calls.length === 0 ? { data } : { data, approvals: { runId, calls } };
  }

  async waiting(runId: string): Promise<readonly WaitingCall[]> {
    await requireOwnRun(this.planloom, runId, this.#options.tenant);
    return waitingFor(runId, { journal: await this.planloom.journal() });
  }

  /**
   * The call that an answer is meant for. @param which without `callId` the first that waits
   * @throws RuntimeError RUN_NOT_FOUND; NOT_WAITING, NOT_YET_ASKED, TASK_NOT_FOUND where no such call waits; QUESTION_CHANGED for another hash
   */
  async asked(
    runId: string,
    { callId, contentHash }: { readonly callId: string | undefined; readonly contentHash: string | undefined },
  ): Promise<WaitingCall> {
    const waiting = await this.waiting(runId);
    const call = callId === undefined ? waiting[0] : waiting.find(({ id }) => id === callId);
    if (call !== undefined && (contentHash === undefined || contentHash === call.content_hash)) return call;
    if (call === undefined && callId === undefined) {
      const message = `Expected a call of run ${runId} to wait for a person, and none does. plan_status says how the run is.`;
      throw new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, { details: { run_id: runId } });
    }
    if (call !== undefined) {
      const message = `Another question is asked about call "${call.id}" of run ${runId} now than the one that was answered. Look at it with plan_status.`;
      throw new RuntimeError(RuntimeErrorCode.QUESTION_CHANGED, message, {
        details: { run_id: runId, task_id: call.id, expected: contentHash, actual: call.content_hash },
      });
    }
    // No question has this hash, so that nothing is approved here: the refusal says why the call cannot be answered.
    const journal = await this.planloom.journal();
    await approve(runId, callId!, { journal, contentHash: "none" });
    throw new RuntimeError(RuntimeErrorCode.NOT_WAITING, `Call "${callId}" of run ${runId} does not wait.`);
  }

  /** Keeps an answer, and continues the run if nothing executes it. */
  async decide(
    { runId, callId, contentHash }: { runId: string; callId: string; contentHash: string },
    answer: { readonly approve: boolean; readonly note?: string | undefined; readonly by: string },
    call: RunCall,
  ): Promise<Outcome> {
    await requireOwnRun(this.planloom, runId, this.#options.tenant);
    const journal = await this.planloom.journal();
    const options = { journal, contentHash, by: answer.by, ...(answer.note && { note: answer.note }) };
    await (answer.approve ? approve(runId, callId, options) : deny(runId, callId, options));
    const { status } = await this.planloom.runStatus(runId);
    if (status === "running") return this.status(runId);
    const { plan } = await journal.getRun(runId);
    return this.#waitOrLeave(plan, call, (followed) => this.planloom.resume(runId, followed));
  }

  /**
   * Waits for the end of a run; a client that takes tasks waits no longer than `taskAfterMs`, and is then given a task. Until then the run ends
   * with the call, and afterwards it belongs to the task.
   */
  async #waitOrLeave(
    plan: TaskData,
    { signal, onEvent, takesTasks }: RunCall,
    start: (followed: { readonly signal: AbortSignal; onEvent(event: RunEvent): void }) => Promise<RunResult>,
  ): Promise<Outcome> {
    if (!takesTasks) return this.#ofRun(plan, await start({ signal, onEvent }));
    const stop = new AbortController();
    const withCall = () => stop.abort(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener("abort", withCall, { once: true });
    const begun = Promise.withResolvers<string>();
    let isLeft = false;
    const running = start({
      signal: stop.signal,
      onEvent(event) {
        begun.resolve(event.runId);
        if (!isLeft) onEvent(event);
      },
    });
    const after = new AbortController();
    try {
      const { taskAfterMs = 2_000 } = this.#options;
      const late = begun.promise.then(async (runId) => {
        if (taskAfterMs > 0) await setTimeout(timerMs(taskAfterMs), undefined, { signal: after.signal });
        return runId;
      });
      late.catch(() => {});
      const first = await Promise.race([running, late]);
      if (typeof first !== "string") return await this.#ofRun(plan, first);
      isLeft = true;
      this.tasks.keep(first, stop, running);
      const task = await this.tasks.get(first, { canAsk: false });
      // A run that was resumed may have been begun by a caller that knows no tasks: it is waited for.
      return task === undefined ? await this.#ofRun(plan, await running) : { data: taskData(plan, task), plan, task };
    } finally {
      after.abort();
      signal.removeEventListener("abort", withCall);
    }
  }

  #settings() {
    const { confirm = this.planloom.confirm ?? "writes", tenant } = this.#options;
    return { confirm, ...(tenant !== undefined && { tenant }) };
  }

  #ofPlan(plan: TaskData): Outcome {
    const questions = this.planloom.questions(plan);
    return { data: describePlan(plan), plan, ...(questions.length > 0 && { questions }) };
  }

  async #ofRun(plan: TaskData, result: RunResult): Promise<Outcome> {
    const data = describeRun(plan, result);
    if (result.end_reason !== "waiting_approval") return { data, plan };
    return { data, plan, approvals: { runId: result.run_id, calls: await this.waiting(result.run_id) } };
  }
}

/** What a reader of the result sees who does not know tasks. */
const taskData = (plan: TaskData, { taskId }: McpTask): Record<string, unknown> => ({
  success: true,
  run_id: taskId,
  plan_id: plan.task_id,
  status: "running",
  next: "The task with the id of the run says how it goes, and so does plan_status.",
});
