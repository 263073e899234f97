import { maxAnsweredIssues } from "planloom/serving";
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import {
  AnyObject,
  DiffRecord,
  IssueRecord,
  NextCursor,
  PatchRecord,
  PlanInput,
  PlanRecord,
  pageQuery,
  ResourceRecord,
  Time,
  timeFilter,
} from "./records.ts";

export const PlanId = z.object({ plan_id: z.string() });

const Question = z.looseObject({ task_id: z.string() });

const Issues = {
  issues: z.array(IssueRecord).describe(`At most ${maxAnsweredIssues}, errors first where there are more.`),
  issue_count: z.int().describe("How many there are in all."),
  more_issues: z.boolean().describe("Whether some are left out."),
};

/** A plan with what is still to be said about it. */
const JudgedPlan = z.object({
  plan_id: z.string(),
  plan: PlanRecord,
  status: z.enum(["ready", "draft"]).describe("A draft lacks arguments and cannot run."),
  questions: z.array(Question),
  ...Issues,
});

const PlanSource = z.string().regex(/^(?:plans|runs)\/./, "`plans/ID` or `runs/ID`");

export const planEndpoints = {
  listResources: {
    summary: "What plans may use: tools, agents, models, workflows.",
    tag: "plans",
    scope: "read",
    reply: { status: 200, description: "The resources.", schema: z.object({ resources: z.array(ResourceRecord) }) },
  },
  validatePlan: {
    summary: "Judges a plan without keeping it.",
    tag: "plans",
    scope: "read",
    body: z.strictObject({ plan: PlanInput }),
    reply: {
      status: 200,
      description: "What is wrong with it, errors and warnings.",
      schema: z.object({ valid: z.boolean(), ...Issues }),
    },
  },
  createPlan: {
    summary: "Plans a goal, or takes a plan, and saves it. A plan whose id is taken is PLANLOOM_PLAN_CONFLICT.",
    tag: "plans",
    scope: "run",
    starts: true,
    body: z
      .strictObject({
        goal: z
          .union([z.string().min(1), AnyObject])
          .optional()
          .describe("A goal in words, or a job."),
        plan: PlanInput.optional(),
        instructions: z.string().optional(),
        context: AnyObject.optional(),
      })
      .refine(({ goal, plan }) => (goal === undefined) !== (plan === undefined), {
        message: "exactly one of `goal` and `plan`",
      }),
    reply: { status: 201, description: "The saved plan; a draft where arguments are missing.", schema: JudgedPlan },
  },
  listPlans: {
    summary: "Lists saved plans, newest first.",
    tag: "plans",
    scope: "read",
    query: z.strictObject({
      status: z.enum(["ready", "draft"]).optional(),
      q: z.string().max(1_000).optional().describe("A text that the title or the goal contains."),
      saved_after: timeFilter,
      saved_before: timeFilter,
      ...pageQuery,
    }),
    reply: {
      status: 200,
      description: "A page of plans.",
      schema: z.object({
        plans: z.array(
          z.object({
            plan_id: z.string(),
            title: z.string(),
            status: z.enum(["ready", "draft", "unreadable"]),
            tasks: z.int(),
            saved_at: Time,
          }),
        ),
        next_cursor: NextCursor,
      }),
    },
  },
  getPlan: {
    summary: "A saved plan.",
    tag: "plans",
    scope: "read",
    params: PlanId,
    reply: { status: 200, description: "The plan.", schema: JudgedPlan },
  },
  replacePlan: {
    summary: "Saves a changed plan in the place of one.",
    tag: "plans",
    scope: "run",
    params: PlanId,
    body: z.strictObject({
      plan: PlanInput,
      base: z
        .string()
        .optional()
        .describe("The revision that is changed: of another one it is PLANLOOM_PLAN_CONFLICT."),
    }),
    reply: { status: 200, description: "The plan as it is now.", schema: JudgedPlan },
  },
  deletePlan: {
    summary: "Deletes a saved plan. Runs of it keep theirs.",
    tag: "plans",
    scope: "run",
    params: PlanId,
    reply: { status: 200, description: "It is deleted.", schema: PlanId },
  },
  answerPlan: {
    summary: "Answers questions of a draft, and chooses other tools for tasks.",
    tag: "plans",
    scope: "run",
    params: PlanId,
    body: z.strictObject({
      answers: AnyObject.optional().describe('Values by `TASK.ARGUMENT`: `{"t1.city":"Berlin"}`.'),
      tools: z.record(z.string(), z.string()).optional().describe('Tools by task: `{"t1":"files/read"}`.'),
    }),
    reply: { status: 200, description: "The plan as it is now.", schema: JudgedPlan },
  },
  replanPlan: {
    summary: "Puts new tasks in the place of marked ones of a saved plan.",
    tag: "plans",
    scope: "run",
    starts: true,
    params: PlanId,
    body: z.strictObject({ mark: z.array(z.string()).min(1), note: z.string().optional() }),
    reply: {
      status: 200,
      description: "The plan as it is now, saved.",
      schema: JudgedPlan.extend({ patch: PatchRecord, diff: DiffRecord }),
    },
  },
  diffPlans: {
    summary: "What differs between two plans: saved ones, or those of runs.",
    tag: "plans",
    scope: "read",
    query: z.strictObject({
      from: PlanSource.describe("`plans/PLAN`; or `runs/RUN`, the plan as its replans left it."),
      to: PlanSource.describe("Likewise."),
    }),
    reply: {
      status: 200,
      description: "The difference, from the first to the second.",
      schema: z.object({ diff: DiffRecord }),
    },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
