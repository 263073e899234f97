import { basename } from "node:path";
import type { TaskData } from "planloom";
import { planTitle } from "planloom/plan";
import type { ReplanPolicy } from "planloom/runtime";
import { withAsking } from "../asking.ts";
import { askWhileWaiting, isYes, ShownCalls, stepsToConfirm } from "../confirmation.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import type { CliIo } from "../io.ts";
import { wordsToBeginAgain } from "../journaled-session.ts";
import { hasJournal } from "../journals.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { type TurnOptions, turnGiven, turnWords } from "../options/turn.ts";
import { standardInput } from "../read-text.ts";
import { parseReplanPolicy } from "../replan-policy.ts";
import { openSession, portableOptions, type Session, type SessionOptions } from "../session.ts";
import { findTarget, type Target } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { confirmView } from "../views/confirm-view.ts";
import { section } from "../views/heading.ts";
import { scheduleView, subgraphView } from "../views/plan-view.ts";
import { isProposal, unseen, wasUnseen } from "../views/trust-view.ts";
import { dryRun } from "./dry-run.ts";
import { editBeforeRun } from "./edit-before-run.ts";
import { editOnPage, followOnPage, journalToFollow } from "./follow-on-page.ts";
import { leftOpen } from "./left-open.ts";
import { makePlan } from "./make-plan.ts";
import { nextSteps } from "./next-steps.ts";
import { report, resumeHere, withProgress } from "./run-report.ts";
import { refuseOnce, saidSchedule } from "./said-schedule.ts";

export interface RunCommandOptions extends SessionOptions, ConfirmOptions, TurnOptions {
  readonly job?: string;
  /** How a goal is to be planned. */
  readonly instructions?: string;
  /** Plans to make and compare. */
  readonly candidates?: number;
  readonly var?: readonly string[];
  /** Arguments of the plan's tasks, `TASK.ARGUMENT=VALUE`. */
  readonly set?: readonly string[];
  /** Other tools for tasks of the plan, `TASK=TOOL`. */
  readonly tool?: readonly string[];
  readonly dryRun?: boolean;
  readonly answer?: boolean;
  /** `--no-checkpoint` sets it to false: nothing of the run is kept. */
  readonly checkpoint?: boolean;
  /** `--replan`: when the plan is changed while it runs; see `parseReplanPolicy`. */
  readonly replan?: string;
  readonly maxReplans?: number;
  /** The plan is changed in an editor before it runs. */
  readonly edit?: boolean;
  /** The run is followed on a page in the browser. */
  readonly open?: boolean;
  /** `--ask` and `--no-ask`; see `withAsking`. */
  readonly ask?: boolean;
  readonly json?: boolean;
}

/** `planloom run`: drafts a plan if it is given a goal, shows what it is predicted to take, runs the plan with live progress, prints the results. */
export async function run(words: readonly string[], options: RunCommandOptions, given: CliIo): Promise<number> {
  const io = withAsking(options, given);
  const json = options.json === true;
  const style = styleFor(io.stdout, io.env);
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
  const { instructions, candidates, set, tool } = options;
  const isEditedOnPage = options.edit === true && options.open === true;
  const edit = options.edit === true && !isEditedOnPage ? editBeforeRun(target, session, json, io) : undefined;
  // The page has a form for what a plan lacks.
  const asking = isEditedOnPage ? withAsking({ ask: false }, io) : io;
  const made = await makePlan(session, target, asking, { json, instructions, candidates, set, tool, edit });
  if (isEditedOnPage) return await editOnPage(made.plan, session.planloom, json, io);
  if (made.questions.length > 0) {
    const words = wordsOfRun(options);
    // What is given for this run alone is not kept with the draft.
    const draft = found.kind === "plan" ? { ...made.plan, variables: found.plan.variables } : made.plan;
    return leftOpen(draft, made.questions, { json, words }, io);
  }
  let { plan } = made;
  if (target.kind === "goal") await checkVariables(variables, plan);
  if (options.answer === true) plan = await withAnswer(plan, session, io, json);
  const { dispatch } = session;
  const ratesOf = async (plan: TaskData) => (await scheduleOf(plan, variables, session, io.signal)).rates;
  const grouped = dispatch && (await session.planloom.optimize(plan, { signal: io.signal }));
  if (options.dryRun === true) {
    if (!json && grouped !== undefined) io.stdout.write(subgraphView(grouped, await ratesOf(plan), style));
    return await dryRun(plan, session, { json, variables, grouped }, io);
  }
  const toSave = target.kind === "goal" && (json || io.stdout.isTTY !== true) ? unseen(plan) : plan;
  if (target.kind === "goal" && saidSchedule(plan) !== undefined) {
    await savePlanAtHome(io, toSave);
    refuseOnce(plan, wordsToBeginAgain(options), io);
  }
  if (!json)
    io.stdout.write(
      grouped === undefined
        ? scheduleView(await scheduleOf(plan, variables, session, io.signal), style)
        : subgraphView(grouped, await ratesOf(plan), style),
    );
  if (target.kind === "goal") await savePlanAtHome(io, toSave);
  else if (found.kind === "plan" && (isDraft(found.plan) || (tool?.length ?? 0) > 0 || edit !== undefined))
    await savePlanAtHome(io, { ...plan, variables: found.plan.variables });
  const isUnseen = target.kind === "goal" || isProposal(plan) || wasUnseen(plan);
  const policy = confirmGiven(options) ?? session.planloom.confirm ?? (isUnseen ? "writes" : undefined);
  const steps = json ? [] : stepsToConfirm(plan, session, { confirm: policy, variables });
  if (steps.length > 0) io.stdout.write(confirmView(plan, steps, session.planloom.resources, style));
  const ask = steps.length > 0 ? io.ask : undefined;
  if (ask !== undefined && !(await isYes(ask, "Run the plan? [y/N] "))) return notRun(target, words, plan, options, io);
  const shown = ask === undefined ? undefined : new ShownCalls(plan, steps, session);
  // The person who confirmed the plan has seen it; destructive calls that were not shown whole are asked about when they are.
  const confirm = ask !== undefined && policy === "writes" ? "destructive" : policy;
  if (!json) io.stdout.write(section("Run", "", style));
  await using page = options.open === true ? await followOnPage(session.planloom, io) : undefined;
  const first = await withProgress(plan, io, json, (onEvent) =>
    session.planloom.run(plan, {
      variables,
      signal: io.signal,
      onEvent: (event) => {
        onEvent(event);
        shown?.hear(event);
        page?.hear(event);
      },
      ...(confirm !== undefined && { confirm }),
      ...turnGiven(options),
      ...(replanPolicy && { replanPolicy }),
      ...(dispatch && { dispatch: { ...dispatch, grouped } }),
      metadata: { cli: portableOptions(options, io) },
    }),
  );
  const resumeRun = () => resumeHere(first.run_id, plan, session, io, shown?.hear);
  const result = json ? first : await askWhileWaiting(first, session, io, resumeRun, shown);
  const code = await report(result, { json, before: plan, session: options, planloom: session.planloom, isKept }, io);
  if (!json) await page?.stay();
  return code;
}

/** What a run whose tasks start one by one is predicted to take. */
async function scheduleOf(
  plan: TaskData,
  variables: Readonly<Record<string, unknown>>,
  { planloom }: Session,
  signal: AbortSignal,
) {
  const estimated = await planloom.estimate(plan, { signal });
  const { concurrency = 4 } = planloom.describe().limits;
  const { predictedMs, rates = [] } = planloom.dryRun(estimated.plan, { variables });
  return { predictedMs, concurrency, sources: estimated.sources, rates };
}

/** Whether the plan was saved with open questions. Once answered it is saved again, so that no question is asked twice. */
function isDraft({ metadata }: TaskData): boolean {
  return Array.isArray(metadata?.questions);
}

/** A run is listed by its plan's title; a plan without one has its file's name. */
function titled({ plan, source }: Extract<Target, { kind: "plan" }>): TaskData {
  return planTitle(plan) === plan.task_id ? { ...plan, title: basename(source) } : plan;
}

/** The options, as words, to run the plan as it was to be run now. */
function wordsOfRun(options: RunCommandOptions): string[] {
  const { var: variables = [], confirm, yes, replan, maxReplans, checkpoint, open } = options;
  return [
    ...variables.flatMap((pair) => ["--var", pair]),
    ...wordsToBeginAgain(options),
    ...(confirm === undefined ? [] : ["--confirm", confirm]),
    ...(yes === true ? ["--yes"] : []),
    ...(replan === undefined ? [] : ["--replan", replan]),
    ...(maxReplans === undefined ? [] : ["--max-replans", String(maxReplans)]),
    ...turnWords(options),
    ...(open === true ? ["--open"] : []),
    ...(checkpoint === false ? ["--no-checkpoint"] : []),
  ];
}

/** What is printed where the person did not say yes. */
function notRun(
  target: Target,
  words: readonly string[],
  plan: TaskData,
  options: RunCommandOptions,
  io: CliIo,
): number {
  io.stdout.write("Nothing was run.\n");
  const given = wordsOfRun(options);
  // What was piped in cannot be piped in again by a line to copy.
  if (target.kind === "plan" && target.source === standardInput) return stopped(io);
  const again =
    target.kind === "goal"
      ? [
          ["show", plan.task_id],
          ["run", plan.task_id, ...given],
        ]
      : [["run", ...words, ...given]];
  io.stdout.write(nextSteps(again, styleFor(io.stdout, io.env), io));
  return stopped(io);
}

const stopped = (io: CliIo): number => (io.signal.aborted ? ExitCode.INTERRUPTED : ExitCode.FAILED);

function readReplan({ replan, maxReplans }: RunCommandOptions): ReplanPolicy | undefined {
  if (replan !== undefined) return parseReplanPolicy(replan, maxReplans);
  if (maxReplans === undefined) return undefined;
  throw new CliError(CliErrorCode.USAGE, "--max-replans limits what --replan asks for.", {
    hint: "Say when to replan: --replan failure.",
    details: { option: "--max-replans" },
  });
}

async function withAnswer(plan: TaskData, session: Session, io: CliIo, json: boolean): Promise<TaskData> {
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

function withVariables(plan: TaskData, variables: Readonly<Record<string, unknown>>): TaskData {
  return Object.keys(variables).length === 0 ? plan : { ...plan, variables: { ...plan.variables, ...variables } };
}

/** Refuses a variable that the plan neither declares nor refers to. @throws CliError USAGE */
async function checkVariables(variables: Readonly<Record<string, unknown>>, plan: TaskData): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  const { variableNames } = await import("planloom/planning");
  const known = variableNames(plan);
  const unknown = Object.keys(variables).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const has = known.length === 0 ? "it has none" : `it has ${known.slice(0, 10).join(", ")}`;
  throw new CliError(CliErrorCode.USAGE, `The plan has no variable ${JSON.stringify(unknown)}; ${has}.`, {
    details: { option: "--var", name: unknown },
  });
}

/** `name=value`; the value is JSON where it parses, else text. */
export function parseVariables(pairs: readonly string[], option = "--var"): Record<string, unknown> {
  const variables = new Map<string, unknown>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw new CliError(CliErrorCode.USAGE, `Expected ${option} NAME=VALUE, got ${JSON.stringify(pair)}.`);
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
    if (name in Object.prototype)
      throw new CliError(CliErrorCode.USAGE, `${JSON.stringify(name)} cannot be the name of a variable.`);
    try {
      variables.set(name, JSON.parse(text));
    } catch {
      variables.set(name, text);
    }
  }
  return Object.fromEntries(variables);
}
