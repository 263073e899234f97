import type { PlanIssue, TaskData } from "planloom";
import { withEdit } from "./edited-plan.ts";
import { openInEditor } from "./editor.ts";
import type { CliIo } from "./io.ts";
import type { PlanningSession } from "./session.ts";
import { styleFor } from "./terminal/style.ts";
import { section } from "./views/heading.ts";
import { issueList } from "./views/plan-view.ts";

/** What an edited file says. */
export interface EditReading {
  /** Absent where the file cannot be read as a plan. */
  readonly plan?: TaskData;
  readonly issues: readonly PlanIssue[];
  /** Why it cannot be used. Missing arguments are not errors: a draft may lack them. */
  readonly errors: readonly PlanIssue[];
}

/** The plan with what is in the file, checked. @param session without one, tools and their arguments are not checked */
export async function readEdit(
  file: string,
  before: TaskData,
  session: PlanningSession | undefined,
  io: CliIo,
): Promise<EditReading> {
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
  if (session === undefined) {
    const issues = [...unread, ...validatePlan(plan)];
    return { plan, issues, errors: errorsOf(issues) };
  }
  const found = session.planloom.validate(plan);
  const issues = [...unread.filter(({ severity }) => severity === "warning"), ...found];
  const errors = errorsOf(issues).filter(({ code }) => code !== "missing_argument");
  return { plan: errors.length > 0 ? plan : session.planloom.answer(plan, {}), issues, errors };
}

const errorsOf = (issues: readonly PlanIssue[]) => issues.filter(({ severity }) => severity === "error");

/** Opens the editor with the file until the edit has no errors or the person stops. */
export async function editUntilRight(
  file: string,
  read: () => Promise<EditReading>,
  json: boolean,
  io: CliIo,
): Promise<EditReading> {
  for (;;) {
    await openInEditor(file, io);
    const reading = await read();
    if (reading.errors.length === 0 || !(await wantsBack(reading.errors, json, io))) return reading;
  }
}

/** Shows the errors at the terminal, and asks whether they go back to the editor. */
async function wantsBack(errors: EditReading["errors"], json: boolean, io: CliIo): Promise<boolean> {
  if (json || io.ask === undefined) return false;
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(section("Not saved", "the edit has errors", style) + issueList(errors, style));
  const said = await io.ask("Go back to the editor? [Y/n] ");
  return said !== undefined && !/^no?$/i.test(said.trim());
}

/** The errors as lines of a message. */
export const linesOf = (errors: EditReading["errors"]) =>
  errors
    .slice(0, 20)
    .map(({ code, message }) => `- ${message} [${code}]`)
    .join("\n");
