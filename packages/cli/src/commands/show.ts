import type { ApprovalAnswer, WaitingCall } from "planloom";
import { notedIssues, planTitle } from "planloom/plan";
import type { StoredRun, TaskRecord, TaskWait } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsOfJournal } from "../journaled-session.ts";
import { errorText } from "../options/option-places.ts";
import { findPlan } from "../target.ts";
import { count, duration, elementsText, plainLine, type Style, styleFor } from "../terminal/style.ts";
import { isRecord, renderValue } from "../terminal/table.ts";
import { waitText } from "../terminal/wait-text.ts";
import { answerView } from "../views/answer-view.ts";
import { askedView } from "../views/asked-view.ts";
import { errorTraceLines } from "../views/error-trace-view.ts";
import { headline, section } from "../views/heading.ts";
import { fileTitle } from "../views/plan-title.ts";
import { issueList, planPicture } from "../views/plan-view.ts";
import { predictionLine, statusWord, worthShowing } from "../views/results-view.ts";
import { timeline } from "../views/timeline.ts";
import { confidenceWords, proposalLine } from "../views/trust-view.ts";
import { tasksView } from "../views/why-view.ts";
import { type NextStep, nextSteps } from "./next-steps.ts";
import {
  type BegunTask,
  begunCalls,
  callsAsked,
  elementsOf,
  findRun,
  recentRuns,
  signalledWaits,
  taskRecords,
  waitsOf,
  withJournal,
} from "./recorded-runs.ts";
import { type PageOptions, showPage } from "./show-page.ts";
import { answerSteps, forkToAskAgain, signalSteps } from "./steps-after-run.ts";

/** `planloom show`: a saved plan or plan file, or a run with what each task gave. */
export async function show(name: string, options: PageOptions, io: CliIo): Promise<number> {
  const asPage = options.html !== undefined || options.open === true;
  const run = await findRun(name, io);
  if (run !== undefined) {
    const plan = await findSavedPlan(io, name);
    if (plan !== undefined && plan.id !== name && run.run_id !== name) {
      const candidates = [run.run_id, plan.id];
      throw new CliError(CliErrorCode.AMBIGUOUS, `"${name}" fits a run and a plan: ${candidates.join(", ")}.`, {
        details: { candidates },
      });
    }
    return asPage ? showPage(run, options, io) : showRun(run, options.json === true, io);
  }
  const { plan, source, reading } = await findPlan(name, io, "run, no ");
  if (asPage) return showPage(plan, options, io);
  if (options.json === true) {
    writeJson(io, plan);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(fileTitle(plan, source), style) + planPicture(plan, style, source));
  io.stdout.write(proposalLine(plan, style, confidenceWords(plan)) + tasksView(plan, style));
  const notes = [...notedIssues(plan).filter(({ code }) => code !== "proposal"), ...reading.issues];
  if (notes.length > 0) io.stdout.write(`${section("Notes", "", style)}${issueList(notes, style)}`);
  return ExitCode.DONE;
}

async function showRun(run: StoredRun, json: boolean, io: CliIo): Promise<number> {
  const records = await taskRecords(run.run_id, io);
  const waiting = await callsAsked(run.run_id, io);
  const elements = await elementsOf(run, io);
  const asleep = await waitsOf(run.run_id, io);
  const answers = (await withJournal(io, (journal) => journal.getAnswers(run.run_id))) ?? [];
  const begun = (await begunCalls(run.run_id, io)).filter((call) => hasNoEnd(call, records));
  if (json) {
    writeJson(io, {
      ...run,
      tasks: [...records.values()],
      waiting,
      answers,
      begun,
      ...(asleep.size > 0 && { waits: [...asleep.values()].flat() }),
      ...(elements.size > 0 && { elements: Object.fromEntries(elements) }),
    });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(planTitle(run.plan), style));
  const status = await statusOf(run, io);
  io.stdout.write(section("Run", `${run.run_id} · ${status} · started ${run.created_at}`, style));
  const meaning = statusMeanings[status];
  if (meaning !== undefined) io.stdout.write(style.paint("dim", `  ${meaning}\n`));
  io.stdout.write(style.paint("dim", recordedPrediction(run)));
  io.stdout.write(timeline(run.plan, records, style));
  if (run.first_plan !== undefined) {
    const { replanView } = await import("../views/replan-view.ts");
    io.stdout.write(replanView(run.first_plan, run, style));
  }
  io.stdout.write(section("Tasks", "", style));
  // Those that the run has not read yet are shown with their questions.
  const unread = new Set(waiting.flatMap(({ answer }) => (answer === undefined ? [] : [keyOf(answer)])));
  const read = answers.filter((answer) => !unread.has(keyOf(answer)));
  const begunOf = new Map(begun.map((call) => [call.path[0] ?? call.task_id, call]));
  const shown = worthShowing(run.plan.planned_tasks, ({ task_id }) => records.get(task_id)?.status, MAX_TASKS);
  for (const task of shown) {
    const counts = elements.get(task.task_id);
    const list = counts === undefined ? "" : `  ${elementsText(counts)}`;
    const record = records.get(task.task_id);
    // What the plan has as completed has no record: the run does not call it.
    const isGiven = record === undefined && task.status === "completed";
    const ended = isGiven ? "completed" : (record?.status ?? "pending");
    const colour = ended === "completed" ? "green" : ended === "failed" ? "red" : "yellow";
    const attempts = record?.attempts ?? 0;
    const time = attempts === 0 ? "" : `  ${duration(record?.duration_ms ?? 0)}`;
    const tries = attempts > 1 ? ` in ${count(attempts, "attempt")}` : "";
    const name = style.paint("bold", plainLine(task.task_id));
    const call = begunOf.get(task.task_id);
    const word =
      call !== undefined
        ? begunWord(call, status, run)
        : (answered(task.task_id, waiting) ??
          (record === undefined && counts !== undefined
            ? "begun"
            : isGiven
              ? "completed in the plan, not called"
              : statusWord(record === undefined && asleep.has(task.task_id) ? "waiting" : ended)));
    io.stdout.write(`  ${name}  ${style.paint(colour, word)}${style.paint("dim", time + tries + list)}\n`);
    if (record?.error !== undefined) {
      io.stdout.write(`    ${plainLine(errorText(record.error))}\n`);
      for (const line of errorTraceLines(record.error))
        io.stdout.write(style.paint("dim", `      ${plainLine(line)}\n`));
      const doubted = call === undefined && ended === "failed" ? doubtedCall(record) : undefined;
      if (doubted !== undefined) io.stdout.write(`    ${begunWord(doubted, status, run)}\n`);
    }
    io.stdout.write(
      givenAnswers(
        read.filter((answer) => isAbout(answer.task_id, task.task_id)),
        task.task_id,
        style,
      ),
    );
    if (ended === "completed") io.stdout.write(`${renderValue(isGiven ? task.output : record?.output, style, 4)}\n`);
  }
  const rest = run.plan.planned_tasks.length - shown.length;
  if (rest > 0) io.stdout.write(style.paint("dim", `  … and ${rest} more tasks (--json has them all)\n`));
  const open = waiting.filter(({ answer }) => answer === undefined);
  const closed = waiting.filter(({ answer }) => answer !== undefined);
  const heard = status === "running" ? "the run will get it" : "resume continues with it";
  if (asleep.size > 0) io.stdout.write(section("Waiting", "for a time or a signal", style));
  const waits = [...asleep.values()].flat();
  const signalled = await signalledWaits(run.run_id, waits, io);
  for (const wait of waits) {
    const come = signalled.has(wait.id) ? `; its signal has come, ${heard}` : "";
    io.stdout.write(`  ${style.paint("bold", plainLine(wait.id))}  ${plainLine(waitText(wait))}${come}\n`);
  }
  if (open.length > 0) io.stdout.write(section("Waiting", "for approval", style));
  for (const call of open) io.stdout.write(questionView(call, style));
  if (closed.length > 0) io.stdout.write(section("Answered", heard, style));
  for (const call of closed) io.stdout.write(questionView(call, style));
  const notes = notedIssues(run.plan).filter(({ code }) => code !== "proposal");
  if (notes.length > 0) io.stdout.write(`${section("Notes", "", style)}${issueList(notes, style)}`);
  if (status !== "completed")
    io.stdout.write(
      nextSteps(
        await stepsOf(
          run,
          status,
          open,
          records,
          waits.filter(({ id }) => !signalled.has(id)),
          io,
        ),
        style,
        io,
      ),
    );
  return ExitCode.DONE;
}

/** What the subgraphs of the run were predicted to take when it was begun, and what the newest session took. */
function recordedPrediction({ options: { dispatch }, certificate }: StoredRun): string {
  if (dispatch?.predicted === undefined) return "";
  const { predicted, subgraphs, dispatcher } = dispatch;
  const took = certificate === undefined ? "" : `  ${duration(certificate.achieved_ms)} achieved\n`;
  return predictionLine({ ...predicted, dispatches: subgraphs.length, dispatcher }) + took;
}

/** Of statuses whose word does not say what becomes of the run. */
const statusMeanings: Readonly<Record<string, string>> = {
  interrupted: "Its process is gone. It can be resumed.",
  waiting: "It continues when a time or a signal has come: `resume --due`, `scheduler`.",
  drained: "It was drained: running calls ended, and nothing more was started. It can be resumed.",
  shut_down: "Its program shut down while it ran. It can be resumed.",
  cancelled: "It was cancelled by a person. It continues only if it is resumed explicitly.",
};

function questionView(call: WaitingCall, style: Style): string {
  const { id, uid = "", answer } = call;
  const head = `  ${style.paint("bold", plainLine(id))}  ${style.paint("dim", plainLine(uid))}\n`;
  // The input that was asked about is not the one that is executed if a person has edited it.
  const { input: _, ...rest } = call;
  return (
    head +
    askedView(answer?.input === undefined ? call : rest, style) +
    (answer === undefined ? "" : answerView(answer, style))
  );
}

async function stepsOf(
  { run_id, options }: StoredRun,
  status: string,
  open: readonly WaitingCall[],
  records: ReadonlyMap<string, TaskRecord>,
  waits: readonly TaskWait[],
  io: CliIo,
): Promise<NextStep[]> {
  const signals = signalSteps(run_id, [{ waits }]);
  const answers = [...answerSteps(run_id, open), ...signals];
  if (status === "running") return [...answers, { words: ["cancel", run_id] }];
  const given = await wordsOfJournal(options.metadata, io);
  if (status === "denied") return [...forkToAskAgain(run_id, records.values(), given), { words: ["list"] }];
  return [...answers, { words: ["resume", run_id, ...given] }];
}

/** Whether no later record says how the call ended, or that a person is asked about it. */
function hasNoEnd({ path, task_id }: BegunTask, records: ReadonlyMap<string, TaskRecord>): boolean {
  const status = records.get(path[0] ?? task_id)?.status;
  return status !== "completed" && status !== "skipped" && status !== "waiting_approval";
}

/** The call of a task that failed since it was stopped, which may have had its effect. */
function doubtedCall({ task_id, error }: TaskRecord): Pick<BegunTask, "at" | "path" | "task_id"> | undefined {
  const begun = error?.details?.begun;
  return isRecord(begun) && typeof begun.at === "string" ? { at: begun.at, path: [], task_id } : undefined;
}

function begunWord(
  { at, path, task_id }: Pick<BegunTask, "at" | "path" | "task_id">,
  status: string,
  { options }: StoredRun,
): string {
  const inner = path.length === 0 ? "" : ` (${[...path, task_id].map(plainLine).join("/")})`;
  if (status === "running") return `begun at ${plainLine(at)}${inner}, not ended yet`;
  const { on_unknown = "ask" } = options;
  const next = { ask: "resume asks", retry: "resume makes it again", fail: "resume fails its task" }[on_unknown];
  return `begun at ${plainLine(at)}${inner}, outcome unknown; ${next}`;
}

/** Who said what about a task and what is in it; the answers to all but the first calls of a list are counted. */
function givenAnswers(answers: readonly ApprovalAnswer[], taskId: string, style: Style): string {
  const lines = answers.slice(0, MAX_ANSWERS).map((answer) => {
    const within = answer.task_id === taskId ? "" : `    ${plainLine(answer.task_id)}\n`;
    return within + answerView(answer, style);
  });
  const rest = answers.length - lines.length;
  if (rest > 0) lines.push(style.paint("dim", `    … and ${count(rest, "more answer")} (--json has them all)\n`));
  return lines.join("");
}

const keyOf = ({ task_id, content_hash, answered_at }: ApprovalAnswer) =>
  JSON.stringify([task_id, content_hash, answered_at]);

/** Whether a question with this id is about the task or about what is in it. */
const isAbout = (id: string, taskId: string) =>
  id === taskId || id === `${taskId}#begun` || id.startsWith(`${taskId}/`) || id.startsWith(`${taskId}[`);

/** Of a task that waits: that all that it waits for has been answered. */
function answered(taskId: string, waiting: readonly WaitingCall[]): string | undefined {
  const own = waiting.filter(({ id }) => isAbout(id, taskId));
  if (own.length === 0 || own.some(({ answer }) => answer === undefined)) return undefined;
  return "answered, not gone on with yet";
}

/** The status of a run. For one that is recorded as running it says whether its process is still alive. */
async function statusOf({ run_id, status }: StoredRun, io: CliIo): Promise<string> {
  if (status !== "running") return status;
  const recent = await recentRuns(io, 1_000);
  return recent.find((summary) => summary.run_id === run_id)?.status ?? status;
}

/** Answers shown of a task. */
const MAX_ANSWERS = 5;
/** Tasks shown of a run. */
const MAX_TASKS = 60;
