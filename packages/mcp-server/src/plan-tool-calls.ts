import {
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RunEvent } from "planloom";
import { readTraceHeaders, withTraceHeaders } from "planloom/plan";
import { answerKey, canAskPerson, formFor, readApproval } from "./ask-person.ts";
import type { Outcome } from "./outcome.ts";
import type { PlanCalls, RunCall } from "./plan-calls.ts";
import type { Round, RoundStates } from "./rounds.ts";
import { type McpTask, takesTasks } from "./tasks/protocol.ts";
import { resultOf } from "./tool-result.ts";

type TaskReply = CallToolResult & McpTask & { readonly resultType: "task" };
type Reply = CallToolResult | InputRequiredResult | TaskReply;

/** What `plan_execute` takes. */
interface ExecuteInput {
  readonly plan_id: string;
  readonly variables?: Record<string, unknown> | undefined;
  readonly answers?: Record<string, unknown> | undefined;
  readonly background?: boolean | undefined;
}

/** What `plan_approve` takes. */
interface ApproveInput {
  readonly run_id: string;
  readonly call_id?: string | undefined;
  readonly content_hash?: string | undefined;
  readonly answer?: "approve" | "deny" | undefined;
  readonly note?: string | undefined;
}

/** The calls of the five tools: each is answered with a result, or with a form for the person at the client, whose answer comes with the next round. */
export class PlanToolCalls {
  readonly #server: McpServer;
  readonly #calls: PlanCalls;
  readonly #states: RoundStates;

  constructor(server: McpServer, calls: PlanCalls, states: RoundStates) {
    this.#server = server;
    this.#calls = calls;
    this.#states = states;
  }

  create({ goal }: { readonly goal: string }, context: ServerContext): Promise<Reply> {
    // What the plan lacks is for the model to see first: it may know.
    return this.#round(context, async () => resultOf((await this.#calls.create(goal, context.mcpReq.signal)).data));
  }

  execute(given: ExecuteInput, context: ServerContext): Promise<Reply> {
    return this.#round(context, async () => {
      const { signal } = context.mcpReq;
      const loaded = await this.#calls.load(given.plan_id, signal);
      const plan = await this.#calls.answer(loaded, given.answers ?? {}, { signal });
      return this.#run(plan, given, context);
    });
  }

  createAndExecute(
    given: { readonly goal: string; readonly background?: boolean | undefined },
    context: ServerContext,
  ): Promise<Reply> {
    return this.#round(context, async () => {
      const { plan } = await this.#calls.create(given.goal, context.mcpReq.signal);
      return this.#run(plan!, given, context);
    });
  }

  status({ run_id }: { readonly run_id: string }, context: ServerContext): Promise<Reply> {
    return this.#round(context, async () => resultOf((await this.#calls.status(run_id)).data));
  }

  approve(given: ApproveInput, context: ServerContext): Promise<Reply> {
    return this.#round(context, () => this.#approve(given, context));
  }

  /** Continues with what a person answered, or begins: a call comes again with the answer to its form. */
  async #round(context: ServerContext, begin: () => Promise<Reply>): Promise<Reply> {
    try {
      const round = context.mcpReq.requestState<Round>();
      // The run belongs to the trace of the caller.
      const trace = readTraceHeaders((name) => context.mcpReq._meta?.[name]);
      return await withTraceHeaders(trace, () => (round === undefined ? begin() : this.#next(round, context)));
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error;
      return this.#refusal(error);
    }
  }

  async #next(round: Round, context: ServerContext): Promise<Reply> {
    const { inputResponses } = context.mcpReq;
    if (round.kind === "arguments") {
      const response = inputResponse(inputResponses, answerKey);
      const content = response.kind === "elicit" && response.action === "accept" ? (response.content ?? {}) : undefined;
      const plan = await this.#calls.load(round.planId, context.mcpReq.signal);
      // A person who closes the form has decided nothing: the model gets the questions.
      if (content === undefined) return this.#result(await this.#calls.execute(plan, {}, runCall(context)));
      const answered = await this.#calls.answer(plan, content, { asText: true, signal: context.mcpReq.signal });
      return this.#reply(await this.#calls.execute(answered, {}, runCall(context)), context);
    }
    const answer = readApproval(inputResponses, answerKey);
    if (answer === undefined) return resultOf((await this.#calls.status(round.runId)).data);
    return this.#reply(await this.#calls.decide(round, answer, runCall(context)), context);
  }

  async #run(
    plan: Parameters<PlanCalls["execute"]>[0],
    { variables = {}, background }: Pick<ExecuteInput, "variables" | "background">,
    context: ServerContext,
  ): Promise<Reply> {
    if (background === true) return this.#reply(await this.#calls.begin(plan, variables), context);
    return this.#reply(await this.#calls.execute(plan, variables, runCall(context)), context);
  }

  async #approve(given: ApproveInput, context: ServerContext): Promise<Reply> {
    const { run_id, answer, note } = given;
    const call = await this.#calls.asked(run_id, { callId: given.call_id, contentHash: given.content_hash });
    if (this.#canAsk(context)) {
      const form = await formFor({ data: {}, approvals: { runId: run_id, calls: [call] } }, this.#states, context);
      if (form !== undefined) return form;
    }
    const { approveByCall } = this.#calls;
    if (!approveByCall || answer === undefined) {
      const how = approveByCall
        ? "Call again with `answer`."
        : `A person answers elsewhere: planloom approve ${run_id} ${call.id}`;
      return resultOf({ success: false, run_id, error: `This client cannot ask a person. ${how}` });
    }
    const decision = { approve: answer === "approve", note, by: "the MCP client" };
    const which = { runId: run_id, callId: call.id, contentHash: call.content_hash };
    return this.#reply(await this.#calls.decide(which, decision, runCall(context)), context);
  }

  /** A form where the client can show one and there is something to ask, else the result. */
  async #reply(outcome: Outcome, context: ServerContext): Promise<Reply> {
    const asks = outcome.questions !== undefined || outcome.approvals !== undefined;
    const form = asks && this.#canAsk(context) ? await formFor(outcome, this.#states, context) : undefined;
    return form ?? this.#result(outcome);
  }

  /** The data, or the task under which the run continues: the SDK takes both for results of a tool, with `resultType` saying which it is. */
  #result({ data, task }: Outcome): Reply {
    const result = resultOf(data);
    return task === undefined ? result : ({ ...result, ...task, content: [], resultType: "task" } satisfies TaskReply);
  }

  /** What was wrong in words the model can act on, with its code. */
  #refusal(error: unknown): CallToolResult {
    const { code, message } = this.#calls.refusal(error);
    return { ...resultOf({ success: false, error: message, code }), isError: true };
  }

  /** Clients of 2025 said what they can do when they connected. */
  #canAsk(context: ServerContext): boolean {
    return canAskPerson(context, this.#server.server.getClientCapabilities());
  }
}

/** A run ends with the request, and reports each step that ends to the client, where it asked for progress. */
function runCall(context: ServerContext): RunCall {
  const { mcpReq } = context;
  const { signal } = mcpReq;
  const progressToken = mcpReq._meta?.progressToken;
  let total = 0;
  let ended = 0;
  return {
    signal,
    takesTasks: takesTasks(context),
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
