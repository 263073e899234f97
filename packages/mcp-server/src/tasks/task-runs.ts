import { approve, cancelRun, deny, type Planloom, RuntimeErrorCode, type WaitingCall } from "planloom";
import { describeRecordedRun } from "planloom/plan-tools";
import { approvalRequest, readApproval } from "../ask-person.ts";
import { requireOwnRun } from "../own-run.ts";
import { resultOf } from "../tool-result.ts";
import type { McpTask } from "./protocol.ts";

/** How often a client is asked to look, in milliseconds. */
const pollIntervalMs = 1_000;

/** The field of a run's metadata by which its task is known, also after a restart. */
export const taskMetadata = { mcp_task: true } as const;

/** The client that looks at a task: whether it can show forms to a person. */
export interface TaskViewer {
  readonly canAsk: boolean;
}

/**
 * Runs as tasks of the protocol. The id of a task is that of its run, and all of it is read from the journal, so that a task outlives the
 * connection and the process: one whose program ended is continued when its client asks for it again.
 */
export class TaskRuns {
  readonly #planloom: Planloom;
  readonly #tenant: string | undefined;
  readonly #running = new Map<string, AbortController>();
  /** Forms that were closed without an answer, which must not be shown again: by run, their keys. */
  readonly #closed = new Map<string, Set<string>>();
  readonly #log: (error: unknown) => void;

  /** @param tenant whose runs alone are tasks @param log gets errors of runs that nobody waits for */
  constructor(planloom: Planloom, tenant: string | undefined, log: (error: unknown) => void) {
    this.#planloom = planloom;
    this.#tenant = tenant;
    this.#log = log;
  }

  /** Leaves a run to itself: from now on `cancel` stops it. */
  keep(runId: string, stop: AbortController, running: Promise<unknown>): void {
    this.#running.set(runId, stop);
    running.catch(this.#log).finally(() => {
      if (this.#running.get(runId) === stop) this.#running.delete(runId);
    });
  }

  /** The task as it is now; undefined for an unknown id. */
  async get(runId: string, viewer: TaskViewer): Promise<McpTask | undefined> {
    const view = await this.#view(runId);
    if (view === undefined) return undefined;
    const { status, counts, tasks, waiting } = view;
    const fields = {
      taskId: runId,
      createdAt: view.created_at,
      lastUpdatedAt: view.updated_at,
      ttlMs: null,
      pollIntervalMs,
    };
    const working = (statusMessage: string): McpTask => ({ ...fields, status: "working", statusMessage });
    switch (status) {
      case "running":
        return working(`${counts.completed ?? 0} of ${tasks.length} steps are completed.`);
      case "waiting":
        this.#continue(runId, { ifDueBy: Date.now() });
        return working("The run waits for a time or a signal.");
      case "interrupted":
      case "drained":
      case "shut_down":
        this.#continue(runId, { retryFailed: false });
        return working("The program that ran it ended; the run is continued.");
      case "waiting_approval": {
        const asked = waiting.filter((call) => call.wait === undefined);
        const shown = viewer.canAsk ? asked.filter((call) => !this.#closed.get(runId)?.has(keyOf(call))) : [];
        const [first] = asked;
        const statusMessage = `${asked.length === 1 ? "A call waits" : `${asked.length} calls wait`} for a person.`;
        if (shown.length === 0) {
          return working(
            first === undefined ? statusMessage : `${statusMessage} planloom approve ${runId} ${first.id}`,
          );
        }
        const inputRequests = Object.fromEntries(shown.map((call) => [keyOf(call), approvalRequest(call, runId)]));
        return { ...fields, status: "input_required", statusMessage, inputRequests };
      }
      case "cancelled":
        this.#closed.delete(runId);
        return { ...fields, status: "cancelled" };
      default: {
        this.#closed.delete(runId);
        const result = resultOf(await describeRecordedRun(runId, await this.#planloom.journal()));
        return { ...fields, status: "completed", result: { ...result, resultType: "complete" } };
      }
    }
  }

  /**
   * Takes what a person answered at the client, and continues the run. Answers to what is not asked, or no longer, are left out.
   * @returns whether there is such a task
   */
  async update(runId: string, responses: Readonly<Record<string, unknown>>): Promise<boolean> {
    const view = await this.#view(runId);
    if (view === undefined) return false;
    const journal = await this.#planloom.journal();
    let isAnswered = false;
    for (const call of view.waiting) {
      const key = keyOf(call);
      if (!Object.hasOwn(responses, key)) continue;
      const answer = readApproval(responses, key);
      if (answer === undefined) {
        this.#closed.set(runId, (this.#closed.get(runId) ?? new Set()).add(key));
        continue;
      }
      const options = {
        journal,
        contentHash: call.content_hash,
        by: answer.by,
        ...(answer.note && { note: answer.note }),
      };
      await (answer.approve ? approve(runId, call.id, options) : deny(runId, call.id, options));
      isAnswered = true;
    }
    if (isAnswered && view.status !== "running") this.#continue(runId);
    return true;
  }

  /** Stops the run; one that has ended stays as it is. @returns whether there is such a task */
  async cancel(runId: string): Promise<boolean> {
    if ((await this.#view(runId)) === undefined) return false;
    this.#running.get(runId)?.abort(new Error("The client cancelled the task."));
    await cancelRun(runId, { journal: await this.#planloom.journal() }).catch((error: unknown) => {
      if (codeOf(error) !== RuntimeErrorCode.NOT_RUNNING) throw error;
    });
    return true;
  }

  /** Only runs that were begun as tasks for the same tenant are: others of the same journal belong to somebody else. */
  async #view(runId: string) {
    const own = requireOwnRun(this.#planloom, runId, this.#tenant).then(() => this.#planloom.runStatus(runId));
    const view = await own.catch((error: unknown) => {
      if (codeOf(error) === RuntimeErrorCode.RUN_NOT_FOUND) return undefined;
      throw error;
    });
    return view?.metadata?.mcp_task === true ? view : undefined;
  }

  #continue(runId: string, how: { readonly ifDueBy?: number; readonly retryFailed?: boolean } = {}): void {
    if (this.#running.has(runId)) return;
    const stop = new AbortController();
    const running = this.#planloom.resume(runId, { signal: stop.signal, ...how });
    const quiet = running.catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== RuntimeErrorCode.NOT_DUE && code !== RuntimeErrorCode.RUN_LEASED) throw error;
    });
    this.keep(runId, stop, quiet);
  }
}

/** A question about other content has another key. */
const keyOf = ({ id, content_hash }: WaitingCall): string => `${id}:${content_hash.slice(0, 16)}`;

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
