import type { BehaviorController } from "@planloom/controller";
import {
  type OptionChecks,
  type PlannerTask,
  type Resource,
  type ResourceCatalogue,
  resourceCatalogue,
  resourcePin,
  type Step,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import type { PlannerEvent } from "../events.ts";
import { checkTimeZone, type PlanningClock, planningTime } from "../planning-time.ts";
import { checkPromptCharacters, shownInPart } from "../prompt-size/fit-request.ts";
import { taskText } from "../prompts/describe-task.ts";
import { joinSections, type PlannerPrompts, promptsWith } from "../prompts/planner-prompts.ts";
import { checkHistorySamples, commonChecks, readMaxAttempts, readTimeout } from "../stage1/planner-options.ts";
import { candidatesFor } from "./candidates-for.ts";
import { describeStep, stepSections } from "./describe-step.ts";
import { planStep } from "./plan-step.ts";
import type { SubPlanner } from "./sub-planners.ts";

export interface StepPlannerOptions extends PlanningClock {
  readonly controller: BehaviorController;
  /** Attempts in all, at least 1. @default 3 */
  readonly maxAttempts?: number;
  /**
   * The most characters of one request to a model: the text, what the controller adds, the schema of the answer. Where all resources do not
   * fit, their descriptions and schemas are shortened alike, then those that fit the task least are left out. @default 400_000
   */
  readonly maxPromptCharacters?: number;
  /** Limit for one answer of the controller, in milliseconds; `Infinity` for none. @default 600_000, or what the controller takes by its own limit where that is more */
  readonly timeoutMs?: number;
  /** Sent as `llm_data` with every request. */
  readonly llmData?: Readonly<Record<string, unknown>>;
  /** As of `PlannerOptions`. @default 0 */
  readonly nHistorySamples?: number;
  /** Replaces texts of the prompt. @default plannerPrompts */
  readonly prompts?: Partial<PlannerPrompts>;
  readonly onEvent?: (event: PlannerEvent) => void;
  /** Makes `search_id`. @default a random UUID */
  readonly newSearchId?: () => string;
}

/** What is checked of each option. */
export const stepPlannerChecks = commonChecks satisfies OptionChecks<StepPlannerOptions>;

/** What `createPlan` of a Stage 2 planner takes; every part optional, what was added before counts too. */
export interface StepInput {
  /** The whole prompt text, as `getFullDescription` gives it. @default getFullDescription() with the task and the input */
  readonly task_description?: string;
  /** The task from Stage 1; its pin is kept. */
  readonly task?: PlannerTask;
  /** What the task is called with, references resolved. @default the sample of `addInputConversion`, else the task's arguments */
  readonly input?: Readonly<Record<string, unknown>>;
  /** dsl only: which module's output is wanted; `""` is the whole output. */
  readonly output_module?: string;
}

export interface CreateStepOptions {
  /** Sent as `llm_data`; keys override the constructor's. */
  readonly llmData?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/**
 * The one implementation of Stage 2 behind AgentsPlanner, ToolsPlanner, LLMSelectorPlanner and DSLPlanner, which differ only in
 * the entry of `subPlanners` that they use.
 */
export class StepPlanner {
  readonly #subPlanner: SubPlanner;
  readonly #options: StepPlannerOptions;
  readonly #prompts: PlannerPrompts;
  readonly #maxAttempts: number;
  readonly #historySamples: number;
  readonly #maxPromptCharacters: number;
  readonly #timeoutMs: number;
  #catalogue: ResourceCatalogue = resourceCatalogue([]);
  #resourcesText = "";
  #taskText = "";
  #sample: Readonly<Record<string, unknown>> | undefined;

  constructor(subPlanner: SubPlanner, options: StepPlannerOptions) {
    if (typeof options?.controller?.processPhase2 !== "function") {
      throw new PlannerError(
        PlannerErrorCode.CONFIG,
        "Expected `controller` to be a BehaviorController (EmbeddedController, LlmController, HttpController or your own).",
        { details: { option: "controller" } },
      );
    }
    this.#subPlanner = subPlanner;
    this.#options = options;
    this.#prompts = promptsWith(options.prompts);
    this.#maxAttempts = readMaxAttempts(options);
    checkOptions("a Stage 2 planner", options, stepPlannerChecks);
    this.#historySamples = checkHistorySamples(options.nHistorySamples);
    this.#maxPromptCharacters = checkPromptCharacters(options.maxPromptCharacters);
    this.#timeoutMs = readTimeout(options);
    checkTimeZone(options.timeZone);
  }

  /** Sets what may be chosen from and returns its description; resources of other kinds are left out. */
  protected prepare(resources: readonly Resource[]): string {
    const own = resources.filter(({ kind }) => kind === this.#subPlanner.kind);
    this.#catalogue = resourceCatalogue(own);
    this.#resourcesText = this.#prompts.resources(own);
    return this.#resourcesText;
  }

  /** Adds a text to the task block and returns the text's block. */
  addTaskDescription(text: string): string {
    const block = this.#prompts.task(text);
    this.#taskText = joinSections([this.#taskText, block]);
    return block;
  }

  /** Sets the sample input that is to be converted into the resource's schema, and returns its description. */
  addInputConversion(sample: Readonly<Record<string, unknown>>): string {
    this.#sample = sample;
    return this.#prompts.input(sample);
  }

  /** All that was prepared so far: request, resources, task, input. */
  getFullDescription(): string {
    return this.#describe(undefined, this.#sample);
  }

  /**
   * Chooses the resource and writes its input. No call is made when nothing is left to decide: the resource is pinned or the only
   * one and the input is complete and valid.
   *
   * @throws PlannerError INPUT_INVALID (a task of another kind), RESOURCES_EMPTY, RESOURCE_UNKNOWN, PROMPT_TOO_LARGE before any call; NO_VALID_STEP after `maxAttempts` attempts; TIMEOUT.
   * @throws ControllerError when asking again cannot help; `signal.reason` after an abort.
   */
  async createPlan(request: StepInput = {}, options: CreateStepOptions = {}): Promise<Step> {
    checkOptions("`createPlan`", options, { llmData: "object", signal: "signal" });
    const { task } = request;
    const { controller, prompts: _, ...rest } = this.#options;
    const pin = this.#pinOf(task);
    const candidates = candidatesFor(this.#catalogue, this.#subPlanner.kind, pin, task?.task_id);
    const input = request.input ?? this.#sample ?? task?.arguments ?? {};
    const outputModule = request.output_module ?? outputModuleOf(task);
    return planStep({
      controller,
      catalogue: this.#catalogue,
      candidates,
      pinned: pin !== undefined,
      noun: this.#subPlanner.noun,
      describe: (shown) => {
        const resources = shownInPart(shown)
          ? this.#prompts.resources(shown.resources, shown.leftOut)
          : this.#resourcesText;
        // If the description is this planner's own, the prepared block of resources can be found in it and replaced.
        const prepared = this.#resourcesText;
        const given = request.task_description;
        if (given === undefined) return this.#describe(task, input, resources);
        return prepared === "" ? given : given.replace(prepared, () => resources);
      },
      sections: this.#sections(request, input),
      wanted: joinSections([task === undefined ? "" : taskText(task), this.#taskText, request.task_description ?? ""]),
      maxPromptCharacters: this.#maxPromptCharacters,
      input,
      maxAttempts: this.#maxAttempts,
      timeoutMs: this.#timeoutMs,
      llmData: { ...rest.llmData, ...options.llmData },
      nHistorySamples: this.#historySamples,
      time: () => planningTime(this.#options),
      prompts: this.#prompts,
      ...(task === undefined ? {} : { task }),
      ...(outputModule === undefined ? {} : { outputModule }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(rest.onEvent === undefined ? {} : { onEvent: rest.onEvent }),
      ...(rest.newSearchId === undefined ? {} : { newSearchId: rest.newSearchId }),
    });
  }

  #pinOf(task: PlannerTask | undefined): string | undefined {
    if (task === undefined) return undefined;
    const { kind, uid } = resourcePin(task);
    if (kind === undefined || kind === this.#subPlanner.kind) return uid;
    throw new PlannerError(
      PlannerErrorCode.INPUT_INVALID,
      `Expected a task of kind "${this.#subPlanner.kind}", got task "${task.task_id}" of kind "${kind}". Give it to the planner of its kind, or use bindWith.`,
      { details: { task_id: task.task_id, issues: [] } },
    );
  }

  #sections(
    { task, task_description }: StepInput,
    input: Readonly<Record<string, unknown>>,
  ): readonly string[] | undefined {
    if (task_description !== undefined || this.#options.prompts?.resources !== undefined) return undefined;
    return stepSections(this.#taskBlock(task), input, this.#prompts);
  }

  #taskBlock(task: PlannerTask | undefined): string {
    return joinSections([this.#taskText, task === undefined ? "" : this.#prompts.task(taskText(task))]);
  }

  #describe(
    task: PlannerTask | undefined,
    input: Readonly<Record<string, unknown>> | undefined,
    resourcesText = this.#resourcesText,
  ): string {
    return describeStep(this.#subPlanner, resourcesText, this.#taskBlock(task), input, this.#prompts);
  }
}

/** Only workflows have modules; a dsl task names its own in `parameters.output_module`. */
export function outputModuleOf(task: PlannerTask | undefined): string | undefined {
  const value =
    task !== undefined && Object.hasOwn(task.parameters, "output_module") ? task.parameters.output_module : undefined;
  return typeof value === "string" ? value : undefined;
}
