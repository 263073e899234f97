import type { Goal, PlanIssue, PlanQuestion, TaskData } from "planloom";
import { notedIssues, planTitle } from "planloom/plan";
import { askQuestions, parseAnswers, parseTools } from "../ask-questions.ts";
import { CliError, SharedErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import type { PlanningSession } from "../session.ts";
import type { Target } from "../target.ts";
import { duration, styleFor } from "../terminal/style.ts";
import { headline, section } from "../views/heading.ts";
import { isReused, reusedView } from "../views/memory-view.ts";
import { fileTitle } from "../views/plan-title.ts";
import { issueList, planPicture } from "../views/plan-view.ts";
import { planningProgress } from "../views/planning-progress.ts";
import { confidenceWords, isProposal, proposalLine } from "../views/trust-view.ts";
import { tasksView, whyView } from "../views/why-view.ts";

/** A plan and its open questions. With a question left it is a draft, and cannot run. */
export interface MadePlan {
  readonly plan: TaskData;
  readonly questions: readonly PlanQuestion[];
}

/**
 * The target's plan, made if it is a goal; with the tools of `tool` and the arguments of `set`, checked, and shown unless `json`. Where it lacks only arguments, the
 * person at the terminal is asked for them. @throws CliError INVALID_PLAN for other errors
 */
export async function makePlan(
  session: PlanningSession,
  target: Target,
  io: CliIo,
  options: {
    json: boolean;
    instructions?: string | undefined;
    candidates?: number | undefined;
    set?: readonly string[] | undefined;
    tool?: readonly string[] | undefined;
    why?: boolean;
    /** Changes the plan before anything is asked. */
    edit?: ((plan: TaskData) => Promise<TaskData>) | undefined;
  },
): Promise<MadePlan> {
  const style = styleFor(io.stdout, io.env);
  const started = performance.now();
  const { instructions, candidates, set = [], tool = [] } = options;
  const answers = parseAnswers(set);
  const tools = parseTools(tool);
  const planned =
    target.kind === "plan" ? target.plan : await draftOf(target.goal, { instructions, candidates }, session, io);
  const chosen = tool.length === 0 ? planned : session.planloom.choose(planned, tools);
  const answeredBySet = set.length === 0 ? chosen : session.planloom.answer(chosen, answers, { asText: true });
  const plan = options.edit === undefined ? answeredBySet : await options.edit(answeredBySet);
  const questions = session.planloom.questions(plan);
  const issues = questions.length > 0 ? [] : session.planloom.validate(plan);
  if (!options.json) {
    io.stdout.write(headline(target.kind === "plan" ? fileTitle(plan, target.source) : planTitle(plan), style));
    for (const note of target.kind === "goal" ? session.notes : []) io.stdout.write(`  ${style.paint("dim", note)}\n`);
    const by =
      target.kind === "goal" ? plannedBy(plan, session.controller.name, performance.now() - started) : target.source;
    io.stdout.write(planPicture(plan, style, by) + proposalLine(plan, style) + reusedView(plan, style));
    const isNew = target.kind === "goal" || tool.length > 0 || isProposal(plan);
    io.stdout.write(options.why === true ? whyView(plan, style) : isNew ? tasksView(plan, style) : "");
    const unread = target.kind === "plan" ? target.reading.issues.filter(({ severity }) => severity === "warning") : [];
    const noted = [
      ...notedIssues(plan).filter((each) => each.code !== "proposal" && !isAsked(each, questions)),
      ...unread,
      ...issues,
    ];
    if (noted.length > 0) io.stdout.write(`${section("Notes", "", style)}${issueList(noted, style)}`);
  }
  refuseInvalid(issues);
  if (questions.length === 0 || options.json || io.ask === undefined) return { plan, questions };
  const answered = await askQuestions(plan, questions, session, io);
  return { plan: answered, questions: session.planloom.questions(answered) };
}

/** The plan of a goal; a person at a terminal sees for how long it has been made. */
async function draftOf(
  goal: Goal,
  { instructions, candidates }: { readonly instructions: string | undefined; readonly candidates: number | undefined },
  { planloom, controller }: PlanningSession,
  io: CliIo,
): Promise<TaskData> {
  const progress = planningProgress(io.stderr, styleFor(io.stderr, io.env), controller.name);
  if (progress !== undefined) planloom.on?.("plan-attempt", progress.onAttempt);
  try {
    return await planloom.draft(goal, {
      signal: io.signal,
      ...(instructions !== undefined && { instructions }),
      ...(candidates !== undefined && { candidates }),
    });
  } finally {
    progress?.stop();
    if (progress !== undefined) planloom.off?.("plan-attempt", progress.onAttempt);
  }
}

/** Whether a question asks about the same argument, so that the note is left out. */
function isAsked({ task_id, argument_path }: PlanIssue, questions: readonly PlanQuestion[]): boolean {
  return questions.some((each) => each.task_id === task_id && each.argument_path === argument_path);
}

/** "planned by embedded (functions) in 12 ms · likely right, 0.83"; without the number where the planner gives none. */
function plannedBy(plan: TaskData, controller: string, ms: number): string {
  const read = plan.metadata?.planned_by;
  const how = Array.isArray(read) && read.length > 0 ? ` (${read.map(String).join(", ")})` : "";
  const words = confidenceWords(plan);
  if (isReused(plan)) return `reused in ${duration(ms)}`;
  return `planned by ${controller}${how} in ${duration(ms)}${words === "" ? "" : ` · ${words}`}`;
}

export function refuseInvalid(issues: readonly PlanIssue[]): void {
  const errors = issues.filter((issue) => issue.severity === "error");
  if (errors.length === 0) return;
  const lines = errors.slice(0, 20).map((issue) => `- ${issue.message} [${issue.code}]`);
  throw new CliError(
    SharedErrorCode.INVALID_PLAN,
    [`The plan has ${errors.length} error${errors.length === 1 ? "" : "s"}.`, ...lines].join("\n"),
    {
      details: { issues: errors },
    },
  );
}
