import type { ControllerReply } from "@planloom/controller";
import {
  type CallUsage,
  checkUsage,
  IssueCode,
  type PlanningContext,
  type ResourceCatalogue,
  type TaskData,
  type UsageTotals,
} from "@planloom/plan";
import { type AttemptRecord, isError } from "../attempt-until-valid.ts";
import { type ShownResources, shownInPart } from "../prompt-size/fit-request.ts";
import { cutText } from "../prompts/cut-text.ts";
import type { CandidateFacts } from "./candidates/sample-candidates.ts";
import type { CheckedInput } from "./plan-input.ts";
import { withEstimates } from "./with-estimates.ts";

const maxTitle = 80;
const maxThinking = 100_000;

export interface PlanOrigin {
  readonly checked: CheckedInput;
  readonly context: PlanningContext | undefined;
  readonly instructions: string | undefined;
  /** Name of the controller that answered. */
  readonly controller: string;
  readonly catalogue: ResourceCatalogue;
  /** The last one gave the plan. */
  readonly attempts: readonly AttemptRecord[];
  /** What the accepted answer's request described of the resources. */
  readonly shown: ShownResources | undefined;
  /** How the plan was chosen, where several were compared. */
  readonly candidates?: CandidateFacts | undefined;
}

/** What planning cost, in `metadata.planning` of a plan. */
export interface PlanningFacts extends UsageTotals {
  readonly controller: string;
  readonly attempts: number;
  readonly model_calls: number;
  /** Present where the calls took more requests than one each: retries, and forms that the endpoint refused. */
  readonly model_requests?: number;
  /** Present where not all resources fitted into the prompt: how many were described, with shortened texts and schemas. */
  readonly resources_shown?: number;
  /** Likewise: how many were not described. */
  readonly resources_left_out?: number;
}

/**
 * The plan with the job it was made for, who made it, what its controller says it left open and the reasoning behind it.
 * Warnings of validation are not kept: `validatePlan` gives them again.
 */
export function finishPlan(plan: TaskData, reply: ControllerReply, origin: PlanOrigin): TaskData {
  const { checked, context, instructions, controller, attempts, catalogue, shown } = origin;
  const input: Record<string, unknown> = checked.job === undefined ? {} : { goal: checked.goal, ...checked.job };
  const description = checked.job === undefined ? checked.prompt : checked.taskDescription;
  if (description !== undefined && description !== "") input.task_description = description;
  if (context !== undefined) input.context = context;
  if (instructions !== undefined) input.instructions = instructions;

  const estimated = withEstimates(plan, catalogue);
  const metadata: Record<string, unknown> = {
    ...metadataOf(plan, reply),
    ...estimated.metadata,
    planning: planningFacts(controller, attempts, shown),
    ...(origin.candidates !== undefined && { candidates: origin.candidates }),
  };
  const remarks = reply.issues?.filter((issue) => !isError(issue)) ?? [];
  if (remarks.length > 0) metadata.issues = remarks;
  // A controller's word, which it may have for a plan that a model made.
  if (remarks.some(({ code }) => code === IssueCode.PROPOSAL)) metadata.proposal = true;
  const thinking = reply.text === undefined ? "" : thinkingOf(reply.text);
  if (thinking !== "" && metadata.thinking === undefined) metadata.thinking = thinking;
  return {
    ...plan,
    planned_tasks: estimated.planned_tasks,
    title: plan.title ?? cutTitle(checked.goal),
    task_input_data: input,
    original_job_data: checked.job === undefined ? { task_description: checked.prompt } : { ...checked.job },
    metadata,
  };
}

/** Metadata that only the code that makes, judges or changes a plan may set. */
const ofHistory: ReadonlySet<string> = new Set(["planning", "revision", "retired_tasks", "questions", "candidates"]);
const ofJudgement: ReadonlySet<string> = new Set(["confidence", "proposal", "issues", "memory"]);

/** What an answer says of its plan: a new plan has no history, and a model's judgement of its own plan is not kept. */
function metadataOf({ metadata = {} }: TaskData, { calls = [] }: ControllerReply): Record<string, unknown> {
  const entries = Object.entries(metadata).filter(
    ([key]) => !ofHistory.has(key) && !(calls.length > 0 && ofJudgement.has(key)),
  );
  return Object.fromEntries(entries);
}

/** The content of a model's think blocks; an unclosed block ends with the text. */
export function thinkingOf(text: string): string {
  const blocks = [...text.matchAll(/<(think|thinking|reasoning)>([\s\S]*?)(?:<\/\1>|$)/gi)].map(([, , block = ""]) =>
    block.trim(),
  );
  return cutText(blocks.filter((block) => block !== "").join("\n\n"), maxThinking);
}

function planningFacts(
  controller: string,
  attempts: readonly AttemptRecord[],
  shown: ShownResources | undefined,
): PlanningFacts {
  const calls = attempts.flatMap((attempt) => attempt.calls);
  const requests = calls.reduce((sum, call) => sum + (call.requests ?? 1), 0);
  const usages = calls.map(({ reply, usage }) => checkUsage(reply?.usage ?? usage).usage);
  const sum = (read: (usage: CallUsage) => number | undefined) =>
    usages.reduce((total, usage) => total + (read(usage) ?? 0), 0);
  const isKnown = (unit: keyof CallUsage) => usages.some((usage) => usage[unit] !== undefined);
  return {
    controller,
    attempts: attempts.length,
    model_calls: calls.length,
    ...(requests > calls.length && { model_requests: requests }),
    input_tokens: sum((usage) => usage.inputTokens),
    output_tokens: sum((usage) => usage.outputTokens),
    ...(isKnown("cachedInputTokens") && { cached_input_tokens: sum((usage) => usage.cachedInputTokens) }),
    ...(isKnown("reasoningTokens") && { reasoning_tokens: sum((usage) => usage.reasoningTokens) }),
    ...(isKnown("cost") && { cost: sum((usage) => usage.cost) }),
    ...(isKnown("estimated") && { estimated: true }),
    ...(shown !== undefined && shownInPart(shown)
      ? { resources_shown: shown.resources.length, resources_left_out: shown.leftOut }
      : {}),
  };
}

function cutTitle(goal: string): string {
  const words = goal.replaceAll(/\s+/g, " ").trim();
  return words.length <= maxTitle ? words : `${words.slice(0, maxTitle - 1).trimEnd()}…`;
}
