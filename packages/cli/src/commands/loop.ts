import type { Planloom } from "planloom";
import type { LoopEvent, PlanExecuteResult, ReplanWhen } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsToGiveAgain } from "../journaled-session.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { type TurnOptions, turnGiven } from "../options/turn.ts";
import { openSession, portableOptions, type Session, type SessionOptions } from "../session.ts";
import { count, duration, plainLine, type Style, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { nextSteps } from "./next-steps.ts";
import { answerSteps } from "./steps-after-run.ts";

export interface LoopCommandOptions extends SessionOptions, ConfirmOptions, TurnOptions {
  readonly maxRounds?: number;
  readonly replan?: ReplanWhen;
  readonly json?: boolean;
}

/** `planloom loop`: a model plans, executes with the tools and replans until it has an answer. */
export async function loop(words: readonly string[], options: LoopCommandOptions, io: CliIo): Promise<number> {
  const goal = words.join(" ").trim();
  if (goal === "") throw new CliError(CliErrorCode.USAGE, "Expected an objective in words.");
  await using session = await openSession(options, io, { journal: true });
  requireModel(session);
  const style = styleFor(io.stdout, io.env);
  if (options.json !== true) io.stdout.write(headline(plainLine(goal), style));
  const { maxRounds, replan: replanWhen } = options;
  return await follow(options, io, (onEvent) =>
    session.planloom.planExecute(goal, {
      ...(maxRounds !== undefined && { maxRounds }),
      ...(replanWhen !== undefined && { replanWhen }),
      ...confirming(options),
      ...turnGiven(options),
      signal: io.signal,
      onEvent,
      metadata: { cli: portableOptions(options, io), loop: { ...(replanWhen !== undefined && { replanWhen }) } },
    }),
  );
}

/** `planloom resume` of a loop: continues it under the same run id. */
export async function resumeLoop(
  session: Session,
  runId: string,
  stored: unknown,
  options: LoopCommandOptions & { readonly retryFailed?: boolean },
  io: CliIo,
): Promise<number> {
  requireModel(session);
  const replanWhen = options.replan ?? readReplanWhen(stored);
  return follow(options, io, (onEvent) =>
    session.planloom.resumePlanExecute(runId, {
      ...(options.maxRounds !== undefined && { maxRounds: options.maxRounds }),
      ...(options.retryFailed !== undefined && { retryFailed: options.retryFailed }),
      ...(replanWhen !== undefined && { replanWhen }),
      ...confirming(options),
      ...(options.allow !== undefined && { approval: { allow: options.allow } }),
      ...turnGiven(options),
      signal: io.signal,
      onEvent,
    } satisfies Parameters<Planloom["resumePlanExecute"]>[1]),
  );
}

/** What `loop` stored, read as data from outside. */
function readReplanWhen(stored: unknown): ReplanWhen | undefined {
  const given = (stored as { loop?: { replanWhen?: unknown } } | undefined)?.loop?.replanWhen;
  if (given === "always" || given === "failure") return given;
  const every = (given as { every?: unknown } | undefined)?.every;
  return typeof every === "number" && Number.isInteger(every) && every >= 1 ? { every } : undefined;
}

function confirming(options: ConfirmOptions) {
  const confirm = confirmGiven(options);
  return confirm === undefined ? {} : { confirm };
}

function requireModel(session: Session): void {
  if (session.hasModel) return;
  throw new CliError(CliErrorCode.USAGE, "A loop of planning and executing needs a model.", {
    hint: "Set OPENAI_API_KEY and PLANLOOM_MODEL (OPENAI_BASE_URL for another endpoint), or give --model NAME. Without a model: `planloom run GOAL`.",
  });
}

async function follow(
  options: LoopCommandOptions,
  io: CliIo,
  start: (onEvent: (event: LoopEvent) => void) => Promise<PlanExecuteResult>,
): Promise<number> {
  const style = styleFor(io.stdout, io.env);
  const began = Date.now();
  const result = await start((event) => {
    const text = options.json === true ? "" : eventText(event, style);
    if (text !== "") io.stdout.write(text);
  });
  const code = exitCodeOf(result, io);
  if (options.json === true) {
    writeJson(io, result);
    return code;
  }
  io.stdout.write(endText(result, Date.now() - began, style));
  const resume = ["resume", result.run_id, ...(await wordsToGiveAgain(options, io))];
  const steps =
    code === ExitCode.DONE ? [["show", result.run_id]] : [...answerSteps(result.run_id, result.waiting), resume];
  io.stdout.write(nextSteps(steps, style, io));
  return code;
}

function eventText(event: LoopEvent, style: Style): string {
  switch (event.type) {
    case "loop-plan": {
      const title = event.agent === "planner" ? "Plan" : "Replanned";
      const lines = event.plan.steps.map((step, index) => {
        const needs = event.plan.depends_on?.[index] ?? [];
        const after = needs.length === 0 ? "" : style.paint("dim", `  after ${needs.join(", ")}`);
        return `  ${index + 1}. ${plainLine(step)}${after}\n`;
      });
      return `${section(title, "", style)}${lines.join("")}`;
    }
    case "loop-round":
      return section(`Round ${event.round + 1}`, "", style);
    case "loop-step": {
      const { step, result, failed } = event.executed;
      const mark = failed ? style.paint("red", "failed") : style.paint("green", "done");
      const known = event.recorded ? style.paint("dim", " (recorded)") : "";
      return `  ${mark}${known} ${plainLine(step)}\n${indented(result)}`;
    }
    case "loop-repeat":
      return `  ${style.paint("yellow", "left out")} ${event.steps.map(plainLine).join("; ")} (executed already)\n`;
    case "loop-feedback":
      return `  ${style.paint("yellow", "sent back")} to the ${event.agent}: ${plainLine(event.issue)}\n`;
    default:
      return "";
  }
}

const shownLines = 6;

function indented(text: string): string {
  const lines = text.trim().split("\n");
  const more = lines.length > shownLines ? [`… ${lines.length - shownLines} more lines`] : [];
  return [...lines.slice(0, shownLines), ...more].map((line) => `      ${plainLine(line)}\n`).join("");
}

function endText(result: PlanExecuteResult, ms: number, style: Style): string {
  const { end_reason, response, rounds, session, usage, error } = result;
  const tokens = usage.input_tokens + usage.output_tokens;
  const amounts = [count(rounds, "round"), count(session.ExecutedSteps.length, "step"), count(tokens, "token")];
  const spent = [...amounts, duration(ms)].join(", ");
  if (response !== undefined) {
    const text = typeof response === "string" ? response : JSON.stringify(response, null, 2);
    return `${section("Answer", spent, style)}${text.trim().split("\n").map(plainLine).join("\n")}\n`;
  }
  const why = reasons[end_reason] ?? plainLine(error?.message ?? end_reason);
  const calls = result.waiting.map(({ uid = "", input = {} }) => {
    return `  ${style.paint("yellow", "waits")} ${plainLine(uid)} ${style.paint("dim", plainLine(JSON.stringify(input)))}\n`;
  });
  return `${section("No answer", spent, style)}${why}\n${calls.join("")}`;
}

const reasons: Readonly<Partial<Record<PlanExecuteResult["end_reason"], string>>> = {
  round_limit: "The rounds are used up. Resume with --max-rounds to continue.",
  stalled: "Only steps that were executed already were planned.",
  waiting_approval: "Calls wait for a person:",
  cancelled: "Cancelled. What was done is kept and not done again.",
  drained: "Drained: running calls ended, and nothing more was started. `resume` continues with the rest.",
  shut_down: "Shut down: running calls were stopped. `resume` continues with the rest.",
  exited: "Ended by an exit.",
};

function exitCodeOf({ end_reason }: PlanExecuteResult, io: CliIo): number {
  if (io.signal.aborted) return ExitCode.INTERRUPTED;
  if (end_reason === "responded" || end_reason === "completed" || end_reason === "exited") return ExitCode.DONE;
  if (end_reason === "drained" || end_reason === "shut_down") return ExitCode.STOPPED;
  if (end_reason === "cancelled") return ExitCode.CANCELLED;
  return end_reason === "waiting_approval" ? ExitCode.WAITING : ExitCode.FAILED;
}
