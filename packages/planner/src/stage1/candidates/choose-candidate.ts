import type { ControllerReply } from "@planloom/controller";
import { type PlanIssue, type ResourceCatalogue, resourcePin, type TaskData } from "@planloom/plan";
import { planCoverage } from "./plan-coverage.ts";
import { agreement, planFeatures } from "./plan-features.ts";

/** A plan that passed validation. */
export interface ComparedPlan {
  readonly value: TaskData;
  /** Warnings of validation. */
  readonly judged: readonly PlanIssue[];
  readonly reply?: Pick<ControllerReply, "drafted">;
}

/** What a plan is worth among others; numbers from 0 to 1 but for `tasks`. */
export interface CandidateScore {
  readonly tools: readonly string[];
  /** How much the plan has in common with the others, in the mean. */
  readonly agreement: number;
  /** How much of the goal it takes up. */
  readonly covered: number;
  /** How many of its values the goal says. */
  readonly grounded: number;
  /** How far its calls are those of a planner without a model; absent where there is none. */
  readonly drafted?: number;
  /** Expected costs of its calls where their resources say them, in the unit of the estimates. */
  readonly cost: number;
  readonly tasks: number;
  readonly score: number;
}

/**
 * Samples of one model are wrong together, so that their agreement weighs less than what the plan and the goal have in common. A planner of another kind is wrong
 * elsewhere: what it would call weighs most where it is sure.
 */
const weights = { agreement: 0.35, covered: 0.45, grounded: 0.2, drafted: 0.5 } as const;
/** A majority ends the sampling where it calls what a planner without a model calls that is at least so sure; where there is none, where it takes up so much of the goal. */
const leastConfidence = 0.3;
const leastCovered = 0.6;
/** Scores that differ by less are the same: the cheaper plan is taken, then the one with fewer tasks, then the earlier one. */
const even = 0.02;

/**
 * The best of several valid plans by how far they agree, how much of the goal they take up and how many of their values it says; among equals the cheaper
 * one. Quadratic in the number of plans, which is small.
 */
export function chooseCandidate(
  plans: readonly ComparedPlan[],
  goal: string,
  catalogue: ResourceCatalogue,
): { readonly at: number; readonly scores: readonly CandidateScore[] } {
  const features = plans.map(({ value }) => planFeatures(value));
  const scores = plans.map(({ value, reply }, at): CandidateScore => {
    const others = features.filter((_, other) => other !== at);
    const shared = features[at] ?? [];
    const agreed =
      others.length === 0 ? 1 : others.reduce((sum, other) => sum + agreement(shared, other), 0) / others.length;
    const { covered, grounded } = planCoverage(goal, value, catalogue);
    const tools = toolsOf(value);
    const drafted = draftedAs(tools, reply);
    return {
      tools,
      agreement: rounded(agreed),
      covered: rounded(covered),
      grounded: rounded(grounded),
      ...(drafted !== undefined && { drafted: rounded(drafted.share) }),
      cost: rounded(value.planned_tasks.reduce((sum, task) => sum + costOf(task, catalogue), 0)),
      tasks: value.planned_tasks.length,
      score: rounded(
        weights.agreement * agreed +
          weights.covered * covered +
          weights.grounded * grounded +
          (drafted === undefined ? 0 : weights.drafted * Math.sqrt(drafted.confidence) * drafted.share),
      ),
    };
  });
  const best = Math.max(...scores.map(({ score }) => score));
  const [at = 0] = scores
    .map((_, place) => place)
    .filter((place) => best - scores[place]!.score < even)
    .sort((a, b) => scores[a]!.cost - scores[b]!.cost || scores[a]!.tasks - scores[b]!.tasks || a - b);
  return { at, scores };
}

/** Whether more than half of `count` plans are the same one, and it is one that the others would have to be very good to beat. */
export function isSettled(
  plans: readonly ComparedPlan[],
  count: number,
  goal: string,
  catalogue: ResourceCatalogue,
): boolean {
  const keys = plans.map(({ value }) => [...planFeatures(value)].sort().join("\n"));
  const plan = plans[keys.findIndex((key) => keys.filter((other) => other === key).length * 2 > count)];
  if (plan === undefined) return false;
  const drafted = draftedAs(toolsOf(plan.value), plan.reply);
  if (drafted !== undefined && drafted.confidence >= leastConfidence) return drafted.share === 1;
  return planCoverage(goal, plan.value, catalogue).covered >= leastCovered;
}

function toolsOf({ planned_tasks }: TaskData): string[] {
  return planned_tasks.map((task) => resourcePin(task).uid ?? task.execution_type);
}

function draftedAs(tools: readonly string[], reply: ComparedPlan["reply"]) {
  const { callees, confidence } = reply?.drafted ?? {};
  // A controller of the user's own may say anything.
  if (!Array.isArray(callees) || !(typeof confidence === "number" && confidence >= 0)) return undefined;
  return { share: agreement(tools, callees.map(String)), confidence: Math.min(1, confidence) };
}

function costOf(task: TaskData["planned_tasks"][number], catalogue: ResourceCatalogue): number {
  const { kind, uid } = resourcePin(task);
  const resource = kind === undefined || uid === undefined ? undefined : catalogue.find(kind, uid);
  const cost: unknown = task.estimate_data?.cost ?? resource?.estimate?.cost;
  return typeof cost === "number" && cost > 0 ? cost : 0;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
