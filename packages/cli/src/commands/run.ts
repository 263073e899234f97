import { basename } from "node:path";
import type { TaskData } from "planloom";
import { planTitle } from "planloom/plan";
import type { ReplanPolicy } from "planloom/runtime";
import { withAsking } from "../asking.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { hasJournal } from "../journals.ts";
import { checkVariables, parseVariables, withVariables } from "../options/variables.ts";
import { parseReplanPolicy } from "../replan-policy.ts";
import { openSession } from "../session.ts";
import { findTarget, type Target } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { editBeforeRun } from "./edit-before-run.ts";
import { editOnPage, journalToFollow } from "./follow-on-page.ts";
import { leftOpen } from "./left-open.ts";
import { makePlan } from "./make-plan.ts";
import { type RunCommandOptions, type RunJob, wordsOfRun } from "./run-job.ts";
import { runPlan } from "./run-plan.ts";

/** `planloom run`: drafts a plan if it is given a goal, shows what it is predicted to take, runs the plan with live progress, prints the results. */
export async function run(words: readonly string[], options: RunCommandOptions, given: CliIo): Promise<number> {
  const io = withAsking(options, given);
  const variables = parseVariables(options.var ?? []);
  const replanPolicy = readReplan(options);
  const found = await findTarget(words, options.job, io);
  if (found.kind === "plan") await checkVariables(variables, found.plan);
  // A plan is judged with the values it is run with: one that it does not declare may be among them.
  const target = found.kind === "plan" ? { ...found, plan: withVariables(titled(found), variables) } : found;
  const isKept = options.checkpoint !== false;
  // A dry run learns durations from a journal that is there, and makes none.
  const isJournaled = options.dryRun !== true || (await hasJournal(io));
  await using opened = await journalToFollow(options, isKept, io);
  const journal = opened.journal ?? (isKept ? isJournaled : "memory");
  await using session = await openSession(options, io, { journal });
  const [json, style] = [options.json === true, styleFor(io.stdout, io.env)];
  return await planAndRun({ words, options, variables, replanPolicy, found, target, json, isKept, session, io, style });
}

async function planAndRun(job: RunJob): Promise<number> {
  const { options, found, target, variables, session, json, io } = job;
  const { instructions, candidates, set, tool } = options;
  const isEditedOnPage = options.edit === true && options.open === true;
  const edit = options.edit === true && !isEditedOnPage ? editBeforeRun(target, session, json, io) : undefined;
  // The page has a form for what a plan lacks.
  const asking = isEditedOnPage ? withAsking({ ask: false }, io) : io;
  const made = await makePlan(session, target, asking, { json, instructions, candidates, set, tool, edit });
  if (isEditedOnPage) return editOnPage(made.plan, session.planloom, json, io);
  if (made.questions.length > 0) {
    // What is given for this run alone is not kept with the draft.
    const draft = found.kind === "plan" ? { ...made.plan, variables: found.plan.variables } : made.plan;
    return leftOpen(draft, made.questions, { json, words: wordsOfRun(options) }, io);
  }
  if (target.kind === "goal") await checkVariables(variables, made.plan);
  const plan = options.answer === true ? await withAnswer(made.plan, job) : made.plan;
  return runPlan(job, plan, edit !== undefined);
}

/** A run is listed by its plan's title; a plan without one has its file's name. */
function titled({ plan, source }: Extract<Target, { kind: "plan" }>): TaskData {
  return planTitle(plan) === plan.task_id ? { ...plan, title: basename(source) } : plan;
}

function readReplan({ replan, maxReplans }: RunCommandOptions): ReplanPolicy | undefined {
  if (replan !== undefined) return parseReplanPolicy(replan, maxReplans);
  if (maxReplans === undefined) return undefined;
  throw new CliError(CliErrorCode.USAGE, "--max-replans limits what --replan asks for.", {
    hint: "Say when to replan: --replan failure.",
    details: { option: "--max-replans" },
  });
}

async function withAnswer(plan: TaskData, { session, io, json }: RunJob): Promise<TaskData> {
  if (!session.hasModel) {
    const style = styleFor(io.stderr, io.env);
    if (!json)
      io.stderr.write(
        style.paint("yellow", "--answer needs a model (--model, OPENAI_API_KEY); the tables are the answer.\n"),
      );
    return plan;
  }
  const { answerTask } = await import("planloom");
  return answerTask(plan);
}
