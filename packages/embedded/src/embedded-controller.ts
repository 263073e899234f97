import type {
  BehaviorController,
  CallOptions,
  ControllerReply,
  Phase1Request,
  Phase2Request,
} from "@planloom/controller";
import { IssueCode, isRecord, type JobInput, type OptionChecks, type PlanIssue, type Resource } from "@planloom/plan";
import { isEnglish } from "@planloom/plan/internals";
import { bindTask, readBinding } from "./bind-task.ts";
import { checkOptions } from "./check-options.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import { encodeGoal } from "./encode-goal.ts";
import { readJob } from "./job-text.ts";
import { type ClockOptions, clockChecks, readClock } from "./language/temporal/calendar.ts";
import type { Words } from "./language/words/wordnet.ts";
import type { Encode } from "./meaning/encode.ts";
import { type PlanGoalOptions, planGoal } from "./plan-goal.ts";
import { answerReplan } from "./replan/answer-replan.ts";
import { latestIssues, repaired } from "./replan/repairs.ts";

export interface EmbeddedControllerOptions extends ClockOptions {
  /** What words mean beyond their form: `wordnet(folder)`. @default none */
  readonly words?: Words;
  /** Compares goals and resources by meaning: any text encoder. Stage 2 asks it too. @default none */
  readonly encode?: Encode;
}

const checks = {
  ...clockChecks,
  words: "object",
  encode: "function",
} as const satisfies OptionChecks<EmbeddedControllerOptions>;

/**
 * Answers planning requests with no model, no key and no network. Equal requests get equal replies (under a fixed
 * `now`, with an encoder as far as it does that). What a goal says and the plan does not do is in `issues` as warnings with the code `unresolved`.
 */
export class EmbeddedController implements BehaviorController {
  readonly name = "embedded";
  readonly deterministic = true;
  readonly #options: Omit<EmbeddedControllerOptions, "encode">;
  readonly #encoder: Encode | undefined;

  /**
   * @param options.now the present: a date, an ISO text, or a function. @default the system's clock
   * @param options.timeZone IANA zone whose calendar counts. @default the system's
   * @param options.words a lexical resource. @default none
   * @param options.encode a text encoder. @default none
   * @throws EmbeddedError OPTION for an unknown option, and for a wrong `now` or `timeZone`.
   */
  constructor(options: EmbeddedControllerOptions = {}) {
    checkOptions("`EmbeddedController`", options, checks);
    readClock(options);
    const { encode, ...planning } = options;
    this.#options = planning;
    this.#encoder = encode;
  }

  /** It asks no model. */
  promptCharacters(): number {
    return 0;
  }

  /** Rejects with the reason of an aborted signal, or with EmbeddedError ENCODER where an encoder is given and fails. */
  async processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    options.signal?.throwIfAborted();
    const resources = request.resources ?? [];
    if (request.replan !== undefined) return answerReplan(request.replan, resources, request.feedback);
    const goal = request.job ?? request.phase_1_data.task_input_data;
    const settings = { ...this.#options, ...(request.context !== undefined && { context: request.context }) };
    const meaning = await this.#encode(goal, resources, settings, options);
    const planned = planGoal(goal, resources, { ...settings, ...meaning });
    if (planned.plan.planned_tasks.length === 0) return nothingPlanned(planned, resources, readJob(goal).text);
    const reply = withFeedback(planned, request);
    return request.instructions === undefined ? reply : { ...reply, issues: [...(reply.issues ?? []), unread] };
  }

  /** Rejects like `processPhase1`. */
  async processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    options.signal?.throwIfAborted();
    const { text, resources } = readBinding(request);
    return bindTask(request, this.#options, await this.#encode(text, resources, this.#options, options));
  }

  async #encode(goal: string | JobInput, resources: readonly Resource[], settings: PlanGoalOptions, call: CallOptions) {
    const encode = this.#encoder;
    if (encode === undefined) return {};
    const { signal } = call;
    const meaning = await encodeGoal(goal, resources, encode, { ...settings, ...(signal !== undefined && { signal }) });
    return meaning === undefined ? {} : { meaning };
  }
}

const unread: PlanIssue = {
  code: IssueCode.UNRESOLVED,
  severity: "warning",
  message:
    "The instructions were not read: the embedded planner knows the goal alone. Plan with a model to have them followed.",
};

/** The plan, changed as the last attempt's issues say; never the same wrong plan again. */
function withFeedback(planned: EmbeddedPlan, request: Phase1Request): ControllerReply {
  const warnings = [...proposalIssue(planned), ...planned.unresolved.map((each) => toIssue(each, "warning"))];
  const byTask = latestIssues(request.feedback);
  const errors = [...byTask.values()].flat().filter((issue) => issue.severity === "error");
  if (errors.length === 0) return { success: true, data: planned.plan, issues: warnings };
  const tasks = planned.plan.planned_tasks.map((task) => {
    const issues = byTask.get(task.task_id ?? "");
    return issues === undefined ? task : { ...task, arguments: repaired(task.arguments ?? {}, issues) };
  });
  const changed = JSON.stringify(tasks) !== JSON.stringify(planned.plan.planned_tasks);
  const repeated = (request.feedback ?? []).some((attempt) => mentionsSame(attempt.answer, tasks));
  if (!changed || repeated) {
    const [first] = errors;
    const message = `No better plan can be made without a model. ${first?.message ?? ""}`.trim();
    return { success: false, message, issues: [...errors, ...warnings] };
  }
  return { success: true, data: { ...planned.plan, planned_tasks: tasks }, issues: warnings };
}

/** Says of a plan that is likely wrong that it is a proposal. */
function proposalIssue({ plan: { metadata } }: EmbeddedPlan): PlanIssue[] {
  if (metadata?.proposal !== true) return [];
  const chance = String(metadata.confidence);
  const message = `The plan is a proposal: it is wholly right with a likelihood of ${chance}. Look at its tools and arguments before it changes anything.`;
  return [{ code: IssueCode.PROPOSAL, severity: "warning", message, actual: chance }];
}

function mentionsSame(answer: string | undefined, tasks: readonly unknown[]): boolean {
  if (answer === undefined) return false;
  try {
    const value: unknown = JSON.parse(answer);
    return isRecord(value) && JSON.stringify(value.planned_tasks) === JSON.stringify(tasks);
  } catch {
    return false;
  }
}

/** @param said the goal in words */
function nothingPlanned(planned: EmbeddedPlan, resources: readonly Resource[], said: string): ControllerReply {
  const names = resources.slice(0, 12).map((resource) => `\`${resource.id}\``);
  const more = resources.length > names.length ? ` and ${resources.length - names.length} more` : "";
  const available =
    resources.length === 0 ? "There are no resources to plan with." : `Available: ${names.join(", ")}${more}.`;
  const issues = planned.unresolved.slice(0, 3).map((each) => toIssue(each, "error"));
  if (issues.length === 0) {
    issues.push({
      code: resources.length === 0 ? IssueCode.NO_RESOURCE : IssueCode.UNRESOLVED,
      severity: "error",
      message: "The goal asks for nothing that can be planned.",
    });
  }
  const isNearSaid = planned.plan.metadata?.nearest !== undefined && planned.unresolved.length > 0;
  const hints = [...(isNearSaid ? [] : [available]), ...(isEnglish(said) ? [] : [readsEnglish])];
  const last = issues[issues.length - 1]!;
  issues[issues.length - 1] = { ...last, message: [last.message, ...hints].join(" ") };
  const message = issues.map((each) => each.message).join(" ");
  const further = planned.unresolved.slice(3).map((each) => toIssue(each, "error"));
  return { success: false, message, issues: [...issues, ...further] };
}

const readsEnglish = "The embedded planner reads English; a model reads other languages.";

function toIssue(unresolved: Unresolved, severity: PlanIssue["severity"]): PlanIssue {
  return {
    code: IssueCode.UNRESOLVED,
    severity,
    message: unresolved.message,
    actual: unresolved.text,
    ...(unresolved.task_id !== undefined && { task_id: unresolved.task_id }),
    ...(unresolved.reason === "missing_argument" && { argument_path: unresolved.text }),
  };
}
