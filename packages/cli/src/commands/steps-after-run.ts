import type { Planloom, RunResult, TaskData, WaitingCall } from "planloom";
import type { WaitView } from "planloom/runtime";
import type { CliIo } from "../io.ts";
import { wordsToGiveAgain } from "../journaled-session.ts";
import type { SessionOptions } from "../session.ts";
import type { NextStep } from "./next-steps.ts";

/** A placeholder for the result, which only the user knows. It is not valid JSON, so that it is refused where it is not replaced. */
const outputPlaceholder = "JSON";

/** With what was given before, a run whose budget is spent ends as it did. */
const largerBudget = "With a larger --budget, or a larger one in the configuration: else it ends in the same way.";

/**
 * Commands that answer the first of the calls that wait. For a call that was begun and whose outcome is unknown there
 * are three, and the one that makes the call a second time comes last.
 */
export function answerSteps(runId: string, waiting: readonly Pick<WaitingCall, "id" | "begun_at">[]): NextStep[] {
  return waiting.slice(0, 3).flatMap(({ id, begun_at }): NextStep[] => {
    if (begun_at === undefined) return [{ words: ["approve", runId, id] }];
    return [
      {
        words: ["approve", runId, id, "--output", outputPlaceholder],
        means: `The call of ${id} was carried out: its result is this JSON, and it is not made again.`,
      },
      { words: ["deny", runId, id], means: `Leave it out: the call is not made again, and its task is skipped.` },
      { words: ["approve", runId, id], means: `The call was not carried out, or may be made twice: make it again.` },
    ];
  });
}

/** The commands that continue a run that ended without being completed, best first. */
export async function stepsAfterRun(
  result: Pick<RunResult, "run_id" | "end_reason" | "results" | "plan">,
  planloom: Planloom,
  waiting: readonly WaitingCall[],
  session: SessionOptions,
  io: CliIo,
): Promise<NextStep[]> {
  const { run_id, end_reason, results } = result;
  const show: NextStep = { words: ["show", run_id] };
  const given = await wordsToGiveAgain(session, io);
  if (end_reason === "waiting") {
    // What must be given again belongs to this run: `--due` would give it to every other run, too.
    const wake = given.length > 0 ? ["resume", run_id, ...given] : ["resume", "--due"];
    return [...signalSteps(run_id, results), { words: wake }, show];
  }
  if (end_reason === "denied") return [...forkToAskAgain(run_id, results, given), show];
  const resume = ["resume", run_id, ...given];
  return [
    ...answerSteps(run_id, waiting),
    end_reason === "budget" ? { words: resume, means: largerBudget } : { words: resume },
    ...(waiting.length > 1 && letsThrough(result.plan, waiting, planloom) ? [{ words: [...resume, "--yes"] }] : []),
    show,
  ];
}

/**
 * Whether `--yes` would make at least one of the calls: it answers for those that change something, and neither for destructive ones, for
 * gates, nor for calls of unknown outcome.
 */
function letsThrough(plan: TaskData, waiting: readonly WaitingCall[], planloom: Planloom): boolean {
  const { steps } = planloom.dryRun(plan, { confirm: "destructive" });
  const held = new Set(steps.filter(({ needs_approval }) => needs_approval).map(({ task_id }) => task_id));
  const destructive = new Set(
    planloom.resources.filter((each) => each.destructive === true).map(({ kind, id }) => `${kind}:${id}`),
  );
  return waiting.some(
    ({ id, kind, uid, begun_at }) =>
      begun_at === undefined && !held.has(id.split("/")[0]!) && !destructive.has(`${kind}:${uid}`),
  );
}

/** Commands that send the first of the signals that are waited for. */
export function signalSteps(
  runId: string,
  tasks: Iterable<{ readonly wait?: WaitView; readonly waits?: readonly WaitView[] }>,
): NextStep[] {
  const steps: NextStep[] = [];
  for (const { wait, waits = wait === undefined ? [] : [wait] } of tasks) {
    for (const { event, key } of waits) {
      if (event === undefined || steps.length >= 3) continue;
      const words = ["signal", runId, event, ...(key === undefined ? [] : ["--key", key]), "--data", outputPlaceholder];
      steps.push({ words });
    }
  }
  return steps;
}

/** The command that forks the run from the first denied task. A no is final in its run; a fork asks again. */
export function forkToAskAgain(
  runId: string,
  tasks: Iterable<Pick<RunResult["results"][number], "task_id" | "error">>,
  given: readonly string[],
): NextStep[] {
  for (const { task_id, error } of tasks) {
    // A fork would make a begun call a second time without a question.
    if (error?.code !== "TASK_DENIED" || error.details?.begun !== undefined) continue;
    return [
      {
        words: ["fork", runId, task_id, ...given],
        means: "The no is final in this run. A fork is a new run that asks again and keeps what was done.",
      },
    ];
  }
  return [];
}
