import {
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RunEvent } from "planloom";
import { z } from "zod";
import { answerKey, canAskPerson, formFor } from "./ask-person.ts";
import type { Outcome, PlanCalls, RunCall } from "./plan-calls.ts";
import type { Round, RoundStates } from "./rounds.ts";

const goal = z
  .string()
  .min(1)
  .max(100_000)
  .describe("What is to be reached, in words, with every name, number and condition that matters.");
const planId = z.string().min(1).max(256).describe("The id that plan_create gave.");
const runId = z.string().min(1).max(256).describe("The id that a run gave.");
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
const looks = { readOnlyHint: true, openWorldHint: false } as const;

type Reply = CallToolResult | InputRequiredResult;

/** The five tools of a server. */
export function registerPlanTools(server: McpServer, calls: PlanCalls, states: RoundStates): void {
  const reply = async (outcome: Outcome, context: ServerContext): Promise<Reply> => {
    const asks = outcome.questions !== undefined || outcome.approvals !== undefined;
    // Clients of 2025 said what they can do when they connected.
    if (asks && canAskPerson(context, server.server.getClientCapabilities())) {
      const form = await formFor(outcome, states, context);
      if (form !== undefined) return form;
    }
    return resultOf(outcome.data);
  };

  /** Continues with what a person answered; undefined where this is the first round of a call. */
  const nextRound = async (context: ServerContext): Promise<Reply | undefined> => {
    const round = context.mcpReq.requestState<Round>();
    if (round === undefined) return undefined;
    const response = inputResponse(context.mcpReq.inputResponses, answerKey);
    const content = response.kind === "elicit" && response.action === "accept" ? (response.content ?? {}) : undefined;
    if (round.kind === "arguments") {
      const plan = await calls.load(round.planId, context.mcpReq.signal);
      // A person who closes the form has decided nothing: the model gets the questions.
      if (content === undefined) return resultOf((await calls.execute(plan, {}, runCall(context))).data);
      const answered = await calls.answer(plan, content, { asText: true, signal: context.mcpReq.signal });
      return reply(await calls.execute(answered, {}, runCall(context)), context);
    }
    if (content === undefined) return resultOf((await calls.status(round.runId)).data);
    const answer = {
      approve: content.approve === true,
      note: typeof content.note === "string" ? content.note : undefined,
      by: "a person, asked by the MCP client",
    };
    return reply(await calls.decide(round, answer, runCall(context)), context);
  };

  const tool =
    (work: (context: ServerContext) => Promise<Reply>) =>
    async (context: ServerContext): Promise<Reply> => {
      try {
        return (await nextRound(context)) ?? (await work(context));
      } catch (error) {
        if (context.mcpReq.signal.aborted) throw error;
        return refusal(error);
      }
    };

  server.registerTool(
    "plan_create",
    {
      title: "Make a plan",
      description: `Makes a plan of tool calls for a goal and keeps it without running it. Gives its id and steps. ${whenToPlan}`,
      inputSchema: z.strictObject({ goal }),
      outputSchema: output,
      annotations: looks,
    },
    ({ goal: wanted }, context) =>
      // What the plan lacks is for the model to see first: it may know.
      tool(async () => resultOf((await calls.create(wanted, context.mcpReq.signal)).data))(context),
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
    (given, context) =>
      tool(async () => {
        const { signal } = context.mcpReq;
        const plan = await calls.answer(await calls.load(given.plan_id, signal), given.answers ?? {}, { signal });
        if (given.background === true) return reply(await calls.begin(plan, given.variables ?? {}), context);
        return reply(await calls.execute(plan, given.variables ?? {}, runCall(context)), context);
      })(context),
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
    (given, context) =>
      tool(async () => {
        const { plan } = await calls.create(given.goal, context.mcpReq.signal);
        if (given.background === true) return reply(await calls.begin(plan!, {}), context);
        return reply(await calls.execute(plan!, {}, runCall(context)), context);
      })(context),
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
    ({ run_id }, context) => tool(async () => resultOf((await calls.status(run_id)).data))(context),
  );
  server.registerTool(
    "plan_approve",
    {
      title: "Answer what a run asks",
      description:
        "Puts a call that waits before a person, and continues the run with the answer. Without `call_id` the first that waits.",
      inputSchema: z.strictObject({
        run_id: runId,
        call_id: z.string().max(1_000).optional().describe("`id` of the waiting call, as plan_status has it."),
        answer: z
          .enum(["approve", "deny"])
          .optional()
          .describe("Only for servers that take the answer from this call; elsewhere a person is asked."),
        note: z.string().max(10_000).optional(),
      }),
      outputSchema: output,
      annotations: runs,
    },
    (given, context) => tool(() => approveCall(given, context))(context),
  );

  async function approveCall(
    {
      run_id,
      call_id,
      answer,
      note,
    }: {
      run_id: string;
      call_id?: string | undefined;
      answer?: "approve" | "deny" | undefined;
      note?: string | undefined;
    },
    context: ServerContext,
  ): Promise<Reply> {
    const waiting = await calls.waiting(run_id);
    const call = call_id === undefined ? waiting[0] : waiting.find(({ id }) => id === call_id);
    if (call === undefined) {
      const names = waiting.map(({ id }) => id).join(", ");
      const message =
        names === ""
          ? `Nothing waits in run ${run_id}.`
          : `No call "${call_id}" waits in run ${run_id}; these do: ${names}.`;
      return resultOf({ success: false, run_id, error: message });
    }
    if (canAskPerson(context, server.server.getClientCapabilities())) {
      const form = await formFor({ data: {}, approvals: { runId: run_id, calls: [call] } }, states, context);
      if (form !== undefined) return form;
    }
    if (!calls.approveByCall || answer === undefined) {
      const how = calls.approveByCall
        ? "Call again with `answer`."
        : `A person answers elsewhere: planloom approve ${run_id} ${call.id}`;
      return resultOf({ success: false, run_id, error: `This client cannot ask a person. ${how}` });
    }
    const decision = { approve: answer === "approve", note, by: "the MCP client" };
    const which = { runId: run_id, callId: call.id, contentHash: call.content_hash };
    return reply(await calls.decide(which, decision, runCall(context)), context);
  }
}

function resultOf(data: Record<string, unknown>): CallToolResult {
  const isError = data.success === false && typeof data.error === "string";
  return {
    content: [{ type: "text", text: JSON.stringify(data) }],
    structuredContent: data,
    ...(isError && { isError }),
  };
}

/** What was wrong in words the model can act on, with its code. */
function refusal(error: unknown): CallToolResult {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const data = { success: false, error: String(message ?? error), ...(typeof code === "string" && { code }) };
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data, isError: true };
}

/** A run ends with the request, and tells the client of each step that ends, where it asked for progress. */
function runCall({ mcpReq }: ServerContext): RunCall {
  const { signal } = mcpReq;
  const progressToken = mcpReq._meta?.progressToken;
  let total = 0;
  let ended = 0;
  return {
    signal,
    onEvent(event: RunEvent) {
      if (event.type === "run-start") total = event.tasks;
      if (progressToken === undefined || !isStepEnd(event)) return;
      ended += 1;
      const message = `${event.taskId}: ${event.type === "task-end" ? "completed" : event.error.message}`;
      const params = { progressToken, progress: ended, total: Math.max(total, ended), message: message.slice(0, 500) };
      // A client that is gone hears nothing any more; its signal says so to the run.
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

const isStepEnd = (event: RunEvent) =>
  event.type === "task-end" || event.type === "task-error" || event.type === "task-skip";
