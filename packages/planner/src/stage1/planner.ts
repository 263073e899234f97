import {
  type OptionChecks,
  type PlannerTask,
  PlanningContext,
  type Resource,
  resourceCatalogue,
  type TaskData,
  withDeclaredEffects,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { eventSource } from "../events.ts";
import { newSearchIdOf } from "../given-functions.ts";
import { checkTimeZone } from "../planning-time.ts";
import { cutText } from "../prompts/cut-text.ts";
import { promptsWith } from "../prompts/planner-prompts.ts";
import {
  type CandidateLimits,
  type CandidateOptions,
  candidatesCheck,
  readCandidates,
} from "./candidates/candidate-options.ts";
import { finishPlan } from "./finish-plan.ts";
import { keepVerdict } from "./kept-verdict.ts";
import { PlanDescription } from "./plan-description.ts";
import { type CheckedInput, checkPlanInput, type JobParts, type PlanInput } from "./plan-input.ts";
import { PlanSearch } from "./plan-search.ts";
import {
  checkHistorySamples,
  type PlannerConfig,
  type PlannerOptions,
  plannerChecks,
  plannerConfig,
} from "./planner-options.ts";

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
  readonly #description: PlanDescription;

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
    this.#description = new PlanDescription(promptsWith(options.prompts), this.resources);
  }

  /** Sets the job block and returns it. @throws PlannerError INPUT_INVALID, GOAL_EMPTY, GOAL_TOO_LARGE */
  prepareJobData(job: JobParts): string {
    return this.#description.describeJob(job);
  }

  /** Sets the resources block from `resources` and returns it. */
  prepareResourcesDescription(): string {
    return this.#description.describeResources();
  }

  /** Adds a text to the task block and returns the block. @throws PlannerError INPUT_INVALID */
  addTaskDescription(text: string): string {
    requireText("text", "addTaskDescription", text);
    return this.#description.addTask(text);
  }

  /** Sets a note for every plan of this planner; a key set again keeps its place. An empty text removes it. @throws PlannerError INPUT_INVALID */
  setCustomDescription(key: string, text: string): void {
    requireText("key", "setCustomDescription", key);
    requireText("text", "setCustomDescription", text);
    this.#description.setNote(key, text);
  }

  /** Builds the description from a job: job data, resources, notes, task description. Returns it whole. */
  generateFinalInput(job: JobParts): string {
    this.prepareJobData(job);
    this.prepareResourcesDescription();
    this.#description.withoutTask();
    if (job.task_description !== undefined) this.addTaskDescription(job.task_description);
    return this.getFullDescription();
  }

  /** All that was prepared so far. */
  getFullDescription(): string {
    return this.#description.whole();
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
    const checked = checkPlanInput(input, this.#description.job);
    const context = options.context === undefined ? undefined : PlanningContext.parse(options.context);
    this.#requireResources(checked);
    const searchId = newSearchIdOf(this.#options.newSearchId);
    const emit = eventSource(searchId, this.#options.onEvent);
    const { controller } = this.#options;
    emit({ type: "plan-start", goal: cutText(checked.goal, 500), controller: controller.name });
    try {
      const catalogue = resourceCatalogue(this.resources);
      let counted = 0;
      const instructions = options.instructions?.trim() || undefined;
      const search = new PlanSearch({
        planner: this.#options,
        config: this.config,
        resources: this.resources,
        catalogue,
        description: this.#description,
        historySamples: this.#historySamples,
        validateToolAvailability: this.#validatesAvailability,
        searchId,
        input: checked,
        context,
        instructions,
        llmData: options.llmData,
        // Plans that stream are not compared.
        candidates: options.onTask === undefined ? candidates : readCandidates(1),
        signal: options.signal,
        onTask: options.onTask,
        onAttempt: (record) =>
          emit({
            type: "plan-attempt",
            attempt: ++counted,
            maxAttempts: this.config.maxAttempts + candidates.count - 1,
            issues: record.issues,
            calls: record.calls,
            requests: record.requests,
            durationMs: record.durationMs,
          }),
      });
      const { plan, attempts, facts } = await search.find();
      const { value, reply, shown, judged } = plan;
      const finished = finishPlan(value, reply, {
        checked,
        context,
        instructions,
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

  /** A prompt the caller wrote may describe resources that only its controller knows. */
  get #validatesAvailability(): boolean {
    return this.config.validateToolAvailability && this.resources.length > 0;
  }

  #requireResources(checked: CheckedInput): void {
    if (this.resources.length > 0 || !this.config.validateToolAvailability || checked.prompt !== undefined) return;
    throw new PlannerError(
      PlannerErrorCode.RESOURCES_EMPTY,
      "There is nothing to plan with: no tool, agent, model or workflow is known. Give tools: in the configuration (`planloom init` writes one), by an MCP server (`--mcp`), or as `tools` and `resources` of the library.",
    );
  }
}

/** For callers without types: what is not text would be sent to a model as "undefined". */
function requireText(name: string, method: string, value: unknown): void {
  if (typeof value === "string") return;
  const message = `Expected \`${name}\` of \`${method}\` to be text, got ${value === null ? "null" : typeof value}.`;
  throw new PlannerError(PlannerErrorCode.INPUT_INVALID, message, { details: { issues: [{ path: name, message }] } });
}
