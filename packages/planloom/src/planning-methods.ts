import type { PlanIssue, Resource, ScheduledGraphs, TaskData, TaskDataInput } from "@planloom/plan";
import type { PlanQuestion } from "@planloom/planner";
import { type DryRunResult, dryRun, type EstimatedPlan } from "@planloom/runtime";
import { callChecks } from "./call-checks.ts";
import { checkOptions } from "./check-options.ts";
import { confirmSeen, confirmUnseen } from "./description.ts";
import type { PlanloomEvent } from "./events.ts";
import type { GroupedPlan } from "./grouping/grouped-plan.ts";
import type { Instance } from "./instance.ts";
import { isSeen } from "./instance-runs.ts";
import { type PlanStream, planStreamOf } from "./plan-stream.ts";
import {
  type Goal,
  type OptimizeOptions,
  type PlanloomDryRunOptions,
  type PlanOptions,
  pickOptions,
} from "./planloom-options.ts";
import { wholePlan } from "./runnable-plan.ts";

/** The half of a `Planloom` that executes nothing: it makes plans, asks and answers what they lack, judges, groups and foresees them. */
export class PlanningMethods {
  readonly #instance: Instance;

  /** @internal It is made with its `Planloom`. */
  constructor(instance: Instance) {
    this.#instance = instance;
  }

  /** What tasks can be planned for: tools, agents, models, workflows. */
  get resources(): readonly Resource[] {
    return this.#instance.planning.resources;
  }

  /**
   * Stage 1: a validated plan for a goal.
   * @throws PlannerError where no plan could be made from the goal, the resources and the answers of the controller, see `Planner.createPlan`.
   */
  plan(goal: Goal, options: PlanOptions = {}): Promise<TaskData> {
    return this.#instance.work.run("plan", options, callChecks.plan, ({ signal }) =>
      this.#instance.plan(goal, { ...options, signal }),
    );
  }

  /**
   * As `plan`, but a plan that lacks nothing but arguments is returned rather than refused: `metadata.questions` asks for them
   * (`PlanQuestion[]`, absent where no argument is missing). Nothing is run. `answer` completes the plan.
   * @throws as `plan`, except PlannerError OPEN_QUESTIONS
   */
  draft(goal: Goal, options: PlanOptions = {}): Promise<TaskData> {
    const onEvent = (event: PlanloomEvent) => this.#instance.emit(event);
    return this.#instance.work.run("draft", options, callChecks.plan, ({ signal }) =>
      this.#instance.watched({ name: "plan" }, () =>
        this.#instance.planning.draft(goal, { ...options, signal }, { onEvent }),
      ),
    );
  }

  /** A question for each missing argument of the plan, in plan order. Empty where none is missing, and where something else is wrong with the plan. */
  questions(plan: TaskData): PlanQuestion[] {
    return this.#instance.planning.questions(plan);
  }

  /**
   * The plan with arguments put in, by names such as `list_issues.owner`: those that `metadata.questions` asks for, and any others that the
   * tools take. The plan handed in is not changed. Once every question is answered the plan can be run; until then, `metadata.questions` of
   * the result has the others.
   * @param options.asText whether a person typed the values: texts are then read by the type of their argument. @default false
   * @throws PlanloomError INVALID_PLAN for what is not a plan; PlannerError ANSWER_INVALID for an unknown name (with the nearest ones), for a value that does not fit, and for a credential
   *   that is given as text in place of `{"$secret": "NAME"}`
   */
  answer(
    plan: TaskData,
    answers: Readonly<Record<string, unknown>>,
    options: { readonly asText?: boolean } = {},
  ): TaskData {
    return this.#instance.planning.answer(wholePlan(plan), answers, options);
  }

  /**
   * The plan with other tools for some of its tasks, `{"list_issues": "search_issues"}`: `metadata.choices` names the alternatives. The arguments of
   * such a task are bound again by the embedded planner, from the words that the task was planned for; `metadata.questions` asks for
   * arguments that the tool needs and the goal does not give. The plan handed in is not changed.
   * @throws PlanloomError INVALID_PLAN for what is not a plan; PlannerError CHOICE_INVALID for an unknown task or tool (with the nearest names), and where the rest of the plan does not go with it
   */
  choose(plan: TaskData, tools: Readonly<Record<string, string>>): TaskData {
    return this.#instance.planning.choose(wholePlan(plan), tools);
  }

  /** What is wrong with a plan, given the resources of this instance. It can be run if no issue has the severity `error`. */
  validate(plan: unknown): PlanIssue[] {
    return this.#instance.planning.validate(plan);
  }

  /**
   * Groups a plan into subgraphs as a run would: for the environment of the dispatcher, where there is one. Nothing is run.
   * @param options.dispatch where the subgraphs would go. @default that of the instance
   * @throws PlanloomError OPTION; OptimizerError for a cycle or an unknown dependency
   */
  optimize(plan: TaskDataInput, options: OptimizeOptions = {}): Promise<GroupedPlan> {
    return this.#instance.work.run("optimize", options, callChecks.optimize, ({ signal }) =>
      this.#instance.runs.group(wholePlan(plan), options, signal),
    );
  }

  /**
   * The plan and its quotient as graphology graphs, grouped as by `optimize`: each node has its level, rank, slack, whether it is critical, and when it starts and ends in the prediction. The optimizers and the bench take
   * such graphs in place of plans.
   * @throws PlanloomError OPTION; OptimizerError as `optimize`; PlanError INVALID for an id that every object has (such as `constructor`)
   */
  async graph(plan: TaskDataInput, options: OptimizeOptions = {}): Promise<ScheduledGraphs> {
    checkOptions("`graph`", options, callChecks.optimize);
    const whole = wholePlan(plan);
    const { planGraphs } = await import("@planloom/optimizer");
    return planGraphs(whole, await this.optimize(whole, options));
  }

  /** What a run would do, when, and with which input. Nothing is executed, and no person is asked. @throws PlanloomError OPTION, RuntimeError */
  dryRun(plan: TaskDataInput, given: PlanloomDryRunOptions = {}): DryRunResult {
    checkOptions("`dryRun`", given, callChecks.dryRun);
    const { signal, ...options } = given;
    signal?.throwIfAborted();
    const { options: own, executors } = this.#instance;
    const defaults = pickOptions(own, ["concurrency", "limits", "approval", "secrets"]);
    const confirm = options.confirm ?? own.confirm ?? (isSeen(plan) ? confirmSeen : confirmUnseen);
    return dryRun(plan, { ...defaults, ...options, confirm, executors });
  }

  /**
   * As `plan`, with each task as soon as a model has written it. When the stream is given to `run`, a task starts once it and all it needs are
   * complete and valid, while the rest is still being written. Tools that are not declared read-only, and all other kinds, wait for the whole plan.
   */
  planStream(goal: Goal, options: PlanOptions = {}): PlanStream {
    return planStreamOf((onTask) =>
      this.#instance.work.run("planStream", options, callChecks.plan, ({ signal }) =>
        this.#instance.plan(goal, { ...options, signal }, { onTask }),
      ),
    );
  }

  /**
   * The plan with the duration of each task that is best known: its own estimate, else what its resource took in the newest runs of the journal, else
   * what the resource itself says. `sources` counts them. The plan handed in is not changed.
   * @throws PlanloomError OPTION; RuntimeError JOURNAL_*; PlanError CALLBACK where an executor's `estimate` throws
   */
  estimate(plan: TaskDataInput, options: Pick<OptimizeOptions, "signal"> = {}): Promise<EstimatedPlan> {
    return this.#instance.work.run("estimate", options, { signal: "signal" }, ({ signal }) =>
      this.#instance.runs.estimate(wholePlan(plan), signal),
    );
  }
}
