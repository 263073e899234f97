import type { TaskData } from "planloom";
import { notedIssues, type PlanIssue } from "planloom/plan";
import type { StoredRun, TaskRecord, TaskWait } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsOfJournal } from "../journaled-session.ts";
import { findPlan } from "../target.ts";
import { type Style, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { fileTitle } from "../views/plan-title.ts";
import { issueList, planPicture } from "../views/plan-view.ts";
import { recordedRunHead, recordedTasksView, recordedWaitsView } from "../views/recorded-run-view.ts";
import type { RecordedRun } from "../views/recorded-task-view.ts";
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
    await refuseAmbiguous(name, run, io);
    return asPage ? showPage(run, options, io) : showRun(run, options.json === true, io);
  }
  const found = await findPlan(name, io, "run, no ");
  if (asPage) return showPage(found.plan, options, io);
  if (options.json === true) writeJson(io, found.plan);
  else showPlan(found, io);
  return ExitCode.DONE;
}

/** @throws CliError AMBIGUOUS where a plan is meant by the name as well */
async function refuseAmbiguous(name: string, { run_id }: StoredRun, io: CliIo): Promise<void> {
  const plan = await findSavedPlan(io, name);
  if (plan === undefined || plan.id === name || run_id === name) return;
  const candidates = [run_id, plan.id];
  throw new CliError(CliErrorCode.AMBIGUOUS, `"${name}" fits a run and a plan: ${candidates.join(", ")}.`, {
    details: { candidates },
  });
}

function showPlan({ plan, source, reading }: Awaited<ReturnType<typeof findPlan>>, io: CliIo): void {
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(fileTitle(plan, source), style) + planPicture(plan, style, source));
  io.stdout.write(proposalLine(plan, style, confidenceWords(plan)) + tasksView(plan, style));
  io.stdout.write(notesView([...notesOf(plan), ...reading.issues], style));
}

const notesOf = (plan: TaskData): readonly PlanIssue[] => notedIssues(plan).filter(({ code }) => code !== "proposal");

const notesView = (notes: readonly PlanIssue[], style: Style): string =>
  notes.length === 0 ? "" : `${section("Notes", "", style)}${issueList(notes, style)}`;

async function showRun(run: StoredRun, json: boolean, io: CliIo): Promise<number> {
  const facts = await recordedFacts(run, io);
  if (json) {
    writeJson(io, asJson(run, facts));
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const recorded = { ...facts, run, status: await statusOf(run, io) };
  io.stdout.write(recordedRunHead(recorded, style));
  if (run.first_plan !== undefined) {
    const { replanView } = await import("../views/replan-view.ts");
    io.stdout.write(replanView(run.first_plan, run, style));
  }
  io.stdout.write(recordedTasksView(recorded, style));
  const waits = [...recorded.asleep.values()].flat();
  const signalled = await signalledWaits(run.run_id, waits, io);
  io.stdout.write(recordedWaitsView(recorded, signalled, style) + notesView(notesOf(run.plan), style));
  if (recorded.status !== "completed") {
    const unheard = waits.filter(({ id }) => !signalled.has(id));
    io.stdout.write(nextSteps(await stepsOf(recorded, unheard, io), style, io));
  }
  return ExitCode.DONE;
}

type RecordedFacts = Omit<RecordedRun, "run" | "status">;

async function recordedFacts(run: StoredRun, io: CliIo): Promise<RecordedFacts> {
  const records = await taskRecords(run.run_id, io);
  return {
    records,
    waiting: await callsAsked(run.run_id, io),
    elements: await elementsOf(run, io),
    asleep: await waitsOf(run.run_id, io),
    answers: (await withJournal(io, (journal) => journal.getAnswers(run.run_id))) ?? [],
    begun: (await begunCalls(run.run_id, io)).filter((call) => hasNoEnd(call, records)),
  };
}

function asJson(run: StoredRun, { records, waiting, answers, begun, asleep, elements }: RecordedFacts) {
  return {
    ...run,
    tasks: [...records.values()],
    waiting,
    answers,
    begun,
    ...(asleep.size > 0 && { waits: [...asleep.values()].flat() }),
    ...(elements.size > 0 && { elements: Object.fromEntries(elements) }),
  };
}

/** @param waits those whose signal has not come */
async function stepsOf(
  { run: { run_id, options }, status, waiting, records }: RecordedRun,
  waits: readonly TaskWait[],
  io: CliIo,
): Promise<NextStep[]> {
  const open = waiting.filter(({ answer }) => answer === undefined);
  const answers = [...answerSteps(run_id, open), ...signalSteps(run_id, [{ waits }])];
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

/** The status of a run. For one that is recorded as running it says whether its process is still alive. */
async function statusOf({ run_id, status }: StoredRun, io: CliIo): Promise<string> {
  if (status !== "running") return status;
  const recent = await recentRuns(io, 1_000);
  return recent.find((summary) => summary.run_id === run_id)?.status ?? status;
}
