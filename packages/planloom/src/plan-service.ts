import type { BehaviorController } from "@planloom/controller";
import { argumentsFor, type ClockOptions, MemoryController, type RememberedPlan } from "@planloom/embedded";
import {
  type Executor,
  type OptionChecks,
  type PlanIssue,
  type Resource,
  resourceCatalogue,
  type TaskData,
} from "@planloom/plan";
import {
  type AnswerPlanOptions,
  answerPlan,
  type CreatePlanOptions,
  chooseTools,
  judgePlan,
  keepVerdict,
  lacksArgumentsOnly,
  Planner,
  PlannerError,
  PlannerErrorCode,
  type PlannerEvent,
  type PlanQuestion,
  questionsFrom,
  type ReadWords,
} from "@planloom/planner";
import { planChecks } from "./call-checks.ts";
import { checkOptions } from "./check-options.ts";
import type { Goal, PlanloomOptions, PlanOptions } from "./planloom-options.ts";
import { type PlannerSettings, plannerSettingChecks } from "./planner-settings.ts";
import { type PlanningClock, planningClock } from "./planning-clock.ts";
import { resourceList } from "./resource-list.ts";

/** Where plans to reuse come from, and how alike goals must be. */
export interface PlanReuse {
  /** The plans of a tenant, the newest first. */
  remembered(of: {
    readonly tenant: string | undefined;
    readonly signal: AbortSignal | undefined;
  }): Promise<readonly RememberedPlan[]>;
  readonly minLikeness?: number | undefined;
  readonly examples?: boolean | undefined;
}

export interface PlanServiceOptions {
  readonly controller: BehaviorController;
  /** A plan may name the resources of these executors. */
  readonly executors: readonly Executor[];
  /** Those of the executors whose resources the planner may choose. @default all */
  readonly plannable?: readonly Executor[] | undefined;
  readonly planner?: PlannerSettings | undefined;
  /** Earlier plans that goals like theirs get again. @default none */
  readonly memory?: PlanReuse | undefined;
  /** The time that words such as "today" refer to. @default the system's clock */
  readonly now?: PlanloomOptions["now"];
  /** The IANA name of the time zone for such words. @default the system's */
  readonly timeZone?: string | undefined;
}

const checks = {
  controller: { required: { method: "processPhase1", expected: "a BehaviorController" } },
  executors: { required: "list" },
  plannable: "list",
  planner: { options: plannerSettingChecks },
  memory: { method: "remembered", expected: "an object with `remembered`" },
  now: { either: ["time", "function"] },
  timeZone: "text",
} as const satisfies OptionChecks<PlanServiceOptions>;

/** Makes plans and checks them. It executes nothing and loads nothing that executes, for programs that only plan. */
export class PlanService {
  readonly controller: BehaviorController;
  readonly #planner: PlannerSettings & PlanningClock;
  readonly #all: () => readonly Resource[];
  readonly #plannable: () => readonly Resource[];
  readonly #clock: ClockOptions;
  readonly #memory: PlanReuse | undefined;

  /** @throws PlanloomError OPTION */
  constructor(options: PlanServiceOptions) {
    checkOptions("`PlanService`", options, checks);
    const { controller, executors, plannable = executors, planner, memory } = options;
    this.controller = controller;
    this.#planner = { ...planningClock(options), ...planner };
    this.#clock = clockOf(options);
    this.#memory = memory;
    this.#all = resourceList(executors);
    this.#plannable = resourceList(plannable);
  }

  /** The resources that plans may be made with. */
  get resources(): readonly Resource[] {
    return this.#plannable();
  }

  /** @throws PlannerError where no plan could be made from the goal, the resources and the answers of the controller, see `Planner.createPlan`. */
  plan(
    goal: Goal,
    options: PlanOptions = {},
    listeners: Pick<CreatePlanOptions, "onTask"> & { onEvent?: (event: PlannerEvent) => void } = {},
  ): Promise<TaskData> {
    checkOptions("`plan`", options, planChecks);
    checkOptions("`plan`", listeners, { onEvent: "function", onTask: "function" });
    const { context, instructions, llmData, candidates, memory = true, tenant, signal } = options;
    const { onEvent, onTask } = listeners;
    const planner = new Planner({
      ...this.#planner,
      controller: memory && isWordsAlone(goal) ? this.#withMemory(tenant, signal) : this.controller,
      resources: this.#plannable(),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    return planner.createPlan(goal, {
      ...(context === undefined ? {} : { context }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(llmData === undefined ? {} : { llmData }),
      ...(candidates === undefined ? {} : { candidates }),
      ...(signal === undefined ? {} : { signal }),
      ...(onTask === undefined ? {} : { onTask }),
    });
  }

  /** The controller with the plans of a tenant before it, where plans are remembered. */
  #withMemory(tenant: string | undefined, signal: AbortSignal | undefined): BehaviorController {
    if (this.#memory === undefined) return this.controller;
    const { minLikeness, examples } = this.#memory;
    return new MemoryController({
      ...this.#clock,
      controller: this.controller,
      remembered: () => this.#memory!.remembered({ tenant, signal }),
      ...(minLikeness !== undefined && { minLikeness }),
      ...(examples !== undefined && { examples }),
    });
  }

  /** As `plan`, but a plan that lacks nothing but arguments is returned with `metadata.questions` rather than refused. @throws as `plan`, except OPEN_QUESTIONS */
  async draft(...call: Parameters<PlanService["plan"]>): Promise<TaskData> {
    try {
      return await this.plan(...call);
    } catch (error) {
      if (!(error instanceof PlannerError) || error.code !== PlannerErrorCode.OPEN_QUESTIONS) throw error;
      return error.details.draft as TaskData;
    }
  }

  /** The plan with arguments put in; see `answerPlan`. @throws PlannerError ANSWER_INVALID */
  answer(
    plan: TaskData,
    answers: Readonly<Record<string, unknown>>,
    options: Pick<AnswerPlanOptions, "asText"> = {},
  ): TaskData {
    checkOptions("`answer`", options, { asText: "boolean" });
    const { asText = false } = options;
    const { validateToolAvailability = true } = this.#planner;
    return answerPlan(plan, answers, resourceCatalogue(this.#all()), { asText, validateToolAvailability });
  }

  /** The plan with other tools for some of its tasks; see `chooseTools`. @throws PlannerError CHOICE_INVALID */
  choose(plan: TaskData, tools: Readonly<Record<string, string>>): TaskData {
    const { validateToolAvailability = true } = this.#planner ?? {};
    const readWords: ReadWords = (words, resource) => argumentsFor(words, resource, this.#clock);
    return chooseTools(plan, tools, resourceCatalogue(this.#all()), readWords, { validateToolAvailability });
  }

  /** A question for each missing argument of the plan, in plan order. Empty where none is missing, and where something else is wrong with the plan. */
  questions(plan: TaskData): PlanQuestion[] {
    const issues = this.validate(plan);
    return lacksArgumentsOnly(issues) ? questionsFrom(issues, plan, resourceCatalogue(this.#all())) : [];
  }

  /**
   * What is wrong with a plan, given the resources of the executors. It can be run if no issue has the severity `error`; it is not validated
   * again when it is run unchanged.
   */
  validate(plan: unknown): PlanIssue[] {
    const issues = this.judge(plan);
    const { validateToolAvailability = true } = this.#planner;
    if (validateToolAvailability && typeof plan === "object" && plan !== null) keepVerdict(plan, this.#all(), issues);
    return issues;
  }

  /** As `validate`, but no verdict is kept: for plans that are checked only once. */
  judge(plan: unknown): PlanIssue[] {
    const { validateToolAvailability = true } = this.#planner;
    return judgePlan(plan, resourceCatalogue(this.#all()), { validateToolAvailability });
  }
}

/** A goal with a description beside it asks for more than its words. */
function isWordsAlone(goal: Goal): boolean {
  // The planner refuses anything else.
  return typeof goal === "string" || (goal?.task_description ?? "") === "";
}

/** By which dates in the words of a task are read. */
function clockOf({ now, timeZone }: Pick<PlanServiceOptions, "now" | "timeZone">): ClockOptions {
  return { ...(now !== undefined && { now }), ...(timeZone !== undefined && { timeZone }) };
}
