import { TaskState } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from "@a2a-js/sdk/server";
import {
  approve,
  cancelRun,
  deny,
  type Planloom,
  PlannerErrorCode,
  type RunEvent,
  RuntimeErrorCode,
  type TaskData,
} from "planloom";
import { refusalFor } from "planloom/coded-error";
import { isRecord, readPlan } from "planloom/plan";
import { replyArtifact, SubgraphMessage, taskArtifact } from "../subgraph-extension.ts";
import type { PlanAgentOptions } from "./agent-options.ts";
import { AgentTurn } from "./agent-turn.ts";
import { askedOf } from "./asked-text.ts";
import { BoundedMap } from "./bounded-map.ts";
import { callsWaiting, type Ending, endingOf, whenContinued } from "./run-ending.ts";

/** How often it is looked whether a person at this end has answered, in milliseconds. */
const answerPollMs = 500;

/** A Planloom as an agent: messages are goals, plans, subgraphs, or answers to what it asked. The id of a task is that of its run. */
export class PlanAgent implements AgentExecutor {
  readonly #planloom: Planloom;
  readonly #options: PlanAgentOptions;
  /** Plans that lack arguments, by task. */
  readonly #drafts = new BoundedMap<string, TaskData>(1_000);
  readonly #running = new Map<string, AbortController>();

  constructor(planloom: Planloom, options: PlanAgentOptions) {
    this.#planloom = planloom;
    this.#options = options;
  }

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const turn = new AgentTurn(context, bus);
    // It still waits for a person at this end.
    if (this.#running.has(turn.taskId)) return turn.ends(TaskState.TASK_STATE_AUTH_REQUIRED, answerHere);
    const stop = new AbortController();
    this.#running.set(turn.taskId, stop);
    try {
      await (turn.isFollowUp ? this.#goOn(turn, stop.signal) : this.#begin(turn, stop.signal));
    } catch (error) {
      // `cancelTask` says how it ended.
      if (stop.signal.aborted) return;
      const { code, message } = refusalFor(error, this.#planloom, this.#options.log);
      turn.ends(TaskState.TASK_STATE_FAILED, message, { success: false, code });
    } finally {
      this.#running.delete(turn.taskId);
    }
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#drafts.delete(taskId);
    this.#running.get(taskId)?.abort(new Error("The client cancelled the task."));
    const journal = await this.#planloom.journal();
    await cancelRun(taskId, { journal }).catch((error: unknown) => {
      // What never ran, or has ended, needs no cancelling.
      if (codeOf(error) === undefined) throw error;
    });
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: "", status, metadata: undefined }));
    bus.finished();
  }

  async #begin(turn: AgentTurn, signal: AbortSignal): Promise<void> {
    const { data, words } = turn;
    if (Object.hasOwn(data, "subgraph")) return this.#runSubgraph(turn, signal);
    if (Object.hasOwn(data, "plan")) return this.#run(turn, readPlan(data.plan), signal);
    const { goal, ...rest } = data;
    const wanted = typeof goal === "string" && goal.trim() !== "" ? goal : words;
    if (wanted === "") {
      const message = "Expected a goal in words, or data with `goal` or `plan`.";
      return turn.ends(TaskState.TASK_STATE_REJECTED, message, { success: false, code: PlannerErrorCode.GOAL_EMPTY });
    }
    const job = Object.keys(rest).length === 0 ? wanted : { job_goal: wanted, job_objectives: rest };
    await this.#runOrAsk(turn, await this.#planloom.draft(job, { signal }), signal);
  }

  /** A message to a task that waits: what the plan lacks, or what a person was to say. */
  async #goOn(turn: AgentTurn, signal: AbortSignal): Promise<void> {
    const plan = this.#drafts.get(turn.taskId);
    if (plan === undefined) return this.#answer(turn, signal);
    const questions = this.#planloom.questions(plan);
    const { answers = turn.data } = turn.data;
    const [only] = questions;
    // One question may be answered by words alone.
    const isText =
      turn.words !== "" && Object.keys(turn.data).length === 0 && only !== undefined && questions.length === 1;
    const given = isText ? { [only.name]: turn.words } : isRecord(answers) ? answers : {};
    const answered = this.#planloom.answer(plan, given, { asText: isText });
    await this.#runOrAsk(turn, answered, signal);
  }

  async #runOrAsk(turn: AgentTurn, plan: TaskData, signal: AbortSignal): Promise<void> {
    const questions = this.#planloom.questions(plan);
    if (questions.length === 0) {
      this.#drafts.delete(turn.taskId);
      return this.#run(turn, plan, signal);
    }
    this.#drafts.set(turn.taskId, plan);
    const lines = questions.map(({ name, description }) => `${name}: ${description}`);
    turn.ends(TaskState.TASK_STATE_INPUT_REQUIRED, `The plan lacks arguments.\n${lines.join("\n")}`, { questions });
  }

  async #run(turn: AgentTurn, plan: TaskData, signal: AbortSignal): Promise<void> {
    const { confirm = this.#planloom.confirm ?? "writes", tenant } = this.#options;
    const onEvent = (event: RunEvent) => tellProgress(turn, event);
    const result = await this.#planloom.run(plan, {
      runId: turn.taskId,
      confirm,
      signal,
      onEvent,
      metadata: { a2a: { context_id: turn.contextId, ...(tenant !== undefined && { tenant }) } },
      ...(tenant !== undefined && { tenant }),
    });
    await this.#end(turn, turn.taskId, await endingOf(this.#planloom, result), signal);
  }

  async #runSubgraph(turn: AgentTurn, signal: AbortSignal): Promise<void> {
    const read = SubgraphMessage.safeParse(turn.data);
    if (!read.success) {
      const [issue] = read.error.issues;
      const why = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
      const message = `Expected \`subgraph\` to be a subgraph as \`a2aDispatcher\` sends it${why}.`;
      return turn.ends(TaskState.TASK_STATE_REJECTED, message, { success: false });
    }
    const { subgraph } = read.data;
    const starts = new Map<string, { readonly at: number; readonly uid?: string }>();
    const open = subgraph.plan.planned_tasks.filter(({ status }) => status !== "completed");
    // Sent to measure what sending costs.
    if (open.length === 0) {
      turn.artifact(replyArtifact, { results: [], usage: { attempts: 0, input_tokens: 0, output_tokens: 0 } });
      return turn.ends(TaskState.TASK_STATE_COMPLETED);
    }
    const { confirm = this.#planloom.confirm ?? "destructive", tenant } = this.#options;
    const result = await this.#planloom.run(subgraph.plan, {
      runId: turn.taskId,
      confirm,
      signal,
      input: subgraph.input,
      metadata: {
        a2a: { context_id: turn.contextId, subgraph: subgraph.id, ...(tenant !== undefined && { tenant }) },
      },
      onEvent(event) {
        if (event.type === "task-start" && !starts.has(event.taskId)) starts.set(event.taskId, event);
        if (event.type !== "task-end") return tellProgress(turn, event);
        const { taskId, attempts, durationMs, output } = event;
        const start = starts.get(taskId);
        turn.artifact(taskArtifact(taskId), {
          task_id: taskId,
          attempts,
          started_ms: start?.at ?? 0,
          duration_ms: durationMs,
          output,
          ...(start?.uid !== undefined && { uid: start.uid }),
        });
      },
      ...(tenant !== undefined && { tenant }),
    });
    turn.artifact(replyArtifact, { results: result.results, usage: result.usage });
    await this.#end(turn, turn.taskId, await endingOf(this.#planloom, result), signal);
  }

  /** Tells the client what became of a run. Where the run waits for a person at this end, for a time or for a signal, so does this. */
  async #end(turn: AgentTurn, runId: string, first: Ending, signal: AbortSignal): Promise<void> {
    let ending = first;
    while (ending.type === "asks" || ending.type === "sleeps") {
      if (ending.type === "asks") {
        const asked = askedOf(ending.waiting);
        if (this.#options.approveByMessage === true) {
          return turn.ends(TaskState.TASK_STATE_INPUT_REQUIRED, asked, { approvals: ending.waiting });
        }
        turn.ends(TaskState.TASK_STATE_AUTH_REQUIRED, `${answerHere} ${asked}`, { run_id: runId });
      } else turn.works("Waits for a time or a signal.");
      const onEvent = (event: RunEvent) => tellProgress(turn, event);
      ending = await whenContinued(this.#planloom, runId, { signal, pollMs: answerPollMs, onEvent });
    }
    if (ending.type === "completed") {
      turn.artifact("output", ending.output);
      // Said beside the result, which there is also where the journal cannot be read just now.
      const times = await this.#timesOf(runId).catch(() => undefined);
      return times === undefined
        ? turn.ends(TaskState.TASK_STATE_COMPLETED)
        : turn.ends(TaskState.TASK_STATE_COMPLETED, times.words, times.data);
    }
    const { reason, why } = ending;
    const data = { success: false, run_id: runId, end_reason: reason };
    turn.ends(TaskState.TASK_STATE_FAILED, `The run ended as ${reason}.${why}`, data);
  }

  /** What was predicted of a run whose subgraphs are dispatched, beside what it took; undefined for any other. */
  async #timesOf(runId: string) {
    const { options, certificate } = await (await this.#planloom.journal()).getRun(runId);
    const predicted = options.dispatch?.predicted;
    if (predicted === undefined || certificate === undefined) return undefined;
    const [predicted_ms, duration_ms] = [predicted.predicted_ms, certificate.achieved_ms].map(Math.round);
    return {
      words: `${predicted_ms} ms were predicted, and it took ${duration_ms} ms.`,
      data: { run_id: runId, predicted_ms, duration_ms },
    };
  }

  /** An answer by message to what a person is asked. */
  async #answer(turn: AgentTurn, signal: AbortSignal): Promise<void> {
    const runId = turn.taskId;
    const waiting = await callsWaiting(this.#planloom, runId);
    if (waiting.length === 0) {
      return turn.ends(TaskState.TASK_STATE_FAILED, "Nothing is asked in this task.", {
        success: false,
        code: RuntimeErrorCode.NOT_WAITING,
      });
    }
    if (this.#options.approveByMessage !== true) {
      // The process that waited for it is gone.
      return this.#end(turn, runId, { type: "asks", waiting }, signal);
    }
    const { approve: said, id, input, note } = turn.data;
    const yes = said === undefined ? yesOrNo(turn.words) : said === true;
    if (yes === undefined) {
      return turn.ends(TaskState.TASK_STATE_INPUT_REQUIRED, `Expected yes or no. ${askedOf(waiting)}`, {
        approvals: waiting,
      });
    }
    const journal = await this.#planloom.journal();
    const chosen = typeof id === "string" ? waiting.filter((call) => call.id === id) : waiting;
    for (const call of chosen) {
      const about = {
        journal,
        by: "A2A client",
        contentHash: call.content_hash,
        ...(typeof note === "string" && { note }),
      };
      const edit = isRecord(input) && chosen.length === 1 ? { input } : {};
      await (yes ? approve(runId, call.id, { ...about, ...edit }) : deny(runId, call.id, about));
    }
    const result = await this.#planloom.resume(runId, { signal, onEvent: (event) => tellProgress(turn, event) });
    await this.#end(turn, turn.taskId, await endingOf(this.#planloom, result), signal);
  }
}

const answerHere = "A person has to answer where the agent runs.";

function tellProgress(turn: AgentTurn, event: RunEvent): void {
  if (event.type === "task-start") turn.works(`${event.taskId} started`);
  else if (event.type === "task-end") turn.works(`${event.taskId} completed`);
  else if (event.type === "task-error") turn.works(`${event.taskId} failed: ${event.error.message}`);
}

function yesOrNo(words: string): boolean | undefined {
  const [first = ""] = /^[\p{L}]+/u.exec(words.trim().toLowerCase()) ?? [];
  if (["yes", "y", "ok", "approve", "approved"].includes(first)) return true;
  return ["no", "n", "deny", "denied"].includes(first) ? false : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
