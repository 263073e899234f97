import { resolve } from "node:path";
import type { TaskData } from "planloom";
import { withAsking } from "../asking.ts";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openPlanning, type SessionOptions } from "../session.ts";
import { findTarget } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { isProposal, unseen } from "../views/trust-view.ts";
import { choiceOf } from "../views/why-view.ts";
import { leftOpen } from "./left-open.ts";
import { makePlan } from "./make-plan.ts";
import { type NextStep, nextSteps } from "./next-steps.ts";
import { saidSchedule, scheduleWords } from "./said-schedule.ts";

export interface PlanOptions extends SessionOptions {
  readonly job?: string;
  readonly instructions?: string;
  /** Plans to make and compare. */
  readonly candidates?: number;
  readonly out?: string;
  /** Also why each task is as it is. */
  readonly why?: boolean;
  /** Arguments, `TASK.ARGUMENT=VALUE`. */
  readonly set?: readonly string[];
  /** Other tools for tasks, `TASK=TOOL`. */
  readonly tool?: readonly string[];
  /** `--ask` and `--no-ask`; see `withAsking`. */
  readonly ask?: boolean;
  readonly json?: boolean;
}

/** `planloom plan`: makes a plan, checks it, saves it; with `--json` prints the TaskData. */
export async function plan(words: readonly string[], options: PlanOptions, given: CliIo): Promise<number> {
  const io = withAsking(options, given);
  const style = styleFor(io.stdout, io.env);
  const target = await findTarget(words, options.job, io);
  await using session = await openPlanning(options, io);
  const { instructions, candidates, set, tool } = options;
  const json = options.json === true;
  const { plan: made, questions } = await makePlan(session, target, io, {
    json,
    instructions,
    candidates,
    set,
    tool,
    why: options.why === true,
  });
  const isSeen = target.kind !== "goal" || (!json && io.stdout.isTTY === true);
  const file = await savePlanAtHome(io, isSeen ? made : unseen(made));
  if (options.out !== undefined) {
    const { savePlan } = await import("planloom/planning");
    await savePlan(made, resolve(io.cwd, options.out), { signal: io.signal });
  }
  if (questions.length > 0) return leftOpen(made, questions, { json, words: sessionFlags(options) }, io);
  if (json) {
    writeJson(io, made);
    return ExitCode.DONE;
  }
  const said = saidSchedule(made);
  const saved = options.out === undefined ? file : `${file} and ${resolve(io.cwd, options.out)}`;
  io.stdout.write(`\nSaved as ${style.paint("bold", made.task_id)} ${style.paint("dim", `(${saved})`)}\n`);
  io.stdout.write(
    nextSteps(
      [
        ...(said === undefined ? [] : [{ words: scheduleWords(made, said, sessionFlags(options)), means: said.text }]),
        ["run", made.task_id, ...sessionFlags(options)],
        ...(isProposal(made) ? otherWays(made, sessionFlags(options)) : []),
        ["graph", made.task_id, "--format", "mermaid"],
      ],
      style,
      io,
    ),
  );
  return ExitCode.DONE;
}

/** How a proposal is changed before it is run. */
function otherWays(plan: TaskData, flags: readonly string[]): NextStep[] {
  const other = plan.planned_tasks.flatMap(({ task_id }) => {
    const [next] = choiceOf(plan, task_id).alternatives;
    return next === undefined ? [] : [`${task_id}=${next.tool}`];
  });
  return [
    { words: ["edit", plan.task_id, ...flags], means: "change it in an editor first" },
    ...other.slice(0, 1).map((pair) => ({
      words: ["run", plan.task_id, "--tool", pair, ...flags],
      means: "with another tool for a task",
    })),
  ];
}

function sessionFlags({ mcp = [], config }: SessionOptions): string[] {
  return [...mcp.flatMap((file) => ["--mcp", file]), ...(typeof config === "string" ? ["--config", config] : [])];
}
