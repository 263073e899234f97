import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlanIssue, TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { findConfig } from "../config-file.ts";
import { editFile } from "../edit-file.ts";
import { type EditReading, editUntilRight, linesOf, readEdit } from "../edit-reading.ts";
import { CliError, CliErrorCode, SharedErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan, planStore, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { knownIds } from "../known-ids.ts";
import { openPlanning, type SessionOptions } from "../session.ts";
import { didYouMean } from "../suggestion.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { section } from "../views/heading.ts";
import { issueList } from "../views/plan-view.ts";
import { questionsView } from "../views/questions-view.ts";
import { seen } from "../views/trust-view.ts";
import { nextSteps } from "./next-steps.ts";

export interface EditOptions extends SessionOptions {
  /** A changed copy to take instead of opening an editor. */
  readonly from?: string;
  readonly json?: boolean;
}

/**
 * `planloom edit`: opens a saved plan or draft in the editor, checks what comes back, shows what changed and saves it. An edit with errors is not
 * saved and not lost: the editor opens again with it, now if the input is a terminal, otherwise with the next `edit`.
 */
export async function edit(name: string, options: EditOptions, io: CliIo): Promise<number> {
  const saved = await findSavedPlan(io, name);
  if (saved === undefined) {
    const meant = await didYouMean(
      name,
      (await knownIds(["plans"], io)).map(({ id }) => id),
    );
    throw new CliError(SharedErrorCode.PLAN_NOT_FOUND, `No saved plan called ${JSON.stringify(name)}.${meant}`, {
      hint: `${commandName(io)} list shows the saved plans; a plan file is changed where it is, and kept with ${commandName(io)} save.`,
      details: { name },
    });
  }
  const before = await (await planStore(io)).load(saved.id, { signal: io.signal });
  const { from, json = false } = options;
  const file = from === undefined ? await editFile(before, json, io) : resolve(io.cwd, from);
  const read = () => readChecked(file, before, options, io);
  const { plan, issues, errors } = from === undefined ? await editUntilRight(file, read, json, io) : await read();
  if (errors.length === 0 && plan !== undefined) {
    await requireUnchanged(before, file, io);
    const code = await keep(before, plan, issues, options, io);
    if (from === undefined) await rm(file, { force: true });
    return code;
  }
  const again = `${commandName(io)} edit ${saved.id}${from === undefined ? "" : ` --from ${from}`}`;
  throw new CliError(SharedErrorCode.INVALID_PLAN, `The edit has errors and was not saved.\n${linesOf(errors)}`, {
    hint: `The edit is kept in ${file}; ${again} continues with it.`,
    details: { issues: errors, file },
  });
}

/** The content of the file, checked with the tools where they are given. */
async function readChecked(file: string, before: TaskData, options: SessionOptions, io: CliIo): Promise<EditReading> {
  const { mcp, config, model, controller } = options;
  const given = [mcp, model, controller, await findConfig(config, io)];
  if (given.every((option) => option === undefined)) return readEdit(file, before, undefined, io);
  await using session = await openPlanning(options, io);
  return readEdit(file, before, session, io);
}

/** @throws CliError USAGE where another process has changed the plan while it was edited */
async function requireUnchanged(before: TaskData, file: string, io: CliIo): Promise<void> {
  const now = await (await planStore(io)).load(before.task_id, { signal: io.signal });
  if (isDeepStrictEqual(now, before)) return;
  throw new CliError(
    CliErrorCode.USAGE,
    "The plan was changed elsewhere while you edited it; your edit was not saved.",
    {
      hint: `Your edit is kept in ${file}. ${commandName(io)} show ${before.task_id} shows the plan as it is now.`,
      details: { name: before.task_id, file },
    },
  );
}

async function keep(
  before: TaskData,
  plan: TaskData,
  issues: readonly PlanIssue[],
  { json = false, ...session }: EditOptions,
  io: CliIo,
): Promise<number> {
  const { diffPlans, renderDiff } = await import("planloom/plan");
  const diff = diffPlans(before, plan);
  const isSame = diff.equal && before.title === plan.title;
  const file = isSame ? undefined : await savePlanAtHome(io, seen(plan));
  if (json) {
    writeJson(io, { plan_id: plan.task_id, changed: !isSame, diff, issues, ...(file !== undefined && { file }) });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  if (isSame) {
    io.stdout.write("Nothing was changed.\n");
    return ExitCode.DONE;
  }
  io.stdout.write(section("Changed", "", style) + renderDiff(diff, { unicode: style.unicode }));
  const warnings = issues.filter(({ severity }) => severity === "warning");
  if (warnings.length > 0) io.stdout.write(section("Notes", "", style) + issueList(warnings, style));
  const questions = plan.metadata?.questions;
  if (Array.isArray(questions) && questions.length > 0) io.stdout.write(questionsView(questions, style));
  io.stdout.write(`\nSaved as ${style.paint("bold", plainLine(plan.task_id))} ${style.paint("dim", `(${file})`)}\n`);
  const given = (session.mcp ?? []).flatMap((name) => ["--mcp", name]);
  const config = typeof session.config === "string" ? ["--config", session.config] : [];
  io.stdout.write(nextSteps([["run", plan.task_id, ...given, ...config]], style, io));
  return ExitCode.DONE;
}
