import type { Planloom, RunEvent, RunResult, TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import type { Session, SessionOptions } from "../session.ts";
import { styleFor } from "../terminal/style.ts";
import { progressFor } from "../views/progress.ts";
import { endLine, resultsView, timeView } from "../views/results-view.ts";
import { nextSteps } from "./next-steps.ts";
import { stepsAfterRun } from "./steps-after-run.ts";

/** Resumes a run in the same session. */
export function resumeHere(
  runId: string,
  plan: TaskData,
  { planloom }: Session,
  io: CliIo,
  hear?: (event: RunEvent) => void,
): Promise<RunResult> {
  return withProgress(plan, io, false, (onEvent) =>
    planloom.resume(runId, {
      signal: io.signal,
      onEvent: (event) => {
        onEvent(event);
        hear?.(event);
      },
    }),
  );
}

type Start = (onEvent: (event: RunEvent) => void) => Promise<RunResult>;

/** Calls `start`, shows the progress of the run in the form that fits the output, and removes what it drew. */
export async function withProgress(plan: TaskData, io: CliIo, json: boolean, start: Start): Promise<RunResult> {
  const progress = json ? undefined : await progressFor(plan, io.stdout, styleFor(io.stdout, io.env));
  try {
    return await start((event) => progress?.onEvent(event));
  } finally {
    progress?.stop();
  }
}

/** Prints results, time and end; returns the exit code. @param options.isKept false where no other command can find the run. @default true */
export async function report(
  result: RunResult,
  options: { json: boolean; before: TaskData; session: SessionOptions; planloom: Planloom; isKept?: boolean },
  io: CliIo,
): Promise<number> {
  const { isKept = true } = options;
  const style = styleFor(io.stdout, io.env);
  const code = exitCodeOf(result, io);
  const { questionsOf } = await import("planloom/runtime");
  const waiting = questionsOf(result);
  const offered =
    code === ExitCode.DONE
      ? [{ words: ["show", result.run_id] }]
      : await stepsAfterRun(result, options.planloom, waiting, options.session, io);
  const steps = isKept ? offered : [];
  if (options.json) {
    const next = steps.map(({ words }) => [commandName(io), ...words]);
    const next_means = steps.map(({ means = null }) => means);
    writeJson(io, waiting.length === 0 ? result : { ...result, questions: waiting, next, next_means });
    return code;
  }
  if (result.replanned) {
    const { replanView } = await import("../views/replan-view.ts");
    io.stdout.write(replanView(options.before, result, style));
  }
  io.stdout.write(resultsView(result, style, waiting, options.planloom.resources));
  io.stdout.write(timeView(result, style));
  io.stdout.write(`\n${endLine(result, style)}\n`);
  const stopped =
    code === ExitCode.INTERRUPTED
      ? "Interrupted. What is completed is kept and not run again."
      : stopLines[result.end_reason];
  if (stopped !== undefined && isKept) io.stdout.write(`${stopped}\n`);
  if (isKept) io.stdout.write(nextSteps(steps, style, io));
  else io.stdout.write("Nothing of this run is kept (--no-checkpoint).\n");
  return code;
}

const stopLines: Readonly<Partial<Record<RunResult["end_reason"], string>>> = {
  drained: "Drained: running calls ended, and nothing more was started. `resume` continues with the rest.",
  shut_down: "Shut down: running calls were stopped. `resume` continues with the rest.",
  waiting:
    "Waiting: no process need run meanwhile. `resume --due` and `scheduler` continue it when its time or a signal has come.",
  cancelled: "Cancelled by another process. What is completed is kept and not run again.",
};

function exitCodeOf(result: RunResult, io: CliIo): number {
  if (io.signal.aborted) return ExitCode.INTERRUPTED;
  switch (result.end_reason) {
    case "completed":
      return ExitCode.DONE;
    case "waiting_approval":
      return ExitCode.WAITING;
    case "waiting":
      return ExitCode.ASLEEP;
    case "drained":
    case "shut_down":
      return ExitCode.STOPPED;
    case "cancelled":
      return ExitCode.CANCELLED;
    default:
      return ExitCode.FAILED;
  }
}
