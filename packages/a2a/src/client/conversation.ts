import { createHash } from "node:crypto";
import { type Message, type Part, Role } from "@a2a-js/sdk";
import type { Executor } from "planloom";
import { isRecord } from "planloom/plan";
import { type RunPowers, runPowers, TaskErrorCode, TaskFailure } from "planloom/runtime";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { sendingError } from "./agent-error.ts";
import { dataPart, inputParts, isReply, messageData, messageText, outputOf, textPart } from "./parts.ts";
import type { RemoteAgent } from "./remote-agent.ts";
import type { RemoteTask, Standing } from "./remote-task.ts";

type Context = Parameters<Executor["execute"]>[1];

/** What of sending a message is kept: the task that the agent made of it, or its whole answer, or why it took none. */
type Sent =
  | { readonly task_id: string; readonly context_id: string }
  | { readonly parts: readonly unknown[] }
  | {
      readonly failed: {
        readonly code: A2aErrorCode;
        readonly message: string;
        readonly details: Readonly<Record<string, unknown>>;
      };
    };

/**
 * Gives a task to an agent and brings back what came of it. What was sent is kept in the run, so that after a crash the agent's task is followed and not begun a
 * second time. Where the agent asks for something, a person is asked, and the answer goes back.
 */
export class Conversation {
  readonly #agent: RemoteAgent;
  readonly #context: Context;
  readonly #powers: RunPowers | undefined;

  constructor(agent: RemoteAgent, context: Context) {
    this.#agent = agent;
    this.#context = context;
    this.#powers = powersOf(context);
  }

  /** @throws A2aError; TaskFailure WAITING, DENIED; the signal's reason */
  async output(input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { signal } = this.#context;
    await this.#agent.refresh(signal);
    let parts: Part[] | undefined = inputParts(this.#agent.card, input, this.#context.task);
    let task: RemoteTask | undefined;
    for (let turn = 1; ; turn++) {
      const at = `${this.#context.attempt}-${turn}`;
      task = parts === undefined ? await this.#continue(task!) : await this.#say(parts, at, task);
      const halt = await this.#once(`halt-${at}`, haltOf(this.#agent.name, task));
      switch (halt.standing) {
        case "completed":
          return this.#answer(task);
        case "input":
          parts = await this.#ask(task, `question-${at}`, halt);
          break;
        case "auth":
          await this.#person(task, `authorization-${at}`, halt);
          parts = undefined;
          break;
        default:
          throw ended(this.#agent.name, task);
      }
    }
  }

  /** Sends one message and follows the task until the agent has ended it or asks for something. */
  async #say(parts: readonly Part[], at: string, before: RemoteTask | undefined): Promise<RemoteTask> {
    const { signal, onProgress } = this.#context;
    const agent = this.#agent;
    const message = this.#message(parts, at, before);
    const task = before ?? agent.newTask();
    const following = { signal, progress: (progress: unknown) => progress !== undefined && onProgress(progress) };
    let events: Awaited<ReturnType<RemoteAgent["send"]>>;
    let isNew = false;
    try {
      await this.#once(`sending-${at}`, () => {
        isNew = true;
        return message.messageId;
      });
      const sent = await this.#once(`sent-${at}`, async (): Promise<Sent> => {
        if (!isNew) await this.#sayAgain(at);
        task.resume();
        const began = performance.now();
        const call = { request: { agent: agent.name, parts }, latencyMs: 0 };
        try {
          events = await agent.send(message, task, following);
        } catch (cause) {
          signal.throwIfAborted();
          const error = sendingError(agent.name, cause);
          if (!(error instanceof A2aError)) throw error;
          this.#context.onCall({ ...call, error: error.message, latencyMs: Math.round(performance.now() - began) });
          return { failed: { code: error.code, message: error.message, details: error.details } };
        }
        this.#context.onCall({
          ...call,
          reply: { task_id: task.id },
          latencyMs: Math.round(performance.now() - began),
        });
        return task.id === "" ? { parts: task.parts } : { task_id: task.id, context_id: task.contextId };
      });
      if ("failed" in sent) throw new A2aError(sent.failed.code, sent.failed.message, { details: sent.failed.details });
      if ("parts" in sent) return task.standing === "completed" ? task : this.#answered(sent.parts as Part[]);
      // Sent by an earlier session of the run: the agent says how things are.
      const known = task.id === "" ? agent.newTask({ id: sent.task_id, contextId: sent.context_id }) : task;
      await agent.follow(known, following, events);
      return known;
    } catch (error) {
      if (signal.aborted && task.id !== "") await agent.cancel(task.id);
      throw error;
    }
  }

  /** Follows a task that continues by itself, since somebody has authorized it. */
  async #continue(task: RemoteTask): Promise<RemoteTask> {
    const { signal, onProgress } = this.#context;
    task.continues();
    try {
      await this.#agent.follow(task, {
        signal,
        progress: (progress) => progress !== undefined && onProgress(progress),
      });
      return task;
    } catch (error) {
      if (signal.aborted) await this.#agent.cancel(task.id);
      throw error;
    }
  }

  /** A process ended between the sending and the answer: the agent may have the message, and nobody knows. */
  async #sayAgain(at: string): Promise<void> {
    await this.#powers?.ask(
      `again-${at}`,
      `It is unknown whether agent "${this.#agent.name}" has taken the message, because a process ended meanwhile. Is it to be sent again?`,
    );
  }

  #answered(parts: readonly Part[]): RemoteTask {
    const task = this.#agent.newTask();
    const message: Message = { ...this.#message(parts, "", undefined), role: Role.ROLE_AGENT };
    task.take({ payload: { $case: "message", value: message } });
    return task;
  }

  #message(parts: readonly Part[], at: string, before: RemoteTask | undefined): Message {
    const { idempotencyKey, runId } = this.#context;
    // The same on every resume, so that an agent may know it again.
    const id = createHash("sha256")
      .update(JSON.stringify([idempotencyKey, at]))
      .digest("hex")
      .slice(0, 32);
    return {
      messageId: id,
      contextId: before?.contextId ?? "",
      taskId: before?.id ?? "",
      role: Role.ROLE_USER,
      parts: [...parts],
      metadata: { planloom: { run_id: runId, idempotency_key: idempotencyKey } },
      extensions: [],
      referenceTaskIds: [],
    };
  }

  #answer(task: RemoteTask): unknown {
    const output = outputOf(task.parts);
    if (!isReply(output)) return output;
    if (output.success) return output.data ?? null;
    const text =
      typeof output.message === "string" && output.message !== "" ? output.message : "success: false, and no message";
    throw failed(A2aErrorCode.FAILED, this.#agent.name, task.id, "answered", text);
  }

  /** What the agent asks for, asked of a person. */
  async #ask(task: RemoteTask, name: string, halt: Halt): Promise<Part[]> {
    const answer = await this.#person(task, name, halt);
    if (answer === null) return [textPart("yes")];
    return [isRecord(answer) || Array.isArray(answer) ? dataPart(answer) : textPart(String(answer))];
  }

  async #person(task: RemoteTask, name: string, { question, data }: Halt): Promise<unknown> {
    const agent = this.#agent.name;
    if (this.#powers === undefined) {
      throw failed(A2aErrorCode.FAILED, agent, task.id, "asks, outside of a run where nobody can answer", question);
    }
    const about = { agent, task_id: task.id, ...(data !== undefined && { data }) };
    try {
      return await this.#powers.ask(name, question, { about });
    } catch (error) {
      // Nobody will answer it any more.
      if (error instanceof TaskFailure && error.code === TaskErrorCode.DENIED) await this.#agent.cancel(task.id);
      throw error;
    }
  }

  async #once<Value>(name: string, make: () => Value | Promise<Value>): Promise<Value> {
    // What a conversation keeps is JSON.
    return this.#powers === undefined ? make() : (this.#powers.checkpoint(name, make) as Promise<Value>);
  }
}

/** Where the agent left its task, and what it asks for. It is kept: after a crash the agent may be further on than the run. */
interface Halt {
  readonly standing: Standing;
  readonly question: string;
  readonly data?: unknown;
}

const haltOf = (agent: string, task: RemoteTask) => (): Halt => {
  const said = messageText(task.said);
  const data = messageData(task.said);
  const question =
    task.standing === "auth"
      ? `Agent "${agent}" waits for an authorization${said === "" ? "" : `: ${said}`}. Say yes when it was given.`
      : said || `Agent "${agent}" asks for more, and does not say what.`;
  const isAsking = task.standing === "input" || task.standing === "auth";
  return {
    standing: task.standing,
    question: isAsking ? question : "",
    ...(isAsking && data !== undefined && { data }),
  };
};

/** Outside of a run (a test of the executor, say) nothing is kept. */
function powersOf(context: Context): RunPowers | undefined {
  try {
    return runPowers(context);
  } catch {
    return undefined;
  }
}

function ended(agent: string, task: RemoteTask): A2aError {
  const text = messageText(task.said) || "it gives no reason";
  if (task.standing === "rejected") return failed(A2aErrorCode.REJECTED, agent, task.id, "would not do the task", text);
  if (task.standing === "canceled")
    return failed(A2aErrorCode.CANCELED, agent, task.id, "says that the task was cancelled", text);
  return failed(A2aErrorCode.FAILED, agent, task.id, "failed", text);
}

function failed(code: A2aErrorCode, agent: string, taskId: string, what: string, text: string): A2aError {
  const cut = text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
  return new A2aError(code, `Agent "${agent}" ${what}: ${cut}`, { details: { agent, task_id: taskId, text: cut } });
}
