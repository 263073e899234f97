import { type Artifact, type Message, type Part, Role, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { AgentEvent, type ExecutionEventBus, type RequestContext } from "@a2a-js/sdk/server";
import { isRecord } from "planloom/plan";
import { dataPart, messageText, textPart } from "../client/parts.ts";

/** One message to an agent, and what the agent says to it. */
export class AgentTurn {
  readonly taskId: string;
  readonly contextId: string;
  readonly message: Message;
  readonly isFollowUp: boolean;
  readonly #bus: ExecutionEventBus;

  constructor({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus) {
    this.taskId = taskId;
    this.contextId = contextId;
    this.message = userMessage;
    this.isFollowUp = task !== undefined;
    this.#bus = bus;
    const artifacts = [...(task?.artifacts ?? [])];
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: this.#status(TaskState.TASK_STATE_WORKING),
        artifacts,
        history: [],
        metadata: undefined,
      }),
    );
  }

  /** The words of the message. */
  get words(): string {
    return this.message.parts
      .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
      .join("\n")
      .trim();
  }

  /** The data of the message; of several parts, all their fields. */
  get data(): Readonly<Record<string, unknown>> {
    const values = this.message.parts.flatMap(({ content }) =>
      content?.$case === "data" ? [content.value as unknown] : [],
    );
    return Object.assign({}, ...values.filter(isRecord)) as Record<string, unknown>;
  }

  /** What the message says, for people. */
  get text(): string {
    return messageText(this.message);
  }

  works(text: string): void {
    this.#publish(this.#status(TaskState.TASK_STATE_WORKING, [textPart(text)]));
  }

  artifact(name: string, value: unknown): void {
    const { taskId, contextId } = this;
    const parts = [typeof value === "string" ? textPart(value) : dataPart(value)];
    const artifact: Artifact = { artifactId: name, name, description: "", parts, metadata: undefined, extensions: [] };
    this.#bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }),
    );
  }

  /** Ends the turn: the task has ended, or waits for somebody. */
  ends(state: TaskState, text?: string, data?: unknown): void {
    const parts = [...(text === undefined ? [] : [textPart(text)]), ...(data === undefined ? [] : [dataPart(data)])];
    this.#publish(this.#status(state, parts));
    // A task that waits is spoken to again on the same bus.
    if (state !== TaskState.TASK_STATE_INPUT_REQUIRED && state !== TaskState.TASK_STATE_AUTH_REQUIRED)
      this.#bus.finished();
  }

  #publish(status: TaskStatus): void {
    const { taskId, contextId } = this;
    this.#bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }

  #status(state: TaskState, parts: readonly Part[] = []): TaskStatus {
    const { taskId, contextId } = this;
    const message: Message | undefined =
      parts.length === 0
        ? undefined
        : {
            messageId: crypto.randomUUID(),
            contextId,
            taskId,
            role: Role.ROLE_AGENT,
            parts: [...parts],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    return { state, message, timestamp: new Date().toISOString() };
  }
}
