import { planTitle, type TaskData } from "@planloom/plan";
import {
  type Journal,
  questionsOf,
  type RunResult,
  type TaskResult,
  type WaitingCall,
  waitingFor,
  waitSentence,
} from "@planloom/runtime";

/** What `plan_execute` answers of a run: what each step gave, what was not completed and why, what a person is asked, as JSON. */
export function describeRun(plan: TaskData, result: RunResult): Record<string, unknown> {
  const { run_id, end_reason, results, certificate, prediction } = result;
  return describeResults(plan, {
    run_id,
    end_reason,
    results,
    duration_ms: Math.round(certificate.achievedMs),
    predicted_ms: prediction?.predictedMs,
    waiting: questionsOf(result),
  });
}

/**
 * Describes a run that ended or waits from its journal, as `describeRun` does from its result.
 * @throws RuntimeError RUN_NOT_FOUND, JOURNAL_*
 */
export async function describeRecordedRun(runId: string, journal: Journal): Promise<Record<string, unknown>> {
  const { plan, status, certificate, options } = await journal.getRun(runId);
  const records = new Map((await journal.getTasks(runId, { outputs: "small" })).map((each) => [each.task_id, each]));
  return describeResults(plan, {
    run_id: runId,
    end_reason: status,
    results: plan.planned_tasks.map(({ task_id }) => records.get(task_id) ?? { task_id, status: "pending" }),
    ...(certificate !== undefined && { duration_ms: Math.round(certificate.achieved_ms) }),
    predicted_ms: options.dispatch?.predicted?.predicted_ms,
    waiting: (await waitingFor(runId, { journal })).filter(({ wait }) => wait === undefined),
  });
}

type DescribedTask = Pick<TaskResult, "task_id" | "status" | "output" | "output_bytes" | "error" | "wait">;

interface DescribedResults {
  readonly run_id: string;
  readonly end_reason: string;
  readonly results: readonly DescribedTask[];
  readonly duration_ms?: number;
  /** Of dispatched subgraphs. */
  readonly predicted_ms: number | undefined;
  readonly waiting: readonly WaitingCall[];
}

function describeResults(plan: TaskData, described: DescribedResults): Record<string, unknown> {
  const { run_id, end_reason, results, duration_ms, predicted_ms, waiting } = described;
  const failed = results.filter(({ status }) => status !== "completed");
  const success = end_reason === "completed" && failed.length === 0;
  const first =
    failed.find(({ status }) => status === "failed") ??
    failed.find(({ status }) => status === "waiting_approval") ??
    failed.find(({ status }) => status === "waiting") ??
    failed[0];
  const questions = waiting.map(({ id, uid, input }) => ({ id, tool: uid, arguments: input }));
  return {
    success,
    plan_id: plan.task_id,
    run_id,
    title: planTitle(plan),
    end_reason,
    steps_completed: results.length - failed.length,
    steps_total: results.length,
    ...(duration_ms !== undefined && { duration_ms }),
    ...(predicted_ms !== undefined && { predicted_ms: Math.round(predicted_ms) }),
    ...(success ? {} : { error: whyNot(first) }),
    results: outputsByStep(results),
    ...(questions.length === 0 ? {} : { questions }),
    ...(failed.length === 0
      ? {}
      : {
          not_completed: failed.map(({ task_id, status, error }) => ({ step: task_id, status, error: error?.message })),
        }),
  };
}

/** What every completed step gave, by its id: the steps before the last say what the plan did, and a model answers from them too. */
function outputsByStep(results: readonly DescribedTask[]): Record<string, unknown> {
  const completed = results.filter(({ status }) => status === "completed");
  return Object.fromEntries(
    completed.map(({ task_id, output, output_bytes }) => [
      task_id,
      output_bytes === undefined ? output : { kept_in_journal: true, bytes: output_bytes },
    ]),
  );
}

function whyNot(task: DescribedTask | undefined): string {
  if (task?.status === "waiting_approval") {
    return `Step ${task.task_id} waits for a person to approve its call (see questions); the run goes on when it is resumed after that.`;
  }
  if (task?.status === "waiting") {
    const what = task.wait === undefined ? (task.error?.message ?? "") : `It ${waitSentence(task.wait)}.`;
    return `Step ${task.task_id} waits. ${what} The run goes on when it is resumed after that.`;
  }
  return `Step ${task?.task_id} ${task?.status}: ${task?.error?.message ?? "not reached"}`;
}
