import type { ModelTool } from "@planloom/controller";
import { findCycle, isRecord } from "@planloom/plan";
import { planExecuteDependencies } from "@planloom/plan/internals";
import type { LoopPlan } from "./session.ts";

/** What a model calls to plan. */
export const planTool: ModelTool = {
  name: "plan",
  description: "Gives the steps to execute, in order.",
  parameters: {
    type: "object",
    properties: {
      steps: {
        type: "array",
        items: { type: "string" },
        description: "The steps, in order; each a text that says all that is needed to execute it.",
      },
      depends_on: {
        type: ["array", "null"],
        items: { type: "array", items: { type: "integer", minimum: 1 } },
        description:
          "For each step, in the same order, the numbers (from 1) of the steps whose results it needs; [] for none. Leave it out when each step needs the one before.",
      },
    },
    required: ["steps"],
  },
};

/** What a model calls to end with an answer. */
export const respondTool: ModelTool = {
  name: "respond",
  description: "Gives the final answer to the user. Only when nothing is left to do.",
  parameters: {
    type: "object",
    properties: { response: { type: "string", description: "The whole answer." } },
    required: ["response"],
  },
};

/** What planner and replanner are offered; each can be replaced. */
export const planExecuteTools = { plan: planTool, respond: respondTool } as const;

/** A plan as functions may give it: texts, or a record with them, with dependencies and with fields of its own. */
export type LoopPlanInput = readonly string[] | LoopPlan;

/** Reads a plan whose shape fits, or says what is wrong with it. */
export function readLoopPlan(given: unknown): { readonly plan: LoopPlan } | { readonly issue: string } {
  const raw = Array.isArray(given) ? { steps: given as unknown[] } : given;
  if (!isRecord(raw) || !Array.isArray(raw.steps) || raw.steps.some((step) => typeof step !== "string"))
    return { issue: "Expected a list of texts as `steps`." };
  const steps = raw.steps as string[];
  if (steps.length === 0) return { issue: "Expected at least one step; the plan is empty." };
  const blank = steps.findIndex((step) => step.trim() === "");
  if (blank !== -1) return { issue: `Expected every step to say something, but step ${blank + 1} is empty.` };
  const { depends_on } = raw;
  const { steps: _, depends_on: __, ...own } = raw;
  if (depends_on === undefined || depends_on === null) return { plan: { ...own, steps } };
  const issue = dependencyIssue(depends_on, steps.length);
  if (issue !== undefined) return { issue };
  const plan: LoopPlan = { ...own, steps, depends_on: depends_on as number[][] };
  const dependencies = planExecuteDependencies(plan);
  const cycle = findCycle(
    steps.map((_, index) => String(index + 1)),
    dependencies.map((needed) => needed.map((index) => String(index + 1))),
  );
  return cycle === undefined ? { plan } : { issue: `Steps wait for one another: ${cycle.join(" -> ")}.` };
}

function dependencyIssue(depends_on: unknown, steps: number): string | undefined {
  if (!Array.isArray(depends_on)) return "Expected `depends_on` to be a list with one list a step.";
  if (depends_on.length > steps)
    return `Expected \`depends_on\` to have one list a step, got ${depends_on.length} for ${steps} steps.`;
  for (const [index, needed] of depends_on.entries()) {
    const wrong = Array.isArray(needed)
      ? needed.find((number) => !(Number.isInteger(number) && number >= 1 && number <= steps))
      : needed;
    if (wrong !== undefined)
      return `Expected step ${index + 1} to depend on numbers from 1 to ${steps}, got ${JSON.stringify(wrong)}.`;
  }
  return undefined;
}
