import type { AttemptFeedback, ControllerReply, Phase1Request } from "@planloom/controller";
import {
  IssueCode,
  type Job,
  type OptionChecks,
  type PlanIssue,
  type PlannerTask,
  PlanningContext,
  type Resource,
  type ResourceCatalogue,
  resourceCatalogue,
  type TaskData,
  withDeclaredEffects,
} from "@planloom/plan";
import {
  type AttemptLoop,
  type AttemptRecord,
  attemptUntilValid,
  failureText,
  isError,
} from "../attempt-until-valid.ts";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { eventSource } from "../events.ts";
import { newSearchIdOf, planFunctions } from "../given-functions.ts";
import { checkTimeZone, planningTime } from "../planning-time.ts";
import { fitRequest, type ShownResources, shownField, shownInPart } from "../prompt-size/fit-request.ts";
import { cutText } from "../prompts/cut-text.ts";
import { joinSections, type PlannerPrompts, promptsWith } from "../prompts/planner-prompts.ts";
import { withQuestions } from "../questions/answer-plan.ts";
import { lacksArgumentsOnly, type PlanQuestion } from "../questions/plan-question.ts";
import {
  type CandidateLimits,
  type CandidateOptions,
  candidatesCheck,
  readCandidates,
} from "./candidates/candidate-options.ts";
import { type CandidateFacts, sampleCandidates } from "./candidates/sample-candidates.ts";
import { finishPlan } from "./finish-plan.ts";
import { judgePlan } from "./judge-plan.ts";
import { keepVerdict } from "./kept-verdict.ts";
import { mendPlan } from "./mend-plan.ts";
import {
  type CheckedInput,
  checkJob,
  checkPlanInput,
  type JobParts,
  type PlanInput,
  type PreparedJob,
} from "./plan-input.ts";
import {
  checkHistorySamples,
  type PlannerConfig,
  type PlannerOptions,
  plannerChecks,
  plannerConfig,
} from "./planner-options.ts";
import { readPlanReply } from "./read-plan-reply.ts";
import { taskPreview } from "./task-preview.ts";
import { withoutRunPolicy } from "./without-run-policy.ts";

export interface CreatePlanOptions {
  /** What is remembered from before; lets a controller read "their" and "the same for Munich". */
  readonly context?: PlanningContext;
  /** How this one job is to be planned, in words: it is sent to the model, and to a remote controller. The embedded planner says that it reads none. */
  readonly instructions?: string;
  /** Sent as `llm_data`; keys override the constructor's. */
  readonly llmData?: Readonly<Record<string, unknown>>;
  /** As of the planner, for this plan alone. */
  readonly candidates?: number | CandidateOptions;
  readonly signal?: AbortSignal;
  /**
   * Called with each task as soon as a model has written it whole, while the rest is still being written: a preview, not validated,
   * which the plan in the end may not have. `attempt` counts from 1; a new attempt sends its tasks from the first on. Only controllers that stream call it. With it
   * there is one candidate: what was reported of one plan would be of no use for another.
   */
  readonly onTask?: (task: PlannerTask, attempt: number) => void;
}

const createPlanChecks = {
  context: "object",
  instructions: "text",
  llmData: "object",
  candidates: candidatesCheck,
  signal: "signal",
  onTask: "function",
} as const satisfies OptionChecks<CreatePlanOptions>;

/**
 * Stage 1: turns a job into a validated plan. The `prepare…`, `add…` and `set…` methods build a description step by step
 * (the Agents Planning System); `createPlan` alone does all of it. It makes no choice of its own: the controller answers, this class reads,
 * completes, validates and asks again with the issues.
 */
export class Planner {
  readonly config: PlannerConfig;
  readonly resources: readonly Resource[];
  readonly #historySamples: number;
  readonly #candidates: CandidateLimits;
  readonly #options: PlannerOptions;
  readonly #prompts: PlannerPrompts;
  readonly #notes = new Map<string, string>();
  /** Sections by name; the order in which `getFullDescription` joins them is fixed. */
  readonly #sections = { resources: "", task: "" };
  #prepared: PreparedJob | undefined;

  /** @throws PlannerError CONFIG, OPTION */
  constructor(options: PlannerOptions) {
    if (typeof options?.controller?.processPhase1 !== "function") {
      throw new PlannerError(
        PlannerErrorCode.CONFIG,
        "Expected `controller` to be a BehaviorController (EmbeddedController, LlmController, HttpController or your own).",
        { details: { option: "controller" } },
      );
    }
    this.config = plannerConfig(options);
    checkOptions("`Planner`", options, plannerChecks);
    checkTimeZone(options.timeZone);
    this.#candidates = readCandidates(options.candidates);
    this.#historySamples = checkHistorySamples(options.nHistorySamples);
    this.resources = withDeclaredEffects(options.resources ?? []);
    this.#options = options;
    this.#prompts = promptsWith(options.prompts);
  }

  /** Sets the job block and returns it. @throws PlannerError INPUT_INVALID, GOAL_EMPTY, GOAL_TOO_LARGE */
  prepareJobData(job: JobParts): string {
    const checked = checkJob(job);
    const block = this.#prompts.job(checked);
    this.#prepared = { job: checked, block };
    return block;
  }

  /** Sets the resources block from `resources` and returns it. */
  prepareResourcesDescription(): string {
    this.#sections.resources = this.#prompts.resources(this.resources);
    return this.#sections.resources;
  }

  /** Adds a text to the task block and returns the block. */
  addTaskDescription(text: string): string {
    const block = this.#prompts.task(text);
    this.#sections.task = joinSections([this.#sections.task, block]);
    return block;
  }

  /** Sets a note for every plan of this planner; a key set again keeps its place. An empty text removes it. */
  setCustomDescription(key: string, text: string): void {
    if (text === "") this.#notes.delete(key);
    else this.#notes.set(key, text);
  }

  /** Builds the description from a job: job data, resources, notes, task description. Returns it whole. */
  generateFinalInput(job: JobParts): string {
    this.prepareJobData(job);
    this.prepareResourcesDescription();
    this.#sections.task = "";
    if (job.task_description !== undefined) this.addTaskDescription(job.task_description);
    return this.getFullDescription();
  }

  /** All that was prepared so far. */
  getFullDescription(): string {
    const { resources, task } = this.#sections;
    return joinSections([this.#prepared?.block ?? "", resources, this.#prompts.notes(this.#notes), task]);
  }

  /**
   * Plans a job. A goal in words or a job is described by this class; `{task_description}` alone is sent unchanged, and so is
   * this planner's own description, handed back.
   *
   * @returns a plan that passed validation; `metadata.planning` says who planned it and at what cost, `metadata.issues` holds
   *   the warnings, `metadata.thinking` a model's reasoning.
   * @throws PlannerError OPTION, GOAL_EMPTY, INPUT_INVALID, GOAL_TOO_LARGE, RESOURCES_EMPTY, PROMPT_TOO_LARGE before any call; NO_VALID_PLAN after
   *   `maxAttempts` attempts, every attempt's issues and answer in `details.attempts`; OPEN_QUESTIONS where the last readable plan lacks
   *   nothing but arguments: the plan is in `details.draft`, and `answerPlan` completes it; TIMEOUT when an answer takes too long.
   * @throws PlanError CALLBACK when a function of `prompts`, `newId`, `newSearchId` or `now` throws or gives nonsense.
   * @throws ControllerError when asking again cannot help (no key, wrong options); `signal.reason` after an abort.
   */
  async createPlan(input: PlanInput, options: CreatePlanOptions = {}): Promise<TaskData> {
    checkOptions("`createPlan`", options, createPlanChecks);
    options.signal?.throwIfAborted();
    const candidates = options.candidates === undefined ? this.#candidates : readCandidates(options.candidates);
    const checked = checkPlanInput(input, this.#prepared);
    const context = options.context === undefined ? undefined : PlanningContext.parse(options.context);
    this.#requireResources(checked);
    const searchId = newSearchIdOf(this.#options.newSearchId);
    const emit = eventSource(searchId, this.#options.onEvent);
    const { controller } = this.#options;
    emit({ type: "plan-start", goal: cutText(checked.goal, 500), controller: controller.name });
    try {
      const catalogue = resourceCatalogue(this.resources);
      let counted = 0;
      const { plan, attempts, facts } = await this.#attempts(
        checked,
        context,
        options,
        catalogue,
        searchId,
        // Plans that stream are not compared.
        options.onTask === undefined ? candidates : readCandidates(1),
        (record) =>
          emit({
            type: "plan-attempt",
            attempt: ++counted,
            maxAttempts: this.config.maxAttempts + candidates.count - 1,
            issues: record.issues,
            calls: record.calls,
            requests: record.requests,
            durationMs: record.durationMs,
          }),
      );
      const { value, reply, shown, judged } = plan;
      const finished = finishPlan(value, reply, {
        checked,
        context,
        instructions: options.instructions?.trim() || undefined,
        controller: controller.name,
        attempts,
        catalogue,
        shown,
        candidates: facts,
      });
      // What was added to the plan since it was judged is of this planner's own making.
      if (this.#validatesAvailability) keepVerdict(finished, catalogue.all, judged);
      emit({ type: "plan-end", planId: finished.task_id, tasks: finished.planned_tasks.length });
      return finished;
    } catch (error) {
      const { code = "ABORTED", message = String(error) } = (error ?? {}) as { code?: unknown; message?: string };
      emit({ type: "plan-error", code: String(code), message });
      throw error;
    }
  }

  async #attempts(
    checked: CheckedInput,
    context: PlanningContext | undefined,
    options: CreatePlanOptions,
    catalogue: ResourceCatalogue,
    searchId: string,
    candidates: CandidateLimits,
    onAttempt: (record: AttemptRecord) => void,
  ): Promise<{ plan: FoundPlan; attempts: readonly AttemptRecord[]; facts?: CandidateFacts }> {
    const { controller } = this.#options;
    const { now, newId } = planFunctions(this.#options);
    const { maxAttempts, timeoutMs, maxPromptCharacters } = this.config;
    const validateToolAvailability = this.#validatesAvailability;
    let shown: ShownResources | undefined;
    let draft: OpenDraft | undefined;
    const instructions = options.instructions?.trim() || undefined;
    const time = planningTime(this.#options);
    const mayArrange = this.#mayArrange(checked);
    const loop = (candidate: number): AttemptLoop<FoundPlan> => ({
      maxAttempts: candidate === 0 ? maxAttempts : 1,
      timeoutMs,
      deterministic: controller.deterministic === true,
      signal: options.signal,
      send: (feedback, call) => {
        const write = (shown: ShownResources): Phase1Request => ({
          search_id: searchId,
          phase_1_data: {
            task_input_data: joinSections([
              this.#describe(checked, context, shown),
              ...(instructions === undefined ? [] : [`## Instructions\n${instructions}`]),
              this.#prompts.feedback(feedback),
            ]),
            n_history_samples: this.#historySamples,
            llm_data: {
              ...this.#llmData(options.llmData, feedback.length),
              ...(candidate > 0 && { temperature: candidates.temperature }),
            },
          },
          ...(candidate > 0 && { candidate }),
          job: checked.job ?? { job_goal: checked.prompt ?? checked.goal },
          ...(this.resources.length === 0 ? {} : { resources: this.resources }),
          ...shownField(shown),
          ...(context === undefined ? {} : { context }),
          ...(instructions === undefined ? {} : { instructions }),
          ...(feedback.length === 0 ? {} : { feedback }),
          ...(checked.job === undefined || !mayArrange
            ? {}
            : { sections: this.#arranged(checked.job, checked.taskDescription, context, instructions, feedback) }),
          time,
        });
        const query = () => joinSections([wantedIn(checked), ...this.#notes.values(), ...wantedAfter(feedback)]);
        const fitted = fitRequest({
          controller,
          maxPromptCharacters,
          resources: this.resources,
          query,
          write,
          tries: feedback.length,
        });
        shown = fitted.shown;
        return controller.processPhase1(fitted.request, {
          ...call,
          maxPromptCharacters,
          ...(options.onTask === undefined ? {} : { onDelta: taskPreview(options.onTask, feedback.length + 1) }),
        });
      },
      read: (reply) => {
        const read = readPlanReply(reply.data, { newId, now });
        if (read.plan === undefined) return { issues: [...read.issues, ...(reply.issues ?? [])] };
        const { tasks, issues: leftOut } = withoutRunPolicy(read.plan.planned_tasks, catalogue);
        const planned = { ...read.plan, planned_tasks: tasks };
        // With the arguments that the controller itself says it does not know, so that they are asked for rather than left to Stage 2.
        const judge = (plan: TaskData) => judgePlan(withUnknown(plan, reply), catalogue, { validateToolAvailability });
        const written = judge(planned);
        // What another planner wrote is its own to mend.
        const mended = reply.calls?.length ? mendPlan(planned, written) : { plan: planned, issues: [] };
        const issues = mended.issues.length === 0 ? written : judge(mended.plan);
        const value = lacksArgumentsOnly(issues) ? withQuestions(mended.plan, issues, catalogue) : mended.plan;
        const isDraft = value !== mended.plan;
        if (isDraft && candidate === 0) draft = { value, reply };
        const settled = isDraft && saidMissing(issues, reply);
        const found = { value, reply, shown, judged: issues };
        return { value: found, issues: [...issues, ...mended.issues, ...leftOut, ...(reply.issues ?? [])], settled };
      },
      onAttempt,
    });
    const result = await attemptUntilValid(loop(0));
    if (result.found) {
      const first = { plan: result.value, attempts: result.attempts };
      const isCertain = controller.deterministic === true || result.reply.certain === true;
      if (candidates.count === 1 || isCertain) return first;
      return sampleCandidates({
        first,
        limits: candidates,
        goal: wantedIn(checked),
        catalogue,
        signal: options.signal,
        ask: (number) => attemptUntilValid(loop(number)),
      });
    }
    if (draft !== undefined) {
      const made = { controller: controller.name, attempts: result.attempts };
      const origin = { checked, context, instructions, ...made, catalogue, shown };
      throw openQuestions(finishPlan(draft.value, draft.reply, origin), draft, result.attempts);
    }
    throw new PlannerError(
      PlannerErrorCode.NO_VALID_PLAN,
      `Failed to generate valid plan after ${failureText(result.attempts)}`,
      {
        details: {
          attempts: result.attempts.map(({ attempt, issues, answer }) => ({ attempt, issues, answer })),
          controller: controller.name,
        },
        ...(result.cause === undefined ? {} : { cause: result.cause }),
      },
    );
  }

  /** A prompt the caller wrote may describe resources that only its controller knows. */
  get #validatesAvailability(): boolean {
    return this.config.validateToolAvailability && this.resources.length > 0;
  }

  #describe(checked: CheckedInput, context: PlanningContext | undefined, shown: ShownResources): string {
    const { job, prompt } = checked;
    const resources = this.#prompts.resources(shown.resources, shown.leftOut);
    if (prompt !== undefined || job === undefined) {
      // If the description is this planner's own, the prepared block of resources can be found in it and replaced.
      const prepared = this.#sections.resources;
      const text = shownInPart(shown) && prepared !== "" ? prompt?.replace(prepared, () => resources) : prompt;
      return joinSections([text ?? "", this.#prompts.context(context)]);
    }
    return joinSections([
      this.#prompts.job(job),
      resources,
      this.#prompts.notes(this.#notes),
      this.#prompts.task(checked.taskDescription),
      this.#prompts.context(context),
    ]);
  }

  /** Whether a controller may arrange the sections itself: not where the text or the description of the resources is the caller's. */
  #mayArrange({ goal, prompt }: CheckedInput): boolean {
    // A goal in words has its text as the prompt too; a description that the caller prepared is more than the goal.
    return this.#options.prompts?.resources === undefined && (prompt === undefined || prompt === goal);
  }

  #arranged(
    job: Job,
    task: string,
    context: PlanningContext | undefined,
    instructions: string | undefined,
    feedback: readonly AttemptFeedback[],
  ): readonly string[] {
    const sections = [
      this.#prompts.context(context),
      this.#prompts.notes(this.#notes),
      this.#prompts.task(task),
      instructions === undefined ? "" : `## Instructions\n${instructions}`,
      this.#prompts.feedback(feedback),
      this.#prompts.job(job),
    ];
    return sections.filter((section) => section !== "");
  }

  /**
   * `llmData` goes out as it was given; the default temperature is ours only where the caller said nothing, and rises with each
   * wrong answer: at the same one a model repeats it.
   */
  #llmData(callData: CreatePlanOptions["llmData"], tries: number): Record<string, unknown> {
    const given = { ...this.#options.llmData, ...callData };
    const silent = Object.keys(given).length === 0;
    if (this.#options.temperature !== undefined) return { temperature: this.config.temperature, ...given };
    return silent ? { temperature: Math.min(hottest, this.config.temperature + tries * warmer) } : given;
  }

  #requireResources(checked: CheckedInput): void {
    if (this.resources.length > 0 || !this.config.validateToolAvailability || checked.prompt !== undefined) return;
    throw new PlannerError(
      PlannerErrorCode.RESOURCES_EMPTY,
      "There is nothing to plan with: no tool, agent, model or workflow is known. Pass `resources` (or connect an MCP server); `validateToolAvailability: false` plans without.",
    );
  }
}

/** A plan that an answer gave, with what validation said of it and what of the resources was described. */
interface FoundPlan {
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

/** The plan with questions for the arguments whose values, by its controller, the goal does not give; `judgePlan` reads them. */
function withUnknown(plan: TaskData, { issues = [] }: ControllerReply): TaskData {
  const questions = issues.flatMap(({ code, task_id, argument_path }) =>
    code === IssueCode.UNRESOLVED && task_id !== undefined && argument_path !== undefined
      ? [{ task_id, argument_path }]
      : [],
  );
  return { ...plan, metadata: { ...plan.metadata, questions } };
}

/** How much each wrong answer adds to the default temperature, and where that ends. */
const warmer = 0.3;
const hottest = 0.7;

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

/** So many questions are named in a message. */
const maxNamed = 5;

function openQuestions(finished: TaskData, { value }: OpenDraft, attempts: readonly AttemptRecord[]): PlannerError {
  const questions = (value.metadata?.questions ?? []) as readonly PlanQuestion[];
  const draft = { ...finished, metadata: { ...finished.metadata, questions } };
  const named = questions.slice(0, maxNamed).map(({ name, type }) => `${name} (${type})`);
  const more = questions.length > named.length ? ` and ${questions.length - named.length} more` : "";
  const lacks = `${questions.length} argument${questions.length === 1 ? "" : "s"}`;
  const message = `The plan lacks ${lacks} that the goal does not say: ${named.join(", ")}${more}. Answer them (answer(details.draft, {…})), or say them in the goal.`;
  return new PlannerError(PlannerErrorCode.OPEN_QUESTIONS, message, {
    details: {
      draft,
      questions,
      attempts: attempts.map(({ attempt, issues, answer }) => ({ attempt, issues, answer })),
    },
  });
}

/** The words that say what is to be done: of a prompt that the caller wrote all of them. */
function wantedIn({ goal, job, taskDescription, prompt }: CheckedInput): string {
  if (job === undefined) return prompt ?? goal;
  return joinSections([goal, taskDescription, JSON.stringify([job.job_objectives, job.job_steerability_data])]);
}
