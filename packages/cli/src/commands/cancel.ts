import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsOfJournal } from "../journaled-session.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { nextSteps } from "./next-steps.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

/** `planloom cancel`: ends a run, also one that another process runs, which notices it within five seconds. */
export async function cancel(prefix: string, options: { drain?: boolean; json?: boolean }, io: CliIo): Promise<number> {
  const { run_id, options: begunWith } = await requireRun(prefix, io);
  const { cancelRun } = await import("planloom/runtime");
  const mode = options.drain === true ? "drain" : "now";
  const cancelled = await withJournal(io, (journal) => cancelRun(run_id, { journal, mode }));
  if (options.json === true) {
    writeJson(io, cancelled);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const state =
    cancelled?.state === "cancelled" || cancelled?.state === "drained"
      ? style.paint("yellow", cancelled.state)
      : `is asked to ${mode === "drain" ? "start nothing more" : "stop"}; the process that runs it hears it within five seconds`;
  io.stdout.write(`${style.paint("bold", plainLine(run_id))}  ${state}\n`);
  io.stdout.write(
    nextSteps(
      [
        ["show", run_id],
        ["resume", run_id, ...(await wordsOfJournal(begunWith.metadata, io))],
      ],
      style,
      io,
    ),
  );
  return ExitCode.DONE;
}
