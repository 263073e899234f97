import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlanIssue, TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { findConfig } from "../config-file.ts";
import { editableParts, withEdit } from "../edited-plan.ts";
import { openInEditor } from "../editor.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan, planloomHome, planStore, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openPlanning, type SessionOptions } from "../session.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { section } from "../views/heading.ts";
import { issueList } from "../views/plan-view.ts";
import { questionsView } from "../views/questions-view.ts";
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
    throw new CliError(CliErrorCode.NOT_FOUND, `No saved plan called ${JSON.stringify(name)}.`, {
      hint: `${commandName(io)} list shows the saved plans; a plan file is changed where it is, and kept with ${commandName(io)} save.`,
      details: { name },
    });
  }
  const { formatPlan } = await import("planloom/plan");
  const { makeFolder } = await import("planloom/planning");
  const before = await (await planStore(io)).load(saved.id, { signal: io.signal });
  const folder = join(planloomHome(io), "edits");
  const kept = join(folder, `${saved.id}.yaml`);
  const file = options.from === undefined ? kept : resolve(io.cwd, options.from);
  const fresh = header(saved.id) + formatPlan(editableParts(before) as unknown as TaskData, { format: "yaml" });
  if (options.from === undefined) {
    await makeFolder(folder);
    const isLeft = await readFile(kept, "utf8").then(
      () => true,
      () => false,
    );
    if (isLeft && options.json !== true) io.stdout.write("An edit of this plan was not saved; it is opened again.\n");
    if (!isLeft) await writeFile(kept, fresh, { mode: 0o600 });
  }
  const again = `${commandName(io)} edit ${saved.id}${options.from === undefined ? "" : ` --from ${options.from}`}`;
  for (;;) {
    if (options.from === undefined) await openInEditor(kept, io);
    const { plan, issues, errors } = await readEdit(file, before, options, io);
    if (errors.length === 0 && plan !== undefined) {
      await requireUnchanged(before, file, io);
      const code = await keep(before, plan, issues, options, io);
      if (options.from === undefined) await rm(kept, { force: true });
      return code;
    }
    if (options.from === undefined && (await wantsBack(errors, options, io))) continue;
    throw new CliError(CliErrorCode.INVALID_PLAN, `The edit has errors and was not saved.\n${linesOf(errors)}`, {
      hint: `The edit is kept in ${file}; ${again} continues with it.`,
      details: { issues: errors, file },
    });
  }
}

/** Shows the errors at the terminal, and asks whether they go back to the editor. */
async function wantsBack(errors: EditReading["errors"], { json }: EditOptions, io: CliIo): Promise<boolean> {
  if (json === true || io.ask === undefined) return false;
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(section("Not saved", "the edit has errors", style) + issueList(errors, style));
  const said = await io.ask("Go back to the editor? [Y/n] ");
  return said !== undefined && !/^no?$/i.test(said.trim());
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

interface EditReading {
  readonly plan?: TaskData;
  readonly issues: readonly PlanIssue[];
  readonly errors: readonly PlanIssue[];
}

/** The content of the file, checked with the tools where they are given. Missing arguments are not errors: a draft may lack them. */
async function readEdit(file: string, before: TaskData, options: SessionOptions, io: CliIo): Promise<EditReading> {
  const { IssueCode, loadPlan, validatePlan } = await import("planloom/planning");
  let unread: readonly PlanIssue[] = [];
  let edited: TaskData;
  try {
    edited = await loadPlan(file, { signal: io.signal, onRead: ({ issues }) => (unread = issues) });
  } catch (error) {
    io.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { issues: [], errors: [{ code: IssueCode.UNREADABLE, severity: "error", message }] };
  }
  const plan = withEdit(before, edited);
  const { mcp, config, model, controller } = options;
  const given = [mcp, model, controller, await findConfig(config, io)];
  if (given.every((option) => option === undefined)) {
    const issues = [...unread, ...validatePlan(plan)];
    return { plan, issues, errors: errorsOf(issues) };
  }
  await using session = await openPlanning(options, io);
  const found = session.planloom.validate(plan);
  const issues = [...unread.filter(({ severity }) => severity === "warning"), ...found];
  const errors = errorsOf(issues).filter(({ code }) => code !== "missing_argument");
  return { plan: errors.length > 0 ? plan : session.planloom.answer(plan, {}), issues, errors };
}

const errorsOf = (issues: readonly PlanIssue[]) => issues.filter(({ severity }) => severity === "error");
const linesOf = (errors: EditReading["errors"]) =>
  errors
    .slice(0, 20)
    .map(({ code, message }) => `- ${message} [${code}]`)
    .join("\n");

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
  const file = isSame ? undefined : await savePlanAtHome(io, plan);
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

const header = (id: string) =>
  `# The plan ${id}. Change its tasks, save and close; what is wrong is shown, and nothing is saved until it is right.
# tool_id is the tool that a task calls, arguments are what it is called with; \${task.field} takes the output of another task.
`;
