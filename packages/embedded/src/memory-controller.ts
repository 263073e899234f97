import {
  type BehaviorController,
  type CallOptions,
  type ControllerReply,
  dataBlock,
  type Phase1Request,
  type Phase2Request,
  promptCharactersOf,
} from "@planloom/controller";
import type { OptionChecks, PlannerTaskInput } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { type ClockOptions, clockChecks, readClock } from "./language/temporal/calendar.ts";
import { type AdaptedPlan, adaptPlan, checkMinLikeness } from "./memory/adapt-plan.ts";
import { nearestPlan } from "./memory/nearest-plan.ts";
import { isRememberedPlan, type RememberedPlan, resourceName } from "./memory/remembered-plan.ts";

export interface MemoryControllerOptions extends ClockOptions {
  /** Asked where no remembered plan fits, and for everything but first attempts at plans. */
  readonly controller: BehaviorController;
  /** The plans that may be reused for this caller, newest first. Asked once a plan; what is none is passed over. */
  readonly remembered: () => Promise<readonly RememberedPlan[]>;
  /** Goals that are less alike get no remembered plan, 0 to 1. @default 0.9 */
  readonly minLikeness?: number;
  /** Whether a model is shown the plan of a goal that is alike but asks for something else. @default false */
  readonly examples?: boolean;
}

/** The checks of these options, but for what says where plans come from. */
export const memoryChecks = {
  ...clockChecks,
  minLikeness: "own",
  examples: "boolean",
} as const satisfies OptionChecks<Omit<MemoryControllerOptions, "controller" | "remembered">>;

/**
 * Answers a goal that is like an earlier one with the plan of the earlier one, its arguments bound again. All other requests go to another controller. The
 * planner validates what is answered here as it validates any answer, and asks the other controller where the plan is invalid. `metadata.memory` of the
 * plan says where the plan comes from and which values are different.
 */
export class MemoryController implements BehaviorController {
  readonly name: string;
  readonly #options: MemoryControllerOptions;

  /** @throws EmbeddedError OPTION */
  constructor(options: MemoryControllerOptions) {
    checkOptions("`MemoryController`", options, {
      ...memoryChecks,
      controller: { required: { method: "processPhase1", expected: "a BehaviorController" } },
      remembered: { required: "function" },
    });
    checkMinLikeness(options.minLikeness);
    readClock(options);
    this.#options = options;
    this.name = options.controller.name;
  }

  get maxResources(): number {
    return this.#options.controller.maxResources ?? Number.POSITIVE_INFINITY;
  }

  get timeoutMs(): number | undefined {
    return this.#options.controller.timeoutMs;
  }

  get ranksAbove(): number {
    return this.#options.controller.ranksAbove ?? this.maxResources;
  }

  promptCharacters(request: Phase1Request | Phase2Request): number {
    const own = promptCharactersOf(this.#options.controller, request);
    return own > 0 && this.#options.examples === true ? own + maxExampleCharacters : own;
  }

  async processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    const { controller } = this.#options;
    const goal = request.job?.job_goal;
    if (typeof goal !== "string" || !this.#mayRemember(request)) return this.#asked(request, options);
    const remembered = (await this.#options.remembered()).filter(isRememberedPlan);
    options.signal?.throwIfAborted();
    const { now, timeZone, minLikeness, examples = false } = this.#options;
    const clock = { ...(now !== undefined && { now }), ...(timeZone !== undefined && { timeZone }) };
    const { resources = [] } = request;
    const adapted = adaptPlan(remembered, goal, resources, {
      ...clock,
      ...(minLikeness !== undefined && { minLikeness }),
    });
    if (adapted !== undefined) return replyWith(adapted);
    const asksModel = examples && controller.deterministic !== true && request.sections !== undefined;
    const nearest = asksModel ? nearestPlan(remembered, goal, resources, { ...clock, minShared }) : undefined;
    return this.#asked(nearest === undefined ? request : withExample(request, nearest), options);
  }

  processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    return this.#options.controller.processPhase2(request, options);
  }

  /** What the job, the context or instructions say beside the goal is in no remembered plan. */
  #mayRemember({ replan, feedback = [], candidate = 0, job, context, instructions }: Phase1Request): boolean {
    const { semantic = [], episodic = [], entities = [] } = context ?? {};
    const isPlain = [job?.job_objectives, job?.job_steerability_data].every(
      (part) => Object.keys(part ?? {}).length === 0,
    );
    const isAlone = [semantic, episodic, entities].every((part) => part.length === 0) && instructions === undefined;
    return replan === undefined && feedback.length === 0 && candidate === 0 && isPlain && isAlone;
  }

  /** A refusal of a controller that gives equal replies is final, though it is asked behind this one. */
  async #asked(request: Phase1Request, options: CallOptions): Promise<ControllerReply> {
    const { controller } = this.#options;
    const reply = await controller.processPhase1(request, options);
    if (controller.deterministic !== true) return reply;
    return reply.success ? { ...reply, certain: true } : { ...reply, final: true };
  }
}

function replyWith({ tasks, from, likeness, differences }: AdaptedPlan): ControllerReply {
  const memory = { run_id: from.id, goal: from.goal, planned_at: from.madeAt, likeness, differences };
  return { success: true, certain: true, data: { planned_tasks: tasks.map(asPlanned), metadata: { memory } } };
}

/** Without what its run left in a task. */
function asPlanned(task: PlannerTaskInput): PlannerTaskInput {
  const { status: _, output: __, creation_time: ___, last_update_time: ____, main_task_id: _____, ...planned } = task;
  return planned;
}

/** So much of the words of both goals the goal of an example shares. */
const minShared = 0.5;
/** A longer example is not sent. */
const maxExampleCharacters = 2_000;

/** The plan as an example, before the goal, in the form in which a model is asked for plans. */
function withExample(request: Phase1Request, { goal, tasks }: RememberedPlan): Phase1Request {
  const { sections } = request;
  const shown = tasks.map((task) => ({
    task_id: task.task_id,
    tool_id: resourceName(task),
    arguments: task.arguments ?? {},
  }));
  const example = JSON.stringify({ goal, tasks: shown });
  if (sections === undefined || example.length > maxExampleCharacters - 200) return request;
  const section = `## A plan that was right for another goal\nAn example of how these tools are called, not the plan that is asked for.\n${dataBlock("example", example)}`;
  return { ...request, sections: [...sections.slice(0, -1), section, ...sections.slice(-1)] };
}
