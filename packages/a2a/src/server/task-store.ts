import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { TaskStore } from "@a2a-js/sdk/server";
import type { Planloom, RunStatus } from "planloom";
import { dataPart, textPart } from "../client/parts.ts";
import { BoundedMap } from "./bounded-map.ts";
import { outputOf } from "./run-ending.ts";

/** The status of a run in the words of A2A. */
const stateOfRun: Readonly<Record<RunStatus, TaskState>> = {
  running: TaskState.TASK_STATE_WORKING,
  interrupted: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_WORKING,
  waiting_approval: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  drained: TaskState.TASK_STATE_WORKING,
  shut_down: TaskState.TASK_STATE_WORKING,
  failed: TaskState.TASK_STATE_FAILED,
  budget: TaskState.TASK_STATE_FAILED,
  denied: TaskState.TASK_STATE_FAILED,
  round_limit: TaskState.TASK_STATE_FAILED,
  stalled: TaskState.TASK_STATE_FAILED,
};

const maxPageSize = 100;

/** The tasks of an agent: the latest in memory, older ones, and those of earlier processes, as the journal has their runs. */
export class RunTaskStore implements TaskStore {
  readonly #planloom: Planloom;
  readonly #tenant: string | undefined;
  readonly #tasks: BoundedMap<string, Task>;

  constructor(planloom: Planloom, mostKept: number, tenant: string | undefined) {
    this.#planloom = planloom;
    this.#tenant = tenant;
    this.#tasks = new BoundedMap(mostKept);
  }

  async save(task: Task): Promise<void> {
    this.#tasks.set(task.id, structuredClone(task));
  }

  async load(taskId: string): Promise<Task | undefined> {
    const kept = this.#tasks.get(taskId);
    return kept === undefined ? this.#ofRun(taskId) : structuredClone(kept);
  }

  /** The tasks in memory, the latest first. A page token is a number of tasks to leave out. */
  async list({
    contextId,
    status,
    pageSize = maxPageSize,
    pageToken,
    includeArtifacts,
  }: ListTasksRequest): Promise<ListTasksResponse> {
    const fitting = [...this.#tasks.values()]
      .filter((task) => contextId === "" || task.contextId === contextId)
      .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
      .reverse();
    const from = Math.max(0, Number.parseInt(pageToken || "0", 10) || 0);
    const size = Math.min(Math.max(1, pageSize), maxPageSize);
    const page = fitting.slice(from, from + size);
    return {
      tasks: page.map((task) => ({ ...structuredClone(task), ...(includeArtifacts !== true && { artifacts: [] }) })),
      nextPageToken: from + size < fitting.length ? String(from + size) : "",
      pageSize: size,
      totalSize: fitting.length,
    };
  }

  /** Only runs that an agent began for the same tenant are tasks: others of the same journal are nobody's business. */
  async #ofRun(taskId: string): Promise<Task | undefined> {
    const view = await this.#planloom.runStatus(taskId).catch(() => undefined);
    const begun = view?.metadata?.a2a as { readonly context_id?: unknown; readonly tenant?: unknown } | undefined;
    if (view === undefined || begun === undefined || begun.tenant !== this.#tenant) return undefined;
    const contextId = typeof begun.context_id === "string" ? begun.context_id : "";
    const state = stateOfRun[view.status] ?? TaskState.TASK_STATE_WORKING;
    const output = state === TaskState.TASK_STATE_COMPLETED ? await outputOf(this.#planloom, taskId) : undefined;
    const parts = output === undefined ? [] : [typeof output === "string" ? textPart(output) : dataPart(output)];
    const artifact = {
      artifactId: "output",
      name: "output",
      description: "",
      parts,
      metadata: undefined,
      extensions: [],
    };
    return {
      id: taskId,
      contextId,
      status: { state, message: undefined, timestamp: view.updated_at },
      artifacts: parts.length === 0 ? [] : [artifact],
      history: [],
      metadata: undefined,
    };
  }
}
