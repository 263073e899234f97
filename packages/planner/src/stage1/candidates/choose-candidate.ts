import { type PlanIssue, type ResourceCatalogue, resourcePin, type TaskData } from "@planloom/plan";
import { planCoverage } from "./plan-coverage.ts";
import { agreement, planFeatures } from "./plan-features.ts";

/** A plan that passed validation. */
export interface ComparedPlan {
  readonly value: TaskData;
  /** Warnings of validation. */
  readonly judged: readonly PlanIssue[];
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
  /** Expected costs of its calls where their resources say them, in the unit of the estimates. */
  readonly cost: number;
  readonly tasks: number;
  readonly score: number;
}

/** Agreement is the best single sign that a sampled plan is right; the goal decides where there is nothing to agree with. */
const weights = { agreement: 0.5, covered: 0.25, grounded: 0.25 } as const;
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
  const scores = plans.map(({ value }, at): CandidateScore => {
    const others = features.filter((_, other) => other !== at);
    const shared = features[at] ?? [];
    const agreed =
      others.length === 0 ? 1 : others.reduce((sum, other) => sum + agreement(shared, other), 0) / others.length;
    const { covered, grounded } = planCoverage(goal, value, catalogue);
    return {
      tools: value.planned_tasks.map((task) => resourcePin(task).uid ?? task.execution_type),
      agreement: rounded(agreed),
      covered: rounded(covered),
      grounded: rounded(grounded),
      cost: rounded(value.planned_tasks.reduce((sum, task) => sum + costOf(task, catalogue), 0)),
      tasks: value.planned_tasks.length,
      score: rounded(weights.agreement * agreed + weights.covered * covered + weights.grounded * grounded),
    };
  });
  const best = Math.max(...scores.map(({ score }) => score));
  const [at = 0] = scores
    .map((_, place) => place)
    .filter((place) => best - scores[place]!.score < even)
    .sort((a, b) => scores[a]!.cost - scores[b]!.cost || scores[a]!.tasks - scores[b]!.tasks || a - b);
  return { at, scores };
}

/** The plan that more than half of `count` plans are; -1 where there is none yet. */
export function majorityOf(plans: readonly ComparedPlan[], count: number): number {
  const keys = plans.map(({ value }) => [...planFeatures(value)].sort().join("\n"));
  return keys.findIndex((key) => keys.filter((other) => other === key).length * 2 > count);
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
