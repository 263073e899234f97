import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from "@a2a-js/sdk";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { tooLarge } from "./agent-fetch.ts";
import { artifactParts, messageText } from "./parts.ts";

/** How an agent's task can be left by the agent: ended, or waiting for somebody. */
export type Standing = "working" | "completed" | "failed" | "canceled" | "rejected" | "input" | "auth";

const standings: ReadonlyMap<TaskState, Standing> = new Map([
  [TaskState.TASK_STATE_SUBMITTED, "working"],
  [TaskState.TASK_STATE_WORKING, "working"],
  [TaskState.TASK_STATE_COMPLETED, "completed"],
  [TaskState.TASK_STATE_FAILED, "failed"],
  [TaskState.TASK_STATE_CANCELED, "canceled"],
  [TaskState.TASK_STATE_REJECTED, "rejected"],
  [TaskState.TASK_STATE_INPUT_REQUIRED, "input"],
  [TaskState.TASK_STATE_AUTH_REQUIRED, "auth"],
]);

export interface KnownTask {
  /** @default the agent says it */
  readonly id?: string;
  readonly contextId?: string;
  /** Called with each artifact as it is now: more than once where parts are added, or where the task is read again. */
  readonly onArtifact?: (artifact: Artifact) => void;
}

/** What is known of a task at an agent, from its stream or from looking at it. What comes after the task has ended is not heard. */
export class RemoteTask {
  readonly #agent: string;
  readonly #maxBytes: number;
  readonly #onArtifact: ((artifact: Artifact) => void) | undefined;
  readonly #artifacts = new Map<string, Artifact>();
  #bytes = 0;
  #id = "";
  #contextId = "";
  #standing: Standing = "working";
  #said: Message | undefined;
  #reply: Message | undefined;
  #isAuthorized = false;

  constructor(agent: string, maxBytes: number, known: KnownTask = {}) {
    this.#agent = agent;
    this.#maxBytes = maxBytes;
    this.#id = known.id ?? "";
    this.#contextId = known.contextId ?? "";
    this.#onArtifact = known.onArtifact;
  }

  /** Empty until the agent has said it, and where it answered by a message alone. */
  get id(): string {
    return this.#id;
  }
  get contextId(): string {
    return this.#contextId;
  }
  get standing(): Standing {
    return this.#standing;
  }
  /** What the agent said with its last status. */
  get said(): Message | undefined {
    return this.#said;
  }

  artifact(id: string): Artifact | undefined {
    return this.#artifacts.get(id);
  }

  get parts(): readonly Part[] {
    if (this.#reply !== undefined) return this.#reply.parts;
    const made = artifactParts([...this.#artifacts.values()]);
    return made.length > 0 ? made : (this.#said?.parts ?? []);
  }

  /**
   * Takes what the agent sent.
   * @returns what is worth showing as progress, if anything
   * @throws A2aError PROTOCOL, RESULT_TOO_LARGE
   */
  take({ payload }: StreamResponse): Readonly<Record<string, unknown>> | undefined {
    if (this.#standing !== "working") return undefined;
    switch (payload?.$case) {
      case "message":
        this.#reply = payload.value;
        this.#standing = "completed";
        return undefined;
      case "task":
        this.takeTask(payload.value);
        return this.#progress();
      case "statusUpdate":
        this.#name(payload.value.taskId, payload.value.contextId);
        this.#takeStatus(payload.value.status);
        return this.#progress();
      case "artifactUpdate":
        this.#name(payload.value.taskId, payload.value.contextId);
        return this.#takeArtifact(payload.value.artifact, payload.value.append);
      default:
        throw this.#nonsense("an event that is none of task, message, status and artifact");
    }
  }

  /** Takes the whole task, as the agent keeps it. */
  takeTask(task: Task): void {
    this.#name(task.id, task.contextId);
    this.#artifacts.clear();
    this.#bytes = 0;
    for (const artifact of task.artifacts) this.#takeArtifact(artifact, false);
    this.#takeStatus(task.status);
  }

  /** An authorization was given: the agent continues by itself when it has noticed. */
  continues(): void {
    this.#isAuthorized = true;
    this.resume();
  }

  /** A follow-up message was sent: the agent works again. */
  resume(): void {
    this.#standing = "working";
    this.#said = undefined;
  }

  #name(id: string, contextId: string): void {
    if (id === "" || (this.#id !== "" && id !== this.#id))
      throw this.#nonsense(id === "" ? "a task without an id" : `the task ${id} in place of ${this.#id}`);
    this.#id = id;
    if (contextId !== "") this.#contextId = contextId;
  }

  #takeStatus(status: TaskStatus | undefined): void {
    const standing = standings.get(status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
    if (standing === undefined) throw this.#nonsense("a task in an unknown state");
    this.#standing = standing === "auth" && this.#isAuthorized ? "working" : standing;
    if (standing !== "auth") this.#isAuthorized = false;
    this.#said = status?.message;
  }

  #takeArtifact(artifact: Artifact | undefined, append: boolean): Readonly<Record<string, unknown>> | undefined {
    if (artifact === undefined) return undefined;
    this.#bytes += JSON.stringify(artifact.parts).length;
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#agent, this.#maxBytes);
    const before = this.#artifacts.get(artifact.artifactId);
    const whole =
      append && before !== undefined ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact;
    this.#artifacts.set(artifact.artifactId, whole);
    this.#onArtifact?.(whole);
    return { artifact: artifact.name || artifact.artifactId, bytes: this.#bytes };
  }

  #progress(): Readonly<Record<string, unknown>> | undefined {
    const text = messageText(this.#said);
    return { task_id: this.#id, state: this.#standing, ...(text !== "" && { text: text.slice(0, 2_000) }) };
  }

  #nonsense(problem: string): A2aError {
    const message = `Agent "${this.#agent}" sent ${problem}.`;
    return new A2aError(A2aErrorCode.PROTOCOL, message, { details: { agent: this.#agent, problem } });
  }
}
