import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { PlanCalls } from "./plan-calls.ts";
import { PlanToolCalls } from "./plan-tool-calls.ts";
import type { RoundStates } from "./rounds.ts";

const goal = z
  .string()
  .describe("What is to be reached, in words, with every name, number and condition that matters.");
const planId = z.string().min(1).describe("The id that plan_create gave.");
const runId = z.string().min(1).describe("The id that a run gave.");
const variables = z
  .record(z.string(), z.unknown())
  .optional()
  .describe("Values for the plan's variables, by name; they go before the plan's own.");
const answers = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Arguments that the plan lacks, by the names of its questions: {"step.argument": value}.');
const background = z
  .boolean()
  .optional()
  .describe("True answers at once with the run's id, and plan_status says how it goes.");

/** What every tool gives: success, or why not. */
const output = z.looseObject({
  success: z.boolean().optional(),
  plan_id: z.string().optional(),
  run_id: z.string().optional(),
  error: z.string().optional(),
});

const whenToPlan = "Use it where several tool calls build on one another; for a single call, call that tool itself.";
/** It runs what the plan says; which of that needs a person is decided call by call. */
const runs = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;
/** It keeps a plan, which does nothing until it is run. */
const keeps = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;
const looks = { readOnlyHint: true, openWorldHint: false } as const;

/** The five tools of a server. */
export function registerPlanTools(server: McpServer, calls: PlanCalls, states: RoundStates): void {
  const tools = new PlanToolCalls(server, calls, states);
  server.registerTool(
    "plan_create",
    {
      title: "Make a plan",
      description: `Makes a plan of tool calls for a goal and keeps it without running it. Gives its id and steps. ${whenToPlan}`,
      inputSchema: z.strictObject({ goal }),
      outputSchema: output,
      annotations: keeps,
    },
    (given, context) => tools.create(given, context),
  );
  server.registerTool(
    "plan_execute",
    {
      title: "Run a plan",
      description:
        "Runs a plan made before. Steps that do not need each other run at the same time. Gives the results.",
      inputSchema: z.strictObject({ plan_id: planId, variables, answers, background }),
      outputSchema: output,
      annotations: runs,
    },
    (given, context) => tools.execute(given, context),
  );
  server.registerTool(
    "plan_create_and_execute",
    {
      title: "Plan and run",
      description: `Makes a plan of tool calls for a goal, runs it and gives the results. ${whenToPlan}`,
      inputSchema: z.strictObject({ goal, background }),
      outputSchema: output,
      annotations: runs,
    },
    (given, context) => tools.createAndExecute(given, context),
  );
  server.registerTool(
    "plan_status",
    {
      title: "Where a run is",
      description: "Where a run and each of its steps are, and what a person is asked about.",
      inputSchema: z.strictObject({ run_id: runId }),
      outputSchema: output,
      annotations: looks,
    },
    (given, context) => tools.status(given, context),
  );
  server.registerTool(
    "plan_approve",
    {
      title: "Answer what a run asks",
      description:
        "Puts a call that waits before a person, and continues the run with the answer. Without `call_id` the first that waits.",
      inputSchema: z.strictObject({
        run_id: runId,
        call_id: z.string().optional().describe("`id` of the waiting call, as plan_status has it."),
        content_hash: z
          .string()
          .optional()
          .describe("Of the question that is answered, as plan_status has it: an answer to another one is refused."),
        answer: z
          .enum(["approve", "deny"])
          .optional()
          .describe("Only for servers that take the answer from this call; elsewhere a person is asked."),
        note: z.string().max(10_000).optional(),
      }),
      outputSchema: output,
      annotations: runs,
    },
    (given, context) => tools.approve(given, context),
  );
}
