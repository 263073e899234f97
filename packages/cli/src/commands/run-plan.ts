import type { Confirm, TaskData } from "planloom";
import type { GroupedPlan } from "planloom/dispatch";
import { askWhileWaiting, isYes, ShownCalls, stepsToConfirm } from "../confirmation.ts";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import type { CliIo } from "../io.ts";
import { wordsToBeginAgain } from "../journaled-session.ts";
import { budgetGiven } from "../options/budget.ts";
import { confirmGiven } from "../options/confirm.ts";
import { turnGiven } from "../options/turn.ts";
import { standardInput } from "../read-text.ts";
import { portableOptions } from "../session.ts";
import { confirmView } from "../views/confirm-view.ts";
import { section } from "../views/heading.ts";
import { scheduleView, subgraphView } from "../views/plan-view.ts";
import { isProposal, unseen, wasUnseen } from "../views/trust-view.ts";
import { dryRun } from "./dry-run.ts";
import { followOnPage } from "./follow-on-page.ts";
import { nextSteps } from "./next-steps.ts";
import { type RunJob, wordsOfRun } from "./run-job.ts";
import { report, resumeHere, withProgress } from "./run-report.ts";
import { refuseOnce, saidSchedule } from "./said-schedule.ts";

/** A plan without open questions: shows what it is predicted to take, asks whether to run it, and runs it. */
export async function runPlan(job: RunJob, plan: TaskData, isEdited: boolean): Promise<number> {
  const { options, variables, session, io, style, json } = job;
  const grouped = session.dispatch && (await session.planloom.optimize(plan, { signal: io.signal }));
  if (options.dryRun === true) {
    if (!json && grouped !== undefined) io.stdout.write(await predictionView(job, plan, grouped));
    return dryRun(plan, session, { json, variables, grouped }, io);
  }
  if (job.target.kind === "goal" && saidSchedule(plan) !== undefined) {
    await savePlan(job, plan, isEdited);
    refuseOnce(plan, wordsToBeginAgain(options), io);
  }
  if (!json) io.stdout.write(await predictionView(job, plan, grouped));
  await savePlan(job, plan, isEdited);
  const confirmed = await confirmPlan(job, plan);
  if (confirmed === undefined) return notRun(job, plan);
  if (!json) io.stdout.write(section("Run", "", style));
  return execute(job, plan, { ...confirmed, grouped });
}

/** What the plan is predicted to take, in its subgraphs or with tasks that start one by one. */
async function predictionView(job: RunJob, plan: TaskData, grouped: GroupedPlan | undefined): Promise<string> {
  const schedule = await scheduleOf(job, plan);
  return grouped === undefined ? scheduleView(schedule, job.style) : subgraphView(grouped, schedule.rates, job.style);
}

async function scheduleOf({ variables, session: { planloom }, io: { signal } }: RunJob, plan: TaskData) {
  const estimated = await planloom.estimate(plan, { signal });
  const { concurrency = 4 } = planloom.describe().limits;
  const { predictedMs, rates = [] } = planloom.dryRun(estimated.plan, { variables });
  return { predictedMs, concurrency, sources: estimated.sources, rates };
}

/** Saves the plan of a goal, and a plan that was changed before it runs. */
async function savePlan({ target, found, options, json, io }: RunJob, plan: TaskData, isEdited: boolean) {
  if (target.kind === "goal") {
    const isSeen = !json && io.stdout.isTTY === true;
    await savePlanAtHome(io, isSeen ? plan : unseen(plan));
  } else if (found.kind === "plan") {
    const isChanged = isDraft(found.plan) || (options.tool?.length ?? 0) > 0 || isEdited;
    if (isChanged) await savePlanAtHome(io, { ...plan, variables: found.plan.variables });
  }
}

/** Whether the plan was saved with open questions. Once answered it is saved again, so that no question is asked twice. */
function isDraft({ metadata }: TaskData): boolean {
  return Array.isArray(metadata?.questions);
}

interface Confirmed {
  /** Which calls are asked about when they are made. */
  readonly confirm: Confirm | undefined;
  /** The calls that the person has seen whole and said yes to; absent where nobody was asked. */
  readonly shown: ShownCalls | undefined;
}

/** Shows the calls that have effects and asks about them; `undefined` where the person did not say yes. */
async function confirmPlan(job: RunJob, plan: TaskData): Promise<Confirmed | undefined> {
  const { options, target, session, variables, json, io, style } = job;
  const isUnseen = target.kind === "goal" || isProposal(plan) || wasUnseen(plan);
  const confirm = confirmGiven(options) ?? session.planloom.confirm ?? (isUnseen ? "writes" : undefined);
  const steps = json ? [] : stepsToConfirm(plan, session, { confirm, variables });
  if (steps.length > 0) io.stdout.write(confirmView(plan, steps, session.planloom.resources, style));
  if (steps.length === 0 || io.ask === undefined) return { confirm, shown: undefined };
  if (!(await isYes(io.ask, "Run the plan? [y/N] "))) return undefined;
  // The person who confirmed the plan has seen it; destructive calls that were not shown whole are asked about when they are.
  const later = confirm === "writes" ? "destructive" : confirm;
  return { confirm: later, shown: new ShownCalls(plan, steps, session) };
}

async function execute(
  { options, variables, replanPolicy, session, json, isKept, io }: RunJob,
  plan: TaskData,
  { confirm, shown, grouped }: Confirmed & { readonly grouped: GroupedPlan | undefined },
): Promise<number> {
  const { planloom, dispatch } = session;
  await using page = options.open === true ? await followOnPage(planloom, io) : undefined;
  const first = await withProgress(plan, io, json, (onEvent) =>
    planloom.run(plan, {
      variables,
      signal: io.signal,
      onEvent: (event) => {
        onEvent(event);
        shown?.hear(event);
        page?.hear(event);
      },
      ...(confirm !== undefined && { confirm }),
      ...turnGiven(options),
      ...budgetGiven(options),
      ...(replanPolicy && { replanPolicy }),
      ...(dispatch && { dispatch: { ...dispatch, grouped } }),
      metadata: { cli: portableOptions(options, io) },
    }),
  );
  const resumeRun = () => resumeHere(first.run_id, plan, session, io, shown?.hear);
  const result = json ? first : await askWhileWaiting(first, session, io, resumeRun, shown);
  const code = await report(result, { json, before: plan, session: options, planloom, isKept }, io);
  if (!json) await page?.stay();
  return code;
}

/** What is printed where the person did not say yes. */
function notRun({ target, words, options, io, style }: RunJob, plan: TaskData): number {
  io.stdout.write("Nothing was run.\n");
  // What was piped in cannot be piped in again by a line to copy.
  if (target.kind === "plan" && target.source === standardInput) return stopped(io);
  const given = wordsOfRun(options);
  const again =
    target.kind === "goal"
      ? [
          ["show", plan.task_id],
          ["run", plan.task_id, ...given],
        ]
      : [["run", ...words, ...given]];
  io.stdout.write(nextSteps(again, style, io));
  return stopped(io);
}

const stopped = (io: CliIo): number => (io.signal.aborted ? ExitCode.INTERRUPTED : ExitCode.FAILED);
