import { planTitle } from "planloom/plan";
import type { ReplayResult, VerifyReport } from "planloom/runtime";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { findPlan } from "../target.ts";
import { count, duration, plainLine, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

export interface ReplayCommandOptions {
  readonly plan?: string;
  readonly json?: boolean;
}

/**
 * `planloom replay`: executes a run again from its journal, with no tool and no model, and checks its certificate. Exit 1 where
 * something came out differently.
 */
export async function replay(prefix: string, options: ReplayCommandOptions, io: CliIo): Promise<number> {
  const run = await requireRun(prefix, io);
  const other = options.plan === undefined ? undefined : (await findPlan(options.plan, io)).plan;
  const library = await import("planloom/runtime");
  const checked = await withJournal(io, async (journal) => ({
    replay: await library.replay(run.run_id, { journal, plan: other, signal: io.signal }),
    // Of another plan the journal says nothing.
    ...(other === undefined ? { verification: await library.verifyRun(journal, run.run_id) } : {}),
  }));
  if (checked === undefined) return ExitCode.FAILED;
  const { replay: replayed, verification } = checked;
  const same = replayed.divergence === undefined && verification?.ok !== false;
  if (options.json === true) {
    writeJson(io, { run_id: run.run_id, same, ...checked });
    return same ? ExitCode.DONE : ExitCode.FAILED;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(planTitle(run.plan), style));
  io.stdout.write(section("Replay", "from the journal alone: no tool, no model", style));
  const lines = [...replayLines(replayed), ...(verification === undefined ? [] : verificationLines(verification))];
  const marks = {
    same: style.paint("green", style.glyph("✓", "+")),
    differs: style.paint("red", style.glyph("✗", "x")),
    open: style.paint("dim", style.glyph("·", ".")),
  };
  for (const { mark, text } of lines) io.stdout.write(`  ${marks[mark]} ${plainLine(text)}\n`);
  return same ? ExitCode.DONE : ExitCode.FAILED;
}

interface Line {
  readonly mark: "same" | "differs" | "open";
  readonly text: string;
}

/** Characters of a value that differs; --json has it whole. */
const MAX_VALUE = 200;

function replayLines({ replayed, unfinished, divergence }: ReplayResult): Line[] {
  const lines: Line[] = [{ mark: "same", text: `${count(replayed, "outcome")} fed back` }];
  if (divergence !== undefined) {
    const { task_id, what, path, expected, actual } = divergence;
    const place = path === "" ? "" : ` at ${path}`;
    lines.push(
      { mark: "differs", text: `${task_id}: ${what} differs${place}` },
      { mark: "open", text: `then ${shortly(expected)}` },
      { mark: "open", text: `now ${shortly(actual)}` },
    );
  } else lines.push({ mark: "same", text: "every input and decision is as recorded" });
  if (unfinished.length > 0) {
    const more = unfinished.length > 8 ? ` and ${unfinished.length - 8} more` : "";
    lines.push({ mark: "open", text: `no outcome in the journal: ${unfinished.slice(0, 8).join(", ")}${more}` });
  }
  return lines;
}

function shortly(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function verificationLines({ ok, problems, checked, recomputed }: VerifyReport): Line[] {
  if (!ok) return problems.slice(0, 10).map(({ message }) => ({ mark: "differs", text: message }));
  if (recomputed === undefined) return [];
  const { lowerBoundMs, achievedMs, ratio } = recomputed;
  const times = `${duration(achievedMs)} achieved, bound ${duration(lowerBoundMs)} (×${ratio.toFixed(2)})`;
  return [{ mark: "same", text: `certificate holds for ${count(checked, "task")}: ${times}` }];
}
