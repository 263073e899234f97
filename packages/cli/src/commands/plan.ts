import { resolve } from "node:path";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openPlanning, type SessionOptions } from "../session.ts";
import { findTarget } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { leftOpen } from "./left-open.ts";
import { makePlan } from "./make-plan.ts";
import { nextSteps } from "./next-steps.ts";

export interface PlanOptions extends SessionOptions {
  readonly job?: string;
  readonly instructions?: string;
  readonly out?: string;
  /** Also why each task is as it is. */
  readonly why?: boolean;
  /** Arguments, `TASK.ARGUMENT=VALUE`. */
  readonly set?: readonly string[];
  readonly json?: boolean;
}

/** `planloom plan`: makes a plan, checks it, saves it; with `--json` prints the TaskData. */
export async function plan(words: readonly string[], options: PlanOptions, io: CliIo): Promise<number> {
  const style = styleFor(io.stdout, io.env);
  const target = await findTarget(words, options.job, io);
  await using session = await openPlanning(options, io);
  const { instructions, set } = options;
  const json = options.json === true;
  const { plan: made, questions } = await makePlan(session, target, io, {
    json,
    instructions,
    set,
    why: options.why === true,
  });
  const file = await savePlanAtHome(io, made);
  if (options.out !== undefined) {
    const { savePlan } = await import("planloom/planning");
    await savePlan(made, resolve(io.cwd, options.out), { signal: io.signal });
  }
  if (questions.length > 0) return leftOpen(made, questions, { json, words: sessionFlags(options) }, io);
  if (json) {
    writeJson(io, made);
    return ExitCode.DONE;
  }
  const saved = options.out === undefined ? file : `${file} and ${resolve(io.cwd, options.out)}`;
  io.stdout.write(`\nSaved as ${style.paint("bold", made.task_id)} ${style.paint("dim", `(${saved})`)}\n`);
  io.stdout.write(
    nextSteps(
      [
        ["run", made.task_id, ...sessionFlags(options)],
        ["graph", made.task_id, "--format", "mermaid"],
      ],
      style,
      io,
    ),
  );
  return ExitCode.DONE;
}

function sessionFlags({ mcp = [], config }: SessionOptions): string[] {
  return [...mcp.flatMap((file) => ["--mcp", file]), ...(typeof config === "string" ? ["--config", config] : [])];
}
