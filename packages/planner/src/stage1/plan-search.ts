import {
  type AttemptFeedback,
  type CallOptions,
  ControllerError,
  type ControllerReply,
  type Phase1Request,
  type PlanningTime,
} from "@planloom/controller";
import {
  IssueCode,
  type PlanIssue,
  type PlannerTask,
  type PlanningContext,
  type Resource,
  type ResourceCatalogue,
  type TaskData,
} from "@planloom/plan";
import {
  type AttemptLoop,
  type AttemptRecord,
  type AttemptResult,
  attemptUntilValid,
  failureText,
  isError,
  type Reading,
} from "../attempt-until-valid.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { planFunctions } from "../given-functions.ts";
import { planningTime } from "../planning-time.ts";
import { fitRequest, type ShownResources, shownField } from "../prompt-size/fit-request.ts";
import { joinSections } from "../prompts/planner-prompts.ts";
import { withQuestions } from "../questions/answer-plan.ts";
import { lacksArgumentsOnly, type PlanQuestion } from "../questions/plan-question.ts";
import type { CandidateLimits } from "./candidates/candidate-options.ts";
import { type CandidateFacts, sampleCandidates } from "./candidates/sample-candidates.ts";
import { finishPlan } from "./finish-plan.ts";
import { judgePlan } from "./judge-plan.ts";
import { mendPlan } from "./mend-plan.ts";
import type { PlanDescription } from "./plan-description.ts";
import type { CheckedInput } from "./plan-input.ts";
import { maxMendings, type PlannerConfig, type PlannerOptions, raisedTemperature } from "./planner-options.ts";
import { readPlanReply } from "./read-plan-reply.ts";
import { taskPreview } from "./task-preview.ts";
import { unnamedTasks } from "./unnamed-tasks.ts";
import { withoutRunPolicy } from "./without-run-policy.ts";
import { withoutWrongValues } from "./without-wrong-values.ts";

/** What one planning works with: what its planner is made with, and what the call gives. */
export interface PlanSearchParts {
  readonly planner: PlannerOptions;
  readonly config: PlannerConfig;
  readonly resources: readonly Resource[];
  readonly catalogue: ResourceCatalogue;
  readonly description: PlanDescription;
  readonly historySamples: number;
  /** Whether a plan may only name resources that are known. */
  readonly validateToolAvailability: boolean;
  readonly searchId: string;
  readonly input: CheckedInput;
  readonly context: PlanningContext | undefined;
  readonly instructions: string | undefined;
  readonly llmData: Readonly<Record<string, unknown>> | undefined;
  readonly candidates: CandidateLimits;
  readonly signal: AbortSignal | undefined;
  readonly onTask: ((task: PlannerTask, attempt: number) => void) | undefined;
  readonly onAttempt: (record: AttemptRecord) => void;
}

/** The plan that was taken, and how it was found. */
export interface PlanFound {
  readonly plan: FoundPlan;
  readonly attempts: readonly AttemptRecord[];
  /** How the plan was chosen, where several were compared. */
  readonly facts?: CandidateFacts;
}

/** A plan that an answer gave, with what validation said of it and what of the resources was described. */
export interface FoundPlan {
  readonly value: TaskData;
  readonly reply: ControllerReply;
  readonly shown: ShownResources | undefined;
  readonly judged: readonly PlanIssue[];
}

/** A plan that lacks nothing but arguments, and the answer that gave it. */
interface OpenDraft {
  readonly value: TaskData;
  readonly reply: ControllerReply;
}

/** One planning: asks the controller until an answer is a valid plan, and compares that with further ones where several are wanted. */
export class PlanSearch {
  readonly #parts: PlanSearchParts;
  readonly #mayArrange: boolean;
  readonly #time: PlanningTime;
  /** What the last request described of the resources. */
  #shown: ShownResources | undefined;
  /** Whether no further request follows the last one. */
  #isLast = false;
  /** The last answer that lacked nothing but arguments. */
  #draft: OpenDraft | undefined;

  /** @throws PlanError CALLBACK where the planner's clock throws or gives nonsense */
  constructor(parts: PlanSearchParts) {
    this.#parts = parts;
    this.#mayArrange = mayArrange(parts);
    this.#time = planningTime(parts.planner);
  }

  /** @throws PlannerError NO_VALID_PLAN, OPEN_QUESTIONS, PROMPT_TOO_LARGE, TIMEOUT; as `attemptUntilValid` */
  async find(): Promise<PlanFound> {
    const { catalogue, candidates, input, signal } = this.#parts;
    const { controller } = this.#parts.planner;
    const result = await this.#first();
    if (!result.found) throw this.#failure(result);
    const first = { plan: result.value, attempts: result.attempts };
    const isCertain = controller.deterministic === true || result.reply.certain === true;
    if (candidates.count === 1 || isCertain) return first;
    return sampleCandidates({
      first,
      limits: candidates,
      goal: wantedIn(input),
      catalogue,
      signal,
      ask: (number, onAttempt) => attemptUntilValid(this.#loop(number, onAttempt)),
    });
  }

  /** A draft outlives a model that cannot be asked any more: what it lacks can be answered by a person. */
  async #first(): Promise<AttemptResult<FoundPlan>> {
    const attempts: AttemptRecord[] = [];
    try {
      return await attemptUntilValid(this.#loop(0, (record) => attempts.push(record)));
    } catch (error) {
      const isOfModel = error instanceof ControllerError || error instanceof PlannerError;
      if (this.#draft === undefined || !isOfModel || this.#parts.signal?.aborted === true) throw error;
      return { found: false, attempts, cause: error };
    }
  }

  /**
   * @param candidate 0 for the first plan, which is asked for until it is valid; each further one is asked for once
   * @param listener hears of its attempts too
   */
  #loop(candidate: number, listener?: (record: AttemptRecord) => void): AttemptLoop<FoundPlan> {
    const { planner, config, signal, onAttempt } = this.#parts;
    return {
      maxAttempts: candidate === 0 ? config.maxAttempts : 1,
      timeoutMs: config.timeoutMs,
      deterministic: planner.controller.deterministic === true,
      signal,
      send: (feedback, call) => this.#send(candidate, feedback, call),
      read: (reply) => this.#read(candidate, reply),
      onAttempt(record) {
        listener?.(record);
        onAttempt(record);
      },
    };
  }

  #send(candidate: number, feedback: readonly AttemptFeedback[], call: CallOptions): Promise<ControllerReply> {
    const { planner, config, resources, description, input, onTask } = this.#parts;
    const { maxPromptCharacters } = config;
    const fitted = fitRequest({
      controller: planner.controller,
      maxPromptCharacters,
      resources,
      query: () => joinSections([wantedIn(input), ...description.notes, ...wantedAfter(feedback)]),
      write: (shown) => this.#request(candidate, feedback, shown),
      tries: feedback.length,
    });
    this.#shown = fitted.shown;
    this.#isLast = candidate > 0 || call.maxRequests === 1;
    return planner.controller.processPhase1(fitted.request, {
      ...call,
      maxPromptCharacters,
      ...(onTask === undefined ? {} : taskPreview(onTask, feedback.length + 1)),
    });
  }

  #request(candidate: number, feedback: readonly AttemptFeedback[], shown: ShownResources): Phase1Request {
    const { resources, description, input, context, instructions, candidates } = this.#parts;
    const about = { context, instructions };
    return {
      search_id: this.#parts.searchId,
      phase_1_data: {
        task_input_data: description.requestText(input, about, feedback, shown),
        n_history_samples: this.#parts.historySamples,
        llm_data: {
          ...this.#llmData(feedback.length),
          ...(candidate > 0 && { temperature: candidates.temperature }),
        },
      },
      ...(candidate > 0 && { candidate }),
      job: input.job ?? { job_goal: input.prompt ?? input.goal },
      ...(resources.length === 0 ? {} : { resources }),
      ...shownField(shown),
      ...(context === undefined ? {} : { context }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(feedback.length === 0 ? {} : { feedback }),
      ...(input.job === undefined || !this.#mayArrange
        ? {}
        : { sections: description.requestSections(input, about, feedback) }),
      time: this.#time,
    };
  }

  /**
   * `llmData` goes out as it was given; the default temperature is ours only where the caller said nothing, and rises with each
   * wrong answer: at the same one a model repeats it.
   */
  #llmData(tries: number): Record<string, unknown> {
    const { planner, config, llmData } = this.#parts;
    const given = { ...planner.llmData, ...llmData };
    if (planner.temperature !== undefined) return { temperature: config.temperature, ...given };
    const isSilent = Object.keys(given).length === 0;
    return isSilent ? { temperature: raisedTemperature(config.temperature, tries) } : given;
  }

  #read(candidate: number, answer: ControllerReply): Reading<FoundPlan> {
    const { planner, catalogue, validateToolAvailability } = this.#parts;
    let reply = answer;
    const read = readPlanReply(reply.data, planFunctions(planner));
    if (read.plan === undefined) return { issues: [...read.issues, ...(reply.issues ?? [])] };
    const { tasks, issues: leftOut } = withoutRunPolicy(read.plan.planned_tasks, catalogue);
    const planned = { ...read.plan, planned_tasks: tasks };
    // With the arguments that the controller itself says it does not know, so that they are asked for rather than left to Stage 2.
    const judge = (plan: TaskData) => judgePlan(withUnknown(plan, reply), catalogue, { validateToolAvailability });
    const written = judge(planned);
    // What another planner wrote is its own to mend.
    let { mended, issues } = reply.calls?.length
      ? mendUntilStable(planned, written, judge, catalogue)
      : { mended: { plan: planned, issues: [] }, issues: written };
    // Nobody corrects the last answer any more: what is right of it is kept, and what is wrong is asked.
    const asked = this.#isLast && reply.calls?.length ? withoutWrongValues(mended.plan, issues) : undefined;
    if (asked !== undefined) {
      reply = { ...reply, issues: [...(reply.issues ?? []), ...asked.issues] };
      mended = { plan: asked.plan, issues: mended.issues };
      issues = judge(asked.plan);
    }
    const value = lacksArgumentsOnly(issues) ? withQuestions(mended.plan, issues, catalogue) : mended.plan;
    const isDraft = value !== mended.plan;
    if (isDraft && candidate === 0) this.#draft = { value, reply };
    const settled = isDraft && saidMissing(issues, reply);
    // Another planner may leave the choice to Stage 2.
    const unnamed = reply.calls?.length && validateToolAvailability ? unnamedTasks(value, catalogue, this.#isLast) : [];
    const said = [...unnamed, ...(reply.issues ?? [])];
    const remarked = unnamed.length === 0 ? reply : { ...reply, issues: said };
    const found = { value, reply: remarked, shown: this.#shown, judged: issues };
    return { value: found, issues: [...issues, ...mended.issues, ...leftOut, ...said], settled };
  }

  #failure({ attempts, cause }: Extract<AttemptResult<FoundPlan>, { found: false }>): PlannerError {
    const { input, context, instructions, catalogue } = this.#parts;
    const controller = this.#parts.planner.controller.name;
    if (this.#draft !== undefined) {
      const { value, reply } = this.#draft;
      const origin = { checked: input, context, instructions, controller, attempts, catalogue, shown: this.#shown };
      return openQuestions(finishPlan(value, reply, origin), value, { found: false, attempts, cause });
    }
    const message = `Failed to generate valid plan after ${failureText(attempts)}`;
    return new PlannerError(PlannerErrorCode.NO_VALID_PLAN, message, {
      details: { attempts: attempts.map(shownAttempt), controller },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** The plan with its form put right, what was done, and what validation says of it then. */
function mendUntilStable(
  plan: TaskData,
  written: readonly PlanIssue[],
  judge: (plan: TaskData) => readonly PlanIssue[],
  catalogue: ResourceCatalogue,
) {
  let mended: ReturnType<typeof mendPlan> = { plan, issues: [] };
  let issues = written;
  for (let round = 0; round < maxMendings; round += 1) {
    const next = mendPlan(mended.plan, issues, catalogue);
    if (next.issues.length === 0) break;
    mended = { plan: next.plan, issues: [...mended.issues, ...next.issues] };
    issues = judge(next.plan);
  }
  return { mended, issues };
}

const shownAttempt = ({ attempt, issues, answer }: AttemptRecord) => ({ attempt, issues, answer });

/** Whether a controller may arrange the sections itself: not where the text or the description of the resources is the caller's. */
function mayArrange({ planner, input: { goal, prompt } }: PlanSearchParts): boolean {
  // A goal in words has its text as the prompt too; a description that the caller prepared is more than the goal.
  return planner.prompts?.resources === undefined && (prompt === undefined || prompt === goal);
}

/** The plan with questions for the arguments whose values, by its controller, the goal does not give; `judgePlan` reads them. */
function withUnknown(plan: TaskData, { issues = [] }: ControllerReply): TaskData {
  const questions = issues.flatMap(({ code, task_id, argument_path }) =>
    code === IssueCode.UNRESOLVED && task_id !== undefined && argument_path !== undefined
      ? [{ task_id, argument_path }]
      : [],
  );
  return { ...plan, metadata: { ...plan.metadata, questions } };
}

/** Whether each argument that is missing is one that the controller itself says it does not know: then it will not know it the next time. */
function saidMissing(issues: readonly PlanIssue[], { issues: reported = [] }: ControllerReply): boolean {
  const key = ({ task_id, argument_path }: PlanIssue) => JSON.stringify([task_id, argument_path]);
  const known = new Set(reported.filter(({ code }) => code === IssueCode.UNRESOLVED).map(key));
  return issues.filter(isError).every((issue) => known.has(key(issue)));
}

/** What a model asked to be shown. */
function wantedAfter(feedback: readonly AttemptFeedback[]): string[] {
  return feedback.flatMap(({ issues }) =>
    issues.flatMap(({ code, actual }) => (code === IssueCode.UNRESOLVED && actual !== undefined ? [actual] : [])),
  );
}

/** The words that say what is to be done: of a prompt that the caller wrote all of them. */
function wantedIn({ goal, job, taskDescription, prompt }: CheckedInput): string {
  if (job === undefined) return prompt ?? goal;
  return joinSections([goal, taskDescription, JSON.stringify([job.job_objectives, job.job_steerability_data])]);
}

/** A message names at most this many questions. */
const maxNamed = 5;

function openQuestions(
  finished: TaskData,
  value: TaskData,
  { attempts, cause }: Extract<AttemptResult<FoundPlan>, { found: false }>,
): PlannerError {
  const questions = (value.metadata?.questions ?? []) as readonly PlanQuestion[];
  const draft = { ...finished, metadata: { ...finished.metadata, questions } };
  const named = questions.slice(0, maxNamed).map(({ name, type }) => `${name} (${type})`);
  const more = questions.length > named.length ? ` and ${questions.length - named.length} more` : "";
  const lacks = `${questions.length} argument${questions.length === 1 ? "" : "s"}`;
  const message = `The plan lacks ${lacks} that the goal does not say: ${named.join(", ")}${more}. Answer them (answer(details.draft, {…})), or say them in the goal.`;
  return new PlannerError(PlannerErrorCode.OPEN_QUESTIONS, message, {
    details: { draft, questions, attempts: attempts.map(shownAttempt) },
    ...(cause === undefined ? {} : { cause }),
  });
}
